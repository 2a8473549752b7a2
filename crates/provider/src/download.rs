//! Getting a file from the web: streamed, resumed where it broke, and bounded by who
//! takes the bytes. No key is ever sent, so it may be led to another server.

use std::{io, time::Duration};

use reqwest::{
    Response, StatusCode, Url,
    header::{CONTENT_RANGE, RANGE},
    redirect::{Attempt, Policy},
};
use tokio::time::timeout;

use crate::{
    SetupError, Timeouts,
    endpoint::is_loopback,
    http::{builder, tls},
    transport,
};

const MAX_REDIRECTS: usize = 10;
/// How often a broken download is taken up again, and the pause before the first time.
const RESUMPTIONS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(250);

/// A file on the web.
#[derive(Clone, Debug)]
pub struct Download {
    http: reqwest::Client,
    url: Url,
    timeouts: Timeouts,
}

/// Why bytes stopped coming.
enum Broken {
    /// Asking again may help.
    Transient(String),
    /// It will not.
    Final(io::Error),
}

impl Download {
    /// The file at this address.
    pub fn new(url: &str, timeouts: Timeouts) -> Result<Self, SetupError> {
        let parsed = Url::parse(url.trim()).ok();
        let url = parsed.filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| SetupError::NotAUrl("the address of a download".to_owned()))?;
        let mut builder = builder(timeouts)
            .redirect(Policy::custom(redirect))
            .tls_backend_preconfigured(tls(url.scheme() == "https")?);
        if is_loopback(&url) {
            builder = builder.no_proxy();
        }
        let http = builder.build().map_err(|error| SetupError::Client(error.to_string()))?;
        Ok(Self { http, url, timeouts })
    }

    /// Hands the bytes of the file to `take`, in order and each once. An error of `take`
    /// ends the download and is the error of it.
    pub async fn run(&self, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut done = 0;
        let mut resumptions = 0;
        loop {
            match self.stretch(&mut done, take).await {
                Ok(()) => return Ok(()),
                Err(Broken::Final(error)) => return Err(error),
                Err(Broken::Transient(why)) if resumptions == RESUMPTIONS => {
                    return Err(io::Error::other(why));
                }
                Err(Broken::Transient(_)) => {
                    tokio::time::sleep(PAUSE * 2_u32.pow(resumptions)).await;
                    resumptions += 1;
                }
            }
        }
    }

    /// One connection's worth of bytes, from where the last one broke.
    async fn stretch(
        &self,
        done: &mut u64,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), Broken> {
        let mut request = self.http.get(self.url.clone());
        if *done > 0 {
            request = request.header(RANGE, format!("bytes={done}-"));
        }
        let connect = self.timeouts.connect;
        let mut response = match timeout(self.timeouts.first_byte, request.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => {
                let lost = error.is_redirect();
                let said = transport::before_answer(error, connect).line;
                return Err(match lost {
                    true => Broken::Final(io::Error::other(said)),
                    false => Broken::Transient(said),
                });
            }
            Err(_) => {
                return Err(Broken::Transient(transport::no_first_byte(self.timeouts.first_byte)));
            }
        };
        let mut skip = skipped(&response, *done)?;
        loop {
            let chunk = match timeout(self.timeouts.idle, response.chunk()).await {
                Ok(Ok(Some(chunk))) => chunk,
                Ok(Ok(None)) => return Ok(()),
                Ok(Err(error)) => {
                    return Err(Broken::Transient(transport::in_mid_stream(Some(error)).line));
                }
                Err(_) => return Err(Broken::Transient(transport::idle(self.timeouts.idle))),
            };
            let known = usize::try_from(skip).unwrap_or(usize::MAX).min(chunk.len());
            skip -= known as u64;
            let fresh = &chunk[known..];
            if !fresh.is_empty() {
                take(fresh).map_err(Broken::Final)?;
                *done += fresh.len() as u64;
            }
        }
    }
}

/// How many bytes of an answer are known already: all, where the server begins anew.
fn skipped(response: &Response, done: u64) -> Result<u64, Broken> {
    let status = response.status();
    if status == StatusCode::PARTIAL_CONTENT {
        let range = response.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
        let goes_on = range.is_some_and(|range| range.starts_with(&format!("bytes {done}-")));
        let elsewhere = "the server went on elsewhere than asked";
        return if goes_on { Ok(0) } else { Err(Broken::Final(io::Error::other(elsewhere))) };
    }
    if status == StatusCode::OK {
        return Ok(done);
    }
    let said = format!("the server answered {status}");
    let transient = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    Err(if transient { Broken::Transient(said) } else { Broken::Final(io::Error::other(said)) })
}

/// Files are kept elsewhere than they are listed, so other servers are fine; a way from
/// HTTPS to plain HTTP is not.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    if attempt.previous().len() > MAX_REDIRECTS {
        return attempt.error("it leads in a circle");
    }
    let was_safe = attempt.previous().first().is_some_and(|first| first.scheme() == "https");
    if was_safe && attempt.url().scheme() != "https" {
        return attempt.error("it leads from HTTPS to plain HTTP");
    }
    attempt.follow()
}
