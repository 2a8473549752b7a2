//! Calls that are neither weighed nor translated: embeddings, sounds, pictures (GWY-1). They are
//! passed to a provider of the same protocol, and metered.

use std::{sync::Arc, time::Instant};

use plimsoll_domain::{Protocol, ReceiptId};
use plimsoll_gateway::{CallReceipt, LeftOut, Problem, Refusal};
use plimsoll_provider::{AnswerWatch, RelayRequest, Secret};
use plimsoll_send::{Stage, Timings};
use plimsoll_store::ClientKey;
use plimsoll_tokens::Band;

use super::{
    AnswerBody, CallHead, CallRefused, ClientAnswer, Gateway,
    answers::{CallLog, RelayedAnswer},
};
use crate::Payer;

/// A request that is passed on as it is.
pub struct PassedCall {
    /// Below `/v1/`.
    pub path: String,
    pub model: String,
    /// The media type of the body.
    pub kind: String,
    pub body: Vec<u8>,
    pub client: Option<Arc<ClientKey>>,
    /// The project that it is counted in, where the client is somebody of a team (TEA-10).
    pub project: Option<Arc<str>>,
    pub headers: Vec<(String, String)>,
    pub key: Option<Secret>,
}

impl PassedCall {
    fn payer(&self) -> Option<Payer> {
        super::payer_of(self.client.as_deref(), self.project.as_ref())
    }
}

impl Gateway {
    /// Passes a request on.
    pub async fn pass_on(self: &Arc<Self>, call: PassedCall) -> Result<ClientAnswer, CallRefused> {
        let started = Instant::now();
        if let Some(client) = &call.client {
            let model = self.model_of(&call.model);
            super::clients::may_ask(client, &call.model, &model.id)?;
        }
        let route = self.route(&call.model, call.payer().as_ref()).await?;
        let missing = || {
            Problem::NotHere(format!(
                "'{}' is served by {}, which has no /v1/{}; a provider in OpenAI's style is needed for it",
                call.model, route.model.provider, call.path
            ))
        };
        if !route.takes(Protocol::Chat) {
            return Err(missing().into());
        }
        if route.renamed {
            let words = format!("name the model itself here: '{}'", route.connection.model);
            return Err(Problem::Refused(Refusal::of("model", words)).into());
        }
        let (running, permit) = self.let_in(call.client.as_deref(), 0).await?;
        let id = ReceiptId::new(self.app.clock.now(), self.app.chance.bytes());
        let receipt = CallReceipt {
            id,
            client: call.client.as_ref().map(|client| client.name.clone()),
            project: call.project.as_deref().map(str::to_owned),
            protocol: call.path.clone(),
            asked_model: call.model.clone(),
            model: route.model.id.clone(),
            server: route.base_url().to_owned(),
            same_protocol: true,
            over_budget: "pass".to_owned(),
            window: route.limit.tokens,
            estimate: 0,
            basis: String::new(),
            band: Band::default(),
            // Nothing of it is weighed here.
            partial: true,
            parts: Vec::new(),
            left_out: LeftOut::default(),
            passed_over: Vec::new(),
            attempts: 1,
            failures: Vec::new(),
            stage: Stage::Sent.name().to_owned(),
            error: None,
            streamed: false,
            request_bytes: call.body.len(),
            usage: None,
            cost: None,
            estimate_error_percent: None,
            truncation: None,
            timings: Timings::default(),
        };
        let log = CallLog::of(self, Arc::clone(&route), receipt, (running, permit), started);
        let head = CallHead {
            receipt: id,
            model: route.model.id.clone(),
            window: route.limit.tokens,
            estimate: 0,
            basis: "approx",
            trimmed_exchanges: 0,
            trimmed_rounds: 0,
            trimmed_tokens: 0,
            attempts: 1,
            over: None,
            over_quota: None,
            partial: true,
            passed_over: Vec::new(),
        };
        let relay = RelayRequest {
            path: call.path.split('/').map(str::to_owned).collect(),
            model: call.model.clone(),
            headers: call.headers,
            kind: call.kind,
            streamed: false,
            body: call.body,
            key: call.key,
        };
        let Some(relaying) = route.connection.provider.relay(relay) else {
            log.end(Stage::Error, None);
            return Err(missing().into());
        };
        match relaying.await {
            Ok(relayed) => {
                let watch = AnswerWatch::of_usage();
                let bytes =
                    RelayedAnswer::new(Protocol::Chat, relayed.body, None, log, watch).bytes();
                let (status, headers) = (relayed.status, relayed.headers);
                Ok(ClientAnswer { head, body: AnswerBody::Relayed { status, headers, bytes } })
            }
            Err(failure) => {
                let fault = failure.fault();
                let problem = Problem::of(&fault, 0, route.limit.tokens);
                log.end(Stage::Error, Some(problem.message(Protocol::Chat)));
                let verbatim = failure.status.filter(|_| super::attempts::is_error(&failure.body));
                Err(CallRefused {
                    head: Some(Box::new(head)),
                    retry_after: fault.retry_after,
                    verbatim: verbatim.map(|status| Box::new((status, failure.body.clone()))),
                    ..CallRefused::from(problem)
                })
            }
        }
    }
}
