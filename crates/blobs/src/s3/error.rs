//! What an object store says when it fails, in one line that says what to do. Neither keys nor
//! the words of the store, which may hold them, are part of it.

use object_store::client::{HttpError, HttpErrorKind};
use thiserror::Error;

/// Why an object store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum S3Error {
    /// The setting is no address.
    #[error(
        "'{0}' is no address of an object store; it is written s3://bucket/prefix, the prefix \
         of letters, digits, - _ . and /"
    )]
    BadAddress(String),
    /// The variables do not say enough, or contradict each other.
    #[error("the object store is not set up: {0}")]
    Setup(String),
    /// Nobody answers, or not in time.
    #[error(
        "the object store at {endpoint} cannot be reached ({why}); check AWS_ENDPOINT_URL and \
         that it runs, then try again"
    )]
    Unreachable {
        /// Where it should be.
        endpoint: String,
        /// What happened to the connection.
        why: &'static str,
    },
    /// The keys are wrong, or may not do this.
    #[error(
        "the object store at {endpoint} refuses the keys ({code}); check AWS_ACCESS_KEY_ID, \
         AWS_SECRET_ACCESS_KEY and what they may do in the bucket '{bucket}'"
    )]
    Refused {
        /// Where it is.
        endpoint: String,
        /// The bucket.
        bucket: String,
        /// The store's own word for it.
        code: String,
    },
    /// There is no such bucket.
    #[error(
        "there is no bucket '{bucket}' at {endpoint}; make it there, or change the setting blobs"
    )]
    NoBucket {
        /// The bucket.
        bucket: String,
        /// Where it should be.
        endpoint: String,
    },
    /// The bucket is elsewhere.
    #[error("the bucket '{bucket}' is in another region; set AWS_REGION to it")]
    OtherRegion {
        /// The bucket.
        bucket: String,
    },
    /// Anything else.
    #[error("the object store at {endpoint} failed to {doing} ({code}); try again")]
    Failed {
        /// Where it is.
        endpoint: String,
        /// What was asked.
        doing: &'static str,
        /// A status, or the store's own word.
        code: String,
    },
    /// Our own side ended in the middle.
    #[error("the call of the object store was broken off; try again")]
    Ended,
}

/// What a failure means, before it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// There is no such object.
    Missing,
    /// There is one already.
    Exists,
    Failed(S3Error),
}

/// Who failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub(crate) endpoint: &'a str,
    pub(crate) bucket: &'a str,
    pub(crate) doing: &'static str,
}

impl Asked<'_> {
    /// What an error of the library means. It keeps the status and the store's answer to
    /// itself, except in its words.
    pub(crate) fn told(self, error: &object_store::Error) -> Told {
        let words = error.to_string();
        let code = code_in(&words);
        if code.as_deref() == Some("NoSuchBucket") {
            return Told::Failed(self.no_bucket());
        }
        match error {
            object_store::Error::NotFound { .. } => Told::Missing,
            object_store::Error::AlreadyExists { .. }
            | object_store::Error::Precondition { .. } => Told::Exists,
            _ => Told::Failed(self.failed(error, &words, code)),
        }
    }

    fn failed(self, error: &object_store::Error, words: &str, code: Option<String>) -> S3Error {
        let Self { doing, .. } = self;
        let (endpoint, bucket) = (self.endpoint.to_owned(), self.bucket.to_owned());
        if let Some(http) = http_error(error) {
            return S3Error::Unreachable { endpoint, why: why(http.kind()) };
        }
        let elsewhere = ["PermanentRedirect", "AuthorizationHeaderMalformed"];
        if code.as_deref().is_some_and(|code| elsewhere.contains(&code))
            || words.contains("redirect without LOCATION")
        {
            return S3Error::OtherRegion { bucket };
        }
        let status = status_in(words);
        let code = code.or(status.map(|status| format!("status {status}")));
        let code = code.unwrap_or_else(|| "no word about why".to_owned());
        match status {
            Some(401 | 403) => S3Error::Refused { endpoint, bucket, code },
            _ => S3Error::Failed { endpoint, doing, code },
        }
    }

    pub(crate) fn no_bucket(self) -> S3Error {
        let (bucket, endpoint) = (self.bucket.to_owned(), self.endpoint.to_owned());
        S3Error::NoBucket { bucket, endpoint }
    }
}

fn why(kind: HttpErrorKind) -> &'static str {
    match kind {
        HttpErrorKind::Connect => "no connection",
        HttpErrorKind::Timeout => "no answer in time",
        _ => "the connection broke off",
    }
}

/// What happened to the connection, if that was the cause.
fn http_error(error: &object_store::Error) -> Option<&HttpError> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(one) = cause {
        if let Some(found) = one.downcast_ref() {
            return Some(found);
        }
        cause = one.source();
    }
    None
}

/// The word between `<Code>` and its end. It is shown, so it is nothing but a word.
fn code_in(words: &str) -> Option<String> {
    let (_, rest) = words.split_once("<Code>")?;
    let (code, _) = rest.split_once("</Code>")?;
    let word = (1..=64).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_alphanumeric());
    word.then(|| code.to_owned())
}

/// The status of an answer.
fn status_in(words: &str) -> Option<u16> {
    let (_, rest) = words.split_once("status code: ")?;
    rest.get(..3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_word_for_a_failure_is_taken_from_a_body() {
        let body = "<?xml version='1.0'?><Error><Code>InvalidAccessKeyId</Code>\
                    <AWSAccessKeyId>AKIDEXAMPLE</AWSAccessKeyId></Error>";
        assert_eq!(code_in(body).as_deref(), Some("InvalidAccessKeyId"));
        assert_eq!(status_in("non-2xx status code: 403 Forbidden: <Error>"), Some(403));
        assert_eq!(status_in("status code: 4"), None);
        for none in ["", "<Code>", "<Code></Code>", "<Code>a b</Code>", "<Code>a\u{1b}[</Code>"] {
            assert_eq!(code_in(none), None, "{none:?}");
        }
    }
}
