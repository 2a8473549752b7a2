//! A request of a client as the scripted upstream understands it, in whichever of the three
//! protocols it came.

use plimsoll_testkit::scripted::Recorded;
use serde_json::Value;

/// What clients speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Protocol {
    Chat,
    Responses,
    Messages,
}

/// A tool that the model may call.
pub(crate) struct Offered {
    pub(crate) name: String,
    pub(crate) schema: Value,
}

/// What the request says about calling tools.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Free,
    Never,
    Any,
    Named(String),
}

/// A call of the model.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) protocol: Protocol,
    /// Whatever came as a key, in either protocol's header.
    pub(crate) keys: Vec<String>,
    pub(crate) body: Value,
}

impl Asked {
    /// None where a request is no call of the model.
    pub(crate) fn read(request: &Recorded) -> Option<Self> {
        let protocol = match request.path.split('?').next()? {
            "/v1/chat/completions" => Protocol::Chat,
            "/v1/responses" => Protocol::Responses,
            "/v1/messages" => Protocol::Messages,
            _ => return None,
        };
        // The SDKs' own tests send some calls without any body.
        let body = serde_json::from_str(&request.body).unwrap_or(Value::Null);
        let key =
            |name| request.header(name).map(|key| key.trim_start_matches("Bearer ").to_owned());
        let keys = ["authorization", "x-api-key"].into_iter().filter_map(key).collect();
        (request.method == "POST").then_some(Self { protocol, keys, body })
    }

    pub(crate) fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or("test")
    }

    pub(crate) fn streamed(&self) -> bool {
        self.body["stream"] == true
    }

    /// Whether a streamed chat asks for its usage.
    pub(crate) fn wants_usage(&self) -> bool {
        self.body["stream_options"]["include_usage"] == true
    }

    pub(crate) fn tools(&self) -> Vec<Offered> {
        let offered = |tool: &Value| {
            let function = if tool["function"].is_object() { &tool["function"] } else { tool };
            let schema = ["parameters", "input_schema"].map(|member| &function[member]);
            let schema = schema.into_iter().find(|schema| schema.is_object());
            Some(Offered {
                name: function["name"].as_str()?.to_owned(),
                schema: schema.cloned().unwrap_or_default(),
            })
        };
        list(&self.body["tools"]).iter().filter_map(offered).collect()
    }

    pub(crate) fn choice(&self) -> Choice {
        let choice = &self.body["tool_choice"];
        match choice["type"].as_str().or(choice.as_str()) {
            Some("none") => Choice::Never,
            Some("any" | "required") => Choice::Any,
            Some("tool" | "function") => {
                let name = choice["name"].as_str().or(choice["function"]["name"].as_str());
                name.map_or(Choice::Any, |name| Choice::Named(name.to_owned()))
            }
            _ => Choice::Free,
        }
    }

    /// The messages, or the items of Responses.
    fn messages(&self) -> &[Value] {
        match self.protocol {
            Protocol::Responses => list(&self.body["input"]),
            Protocol::Chat | Protocol::Messages => list(&self.body["messages"]),
        }
    }

    /// The results of tools that the conversation holds, as the texts that stand there.
    pub(crate) fn results(&self) -> Vec<String> {
        let found = |message: &Value| -> Vec<String> {
            match self.protocol {
                Protocol::Chat if message["role"] == "tool" => {
                    vec![message["content"].to_string()]
                }
                Protocol::Responses if message["type"] == "function_call_output" => {
                    vec![message["output"].to_string()]
                }
                Protocol::Messages => list(&message["content"])
                    .iter()
                    .filter(|block| block["type"] == "tool_result")
                    .map(|block| block["content"].to_string())
                    .collect(),
                Protocol::Chat | Protocol::Responses => Vec::new(),
            }
        };
        self.messages().iter().flat_map(found).collect()
    }

    /// The last message as it stands there.
    pub(crate) fn last(&self) -> &Value {
        static NOTHING: Value = Value::Null;
        self.messages().last().unwrap_or(&NOTHING)
    }

    /// Whether the last message brings the result of a tool.
    pub(crate) fn brings_result(&self) -> bool {
        let last = self.last();
        let block = |block: &Value| block["type"] == "tool_result";
        last["role"] == "tool"
            || last["type"] == "function_call_output"
            || list(&last["content"]).iter().any(block)
    }

    /// The form that the answer must have.
    pub(crate) fn format(&self) -> &Value {
        match self.protocol {
            Protocol::Chat => &self.body["response_format"],
            Protocol::Responses => &self.body["text"]["format"],
            Protocol::Messages => &self.body["output_config"]["format"],
        }
    }

    /// The schema that the answer must follow.
    pub(crate) fn schema(&self) -> Option<&Value> {
        let format = self.format();
        let schema = [&format["schema"], &format["json_schema"]["schema"]];
        schema.into_iter().find(|schema| schema.is_object())
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
