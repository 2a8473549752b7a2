//! Dropping an answer ends the call at once (SND-4), and reading slowly slows the
//! server down.

use std::time::Duration;

use futures_util::StreamExt;
use plimsoll_provider::{Delta, Provider};
use plimsoll_testkit::scripted::Reply;

use super::{HASTY, PATIENT, request, scripted};

/// How soon a server must see that it was cancelled.
const AT_ONCE: Duration = Duration::from_millis(200);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snd_4_dropping_a_stream_closes_the_connection() {
    let (server, provider) = scripted(Reply::stalls_after(&["Half"]), PATIENT);
    let mut answer = provider.ask(&request());
    assert_eq!(answer.next().await, Some(Ok(Delta::Text("Half".into()))));
    drop(answer);
    assert!(server.wait_for_hang_up(AT_ONCE));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn snd_4_dropping_a_call_that_waits_closes_the_connection() {
    let (server, provider) = scripted(Reply::never_answers(), PATIENT);
    let mut answer = provider.ask(&request());
    let early = tokio::time::timeout(Duration::from_millis(100), answer.next()).await;
    assert!(early.is_err());
    assert!(server.wait_for_requests(1, Duration::from_secs(5)));
    drop(answer);
    assert!(server.wait_for_hang_up(AT_ONCE));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_time_that_a_reader_takes_is_not_the_servers() {
    let reply = Reply::openai(&["a", "b"], 1, 1).paced(Duration::from_millis(50));
    let (_server, provider) = scripted(reply, HASTY);
    let mut answer = provider.ask(&request());
    assert_eq!(answer.next().await, Some(Ok(Delta::Text("a".into()))));
    tokio::time::sleep(HASTY.idle + Duration::from_millis(200)).await;
    while let Some(delta) = answer.next().await {
        delta.unwrap();
    }
}

#[tokio::test]
async fn an_answer_that_nobody_reads_is_not_asked_for() {
    let (server, provider) = scripted(Reply::openai(&["ok"], 1, 1), PATIENT);
    drop(provider.ask(&request()));
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert!(server.requests().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_slows_the_server_down() {
    const MEGABYTES: usize = 100;
    let (server, provider) = scripted(Reply::openai_megabytes(MEGABYTES), PATIENT);
    let mut answer = provider.ask(&request());
    assert!(matches!(answer.next().await, Some(Ok(Delta::Text(_)))));
    tokio::time::sleep(Duration::from_millis(300)).await;
    // The system's own buffers take a few megabytes; ours take next to nothing.
    assert!(server.bytes_sent() < 24 * 1024 * 1024, "{}", server.bytes_sent());
    let mut bytes = 16 * 1024;
    while let Some(delta) = answer.next().await {
        if let Delta::Text(text) = delta.unwrap() {
            bytes += text.len();
        }
    }
    assert_eq!(bytes, MEGABYTES * 1024 * 1024);
}
