//! What is neither weighed nor translated, and passed to a provider of the same protocol (GWY-1):
//! embeddings, sounds, pictures.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::StreamExt;
use plimsoll_app::{AnswerBody, PassedCall};
use plimsoll_domain::Protocol;
use plimsoll_gateway::{Problem, Refusal};
use serde::Deserialize;

use super::{Asker, Client, body, handed_on, told};
use crate::Web;

#[derive(Deserialize)]
struct NamesModel {
    model: String,
}

/// The model that a body names: in JSON, or in a field of a form.
fn model_of(kind: &str, bytes: &[u8]) -> Option<String> {
    if !kind.starts_with("multipart/form-data") {
        return serde_json::from_slice::<NamesModel>(bytes).ok().map(|named| named.model);
    }
    let boundary = kind.split("boundary=").nth(1)?.split(';').next()?.trim().trim_matches('"');
    let mark = format!("--{boundary}");
    let mut found = parts(bytes, mark.as_bytes()).filter_map(|part| {
        let end = part.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&part[..end]);
        let value = part[end + 4..].strip_suffix(b"\r\n").unwrap_or(&part[end + 4..]);
        head.contains("name=\"model\"").then(|| String::from_utf8_lossy(value).into_owned())
    });
    let model = found.next()?;
    // Of two, nobody could say which one counts.
    found.next().is_none().then_some(model)
}

/// What stands between the marks of a form.
fn parts<'a>(bytes: &'a [u8], mark: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let at = memchr::memmem::find(rest, mark)?;
        let part = &rest[..at];
        rest = &rest[at + mark.len()..];
        Some(part)
    })
}

pub(super) async fn pass(State(web): State<Arc<Web>>, request: Request) -> Response {
    passed(&web, request).await.unwrap_or_else(|problem| told::problem(Protocol::Chat, &problem))
}

async fn passed(web: &Web, request: Request) -> Result<Response, Problem> {
    let asker = Asker::of(&request);
    let path = request.uri().path().trim_start_matches("/v1/").to_owned();
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or("application/json").to_owned();
    let headers = handed_on(request.headers());
    let Client { key: client, own_key: key, project } = asker.client(web).await?;
    let (bytes, _held) = body::read_bytes(web, request).await?;
    let model = model_of(&kind, &bytes)
        .ok_or_else(|| Problem::Refused(Refusal::of("model", "you must name a model")))?;
    let call = PassedCall { path, model, kind, body: bytes, client, project, headers, key };
    let answer = match web.gateway.pass_on(call).await {
        Ok(answer) => answer,
        Err(refused) => return Ok(told::refused(Protocol::Chat, &refused)),
    };
    let AnswerBody::Relayed { status, headers, bytes } = answer.body else {
        return Err(Problem::Upstream("the answer is of another kind".to_owned()));
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let bytes = bytes.map(|piece| piece.map_err(std::io::Error::other));
    let mut response = (status, Body::from_stream(bytes)).into_response();
    told::hand_on(response.headers_mut(), headers);
    told::head(response.headers_mut(), &answer.head);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gwy_1_the_model_is_found_in_json_and_in_forms() {
        assert_eq!(model_of("application/json", b"{\"model\":\"a\"}").as_deref(), Some("a"));
        let form = b"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nRIFF\r\n--x\r\n\
            Content-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n--x--\r\n";
        let kind = "multipart/form-data; boundary=x";
        assert_eq!(model_of(kind, form).as_deref(), Some("whisper-1"));
        assert_eq!(model_of(kind, b"--x--"), None);
        // Words in a file name no model, and two fields name none either.
        let hidden = b"--x\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nname=\"model\"\r\n\r\ncheap\r\n--x\r\n\
            Content-Disposition: form-data; name=\"model\"\r\n\r\ncostly\r\n--x--\r\n";
        assert_eq!(model_of(kind, hidden).as_deref(), Some("costly"));
        let twice = [&form[..form.len() - 6], &form[form.len() - 82..]].concat();
        assert_eq!(model_of(kind, &twice), None);
        assert_eq!(model_of("application/json", b"{}"), None);
    }
}
