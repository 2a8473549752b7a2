//! Calls to servers that are neither models nor files, such as a provider of identities: one
//! question, one bounded answer, by the same rules of reach, time and TLS as all calls.

use http::{Request, Response};
use reqwest::redirect::Policy;
use tokio::time::timeout;

use crate::{
    Reach, SetupError, Timeouts,
    http::{builder, tls},
    reach::resolver,
    transport,
};

/// No such answer is larger.
const MAX_ANSWER: usize = 1024 * 1024;

/// A client for them. Redirects are not followed: who is asked was named by an administrator.
#[derive(Clone, Debug)]
pub struct PlainCalls {
    http: reqwest::Client,
    timeouts: Timeouts,
}

impl PlainCalls {
    /// A client for servers beside the one at this address.
    pub fn new(address: &str, timeouts: Timeouts) -> Result<Self, SetupError> {
        let not_a_url = || SetupError::NotAUrl(address.to_owned());
        let url = reqwest::Url::parse(address).map_err(|_| not_a_url())?;
        let mut builder = builder(timeouts)
            .redirect(Policy::none())
            .dns_resolver(resolver(Reach::Anywhere))
            .tls_backend_preconfigured(tls(url.scheme() == "https")?);
        if crate::endpoint::is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| SetupError::Client(error.to_string()))?;
        Ok(Self { http, timeouts })
    }

    /// Asks once; what fails is said in one line.
    pub async fn ask(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, String> {
        let request = reqwest::Request::try_from(request)
            .map_err(|error| format!("no such question can be asked: {}", error.without_url()))?;
        Reach::Anywhere.check_url(request.url()).map_err(|why| why.to_string())?;
        let limit = self.timeouts.first_byte;
        match timeout(limit, self.answer(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(transport::no_first_byte(limit)),
        }
    }

    async fn answer(&self, request: reqwest::Request) -> Result<Response<Vec<u8>>, String> {
        let sent = self.http.execute(request).await;
        let mut answer =
            sent.map_err(|error| transport::before_answer(error, self.timeouts.connect).line)?;
        let mut body = Vec::new();
        loop {
            match answer.chunk().await {
                Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_ANSWER => {
                    body.extend_from_slice(&chunk);
                }
                Ok(Some(_)) => return Err("the answer is too long".to_owned()),
                Ok(None) => break,
                Err(error) => return Err(transport::in_mid_stream(Some(error)).line),
            }
        }
        let mut whole = Response::new(body);
        *whole.status_mut() = answer.status();
        *whole.headers_mut() = answer.headers().clone();
        Ok(whole)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plimsoll_testkit::scripted::{Reply, ScriptedServer};

    use super::*;

    async fn asked(reply: Reply) -> Result<Response<Vec<u8>>, String> {
        let server = ScriptedServer::always(reply).unwrap();
        let address = server.root_url();
        let timeouts = Timeouts { first_byte: Duration::from_millis(500), ..Timeouts::default() };
        let calls = PlainCalls::new(&address, timeouts).unwrap();
        let request = Request::post(format!("{address}/token")).header("x-a", "b");
        let answer = calls.ask(request.body(b"code=1".to_vec()).unwrap()).await;
        let heard = server.requests();
        assert_eq!(heard.len(), 1, "it is asked once");
        assert_eq!((heard[0].body.as_str(), heard[0].header("x-a")), ("code=1", Some("b")));
        answer
    }

    #[tokio::test]
    async fn tea_9_a_plain_call_gives_what_came() {
        for status in [200, 401, 500] {
            let answer = asked(Reply::json(status, "{}")).await.unwrap();
            assert_eq!((answer.status().as_u16(), answer.body().as_slice()), (status, &b"{}"[..]));
            assert_eq!(answer.headers()["content-type"], "application/json");
        }
        let moved = asked(Reply::redirect("http://127.0.0.1:1/")).await.unwrap();
        assert!(moved.status().is_redirection(), "nobody follows it");
    }

    #[tokio::test]
    async fn tea_9_a_plain_call_is_bounded() {
        let long = asked(Reply::whole(200, &[], vec![b'x'; MAX_ANSWER + 1])).await;
        assert_eq!(long.unwrap_err(), "the answer is too long");
        assert!(asked(Reply::closes_at_once()).await.unwrap_err().contains("closed"));
        assert!(asked(Reply::never_answers()).await.unwrap_err().contains("did not answer"));
        let calls = PlainCalls::new("http://169.254.169.254/", Timeouts::default()).unwrap();
        let request = Request::get("http://169.254.169.254/").body(Vec::new()).unwrap();
        assert!(calls.ask(request).await.unwrap_err().contains("never asked"));
    }
}
