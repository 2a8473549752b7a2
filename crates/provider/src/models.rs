//! Lists of models, as servers tell them, and the context length wherever it stands
//! (CAT-2, CAT-3). Pure: JSON in, models out.

use serde_json::Value;

use crate::ServedModel;

/// As many models are taken from one list (REL-7): several times as many as anybody offers.
/// Each is asked for, shown and compared with all that are known.
pub const MOST_MODELS: usize = 2_000;

/// No model has a longer name, in bytes.
const LONGEST_ID: usize = 512;

/// Where a context length may stand, what is in use before what would be possible.
const WINDOWS: [&str; 12] = [
    "/loaded_context_length",
    "/meta/n_ctx",
    "/n_ctx",
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/max_context_window",
    "/top_provider/context_length",
    "/max_input_tokens",
    "/limits/max_input_tokens",
    "/inputTokenLimit",
];

/// A list in the OpenAI style: `data`, or a bare array. LM Studio's own list and
/// Anthropic's have the same form.
pub(crate) fn listed(list: &Value) -> Vec<ServedModel> {
    let models = list.get("data").or_else(|| list.get("models")).unwrap_or(list);
    let models = models.as_array().into_iter().flatten();
    // Whoever says what a model is for, says so here; embeddings do not answer.
    let kind = |model: &&Value| {
        let kind = model.get("type").and_then(Value::as_str);
        !matches!(kind, Some("embeddings" | "embedding"))
    };
    models.filter(kind).filter_map(served).take(MOST_MODELS).collect()
}

fn served(model: &Value) -> Option<ServedModel> {
    let id = ["id", "name", "model"].iter().find_map(|key| model.get(key)?.as_str());
    let id = id.filter(|id| !id.is_empty() && id.len() <= LONGEST_ID)?.to_owned();
    let window = WINDOWS.iter().find_map(|path| positive(model.pointer(path)?));
    Some(ServedModel { id, context_window: window })
}

/// Gemini's list: ids begin with `models/`, and not all of the models answer.
pub(crate) fn listed_gemini(list: &Value) -> Vec<ServedModel> {
    let models = list.get("models").and_then(Value::as_array).into_iter().flatten();
    let answers = |model: &&Value| {
        let methods = model.get("supportedGenerationMethods").and_then(Value::as_array);
        methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
    };
    let short = |model: ServedModel| {
        let id = model.id.strip_prefix("models/").unwrap_or(&model.id).to_owned();
        ServedModel { id, ..model }
    };
    models.filter(answers).filter_map(served).take(MOST_MODELS).map(short).collect()
}

/// The window that Ollama's `/api/show` tells: the one that is set, before the one
/// that the model was made for.
pub(crate) fn ollama_window(shown: &Value) -> Option<u64> {
    let parameters = shown.get("parameters").and_then(Value::as_str).unwrap_or_default();
    let set = parameters.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        if words.next()? == "num_ctx" { words.next()?.parse().ok() } else { None }
    });
    let info = shown.get("model_info").and_then(Value::as_object);
    let made_for = info.into_iter().flatten().find_map(|(key, value)| {
        if key.ends_with(".context_length") { positive(value) } else { None }
    });
    set.filter(|set| *set > 0).or(made_for)
}

/// The window of the one model that a llama.cpp server has, from `/props`.
pub(crate) fn llama_cpp_window(props: &Value) -> Option<u64> {
    let paths = ["/default_generation_settings/n_ctx", "/n_ctx"];
    paths.iter().find_map(|path| positive(props.pointer(path)?))
}

/// A list in the order of the ids, each once.
pub(crate) fn by_id(mut models: Vec<ServedModel>) -> Vec<ServedModel> {
    models.sort_by(|a, b| a.id.cmp(&b.id));
    models.dedup_by(|a, b| a.id == b.id);
    models
}

/// Zero means that nobody knows.
fn positive(value: &Value) -> Option<u64> {
    let told = value.as_str().and_then(|text| text.parse().ok());
    value.as_u64().or(told).filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn model(id: &str, window: impl Into<Option<u64>>) -> ServedModel {
        ServedModel { id: id.into(), context_window: window.into() }
    }

    #[test]
    fn cat_2_windows_are_found_where_servers_tell_them() {
        for (told, expected) in [
            (json!({"id": "openai"}), None),
            (json!({"id": "llama.cpp", "meta": {"n_ctx": 512, "n_ctx_train": 8192}}), Some(512)),
            (json!({"id": "llama.cpp, older", "meta": {"n_ctx_train": 8192}}), None),
            (json!({"id": "vllm", "max_model_len": 4096}), Some(4096)),
            (json!({"id": "groq", "context_window": 131_072}), Some(131_072)),
            (json!({"id": "mistral", "max_context_length": 32_768}), Some(32_768)),
            (
                json!({"id": "lmstudio", "type": "llm", "max_context_length": 131_072,
                       "loaded_context_length": 4096}),
                Some(4096),
            ),
            (
                json!({"id": "openrouter", "context_length": 200_000,
                    "top_provider": {"context_length": 100_000}}),
                Some(200_000),
            ),
            (json!({"id": "together", "context_length": 0}), None),
            (json!({"id": "text", "context_length": "8192"}), Some(8192)),
            (
                json!({"id": "anthropic", "type": "model", "max_input_tokens": 200_000}),
                Some(200_000),
            ),
        ] {
            let id = told["id"].as_str().unwrap().to_owned();
            for list in [json!({"data": [told]}), json!([told])] {
                assert_eq!(listed(&list), [model(&id, expected)]);
            }
        }
    }

    #[test]
    fn lists_in_other_shapes() {
        let embeddings = json!({"data": [{"id": "e", "type": "embeddings"}, {"id": ""}, 7]});
        assert_eq!(listed(&embeddings), []);
        assert_eq!(listed(&json!({"models": [{"name": "qwen3:4b"}]})), [model("qwen3:4b", None)]);
        for strange in [json!(null), json!("x"), json!({"data": {}}), json!({"data": null})] {
            assert_eq!(listed(&strange), []);
            assert_eq!(listed_gemini(&strange), []);
        }
        let gemini = json!({"models": [
            {"name": "models/gemini-2.5-pro", "inputTokenLimit": 1_048_576,
             "supportedGenerationMethods": ["generateContent", "countTokens"]},
            {"name": "models/embedding-001", "supportedGenerationMethods": ["embedContent"]},
        ]});
        assert_eq!(listed_gemini(&gemini), [model("gemini-2.5-pro", 1_048_576)]);
    }

    #[test]
    fn rel_7_a_list_has_a_bound() {
        let many = |name: &str| -> Vec<_> {
            (0..MOST_MODELS + 5).map(|n| json!({"name": format!("{name}{n}")})).collect()
        };
        assert_eq!(listed(&json!({"data": many("m")})).len(), MOST_MODELS);
        assert_eq!(listed(&json!(many("m"))).len(), MOST_MODELS);
        let gemini = listed_gemini(&json!({"models": many("models/m")}));
        assert_eq!((gemini.len(), gemini[0].id.as_str()), (MOST_MODELS, "m0"));
        let long = json!([{"id": "x".repeat(LONGEST_ID + 1)}, {"id": "fine"}]);
        assert_eq!(listed(&long), [model("fine", None)]);
    }

    #[test]
    fn ollama_tells_a_window_twice_and_the_set_one_counts() {
        let info = json!({"general.architecture": "llama", "llama.context_length": 131_072});
        let parameters = "stop  \"<|end|>\"\nnum_ctx                        8192";
        for (shown, expected) in [
            (json!({"parameters": parameters, "model_info": info}), Some(8192)),
            (json!({"parameters": "stop \"x\"", "model_info": info}), Some(131_072)),
            (json!({"model_info": info}), Some(131_072)),
            (json!({"parameters": "num_ctx 0"}), None),
            (json!({}), None),
        ] {
            assert_eq!(ollama_window(&shown), expected, "{shown}");
        }
    }

    #[test]
    fn llama_cpp_tells_its_window_in_its_properties() {
        let props = json!({"default_generation_settings": {"n_ctx": 512}, "total_slots": 1});
        assert_eq!(llama_cpp_window(&props), Some(512));
        assert_eq!(llama_cpp_window(&json!({})), None);
    }

    #[test]
    fn a_list_is_sorted_and_has_no_doubles() {
        let models = vec![model("b", None), model("a", 1), model("b", None)];
        assert_eq!(by_id(models), [model("a", 1), model("b", None)]);
    }
}
