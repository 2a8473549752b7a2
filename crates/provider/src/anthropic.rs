//! Anthropic.

use plimsoll_send::WireRules;
use reqwest::header::{HeaderName, HeaderValue};

use crate::{
    AnswerStream, ChatRequest, Endpoint, Models, Provider, SetupError,
    answer::answer,
    http::{Call, Client},
    models::{by_id, listed},
    wire::anthropic,
};

/// The version of the wire that is spoken.
const VERSION: &str = "2023-06-01";

/// Anthropic's messages.
#[derive(Clone, Debug)]
pub struct Anthropic {
    endpoint: Endpoint,
    client: Client,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Anthropic {
    /// Where it usually is.
    pub const BASE_URL: &'static str = "https://api.anthropic.com/v1";

    /// A provider at an endpoint.
    pub fn new(endpoint: Endpoint) -> Result<Self, SetupError> {
        let client = Client::new(&endpoint)?;
        let version = HeaderName::from_static("anthropic-version");
        let mut headers = vec![(version, HeaderValue::from_static(VERSION))];
        headers.extend(endpoint.key_header(HeaderName::from_static("x-api-key"), "")?);
        Ok(Self { endpoint, client, headers })
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

    fn body(&self, request: &ChatRequest) -> String {
        anthropic::body(request)
    }

    fn answer(&self, request: ChatRequest) -> AnswerStream {
        let url = self.endpoint.join(["messages"]);
        let call = Call::post(url, &self.headers, self.body(&request));
        answer(self.client.clone(), call, Box::new(anthropic::Decoder::default()))
    }

    fn models(&self) -> Models {
        let mut url = self.endpoint.join(["models"]);
        url.set_query(Some("limit=1000"));
        let (client, call) = (self.client.clone(), Call::get(url, &self.headers));
        Box::pin(async move { Ok(by_id(listed(&client.json(call).await?))) })
    }
}
