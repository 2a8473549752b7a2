//! Copies of files at a provider (FIL-4): one request of several parts.

use std::{sync::Arc, time::Duration};

use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use serde_json::Value;

use crate::{
    ProviderFailure, RemoteFile, RemoteFiles, Upload,
    http::{Call, Client},
};

/// A copy lives this long unless the provider says something else.
const LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Where copies go, and which of them may stand in a message.
#[derive(Clone, Debug)]
pub(crate) struct FilesAt {
    pub(crate) client: Client,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// What is said besides the file.
    pub(crate) fields: Vec<(&'static str, String)>,
    /// What the media types begin with that may be named by an id.
    pub(crate) takes: &'static [&'static str],
}

impl FilesAt {
    /// The life that is asked for, in seconds.
    pub(crate) fn life() -> String {
        LIFE.as_secs().to_string()
    }
}

impl RemoteFiles for FilesAt {
    fn takes(&self, mime: &str) -> bool {
        self.takes.iter().any(|start| mime.starts_with(start))
    }

    fn upload(&self, name: &str, mime: &str, data: Arc<[u8]>) -> Upload {
        let (kind, body) = multipart(&self.fields, name, mime, &data);
        let call = Call::post_as(self.url.clone(), &self.headers, kind, body);
        let client = self.client.clone();
        Box::pin(async move {
            let answer = client.json(call).await?;
            let id = answer.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
            let id = id.ok_or_else(|| ProviderFailure {
                body: format!("the copy of a file got no id: {answer}"),
                ..ProviderFailure::default()
            })?;
            Ok(RemoteFile { id: id.to_owned(), lives: Some(LIFE) })
        })
    }
}

/// The parts of a form, and the media type that tells where they are split. The boundary is
/// made of the bytes' own hash, so they cannot hold it but by design.
pub(crate) fn multipart(
    fields: &[(&str, String)],
    name: &str,
    mime: &str,
    data: &[u8],
) -> (String, Vec<u8>) {
    let boundary = format!("plimsoll-{}", &blake3::hash(data).to_hex()[..32]);
    let mut body = Vec::with_capacity(data.len() + 512);
    for (field, value) in fields {
        let part = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n"
        );
        body.extend_from_slice(part.as_bytes());
    }
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
         Content-Type: {}\r\n\r\n",
        header_safe(name),
        header_safe(mime)
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(data);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// A name that ends neither its quotes nor its line.
fn header_safe(name: &str) -> String {
    let safe = |c: char| if c.is_control() || matches!(c, '"' | '\\') { '_' } else { c };
    name.chars().take(200).map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_adds_no_header_and_no_part() {
        let name = "a\"\r\nX-Evil: 1\r\n\r\n--";
        let (kind, body) =
            multipart(&[("purpose", "user_data".into())], name, "image/png", b"\x00");
        let boundary = kind.split_once("boundary=").unwrap().1;
        let text = String::from_utf8_lossy(&body);
        assert_eq!(text.matches(&format!("--{boundary}")).count(), 3, "{text}");
        assert!(text.contains("filename=\"a___X-Evil: 1____--\""), "{text}");
    }
}
