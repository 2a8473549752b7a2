//! REL-4: whatever a provider does, its answer ends in a failure with a name, in time.

use std::time::{Duration, Instant};

use plimsoll_fault::Label;
use plimsoll_provider::ProviderFailure;
use plimsoll_testkit::scripted::{Reply, ScriptedServer, Step};

use super::{HASTY, PATIENT, heard, provider, scripted};

/// Longer than the patience of a hasty client, and shorter than any real one.
const IN_TIME: Duration = Duration::from_secs(10);

fn phase(failure: &ProviderFailure) -> &str {
    let transport = failure.transport.as_deref().or(failure.code.as_deref()).unwrap_or_default();
    transport.split(':').next().unwrap_or_default()
}

/// SND-5: each phase has its time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rel_4_every_misbehaviour_ends_in_a_named_failure_in_time() {
    let slowly = Duration::from_millis(50);
    let head = "HTTP/1.1 200 OK\r\n";
    let slow_head = Step::Drip { bytes: b"HTTP/1.1 200 OK\r\n".to_vec(), size: 1, pause: slowly };
    let trickle = Reply::stream().chunk("x".repeat(9000)).dripping(1, slowly);
    let slow_json = Reply::head(200, &[("content-length", "9000")]).bytes("{").hang();
    let closed = "connection closed in mid-stream";
    let cases = [
        ("never answers", Reply::never_answers(), "", "first byte timeout", Label::Network),
        ("half a head", Reply::of([]).bytes(head).hang(), "", "first byte timeout", Label::Network),
        (
            "a slow head",
            Reply::of([slow_head]).hang(),
            "",
            "connection closed before the answer",
            Label::Network,
        ),
        ("only a head", Reply::stream().hang(), "", "first byte timeout", Label::Network),
        ("stalls", Reply::stalls_after(&["a", "b"]), "ab", "idle timeout", Label::Network),
        ("a byte now and then", Reply::byte_by_byte(slowly), "", "idle timeout", Label::Network),
        ("bytes without a line", trickle, "", "idle timeout", Label::Network),
        ("JSON that stalls", slow_json, "", "idle timeout", Label::Network),
        ("closes", Reply::closes_after(&["a", "b"]), "ab", closed, Label::Network),
        (
            "closes without a frame",
            {
                let chunk = r#"data: {"choices":[{"delta":{"content":"ab"}}]}"#;
                Reply::stream_to_close().bytes(format!("{chunk}\n\ndata: {{\"cho")).close()
            },
            "ab",
            closed,
            Label::Network,
        ),
        (
            "ends without a word",
            {
                let chunk = r#"data: {"choices":[{"delta":{"content":"ab"}}]}"#;
                Reply::stream_to_close().bytes(format!("{chunk}\n\n")).close()
            },
            "ab",
            closed,
            Label::Network,
        ),
        (
            "closes at once",
            Reply::closes_at_once(),
            "",
            "connection closed before the answer",
            Label::Network,
        ),
        (
            "not HTTP",
            Reply::of([]).bytes("SSH-2.0-x\r\n\r\n").close(),
            "",
            "connection closed before the answer",
            Label::Network,
        ),
        ("garbage", Reply::garbage(), "", "malformed_answer", Label::Unknown),
        ("garbage events", Reply::garbage_events(), "", "malformed_answer", Label::Unknown),
        (
            "not an answer",
            Reply::json(200, "{\"hello\": [1"),
            "",
            "malformed_answer",
            Label::Unknown,
        ),
        ("redirect loop", Reply::redirect("/v1/chat/completions"), "", "redirect", Label::Network),
        (
            "redirect to a GET",
            Reply::whole(302, &[("location", "/x")], ""),
            "",
            "redirect",
            Label::Network,
        ),
        ("endless line", Reply::endless_line(20), "", "malformed_answer", Label::Invalid),
    ];
    // All at once, since most of them wait for something.
    let cases = cases.map(|(name, reply, text, expected, label)| {
        tokio::spawn(async move {
            let (_server, provider) = scripted(reply, HASTY);
            let start = Instant::now();
            let heard = heard(&provider).await;
            let failure = heard.failure.unwrap_or_else(|| panic!("{name}: no failure"));
            let found = (heard.text.as_str(), phase(&failure), failure.fault().label);
            assert_eq!(found, (text, expected, label), "{name}: {failure:?}");
            assert!(start.elapsed() < IN_TIME, "{name}: {:?}", start.elapsed());
        })
    });
    for case in cases {
        case.await.unwrap();
    }
}

#[tokio::test]
async fn rel_4_nonsense_without_an_end_is_ended() {
    for nonsense in ["Lorem ipsum dolor sit amet.\n", "data: {\"lorem\":\"ipsum\"}\n\n", "\n \n"] {
        let chunk = nonsense.repeat(32 * 1024 / nonsense.len()).into_bytes();
        let reply = Reply::stream().step(Step::Repeat { chunk, times: 1 << 20 });
        let (server, provider) = scripted(reply, PATIENT);
        let failure = heard(&provider).await.failure.unwrap();
        assert_eq!(phase(&failure), "malformed_answer", "{nonsense}");
        assert!(server.bytes_sent() < 64 * 1024 * 1024, "{nonsense}");
    }
}

#[tokio::test]
async fn rel_4_a_page_in_place_of_an_answer_is_shown() {
    let page = "<!doctype html>\n<title>Welcome to nginx</title>\n";
    let (_server, provider) =
        scripted(Reply::whole(200, &[("content-type", "text/html")], page), PATIENT);
    let failure = heard(&provider).await.failure.unwrap();
    assert_eq!(failure.code.as_deref(), Some("malformed_answer"));
    assert!(failure.body.contains("Welcome to nginx"), "{failure:?}");
}

#[tokio::test]
async fn rel_4_a_huge_error_is_kept_in_part() {
    let (_server, provider) = scripted(Reply::huge_error(20), PATIENT);
    let failure = heard(&provider).await.failure.unwrap();
    assert_eq!((failure.status, failure.body.len()), (Some(500), 256 * 1024));
}

#[tokio::test]
async fn rel_4_a_huge_answer_in_one_piece_is_refused() {
    let headers = [("transfer-encoding", "chunked")];
    let piece = Step::Repeat { chunk: vec![b'x'; 1024 * 1024], times: 100 };
    let reply = Reply::head(200, &headers).chunk("{\"choices\":\"").step(piece).end();
    let (_server, provider) = scripted(reply, PATIENT);
    let failure = heard(&provider).await.failure.unwrap();
    assert_eq!((phase(&failure), failure.fault().label), ("malformed_answer", Label::Unknown));
    assert!(failure.body.len() < 1024);
}

#[tokio::test]
async fn a_redirect_loop_is_not_entered() {
    let server = ScriptedServer::always(Reply::redirect("/v1/chat/completions")).unwrap();
    assert!(heard(&provider(&server, PATIENT)).await.failure.is_some());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_error_whose_body_stalls_is_told_with_what_came() {
    let reply =
        Reply::head(429, &[("content-length", "900")]).bytes("slow down, too many requests");
    let (_server, provider) = scripted(reply.hang(), HASTY);
    let failure = heard(&provider).await.failure.unwrap();
    assert_eq!((failure.status, failure.fault().label), (Some(429), Label::Rate), "{failure:?}");
    assert_eq!(failure.body, "slow down, too many requests");
}
