//! Every class of fault arrives with what the classifier needs to know it (FAU-1).

use std::time::Duration;

use plimsoll_fault::{Label, Subkind};
use plimsoll_provider::{Anthropic, Endpoint, Gemini, OpenAiStyle};
use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use super::{PATIENT, endpoint, heard, scripted};

#[tokio::test]
async fn fau_1_each_fault_is_known_by_its_class() {
    let (overflow, sum, tpm) = (Label::Overflow, Some(Subkind::Sum), Some(Subkind::Tpm));
    for (reply, label, subkind, limit) in [
        (Reply::overflow(4096, 5000), overflow, None, Some(4096)),
        (Reply::overflow_llama_cpp(512, 831), overflow, None, Some(512)),
        (Reply::overflow_sum(4096, 4000, 512), Label::OverflowOutput, sum, Some(4096)),
        (Reply::overflow_tpm(30_000, 40_000), overflow, tpm, Some(30_000)),
        (Reply::rate(None), Label::Rate, None, None),
        (Reply::quota(), Label::Quota, None, None),
        (Reply::auth(), Label::Auth, None, None),
        (Reply::model_missing("model-1"), Label::Model, None, None),
        (Reply::server(), Label::Server, None, None),
        (Reply::content_filter(), Label::ContentFilter, None, None),
        (Reply::invalid(), Label::Invalid, None, None),
    ] {
        let (_server, provider) = scripted(reply, PATIENT);
        let failure = heard(&provider).await.failure.unwrap();
        let fault = failure.fault();
        assert_eq!(
            (fault.label, fault.subkind, fault.limit),
            (label, subkind, limit),
            "{failure:?}"
        );
        assert!(failure.status.is_some() && failure.transport.is_none(), "{failure:?}");
    }
}

#[tokio::test]
async fn fau_6_retry_after_arrives() {
    let (_server, provider) = scripted(Reply::rate(Some(Duration::from_secs(7))), PATIENT);
    let fault = heard(&provider).await.failure.unwrap().fault();
    assert_eq!((fault.label, fault.retry_after), (Label::Rate, Some(Duration::from_secs(7))));
}

#[tokio::test]
async fn fau_3_an_error_in_mid_stream_keeps_the_text_and_its_own_words() {
    let (_server, provider) = scripted(Reply::error_in_mid_stream(&["Half", " of"]), PATIENT);
    let heard = heard(&provider).await;
    assert_eq!(heard.text, "Half of");
    let failure = heard.failure.unwrap();
    assert_eq!((failure.status, failure.fault().label), (Some(200), Label::Server));
    assert!(failure.body.starts_with("{\"error\":"), "{}", failure.body);
}

#[tokio::test]
async fn an_error_in_an_ok_response_is_a_failure_with_its_body() {
    let body = r#"{"error":{"message":"This model's maximum context length is 512 tokens."}}"#;
    let event_stream = [("content-type", "text/event-stream")];
    for reply in [Reply::json(200, body), Reply::whole(200, &event_stream, body)] {
        let (_server, provider) = scripted(reply, PATIENT);
        let failure = heard(&provider).await.failure.unwrap();
        assert_eq!((failure.body.as_str(), failure.fault().label), (body, Label::Overflow));
    }
}

#[tokio::test]
async fn other_wires_fail_in_their_own_words() {
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    let server = ScriptedServer::always(Reply::stream().event(blocked).end()).unwrap();
    let gemini = Gemini::new(endpoint(&server, PATIENT)).unwrap();
    let failure = heard(&gemini).await.failure.unwrap();
    assert_eq!((failure.body.as_str(), failure.fault().label), (blocked, Label::ContentFilter));

    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let server = ScriptedServer::always(Reply::stream().named_event("error", error).end()).unwrap();
    let anthropic = Anthropic::new(endpoint(&server, PATIENT)).unwrap();
    let failure = heard(&anthropic).await.failure.unwrap();
    assert_eq!((failure.body.as_str(), failure.fault().label), (error, Label::Server));
}

#[tokio::test]
async fn nobody_there_is_the_network_and_says_which_part() {
    let port = ScriptedServer::always(Reply::server()).unwrap().port();
    let no_name = "http://no-such-host.invalid/v1".to_owned();
    let here = format!("http://127.0.0.1:{port}");
    for (url, says) in [
        (format!("{here}/v1"), format!("connect: no connection to {here}: Connection refused")),
        (no_name, "dns: the name of http://no-such-host.invalid was not found: ".to_owned()),
    ] {
        let endpoint = Endpoint::new("x", &url).unwrap().with_timeouts(PATIENT);
        let failure = heard(&OpenAiStyle::new(endpoint).unwrap()).await.failure.unwrap();
        assert_eq!(failure.fault().label, Label::Network, "{failure:?}");
        let line = failure.transport.unwrap();
        assert!(line.starts_with(&says) && !line.contains("os error"), "{line}");
        // What the libraries said is kept for the details, and stands nowhere else.
        assert!(failure.chain.is_some_and(|chain| chain.contains(": ")));
    }
}

#[tokio::test]
async fn a_server_without_tls_is_told_apart() {
    let server = ScriptedServer::always(Reply::of([]).bytes("what?\r\n\r\n").close()).unwrap();
    let url = format!("https://127.0.0.1:{}/v1", server.port());
    let endpoint = Endpoint::new("x", &url).unwrap().with_timeouts(super::HASTY);
    // A machine without authorities refuses to set HTTPS up at all, which is as clear.
    let Ok(provider) = OpenAiStyle::new(endpoint) else { return };
    let failure = heard(&provider).await.failure.unwrap();
    assert_eq!(failure.fault().label, Label::Network, "{failure:?}");
}
