//! Bringing conversations in from a file (HIS-8).

use std::{
    fs::File,
    io::{Seek, Write},
    sync::Arc,
};

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode, header},
};
use plimsoll_app::{AppError, ImportAsk, Imported, LARGEST_FILE};
use plimsoll_blobs::BlobError;
use serde::{Deserialize, Serialize};
use tracing::Instrument;
use utoipa::{IntoParams, ToSchema};

use super::{Asked, At, AtQuery, body::pour};
use crate::{
    Web,
    imports::{ActiveImport, ImportDto},
    problem::Problem,
};

/// What to do with a file.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct ImportQuery {
    /// Below which topic, as a path; else below one that is named after the source, or, for an
    /// export of Plimsoll, where everything was.
    topic: Option<String>,
    /// Whether bad records are left out; else one of them and nothing is imported.
    #[serde(default)]
    skip_bad: bool,
}

/// An import that goes on, or the last one.
#[derive(Serialize, ToSchema)]
pub(super) struct CurrentImport {
    /// Nothing where there was none since the server began.
    import: Option<ImportDto>,
}

/// Import conversations from a file; the body is its bytes
///
/// ChatGPT's and Claude's exports, OpenAI-style messages, or an export of Plimsoll. Answers when
/// the file is here; the event `import` tells how far it has come and how it ended, and so does
/// `GET /api/import`. Nothing of it is sent before somebody opens a conversation of it.
#[utoipa::path(post, path = "/api/import", tag = "conversations", params(AtQuery, ImportQuery),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 202, body = CurrentImport), (status = 409, body = Problem,
        content_type = "application/problem+json", description = "Another import goes on here")))]
pub(super) async fn import(
    State(web): State<Arc<Web>>,
    At(workspace): At,
    Asked(query): Asked<ImportQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<CurrentImport>), Problem> {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(0);
    if length > LARGEST_FILE {
        return Err(AppError::from(BlobError::TooLarge { limit: LARGEST_FILE }).into());
    }
    let Some(active) = ActiveImport::begin(&web, &workspace, length) else {
        let detail = "another import goes on here";
        return Err(Problem::new(StatusCode::CONFLICT, "importing", detail)
            .hint("wait for its end, or cancel it"));
    };
    // What ends the server ends this too, also when it came just before.
    if web.is_ending() {
        active.cancel.cancel();
    }
    let ask = ImportAsk { workspace, topic: query.topic, skip_bad: query.skip_bad };
    let received = match receive(&web, &ask, &active, body).await {
        Ok(received) => received,
        Err(problem) => {
            active.fail(problem.clone(), false);
            return Err(problem);
        }
    };
    let current = CurrentImport { import: web.imports.current(&ask.workspace) };
    // It goes on beside the request that began it, also when nobody listens any more.
    tokio::spawn(carry_out(web, ask, active, received).in_current_span());
    Ok((StatusCode::ACCEPTED, Json(current)))
}

async fn carry_out(web: Arc<Web>, ask: ImportAsk, active: ActiveImport, received: Option<File>) {
    let ended = match received {
        Some(file) => {
            let mut watch = |progress| active.progress(progress);
            web.app.import(&ask, Box::new(file), &active.cancel, &mut watch).await
        }
        None => Ok(Imported { cancelled: true, ..Imported::default() }),
    };
    active.end(ended);
}

/// The body as a file that is gone with its handle (SEC-3: no name of a client becomes a path).
/// Nothing where it was stopped meanwhile.
async fn receive(
    web: &Arc<Web>,
    ask: &ImportAsk,
    active: &ActiveImport,
    body: Body,
) -> Result<Option<File>, Problem> {
    let file = web.app.blobs(&ask.workspace)?.temporary_file().map_err(AppError::from)?;
    let mut seen = 0;
    let pouring = pour(body, Bounded { file, room: LARGEST_FILE }, Bounded::write, |bytes| {
        seen += bytes.len() as u64;
        active.received(seen);
    });
    tokio::select! {
        biased;
        () = active.cancel.cancelled() => Ok(None),
        poured = pouring => {
            let mut file = poured?.file;
            file.rewind().map_err(AppError::Writing)?;
            Ok(Some(file))
        }
    }
}

/// A file that takes so many bytes and no more (SEC-5): a body need not say how long it is.
struct Bounded {
    file: File,
    room: u64,
}

impl Bounded {
    fn write(&mut self, bytes: &[u8]) -> Result<(), AppError> {
        let left = self.room.checked_sub(bytes.len() as u64);
        self.room = left.ok_or(BlobError::TooLarge { limit: LARGEST_FILE })?;
        self.file.write_all(bytes).map_err(AppError::Writing)
    }
}

/// The import that goes on, or how the last one ended
#[utoipa::path(get, path = "/api/import", tag = "conversations", params(AtQuery),
    responses((status = 200, body = CurrentImport)))]
pub(super) async fn current(State(web): State<Arc<Web>>, At(workspace): At) -> Json<CurrentImport> {
    Json(CurrentImport { import: web.imports.current(&workspace) })
}

/// Stop the import; what was taken in is whole and stays
#[utoipa::path(delete, path = "/api/import", tag = "conversations", params(AtQuery),
    responses((status = 204), (status = 409, body = Problem,
        content_type = "application/problem+json", description = "Nothing is being imported here")))]
pub(super) async fn cancel(
    State(web): State<Arc<Web>>,
    At(workspace): At,
) -> Result<StatusCode, Problem> {
    if web.imports.cancel(&workspace) {
        Ok(StatusCode::NO_CONTENT)
    } else {
        let detail = "nothing is being imported here";
        Err(Problem::new(StatusCode::CONFLICT, "nothing_imported", detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_5_a_body_without_an_end_ends_at_the_bound() {
        let mut file = Bounded { file: tempfile::tempfile().unwrap(), room: 10 };
        file.write(b"1234567890").unwrap();
        assert!(matches!(file.write(b"1"), Err(AppError::Blob(BlobError::TooLarge { .. }))));
        assert_eq!(file.file.metadata().unwrap().len(), 10);
    }
}
