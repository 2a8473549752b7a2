//! Copies of files at providers, and transcripts (FIL-4, FTL-5).

use plimsoll_provider::{Anthropic, OpenAiStyle, Provider, Secret};
use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::{PATIENT, endpoint};

const CANARY: &str = "sk-canary-0123456789abcdef";

#[tokio::test]
async fn fil_4_a_copy_is_made_with_a_life_and_named_by_its_id() {
    let reply = Reply::json(200, r#"{"id":"file_011","type":"file"}"#);
    let server = ScriptedServer::always(reply).unwrap();
    let anthropic =
        Anthropic::new(endpoint(&server, PATIENT).with_key(Secret::new(CANARY))).unwrap();
    let files = anthropic.files().unwrap();
    assert!(
        files.takes("image/png") && files.takes("application/pdf") && !files.takes("text/plain")
    );
    let copy = files.upload("hull.png", "image/png", [1u8, 2, 3].into()).await.unwrap();
    assert_eq!(copy.id, "file_011");
    assert_eq!(copy.lives.unwrap().as_secs(), 24 * 60 * 60, "24 h unless told");
    let request = server.requests().pop().unwrap();
    assert!(request.path.ends_with("/files"), "{}", request.path);
    assert_eq!(request.header("anthropic-beta"), Some("files-api-2025-04-14"));
    assert!(request.body.contains("name=\"expires_in_seconds\"\r\n\r\n86400"), "{}", request.body);
    assert!(request.body.contains("filename=\"hull.png\""), "{}", request.body);

    let style = OpenAiStyle::new(endpoint(&server, PATIENT)).unwrap();
    assert!(style.files().is_none(), "plain HTTP providers never need it");
    let openai = style.with_files();
    let files = openai.files().unwrap();
    assert!(files.takes("application/pdf") && !files.takes("image/png"));
    files.upload("a.pdf", "application/pdf", [7u8].into()).await.unwrap();
    let request = server.requests().pop().unwrap();
    assert!(request.body.contains("name=\"purpose\"\r\n\r\nuser_data"), "{}", request.body);
    assert!(request.body.contains("name=\"expires_after[seconds]\"\r\n\r\n86400"));
}

#[tokio::test]
async fn fil_4_a_refused_copy_is_a_failure_without_the_key() {
    let server = ScriptedServer::always(Reply::auth()).unwrap();
    let anthropic =
        Anthropic::new(endpoint(&server, PATIENT).with_key(Secret::new(CANARY))).unwrap();
    let copy = anthropic.files().unwrap().upload("a.png", "image/png", [1u8].into()).await;
    let failure = copy.unwrap_err();
    assert_eq!(failure.status, Some(401));
    assert!(!format!("{failure:?}").contains(CANARY), "SEC-4");
}

#[tokio::test]
async fn ftl_5_a_transcript_comes_from_the_providers_endpoint() {
    let server = ScriptedServer::always(Reply::json(200, r#"{"text":"all hands"}"#)).unwrap();
    let style = OpenAiStyle::new(endpoint(&server, PATIENT)).unwrap();
    let said = style.transcribe("whisper-1", "a.ogg", "audio/ogg", [1u8].into(), Some("en"));
    assert_eq!(said.unwrap().await.unwrap(), "all hands");
    let request = server.requests().pop().unwrap();
    assert!(request.path.ends_with("/audio/transcriptions"), "{}", request.path);
    assert!(request.body.contains("name=\"model\"\r\n\r\nwhisper-1"), "{}", request.body);
    assert!(request.body.contains("name=\"language\"\r\n\r\nen"), "{}", request.body);
    let anthropic = Anthropic::new(endpoint(&server, PATIENT)).unwrap();
    assert!(anthropic.transcribe("m", "a", "audio/ogg", [1u8].into(), None).is_none());
}
