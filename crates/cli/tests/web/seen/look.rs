//! What a client that looks sees, and the digest that it makes of it.

use plimsoll_domain::PairId;
use plimsoll_send::{Hash, Seen, SeenPair};
use serde_json::{Value, json};

use super::client::{Asked, Client, file_words};

/// What a client that looks sees: everything that would be sent, and what it says it saw.
pub(super) struct Shown {
    model: String,
    /// How each message begins, with its role; behind a file's token everything may follow.
    messages: Vec<(&'static str, String)>,
    system: Option<String>,
    /// Whether something is said about files; none where only the message's own are listed.
    files: Option<bool>,
    /// The words of the message's own file, and whether they go along.
    own: Option<(String, bool)>,
    pub(super) seen: Value,
}

impl Shown {
    /// Why a request is not what was shown; none where it is.
    pub(super) fn differs(&self, request: &Value) -> Option<String> {
        let messages = request["messages"].as_array().unwrap();
        let role = |message: &Value| message["role"].as_str().unwrap().to_owned();
        let words = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
        let (instructions, said): (Vec<&Value>, Vec<&Value>) =
            messages.iter().partition(|message| role(message) == "system");
        let mut instructions: Vec<String> = instructions.into_iter().map(words).collect();
        let about_files = |text: &String| text.contains("file_id: ");
        let told = instructions.iter().any(about_files);
        instructions.retain(|text| !about_files(text));
        let same = |(message, (who, opening)): (&&Value, &(&str, String))| {
            role(message) == *who && words(message).starts_with(opening)
        };
        let right = request["model"] == *self.model
            && instructions.first() == self.system.as_ref()
            && instructions.len() <= 1
            && self.files.is_none_or(|shown| shown == told)
            && said.len() == self.messages.len()
            && said.iter().zip(&self.messages).all(same)
            && self.own.as_ref().is_none_or(|(text, goes)| {
                said.last().is_some_and(|message| words(message).contains(text) == *goes)
            });
        (!right).then(|| {
            let Self { model, messages, system, files, .. } = self;
            format!("shown {model} {system:?} {messages:?} files {files:?}, sent {request}")
        })
    }
}

/// How a text begins, before its first file.
fn opening(text: &str) -> String {
    text.split("<<context:").next().unwrap_or_default().to_owned()
}

impl Client {
    /// Looks at what would be sent; none where it cannot be asked at all.
    pub(super) fn look(&mut self, asked: &Asked) -> Option<Shown> {
        self.calls.lock().unwrap().clear();
        let get = |path| self.served.json("GET", path, None);
        // As a page does it: a question that is asked again stands in the box with its files.
        let draft = match asked {
            Asked::New(draft) => draft.clone(),
            Asked::Reask(pair) => {
                json!({ "text": pair["userText"], "attachments": pair["attachments"] })
            }
            Asked::Regenerate(..) => json!({ "text": "" }),
        };
        self.served.json("PUT", "/api/draft", Some(draft));
        let state = get("/api/state");
        let preview = match asked {
            Asked::New(_) => None,
            Asked::Reask(pair) => Some(json!({ "reask": pair["id"] })),
            Asked::Regenerate(pair, model) => {
                Some(json!({ "regenerate": pair["id"], "model": model }))
            }
        };
        let preview = match preview {
            None => None,
            Some(what) => {
                let answer = self.served.ask("POST", "/api/preview", Some(what));
                if answer.status != 200 {
                    return None;
                }
                Some(serde_json::from_str::<Value>(&answer.body).unwrap())
            }
        };
        let page = get("/api/pairs?from=0&limit=200");
        let all = page["pairs"].as_array().unwrap();
        let settings = get("/api/settings");
        let mut settings = settings["settings"].as_array().unwrap().iter();
        let errors = settings.any(|one| one["key"] == "sendErrorPairs" && one["value"] == "on");
        let sent = |at: usize, pair: &Value| match &preview {
            None => pair["included"] == true,
            Some(preview) => {
                let from = preview["boundary"]["start"].as_u64().unwrap();
                let to = preview["end"].as_u64().unwrap();
                // BND-1 of the pairs that are never sent.
                let sendable = match pair["lifecycleState"].as_str().unwrap() {
                    "error" => errors,
                    "cancelled" => pair["assistantText"].as_str().is_some_and(|it| !it.is_empty()),
                    _ => true,
                };
                let at = at as u64;
                // BND-8: a pin goes from above the line too.
                let inside = at < to && (at >= from || pair["use"] == "pinned");
                inside && pair["id"] != asked.pair() && sendable && pair["use"] != "out"
            }
        };
        let mut seen = Seen::default();
        let mut messages = Vec::new();
        for (at, pair) in all.iter().enumerate().filter(|(at, pair)| sent(*at, pair)) {
            let id = PairId::parse(pair["id"].as_str().unwrap()).unwrap();
            let (revision, pinned) = (pair["revision"].as_u64().unwrap(), pair["use"] == "pinned");
            seen.pairs.push(SeenPair { at, id, revision, pinned });
            messages.push(("user", opening(pair["userText"].as_str().unwrap())));
            let answer = pair["assistantText"].as_str().filter(|text| !text.is_empty());
            let answer = answer.filter(|_| pair["lifecycleState"] != "error");
            messages.extend(answer.map(|answer| ("assistant", answer.to_owned())));
        }
        let (words, own) = match asked {
            Asked::New(message) => (message["text"].clone(), message["attachments"].clone()),
            Asked::Reask(pair) | Asked::Regenerate(pair, _) => {
                let files = preview.as_ref().map(|preview| preview["files"].clone());
                (pair["userText"].clone(), files.unwrap_or_default())
            }
        };
        messages.push(("user", opening(words.as_str().unwrap())));
        let own = own.as_array().cloned().unwrap_or_default();
        let told = preview.as_ref().unwrap_or(&state);
        let system = self.system_message();
        let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
        let model = preview.as_ref().map_or(&state["view"]["model"], |told| &told["model"]);
        let model = model.as_str().unwrap().to_owned();
        // The digest as its documentation has it, made from what was read.
        let mut digest = format!("model {model}\n");
        if let Some(system) = &system {
            digest.push_str(&format!("instructions {}\n", Hash::of(system)));
        }
        if let Some(files) = told["shown"]["files"].as_str() {
            digest.push_str(&format!("instructions {files}\n"));
        }
        for (number, block) in seen.blocks() {
            digest.push_str(&format!("block {number} {block}\n"));
        }
        for file in &own {
            let (id, delivery) = (text(&file["fileId"]), text(&file["delivery"]));
            digest.push_str(&format!("file {id} {delivery}\n"));
        }
        // The question that is answered anew, as it stands among the pairs where it does.
        if let Some(question) = told["question"].as_object() {
            let (id, told) = (&question["pair"], &question["revision"]);
            let shown = all.iter().find(|pair| pair["id"] == *id);
            let revision = shown.map_or(told, |pair| &pair["revision"]);
            digest.push_str(&format!("question {} {revision}\n", text(id)));
        }
        let inline = own.first().map(|file| file["delivery"] == "inline");
        let own_words = match asked {
            Asked::New(_) => inline.map(|goes| (file_words(self.step), goes)),
            _ => None,
        };
        let files = own.is_empty().then(|| told["shown"]["files"].is_string());
        let digest = Hash::of(&digest).to_string();
        let seen = json!({ "view": told["shown"]["view"], "digest": digest });
        Some(Shown { model, messages, system, files, own: own_words, seen })
    }

    /// The system message of the topic, where it is sent.
    fn system_message(&self) -> Option<String> {
        let topics = self.served.json("GET", "/api/topics", None);
        let topics = topics["topics"].as_array().unwrap();
        let topic = topics.iter().find(|topic| topic["id"] == *self.topic).unwrap();
        topic["systemMessage"].as_str().map(ToOwned::to_owned)
    }
}
