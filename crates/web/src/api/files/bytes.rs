//! The bytes of files: downloads and pictures, typed and boxed in (SEC-2).

use std::{io::Read, path::PathBuf, sync::Arc};

use axum::{
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use plimsoll_app::{AppError, blob_name};
use plimsoll_blobs::{BlobName, Blobs};
use plimsoll_domain::File;
use plimsoll_store::Workspace;

use crate::{
    Web,
    api::{At, AtQuery, attached::file_id},
    formats::percent_encoded,
    problem::Problem,
};

/// Read so much at a time.
const PART: usize = 256 * 1024;

/// What a browser may show by itself; everything else is a download.
const SHOWN: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"];

/// Whatever it is, it runs nothing and loads nothing.
const BOXED: &str = "default-src 'none'; sandbox";

/// A file by its id, and the door to its bytes.
async fn find(web: &Web, at: &Workspace, id: &str) -> Result<(File, Blobs, BlobName), Problem> {
    let file = web.app.store().file(at, file_id(id)?).await?;
    let name = blob_name(&file)?;
    Ok((file, web.app.blobs(at)?, name))
}

/// The first bytes of a file.
pub(super) async fn start(
    web: &Arc<Web>,
    at: &Workspace,
    file: &File,
    bytes: usize,
) -> Result<Vec<u8>, Problem> {
    let (blobs, name) = (web.app.blobs(at)?, blob_name(file)?);
    let read = move || blobs.read_start(&name, bytes as u64);
    let read = tokio::task::spawn_blocking(read).await.map_err(|_| AppError::Ended)?;
    Ok(read.map_err(AppError::from)?)
}

/// The bytes of a file
#[utoipa::path(get, path = "/api/files/{id}/content", tag = "files",
    params(AtQuery, ("id" = String, Path)),
    responses((status = 200, description = "Its bytes", content_type = "application/octet-stream")))]
pub(crate) async fn content(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (file, blobs, name) = find(&web, &at, &id).await?;
    let opened = tokio::task::spawn_blocking(move || blobs.open_blob(&name)).await;
    let opened = opened.map_err(|_| AppError::Ended)?.map_err(AppError::from)?;
    let mut headers = HeaderMap::new();
    let shown = SHOWN.contains(&file.mime.as_str()) && file.pixels.is_some();
    let kind = if shown { file.mime.as_str() } else { "application/octet-stream" };
    let disposition = if shown { "inline" } else { "attachment" };
    let disposition = format!("{disposition}; filename*=UTF-8''{}", percent_encoded(&file.name));
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_DISPOSITION, disposition.as_str()),
        (header::CONTENT_SECURITY_POLICY, BOXED),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(file.size));
    Ok((headers, Body::from_stream(parts(opened))).into_response())
}

/// A file part by part, read where blocking does no harm.
fn parts(file: std::fs::File) -> impl futures_util::Stream<Item = std::io::Result<Vec<u8>>> {
    stream::unfold(Some(file), |file| async move {
        let mut file = file?;
        let read = tokio::task::spawn_blocking(move || {
            let mut part = vec![0; PART];
            let read = file.read(&mut part).map(|length| {
                part.truncate(length);
                part
            });
            (read, file)
        });
        match read.await {
            Ok((Ok(part), _)) if part.is_empty() => None,
            Ok((Ok(part), file)) => Some((Ok(part), Some(file))),
            Ok((Err(error), _)) => Some((Err(error), None)),
            Err(_) => None,
        }
    })
}

/// A small picture of a picture
#[utoipa::path(get, path = "/api/files/{id}/thumbnail", tag = "files",
    params(AtQuery, ("id" = String, Path)),
    responses((status = 200, description = "A PNG", content_type = "image/png")))]
pub(crate) async fn thumbnail(
    State(web): State<Arc<Web>>,
    At(at): At,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let (_, blobs, name) = find(&web, &at, &id).await?;
    let made = tokio::task::spawn_blocking(move || -> Result<Vec<u8>, String> {
        let path: PathBuf = blobs.thumbnail(&name).map_err(|problem| problem.to_string())?;
        std::fs::read(path).map_err(|error| error.to_string())
    });
    let picture = made.await.map_err(|_| AppError::Ended)?;
    let picture =
        picture.map_err(|why| Problem::new(StatusCode::NOT_FOUND, "no_thumbnail", why))?;
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("image/png")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(BOXED)),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=31536000, immutable")),
    ];
    Ok((headers, picture).into_response())
}
