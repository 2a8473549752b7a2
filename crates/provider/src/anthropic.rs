//! Anthropic.

use plimsoll_send::{Request, WireRules};
use reqwest::header::{HeaderName, HeaderValue};

use crate::{
    AnswerStream, Encoded, Endpoint, Models, Provider, RelayRequest, Relaying, RemoteFiles,
    SetupError, Unsayable,
    answer::answer,
    encoded::encode,
    http::{Call, Client},
    models::{by_id, listed},
    relay::relay as relay_call,
    remote_files::FilesAt,
    wire::{anthropic, unsayable},
};

/// The version of the wire that is spoken.
const VERSION: &str = "2023-06-01";
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// A request that names copies of files needs this header.
const FILES_BETA: (HeaderName, HeaderValue) =
    (HeaderName::from_static("anthropic-beta"), HeaderValue::from_static("files-api-2025-04-14"));

/// Anthropic's messages.
#[derive(Clone, Debug)]
pub struct Anthropic {
    endpoint: Endpoint,
    client: Client,
    headers: Vec<(HeaderName, HeaderValue)>,
    files: FilesAt,
}

impl Anthropic {
    /// Where it usually is.
    pub const BASE_URL: &'static str = "https://api.anthropic.com/v1";

    /// A provider at an endpoint.
    pub fn new(endpoint: Endpoint) -> Result<Self, SetupError> {
        let client = Client::new(&endpoint)?;
        let version = HeaderName::from_static("anthropic-version");
        let mut headers = vec![(version, HeaderValue::from_static(VERSION))];
        headers.extend(endpoint.key_header(API_KEY, "")?);
        let files = FilesAt {
            client: client.clone(),
            url: endpoint.join(["files"]),
            headers: headers.iter().cloned().chain([FILES_BETA]).collect(),
            fields: vec![("expires_in_seconds", FilesAt::life())],
            takes: &["image/", "application/pdf"],
        };
        Ok(Self { endpoint, client, headers, files })
    }
}

impl Provider for Anthropic {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn base_url(&self) -> &str {
        &self.endpoint.base_url
    }

    fn wire_rules(&self) -> WireRules {
        WireRules::STRICT
    }

    fn required_max_output(&self) -> Option<u64> {
        Some(anthropic::REQUIRED_MAX_OUTPUT)
    }

    fn encode(&self, request: &Request) -> Encoded {
        encode(request, anthropic::body)
    }

    fn unsayable(&self, request: &Request) -> Vec<Unsayable> {
        unsayable::anthropic(request)
    }

    fn answer(&self, request: &Request, encoded: Encoded) -> AnswerStream {
        let url = self.endpoint.join(["messages"]);
        let mut call = Call::post(url, &self.headers, encoded.into_body());
        if request.files().any(|file| file.remote.is_some()) {
            call.headers.push(FILES_BETA);
        }
        answer(self.client.clone(), call, Box::new(anthropic::Decoder::default()))
    }

    fn relays(&self) -> bool {
        true
    }

    fn relay(&self, relay: RelayRequest) -> Option<Relaying> {
        let url = self.endpoint.join(relay.path.iter().map(String::as_str));
        let mut call = Call::post_as(url, &self.headers, relay.kind, relay.body);
        let mut client = self.client.clone();
        if let Some(key) = relay.key {
            client.go_with(key, API_KEY, "", &mut call)?;
        }
        Some(relay_call(client, call, relay.headers, relay.streamed))
    }

    fn files(&self) -> Option<&dyn RemoteFiles> {
        Some(&self.files)
    }

    fn models(&self) -> Models {
        let mut url = self.endpoint.join(["models"]);
        url.set_query(Some("limit=1000"));
        let (client, call) = (self.client.clone(), Call::get(url, &self.headers));
        Box::pin(async move { Ok(by_id(listed(&client.json(call).await?))) })
    }
}
