//! What servers at home tell under addresses of their own: Ollama, LM Studio and
//! llama.cpp know the windows of their models, but not in the common list.

use std::{collections::HashMap, time::Duration};

use futures_util::{StreamExt, future, stream};
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    Endpoint, ServedModel,
    http::{Call, Client},
    models::{listed, llama_cpp_window, ollama_window},
};

/// These questions are cheap to answer, and nobody waits for those who do not know them.
const PATIENCE: Duration = Duration::from_secs(3);
/// Models that are asked about, and how many at once.
const MOST_SHOWN: usize = 200;
const AT_ONCE: usize = 8;

/// Fills in the windows that are missing, and the models where there are none. What is
/// not answered stays as it is.
pub(crate) async fn learn_windows(
    client: &Client,
    root: &Endpoint,
    headers: &[(HeaderName, HeaderValue)],
    models: &mut Vec<ServedModel>,
) {
    let ask = |path: [&'static str; 3]| {
        let segments = path.into_iter().filter(|segment| !segment.is_empty());
        asked(client, Call::get(root.join(segments), headers))
    };
    let (lm_studio, props, tags, running) = future::join4(
        ask(["api", "v0", "models"]),
        ask(["props", "", ""]),
        ask(["api", "tags", ""]),
        ask(["api", "ps", ""]),
    )
    .await;
    if let Some(list) = lm_studio {
        merge(models, listed(&list));
    }
    if let Some(tags) = tags {
        // What runs now has the window that counts, whatever it was made for.
        merge(models, running.as_ref().map(listed).unwrap_or_default());
        merge(models, listed(&tags));
        merge(models, shown(client, root, headers, models).await);
    }
    if let ([model], Some(props)) = (models.as_mut_slice(), props) {
        model.context_window = model.context_window.or_else(|| llama_cpp_window(&props));
    }
}

/// Asks Ollama about every model whose window is missing.
async fn shown(
    client: &Client,
    root: &Endpoint,
    headers: &[(HeaderName, HeaderValue)],
    models: &[ServedModel],
) -> Vec<ServedModel> {
    let missing = models.iter().filter(|model| model.context_window.is_none()).take(MOST_SHOWN);
    let questions: Vec<_> = missing
        .map(|model| {
            let body = json!({"model": model.id}).to_string();
            let call = Call::post(root.join(["api", "show"]), headers, body);
            let (client, id) = (client.clone(), model.id.clone());
            async move {
                let window = asked(&client, call).await.as_ref().and_then(ollama_window);
                ServedModel { id, context_window: window }
            }
        })
        .collect();
    stream::iter(questions).buffer_unordered(AT_ONCE).collect().await
}

async fn asked(client: &Client, call: Call) -> Option<Value> {
    timeout(PATIENCE, client.small_json(call)).await.ok()?.ok()
}

/// Takes what is told about known models, and models that are new.
fn merge(models: &mut Vec<ServedModel>, told: Vec<ServedModel>) {
    let mut places: HashMap<String, usize> =
        models.iter().enumerate().map(|(place, known)| (known.id.clone(), place)).rev().collect();
    for model in told {
        match places.get(&model.id).and_then(|place| models.get_mut(*place)) {
            Some(known) => known.context_window = known.context_window.or(model.context_window),
            None => {
                places.insert(model.id.clone(), models.len());
                models.push(model);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_kept_and_what_is_missing_is_taken() {
        let model = |id: &str, window| ServedModel { id: id.into(), context_window: window };
        let mut models = vec![model("a", Some(1)), model("b", None)];
        merge(&mut models, vec![model("a", Some(9)), model("b", Some(2)), model("c", None)]);
        assert_eq!(models, [model("a", Some(1)), model("b", Some(2)), model("c", None)]);
    }
}
