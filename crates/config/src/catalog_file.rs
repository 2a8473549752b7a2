//! The model catalog as a TOML file (CAT-1).

use plimsoll_budget::{Api, Catalog, ClientOverBudget, Found, Model, Price, WindowSource};
use plimsoll_domain::Protocol;
use plimsoll_tokens::{ImagePricing, Tokenizer};
use serde::Deserialize;
use thiserror::Error;

/// The catalog that ships with Plimsoll.
const SHIPPED: &str = include_str!("../assets/models.toml");

/// Why a model file was refused.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// It is not TOML, or a field is unknown or of the wrong kind.
    #[error("{0}")]
    Syntax(String),
    /// A value makes no sense.
    #[error("model '{}': {problem}", .id.escape_debug())]
    Value {
        /// The model it is about.
        id: String,
        /// What is wrong.
        problem: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    model: Vec<Entry>,
}

/// One model of a file. What is absent keeps the value that it had.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Entry {
    id: String,
    provider: Option<String>,
    base_url: Option<String>,
    api: Option<String>,
    protocols: Option<Vec<String>>,
    gateway_over_budget: Option<String>,
    key_env: Option<String>,
    keyless: Option<bool>,
    aliases: Option<Vec<String>>,
    context_window: Option<u64>,
    tpm: Option<u64>,
    rpm: Option<u64>,
    tpd: Option<u64>,
    max_output: Option<u64>,
    tokenizer: Option<String>,
    chars_per_token: Option<f64>,
    message_overhead: Option<u64>,
    image_pricing: Option<String>,
    vision: Option<bool>,
    tools: Option<bool>,
    audio: Option<bool>,
    shared_window: Option<bool>,
    price: Option<PriceEntry>,
    enabled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PriceEntry {
    input: f64,
    cached_input: Option<f64>,
    output: f64,
}

/// The shipped catalog. An error here is a defect of the build, and a test finds it.
pub fn shipped_catalog() -> Result<Catalog, CatalogError> {
    let mut catalog = Catalog::default();
    merge(&mut catalog, SHIPPED, WindowSource::Catalog)?;
    Ok(catalog)
}

/// Puts a user's model file over a catalog: new models are added, and what it says
/// about a known one wins, field by field.
pub fn merge_catalog(catalog: &mut Catalog, toml: &str) -> Result<(), CatalogError> {
    merge(catalog, toml, WindowSource::User)
}

fn merge(catalog: &mut Catalog, toml: &str, source: WindowSource) -> Result<(), CatalogError> {
    let file: File =
        toml::from_str(toml).map_err(|error| CatalogError::Syntax(toml_problem(toml, &error)))?;
    for entry in file.model {
        // An alias stands for its model, so an entry may go by either name.
        let known = catalog.find(&entry.id).filter(|(_, found)| *found != Found::Prefix);
        let base = known.map_or_else(|| Model::unknown(&entry.id), |(model, _)| model.clone());
        let model = entry.over(base, source)?;
        catalog.put(model);
    }
    Ok(())
}

/// A TOML error in one line, with the number of the line it is about.
pub(crate) fn toml_problem(toml: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', " ");
    match error.span() {
        Some(span) => {
            let line = 1 + toml.bytes().take(span.start).filter(|byte| *byte == b'\n').count();
            format!("line {line}: {message}")
        }
        None => message,
    }
}

impl Entry {
    fn over(self, base: Model, source: WindowSource) -> Result<Model, CatalogError> {
        let bad = |problem: String| CatalogError::Value { id: self.id.clone(), problem };
        if self.id.trim().is_empty() {
            return Err(bad("the id is empty".into()));
        }
        for (name, value) in [
            ("contextWindow", self.context_window),
            ("tpm", self.tpm),
            ("maxOutput", self.max_output),
        ] {
            if value == Some(0) {
                return Err(bad(format!("{name} must be above 0")));
            }
        }
        if self.chars_per_token.is_some_and(|ratio| !ratio.is_finite() || ratio <= 0.0) {
            return Err(bad("charsPerToken must be above 0".into()));
        }
        let tokenizer = match self.tokenizer.as_deref() {
            None => base.tokenizer,
            Some(name) => Some(Tokenizer::parse(name).ok_or_else(|| {
                bad(format!("tokenizer '{name}' is not one of {}", Tokenizer::names()))
            })?),
        };
        let image_pricing = match self.image_pricing.as_deref() {
            None => base.image_pricing,
            Some(name) => Some(ImagePricing::parse(name).ok_or_else(|| {
                let known = ImagePricing::NAMES;
                bad(format!("imagePricing '{name}' is not one of {}", known.join(", ")))
            })?),
        };
        let api = match self.api.as_deref() {
            None => base.api,
            Some(name) => Some(Api::parse(name).ok_or_else(|| {
                let known = Api::ALL.map(Api::name).join(", ");
                bad(format!("api '{name}' is not one of {known}"))
            })?),
        };
        let protocols = match &self.protocols {
            None => base.protocols,
            Some(names) => {
                let protocol = |name: &String| {
                    Protocol::parse(name).ok_or_else(|| {
                        let known = Protocol::ALL.map(Protocol::name).join(", ");
                        bad(format!("protocol '{name}' is not one of {known}"))
                    })
                };
                Some(names.iter().map(protocol).collect::<Result<_, _>>()?)
            }
        };
        let client_over_budget = match self.gateway_over_budget.as_deref() {
            None => base.client_over_budget,
            Some(name) => Some(ClientOverBudget::parse(name).ok_or_else(|| {
                let known = ClientOverBudget::NAMES.join(", ");
                bad(format!("gatewayOverBudget '{name}' is not one of {known}"))
            })?),
        };
        Ok(Model {
            api,
            protocols,
            client_over_budget,
            provider: self.provider.unwrap_or(base.provider),
            base_url: self.base_url.or(base.base_url),
            key_env: self.key_env.or(base.key_env),
            keyless: self.keyless.unwrap_or(base.keyless),
            aliases: self.aliases.unwrap_or(base.aliases),
            window_source: if self.context_window.is_some() { source } else { base.window_source },
            context_window: self.context_window.or(base.context_window),
            tpm: self.tpm.or(base.tpm),
            rpm: self.rpm.or(base.rpm),
            tpd: self.tpd.or(base.tpd),
            max_output: self.max_output.or(base.max_output),
            tokenizer,
            chars_per_token: self.chars_per_token.or(base.chars_per_token),
            message_overhead: self.message_overhead.unwrap_or(base.message_overhead),
            image_pricing,
            vision: self.vision.unwrap_or(base.vision),
            tools: self.tools.unwrap_or(base.tools),
            audio: self.audio.unwrap_or(base.audio),
            shared_window: self.shared_window.unwrap_or(base.shared_window),
            price: self.price.map_or(base.price, |price| {
                let PriceEntry { input, cached_input, output } = price;
                Some(Price { input, cached_input, output })
            }),
            enabled: self.enabled.unwrap_or(base.enabled),
            id: base.id,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cat_1_the_shipped_catalog_has_the_windows_of_the_spec() {
        let catalog = shipped_catalog().unwrap();
        for (name, window) in [
            ("phi-3-mini-4k", 4096),
            ("phi-3-mini-4k-instruct-generic-cpu:1", 4096),
            ("phi-3-mini-128k", 131_072),
            ("phi-4-mini", 131_072),
            ("phi-4-mini-instruct", 131_072),
            ("llama-3.2-1b", 131_072),
            ("llama-3.2-3b", 131_072),
            ("qwen2.5-0.5b", 32_768),
            ("qwen2.5-1.5b", 32_768),
            ("qwen2.5-3b", 32_768),
            ("mistral-7b", 32_768),
            ("deepseek-r1-distill-qwen-1.5b", 65_536),
            ("deepseek-r1-distill-qwen-7b", 65_536),
            ("gpt-4o-2024-11-20", 128_000),
            ("claude-sonnet-5-5", 1_000_000),
            ("gemini-2.5-pro", 1_048_576),
            ("grok-4.7", 500_000),
            ("mistral-large-2512", 262_144),
            ("deepseek-v4-pro", 1_000_000),
            ("openai/gpt-oss-120b", 131_072),
            ("embedded", 4096),
        ] {
            let found = catalog.find(name).and_then(|(model, _)| model.context_window);
            assert_eq!(found, Some(window), "{name}");
        }
        let providers: std::collections::HashSet<&str> =
            catalog.models().iter().map(|model| model.provider.as_str()).collect();
        for provider in [
            "openai",
            "anthropic",
            "google",
            "xai",
            "mistral",
            "deepseek",
            "groq",
            "embedded",
            "codex",
        ] {
            assert!(providers.contains(provider), "{provider}");
        }
    }

    /// EST-3: most of the catalog is counted exactly, the embedded model by its own tokenizer.
    #[test]
    fn est_3_at_least_eighty_models_of_the_catalog_count_exactly() {
        let catalog = shipped_catalog().unwrap();
        let exact = catalog.models().iter().filter(|model| model.tokenizer.is_some()).count();
        assert!(exact >= 80, "{exact} of {}", catalog.models().len());
        for (name, tokenizer) in [
            ("gpt-4o-2024-11-20", Some(Tokenizer::O200k)),
            ("gpt-4-0613", Some(Tokenizer::Cl100k)),
            ("phi-4-mini", Some(Tokenizer::O200k)),
            ("llama3.2", Some(Tokenizer::Llama3)),
            ("deepseek-r1-distill-qwen-7b", Some(Tokenizer::Qwen2)),
            ("deepseek-chat", Some(Tokenizer::Deepseek)),
            ("ministral-8b", Some(Tokenizer::Tekken)),
            ("kimi-k2.6", Some(Tokenizer::Kimi)),
            ("glm-4.7", Some(Tokenizer::Glm4)),
            ("glm-4.7-flash", Some(Tokenizer::Glm5)),
            // Older vocabularies under the same names, new ones, and what nobody publishes.
            ("mistral:7b", None),
            ("pixtral-large", None),
            ("phi-3-mini-4k", None),
            ("qwen/qwen3.8-27b", None),
            ("gpt-6-sol", None),
            ("claude-sonnet-5", None),
            ("gemini-2.5-pro", None),
        ] {
            let (model, _) = catalog.find(name).unwrap();
            assert_eq!(model.tokenizer, tokenizer, "{name}");
        }
    }

    /// EST-5: models of one family charge for pictures in different ways.
    #[test]
    fn est_5_the_shipped_catalog_says_how_pictures_are_counted() {
        let catalog = shipped_catalog().unwrap();
        for (name, pricing) in [
            ("gpt-4o-2024-11-20", "openai"),
            ("gpt-4o-mini-2024-07-18", "tiles:2833+5667"),
            ("gpt-4.1-2025-04-14", "openai"),
            ("gpt-4.1-mini-2025-04-14", "patches:1.62"),
            ("gpt-4.1-nano-2025-04-14", "patches:2.46"),
            ("gemini-2.5-pro", "gemini"),
        ] {
            let (model, _) = catalog.find(name).unwrap();
            let found = model.image_pricing.map(plimsoll_tokens::ImagePricing::name);
            assert_eq!(found.as_deref(), Some(pricing), "{name}");
        }
    }

    #[test]
    fn shipped_ids_and_aliases_are_unique() {
        let catalog = shipped_catalog().unwrap();
        let mut seen = std::collections::HashSet::new();
        for model in catalog.models() {
            for name in std::iter::once(&model.id).chain(&model.aliases) {
                assert!(seen.insert(name.to_lowercase()), "{name} stands twice");
            }
        }
    }

    #[test]
    fn cat_1_the_users_values_win_field_by_field() {
        let mut catalog = shipped_catalog().unwrap();
        let own = "[[model]]\nid = \"gpt-4o\"\ntpm = 30000\n\n\
                   [[model]]\nid = \"my-model\"\ncontextWindow = 5000\n";
        merge_catalog(&mut catalog, own).unwrap();
        let (gpt, _) = catalog.find("gpt-4o").unwrap();
        assert_eq!((gpt.tpm, gpt.context_window), (Some(30_000), Some(128_000)));
        assert_eq!(gpt.window_source, WindowSource::Catalog);
        merge_catalog(&mut catalog, "[[model]]\nid = \"embedded\"\ncontextWindow = 2048\n")
            .unwrap();
        let (embedded, _) = catalog.find("smollm2-135m-instruct").unwrap();
        assert_eq!(embedded.context_window, Some(2048), "an alias names its model");
        let (mine, _) = catalog.find("my-model").unwrap();
        assert_eq!(mine.window_source, WindowSource::User);
    }

    #[test]
    fn a_bad_file_says_what_is_wrong() {
        for (toml, expected) in [
            ("[[model]]\nid = \"x\"\ncontextWindw = 5\n", "contextWindw"),
            ("[[model]]\nid = \"x\"\ntokenizer = \"bert\"\n", "not one of o200k, cl100k"),
            ("[[model]]\nid = \"\"\n", "the id is empty"),
            ("[[model]]\nid = \"x\"\napi = \"soap\"\n", "not one of openai, anthropic, gemini"),
            ("[[model]]\nid = \"x\"\ncontextWindow = 0\n", "above 0"),
            ("[[model]]\nid = \"x\"\ntpm = 0\n", "tpm must be above 0"),
            ("\n\n[[model]]\nid = 7\n", "line 4: "),
            ("[[model]]\nprovider = \"x\"\n", "id"),
            ("[[model]]\nid = \"\\n\"\n", "the id is empty"),
            ("not toml", ""),
        ] {
            let error = merge_catalog(&mut Catalog::default(), toml).unwrap_err().to_string();
            assert!(error.contains(expected), "{toml:?}: {error}");
            assert!(!error.contains('\n'), "one line: {error:?}");
        }
    }
}
