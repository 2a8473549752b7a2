//! Gemini.

use plimsoll_send::{Request, WireRules};
use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};

use crate::{
    AnswerStream, Encoded, Endpoint, Models, Provider, SetupError, Unsayable,
    answer::answer,
    encoded::encode,
    http::{Call, Client},
    models::{by_id, listed_gemini},
    wire::{gemini, unsayable},
};

/// Google's Gemini. Its key travels in a header, since addresses end up in logs.
#[derive(Clone, Debug)]
pub struct Gemini {
    endpoint: Endpoint,
    client: Client,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Gemini {
    /// Where it usually is.
    pub const BASE_URL: &'static str = "https://generativelanguage.googleapis.com/v1beta";

    /// A provider at an endpoint.
    pub fn new(endpoint: Endpoint) -> Result<Self, SetupError> {
        let client = Client::new(&endpoint)?;
        let key = endpoint.key_header(HeaderName::from_static("x-goog-api-key"), "")?;
        Ok(Self { endpoint, client, headers: key.into_iter().collect() })
    }

    /// A model is called `models/<id>` in lists, and by its id elsewhere.
    fn url(&self, model: &str) -> Url {
        let (kind, id) = match model.split_once('/') {
            Some((kind @ ("models" | "tunedModels"), id)) => (kind, id),
            _ => ("models", model),
        };
        let method = format!("{id}:streamGenerateContent");
        let mut url = self.endpoint.join([kind, &method]);
        url.set_query(Some("alt=sse"));
        url
    }
}

impl Provider for Gemini {
    fn name(&self) -> &str {
        &self.endpoint.name
    }

    fn base_url(&self) -> &str {
        &self.endpoint.base_url
    }

    fn wire_rules(&self) -> WireRules {
        WireRules::STRICT
    }

    fn encode(&self, request: &Request) -> Encoded {
        encode(request, gemini::body)
    }

    fn unsayable(&self, request: &Request) -> Vec<Unsayable> {
        unsayable::gemini(request)
    }

    fn answer(&self, request: &Request, encoded: Encoded) -> AnswerStream {
        let call = Call::post(self.url(&request.model), &self.headers, encoded.into_body());
        answer(self.client.clone(), call, Box::new(gemini::Decoder::default()))
    }

    fn models(&self) -> Models {
        let mut url = self.endpoint.join(["models"]);
        url.set_query(Some("pageSize=1000"));
        let (client, call) = (self.client.clone(), Call::get(url, &self.headers));
        Box::pin(async move { Ok(by_id(listed_gemini(&client.json(call).await?))) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let gemini = Gemini::new(Endpoint::new("gemini", "http://x/v1beta").unwrap()).unwrap();
        for (model, expected) in [
            (
                "gemini-2.5-pro",
                "http://x/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            ),
            ("models/g", "http://x/v1beta/models/g:streamGenerateContent?alt=sse"),
            ("tunedModels/t", "http://x/v1beta/tunedModels/t:streamGenerateContent?alt=sse"),
            ("a/../b", "http://x/v1beta/models/a%2F..%2Fb:streamGenerateContent?alt=sse"),
        ] {
            assert_eq!(gemini.url(model).as_str(), expected);
        }
    }
}
