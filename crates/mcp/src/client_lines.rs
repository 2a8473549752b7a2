//! The lines of a client, looked at before they are read as messages. The SDK passes over a
//! line that it cannot read, and whoever sent it would wait for ever.

use plimsoll_domain::JsonTreeSize;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, RequestId};
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// The longest message. Arguments are far shorter; what is longer is not kept.
pub(crate) const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// So much of either end of a line is searched for the id of a request that is too long.
const ENDS: usize = 200;

/// The method under which a line that is no message goes on, so that it is answered in turn.
const UNREADABLE: &str = "plimsoll/unreadable";

/// Hands on the lines of a client until it leaves or nobody listens any more.
pub(crate) async fn check_lines(
    read: impl AsyncRead + Unpin,
    mut checked: impl AsyncWrite + Unpin,
) {
    let mut read = BufReader::new(read);
    let mut line = Line::default();
    loop {
        let available = match read.fill_buf().await {
            Ok(bytes) if !bytes.is_empty() => bytes,
            _ => return,
        };
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(available.len(), |end| end + 1);
        line.take(&available[..end.unwrap_or(taken)]);
        read.consume(taken);
        if end.is_some() {
            let mut message = std::mem::take(&mut line).message();
            message.push(b'\n');
            if checked.write_all(&message).await.is_err() {
                return;
            }
        }
    }
}

/// A line that is still arriving.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    values: JsonTreeSize,
    /// Why it is no message, as soon as that is known; then only its ends are kept.
    refused: Option<&'static str>,
    tail: Vec<u8>,
}

impl Line {
    fn take(&mut self, bytes: &[u8]) {
        if self.refused.is_none() {
            if self.bytes.len() + bytes.len() > LONGEST_LINE {
                self.refused = Some("the message is longer than 8 MiB; send less at once");
            } else if bytes.iter().any(|byte| self.values.take(*byte)) {
                // A tree of values takes far more memory than its text (REL-7).
                self.refused = Some("the message has too many values; send fewer at once");
            }
        }
        if self.refused.is_none() {
            self.bytes.extend_from_slice(bytes);
            return;
        }
        let gone = std::mem::take(&mut self.bytes);
        for part in [gone.as_slice(), bytes] {
            self.tail.extend_from_slice(&part[part.len().saturating_sub(ENDS)..]);
        }
        self.bytes.extend_from_slice(&gone[..gone.len().min(ENDS)]);
        self.tail.drain(..self.tail.len().saturating_sub(ENDS));
    }

    /// The line itself, or what stands for it.
    fn message(self) -> Vec<u8> {
        if let Some(words) = self.refused {
            let id = last_id(&self.tail).or_else(|| first_id(&self.bytes));
            return instead(ErrorCode::INVALID_REQUEST, words, id);
        }
        let text = self.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.bytes);
        let sound = text.trim_ascii().is_empty()
            || std::str::from_utf8(text).is_ok()
                && serde_json::from_slice::<IgnoredAny>(text).is_ok();
        if sound {
            return self.bytes;
        }
        instead(ErrorCode::PARSE_ERROR, "the line is no JSON; send one JSON object a line", None)
    }
}

fn instead(code: ErrorCode, words: &str, id: Option<Value>) -> Vec<u8> {
    let known = id.is_some();
    let id = id.unwrap_or_else(|| "unknown".into());
    let params = json!({ "code": code.0, "message": words, "known": known });
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": UNREADABLE, "params": params });
    message.to_string().into_bytes()
}

/// The error that a line is answered with, and the request that it was, if that can be told;
/// none for a message.
pub(crate) fn unreadable(message: &ClientJsonRpcMessage) -> Option<(ErrorData, Option<RequestId>)> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::CustomRequest(custom) = &request.request else { return None };
    if custom.method != UNREADABLE {
        return None;
    }
    let params = custom.params.as_ref()?;
    let code = i32::try_from(params.get("code")?.as_i64()?).ok()?;
    let words = params.get("message")?.as_str()?.to_owned();
    let known = params.get("known")?.as_bool()?;
    Some((ErrorData::new(ErrorCode(code), words, None), known.then(|| request.id.clone())))
}

/// The id at the end of a message, where most clients write it.
fn last_id(tail: &[u8]) -> Option<Value> {
    let tail = String::from_utf8_lossy(tail);
    let (_, rest) = tail.trim_end().rsplit_once("\"id\":")?;
    id(rest.strip_suffix('}')?)
}

/// The id before anything that is nested.
fn first_id(head: &[u8]) -> Option<Value> {
    let head = String::from_utf8_lossy(head);
    let (_, flat) = head.split_once('{')?;
    let flat = flat.split(['{', '[']).next()?;
    let (_, rest) = flat.split_once("\"id\":")?;
    id(rest.split(',').next()?)
}

fn id(text: &str) -> Option<Value> {
    let id: Value = serde_json::from_str(text.trim()).ok()?;
    (id.is_string() || id.is_i64() || id.is_u64()).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_request_is_found_at_either_end() {
        for (line, expected) in [
            (r#"{"method":"m","params":{"id":4},"jsonrpc":"2.0","id":7}"#, Some(json!(7))),
            (r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"id":4}}"#, Some(json!("a"))),
            (r#"{"method":"m","params":{"id":4}}"#, None),
            (r#"{"method":"m","params":{"t":"\"id\":4}"}}"#, None),
            (r#"{"method":"m","id":null}"#, None),
            ("[[[[", None),
        ] {
            let found = last_id(line.as_bytes()).or_else(|| first_id(line.as_bytes()));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[tokio::test]
    async fn good_lines_go_through_as_they_are() {
        let text = "{\"a\": 1}\r\n\n  \n\u{feff}[1]\nnot json\n{\"cut";
        let mut out = Vec::new();
        check_lines(text.as_bytes(), &mut out).await;
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = out.split('\n').collect();
        assert_eq!(lines[..4], ["{\"a\": 1}\r", "", "  ", "\u{feff}[1]"]);
        assert!(lines[4].contains("-32700"), "{}", lines[4]);
        assert_eq!(lines.len(), 6, "what has no end is no line: {out}");
    }

    #[test]
    fn a_line_that_is_too_long_keeps_only_its_ends() {
        let mut line = Line::default();
        line.take(b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"m\",\"params\":[\"");
        for _ in 0..LONGEST_LINE / 4096 + 3 {
            line.take(&[b'x'; 4096]);
        }
        assert!(line.bytes.len() <= ENDS && line.tail.len() <= ENDS);
        let message = String::from_utf8(line.message()).unwrap();
        assert!(message.contains("\"id\":5") && message.contains("8 MiB"), "{message}");
    }
}
