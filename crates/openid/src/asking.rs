//! What asks the provider, handed in from outside.

use std::{future::Future, pin::Pin, sync::Arc};

use thiserror::Error;

/// What is asked.
pub type Request = http::Request<Vec<u8>>;

/// What is answered, with any status.
pub type Response = http::Response<Vec<u8>>;

/// Nothing was answered; why, in one line without a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotAnswered(pub String);

/// An answer to come.
pub type Answering = Pin<Box<dyn Future<Output = Result<Response, NotAnswered>> + Send>>;

/// An HTTP client. It follows no redirects, reads no endless answers and waits for a bounded time.
pub trait Ask: Send + Sync {
    /// Asks once.
    fn ask(&self, request: Request) -> Answering;
}

/// The client as the library takes it. Where the provider is known by HTTPS, nothing of it is asked
/// by plain HTTP, whatever it says about itself.
pub(crate) fn client(
    ask: &Arc<dyn Ask>,
    private: bool,
) -> impl Fn(Request) -> Answering + Send + Sync + 'static {
    let ask = Arc::clone(ask);
    move |request| match private && request.uri().scheme_str() != Some("https") {
        false => ask.ask(request),
        true => {
            let words = format!("{} is plain HTTP, and the issuer is not", request.uri());
            Box::pin(async move { Err(NotAnswered(words)) })
        }
    }
}
