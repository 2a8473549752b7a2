//! Everyone who speaks chat completions in the OpenAI style, by base URL.

use std::sync::Arc;

use plimsoll_send::{Request, WireRules};
use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};

use crate::{
    AnswerStream, Encoded, Endpoint, Models, Provider, ProviderFailure, RelayRequest, Relaying,
    RemoteFiles, SetupError, Transcript, Unsayable,
    answer::answer,
    encoded::encode,
    http::{Call, Client},
    local,
    models::{by_id, listed},
    relay::relay as relay_call,
    remote_files::{FilesAt, multipart},
    wire::{openai, unsayable},
};

/// Azure's ways, which differ in the address and the header of the key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Azure {
    /// The `api-version` of the query; the newer `/openai/v1` addresses need none.
    pub api_version: Option<String>,
}

const API_KEY: HeaderName = HeaderName::from_static("api-key");

/// A provider of chat completions.
#[derive(Clone, Debug)]
pub struct OpenAiStyle {
    endpoint: Endpoint,
    client: Client,
    headers: Vec<(HeaderName, HeaderValue)>,
    azure: Option<Azure>,
    files: Option<FilesAt>,
}

impl OpenAiStyle {
    /// Where OpenAI itself usually is.
    pub const BASE_URL: &'static str = "https://api.openai.com/v1";

    /// A provider at an endpoint. A base URL without any path gets the usual `/v1`.
    pub fn new(mut endpoint: Endpoint) -> Result<Self, SetupError> {
        if endpoint.url.path() == "/" {
            endpoint = Endpoint { url: endpoint.join(["v1"]), ..endpoint };
            endpoint.base_url.push_str("/v1");
        }
        Self::build(endpoint, None)
    }

    /// A deployment at Azure. With a base URL that has no path the model's name is
    /// taken for the name of its deployment.
    pub fn azure(endpoint: Endpoint, azure: Azure) -> Result<Self, SetupError> {
        Self::build(endpoint, Some(azure))
    }

    fn build(endpoint: Endpoint, azure: Option<Azure>) -> Result<Self, SetupError> {
        let client = Client::new(&endpoint)?;
        let key = match azure {
            Some(_) => endpoint.key_header(API_KEY, "")?,
            None => endpoint.key_header(AUTHORIZATION, "Bearer ")?,
        };
        Ok(Self { endpoint, client, headers: key.into_iter().collect(), azure, files: None })
    }

    /// The same, with documents kept there and named by ids (FIL-4). Of all who speak this
    /// wire only OpenAI itself is known to do that; pictures have no such name in it.
    pub fn with_files(mut self) -> Self {
        self.files = Some(FilesAt {
            client: self.client.clone(),
            url: self.url(None, &["files"]),
            headers: self.headers.clone(),
            fields: vec![
                ("purpose", "user_data".to_owned()),
                ("expires_after[anchor]", "created_at".to_owned()),
                ("expires_after[seconds]", FilesAt::life()),
            ],
            takes: &["application/pdf"],
        });
        self
    }

    /// Whether it takes thoughts of earlier turns: servers that think aloud want them back, and
    /// some others refuse a whole request for a member that they do not know.
    fn takes_reasoning(&self) -> bool {
        let refuses = ["api.openai.com", "api.groq.com", "api.mistral.ai"];
        let host = self.endpoint.url.host_str().unwrap_or_default();
        self.azure.is_none() && !refuses.contains(&host)
    }

    fn url(&self, model: Option<&str>, path: &[&str]) -> Url {
        let bare = self.azure.is_some() && self.endpoint.url.path() == "/";
        let mut segments = match model {
            Some(model) if bare => vec!["openai", "deployments", model],
            None if bare => vec!["openai"],
            _ => Vec::new(),
        };
        segments.extend(path);
        let mut url = self.endpoint.join(segments);
        let version = self.azure.as_ref().and_then(|azure| azure.api_version.as_deref());
        if let Some(version) = version {
            url.query_pairs_mut().append_pair("api-version", version);
        }
        url
    }
}

impl Provider for OpenAiStyle {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn base_url(&self) -> &str {
        &self.endpoint.base_url
    }

    fn wire_rules(&self) -> WireRules {
        WireRules::OPENAI
    }

    fn encode(&self, request: &Request) -> Encoded {
        if self.takes_reasoning() || !unsayable::thinks(request) {
            return encode(request, openai::body);
        }
        encode(&request.without_reasoning(), openai::body)
    }

    fn unsayable(&self, request: &Request) -> Vec<Unsayable> {
        unsayable::openai(request, self.takes_reasoning())
    }

    fn answer(&self, request: &Request, encoded: Encoded) -> AnswerStream {
        let url = self.url(Some(&request.model), &["chat", "completions"]);
        let call = Call::post(url, &self.headers, encoded.into_body());
        answer(self.client.clone(), call, Box::new(openai::Decoder::default()))
    }

    fn relays(&self) -> bool {
        true
    }

    fn relay(&self, relay: RelayRequest) -> Option<Relaying> {
        let path: Vec<&str> = relay.path.iter().map(String::as_str).collect();
        let url = self.url(Some(&relay.model), &path);
        let mut call = Call::post_as(url, &self.headers, relay.kind, relay.body);
        let mut client = self.client.clone();
        if let Some(key) = relay.key {
            let name = if self.azure.is_some() { API_KEY } else { AUTHORIZATION };
            let prefix = if self.azure.is_some() { "" } else { "Bearer " };
            client.go_with(key, name, prefix, &mut call)?;
        }
        Some(relay_call(client, call, relay.headers, relay.streamed))
    }

    fn transcribe(
        &self,
        model: &str,
        name: &str,
        mime: &str,
        data: Arc<[u8]>,
        language: Option<&str>,
    ) -> Option<Transcript> {
        let mut fields = vec![("model", model.to_owned())];
        fields.extend(language.map(|language| ("language", language.to_owned())));
        let (kind, body) = multipart(&fields, name, mime, &data);
        let url = self.url(Some(model), &["audio", "transcriptions"]);
        let (client, call) = (self.client.clone(), Call::post_as(url, &self.headers, kind, body));
        Some(Box::pin(async move {
            let answer = client.json(call).await?;
            let text = answer.get("text").and_then(serde_json::Value::as_str);
            text.map(str::to_owned).ok_or_else(|| ProviderFailure {
                body: format!("the transcript has no text: {answer}"),
                ..ProviderFailure::default()
            })
        }))
    }

    fn files(&self) -> Option<&dyn RemoteFiles> {
        self.files.as_ref().map(|files| files as &dyn RemoteFiles)
    }

    fn models(&self) -> Models {
        let call = Call::get(self.url(None, &["models"]), &self.headers);
        let (client, headers) = (self.client.clone(), self.headers.clone());
        let root = self.endpoint.root();
        Box::pin(async move {
            // Servers at home speak plain HTTP, and tell more under addresses of their own.
            let at_home = root.url.scheme() == "http";
            match client.json(call).await {
                Ok(list) => {
                    let mut models = listed(&list);
                    // More is asked below, and nobody needs it by then (REL-7).
                    drop(list);
                    if at_home && models.iter().any(|model| model.context_window.is_none()) {
                        local::learn_windows(&client, &root, &headers, &mut models).await;
                    }
                    Ok(by_id(models))
                }
                Err(failure) if at_home && failure.status == Some(404) => {
                    let mut models = Vec::new();
                    local::learn_windows(&client, &root, &headers, &mut models).await;
                    if models.is_empty() { Err(failure) } else { Ok(by_id(models)) }
                }
                Err(failure) => Err(failure),
            }
        })
    }

    fn models_for_key(&self) -> Models {
        let models = self.models();
        // Everybody may read the list of OpenRouter; this only who has a key.
        if self.endpoint.name != "openrouter" {
            return models;
        }
        let call = Call::get(self.url(None, &["key"]), &self.headers);
        let client = self.client.clone();
        Box::pin(async move {
            client.small_json(call).await?;
            models.await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let at = |url| Endpoint::new("x", url).unwrap();
        let azure = |url, version: Option<&str>| {
            let azure = Azure { api_version: version.map(str::to_owned) };
            OpenAiStyle::azure(at(url), azure).unwrap()
        };
        let style = |url| OpenAiStyle::new(at(url)).unwrap();
        for (provider, expected) in [
            (style("http://x/v1"), "http://x/v1/chat/completions"),
            (style("http://localhost:11434"), "http://localhost:11434/v1/chat/completions"),
            (style("http://x/openai/v1/"), "http://x/openai/v1/chat/completions"),
            (
                azure("http://x.test", Some("2024-10-21")),
                "http://x.test/openai/deployments/m%2F1/chat/completions?api-version=2024-10-21",
            ),
            (
                azure("http://x.test/openai/deployments/d", Some("1")),
                "http://x.test/openai/deployments/d/chat/completions?api-version=1",
            ),
            (azure("http://x.test/openai/v1", None), "http://x.test/openai/v1/chat/completions"),
        ] {
            assert_eq!(provider.url(Some("m/1"), &["chat", "completions"]).as_str(), expected);
        }
        assert_eq!(style("http://localhost:1").base_url(), "http://localhost:1/v1");
    }
}
