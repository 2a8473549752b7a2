//! The page's own files, inside the binary, at addresses that change with their content.
//! `build/` makes them of what is in `ui/`.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::Path,
    http::header,
    response::{IntoResponse, Response},
    routing::get,
};

use crate::problem::Problem;

struct Asset {
    name: &'static str,
    bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// One hash over all files: any change makes all of them new.
static HASH: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for asset in ASSETS {
        hasher.update(asset.name.as_bytes());
        hasher.update(&(asset.bytes.len() as u64).to_le_bytes());
        hasher.update(asset.bytes);
    }
    hasher.finalize().to_hex().chars().take(16).collect()
});

/// The JSON of a module that is a table for both sides: what it exports.
pub(crate) fn table(module: &'static str) -> &'static str {
    module.rsplit_once("export default").map_or("", |(_, table)| table)
}

/// The address of a file.
pub(crate) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *HASH)
}

pub(crate) fn router() -> Router {
    Router::new()
        .route("/assets/{hash}/{*name}", get(asset))
        .route("/manifest.webmanifest", get(manifest))
}

/// What a browser needs to install the page as an app (UI-26).
async fn manifest() -> Response {
    let icon = |name: &str, sizes: &str, kind: &str, purpose: &str| serde_json::json!({"src": address(name), "sizes": sizes, "type": kind, "purpose": purpose});
    let manifest = serde_json::json!({
        "name": "Plimsoll",
        "short_name": "Plimsoll",
        "description": "Shows what is sent to a language model, and what it weighs.",
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "background_color": "#fbfaf7",
        "theme_color": "#fbfaf7",
        "icons": [
            icon("icons/icon-192.png", "192x192", "image/png", "any"),
            icon("icons/icon-512.png", "512x512", "image/png", "any"),
            icon("icons/icon-maskable-512.png", "512x512", "image/png", "maskable"),
            icon("mark.svg", "any", "image/svg+xml", "any"),
        ],
    });
    let kind = (header::CONTENT_TYPE, "application/manifest+json");
    ([kind, (header::CACHE_CONTROL, "no-cache")], manifest.to_string()).into_response()
}

async fn asset(Path((hash, name)): Path<(String, String)>) -> Result<Response, Problem> {
    let found = ASSETS.iter().find(|asset| asset.name == name && hash == *HASH);
    let asset = found.ok_or_else(|| Problem::not_found("file"))?;
    let kind = match asset.name.rsplit_once('.') {
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        Some((_, "svg")) => "image/svg+xml",
        Some((_, "png")) => "image/png",
        _ => "text/plain; charset=utf-8",
    };
    let forever = "public, max-age=31536000, immutable";
    Ok(([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, forever)], asset.bytes)
        .into_response())
}
