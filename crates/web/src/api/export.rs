//! Taking along what a filter shows (HIS-8).

use std::{
    io::{Read, Seek},
    sync::Arc,
};

use axum::{
    body::{Body, Bytes},
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use futures_util::stream;
use plimsoll_app::{ExportAsk, ExportFormat, ExportOrder};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::{Asked, Here, PlaceQuery};
use crate::{Web, problem::Problem};

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Json,
    Zip,
    Md,
    Txt,
}

#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Time,
    Topic,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ExportQuery {
    /// Which pairs; else all.
    #[param(max_length = 65536)]
    filter: Option<String>,
    /// `json` is lossless and can be imported again; `zip` has the bytes of files too, and a
    /// `left-out.txt` that names those that are missing or altered.
    #[param(inline)]
    format: Option<Format>,
    #[param(inline)]
    order: Option<Order>,
    /// What the file is called.
    #[param(max_length = 200)]
    filename: Option<String>,
}

/// Take along the pairs that a filter shows
#[utoipa::path(get, path = "/api/export", tag = "pairs", params(PlaceQuery, ExportQuery),
    responses((status = 200, body = String, content_type = "application/octet-stream")))]
pub(super) async fn export(
    State(web): State<Arc<Web>>,
    Here(place): Here,
    Asked(query): Asked<ExportQuery>,
) -> Result<Response, Problem> {
    let format = query.format.unwrap_or(Format::Json);
    let session = web.sessions.session(&web.app, &place).await?;
    let (topic, model) = {
        let session = session.lock().await;
        let topic = session.workspace_view.topic().id.to_string();
        (topic, session.workspace_view.model().id.clone())
    };
    let ask = ExportAsk {
        workspace: place.workspace.clone(),
        scope: place.scope,
        filter: query.filter.unwrap_or_default(),
        topic: Some(topic),
        model: Some(model),
        format: match format {
            Format::Json => ExportFormat::Json,
            Format::Zip => ExportFormat::Zip,
            Format::Md => ExportFormat::Markdown,
            Format::Txt => ExportFormat::Text,
        },
        order: match query.order.unwrap_or(Order::Time) {
            Order::Time => ExportOrder::Time,
            Order::Topic => ExportOrder::Topic,
        },
    };
    // Through a file: a slow reader holds neither memory nor the store, and a mistake is
    // told before the first byte.
    let failed = |error: std::io::Error| plimsoll_app::AppError::Writing(error);
    let mut file = tempfile::tempfile().map_err(failed)?;
    web.app.export(&ask, &mut file, &mut |_, _| {}).await?;
    file.rewind().map_err(failed)?;
    let ending = match format {
        Format::Json => "json",
        Format::Zip => "zip",
        Format::Md => "md",
        Format::Txt => "txt",
    };
    let name = query.filename.map_or_else(|| format!("plimsoll.{ending}"), |name| plain(&name));
    let disposition = format!("attachment; filename=\"{name}\"");
    let kind = "application/octet-stream".to_owned();
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, disposition)];
    Ok((headers, Body::from_stream(pieces(file))).into_response())
}

/// A file, piece by piece.
fn pieces(file: std::fs::File) -> impl futures_util::Stream<Item = std::io::Result<Bytes>> {
    stream::try_unfold(file, |mut file| async move {
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; 64 << 10];
            let length = file.read(&mut piece)?;
            piece.truncate(length);
            Ok::<_, std::io::Error>((piece, file))
        });
        let (piece, file) = read.await.map_err(std::io::Error::other)??;
        Ok((!piece.is_empty()).then(|| (Bytes::from(piece), file)))
    })
}

/// A name that is one in a header and in any directory.
fn plain(name: &str) -> String {
    let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = name.chars().map(|c| if good(c) { c } else { '_' }).take(100).collect();
    if name.trim_matches(['.', '_']).is_empty() { "plimsoll-export".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("my notes.md"), "my_notes.md");
        assert_eq!(plain("../../etc/passwd"), ".._.._etc_passwd");
        assert_eq!(plain("a\r\nSet-Cookie: x"), "a__Set-Cookie__x");
        assert_eq!(plain(".."), "plimsoll-export");
    }
}
