//! Answers of servers that behave, more or less.

use std::time::Duration;

use plimsoll_domain::Usage;
use plimsoll_provider::{Anthropic, Azure, Finish, Gemini, OpenAiStyle, Provider, Secret};
use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use super::{PATIENT, endpoint, heard, provider, scripted};

fn usage(prompt: u64, cached: u64, completion: u64) -> Option<Usage> {
    Some(Usage { prompt, cached, completion, reasoning: 0 })
}

/// PRV-1: OpenAI-style servers, Anthropic and Gemini; Codex and the model inside have tests
/// of their own.
#[tokio::test]
async fn every_wire_streams_and_sends_what_its_body_says() {
    let texts = ["A mark ", "on the hull."];
    let with_key =
        |server: &ScriptedServer| endpoint(server, PATIENT).with_key(Secret::new("sk-1234567890"));
    type Build = Box<dyn Fn(&ScriptedServer) -> Box<dyn Provider>>;
    let azure = Azure { api_version: Some("2024-10-21".into()) };
    type Wire = (&'static str, Reply, Build, (&'static str, &'static str), Option<Usage>);
    let wires: [Wire; 4] = [
        (
            "/v1/chat/completions",
            Reply::openai(&texts, 11, 6),
            Box::new(move |server| Box::new(OpenAiStyle::new(with_key(server)).unwrap())),
            ("authorization", "Bearer sk-1234567890"),
            usage(11, 0, 6),
        ),
        (
            "/v1/chat/completions?api-version=2024-10-21",
            Reply::openai(&texts, 11, 6),
            Box::new(move |server| {
                Box::new(OpenAiStyle::azure(with_key(server), azure.clone()).unwrap())
            }),
            ("api-key", "sk-1234567890"),
            usage(11, 0, 6),
        ),
        (
            "/v1/messages",
            Reply::anthropic(&texts, 11, 5, 6),
            Box::new(move |server| Box::new(Anthropic::new(with_key(server)).unwrap())),
            ("x-api-key", "sk-1234567890"),
            usage(16, 5, 6),
        ),
        (
            "/v1/models/model-1:streamGenerateContent?alt=sse",
            Reply::gemini(&texts, 11, 6),
            Box::new(move |server| Box::new(Gemini::new(with_key(server)).unwrap())),
            ("x-goog-api-key", "sk-1234567890"),
            usage(11, 0, 6),
        ),
    ];
    for (path, reply, build, (header, value), usage) in wires {
        let server = ScriptedServer::always(reply).unwrap();
        let provider = build(&server);
        let heard = heard(provider.as_ref()).await;
        assert_eq!(heard.failure, None, "{path}");
        assert_eq!(heard.text, "A mark on the hull.", "{path}");
        assert_eq!((heard.finish, heard.usage), (Some(Finish::Stop), usage), "{path}");
        let [asked] = server.requests().try_into().unwrap();
        assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", path));
        assert_eq!(asked.body, provider.encode(&super::request()).into_body());
        assert_eq!(asked.header(header), Some(value));
        assert_eq!(asked.header("content-type"), Some("application/json"));
        let version = asked.header("anthropic-version");
        assert_eq!(version.is_some(), path.ends_with("/messages"));
    }
}

#[tokio::test]
async fn snd_3_servers_without_streaming_work_too() {
    let (_server, provider) = scripted(Reply::openai_whole("In one piece.", 7, 3), PATIENT);
    let heard = heard(&provider).await;
    assert_eq!(heard.failure, None);
    assert_eq!((heard.text.as_str(), heard.usage), ("In one piece.", usage(7, 0, 3)));
}

#[tokio::test]
async fn odd_streams_are_read() {
    let text = |text: &str| format!(r#"{{"choices":[{{"delta":{{"content":"{text}"}}}}]}}"#);
    let end = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
    let odd = [
        ("no [DONE]", Reply::stream().event(text("ok")).event(end).end()),
        ("no [DONE], no frame", {
            let bytes = format!("data:{}\r\n\r\ndata:{end}", text("ok"));
            Reply::stream_to_close().bytes(bytes).close()
        }),
        ("comments", Reply::stream().chunk(": hi\n\n").event(text("ok")).event(end).end()),
        ("finished, then silence", Reply::stream().event(text("ok")).event(end).hang()),
        (
            "[DONE], then silence",
            Reply::stream().event(text("ok")).event(end).event("[DONE]").hang(),
        ),
        ("finished, then cut", Reply::stream().event(text("ok")).event(end).close()),
        ("byte by byte", {
            let reply = Reply::stream().event(text("ok")).event(end).event("[DONE]").end();
            reply.dripping(1, Duration::ZERO)
        }),
        ("usage late", Reply::openai(&["ok"], 3, 1).paced(Duration::from_millis(5))),
    ];
    for (name, reply) in odd {
        let (_server, provider) = scripted(reply, PATIENT);
        let heard = heard(&provider).await;
        assert_eq!(heard.failure, None, "{name}");
        assert_eq!((heard.text.as_str(), heard.finish), ("ok", Some(Finish::Stop)), "{name}");
    }
}

#[tokio::test]
async fn snd_4c_a_cut_answer_says_so() {
    let (_server, provider) = scripted(Reply::openai_cut(&["Half an"]), PATIENT);
    assert_eq!(heard(&provider).await.finish, Some(Finish::Length));
}

#[tokio::test]
async fn snd_4b_an_empty_answer_just_ends() {
    for reply in [Reply::empty_stream(), Reply::json(200, r#"{"choices":[]}"#)] {
        let (_server, provider) = scripted(reply, PATIENT);
        let heard = heard(&provider).await;
        assert_eq!((heard.text.as_str(), heard.failure), ("", None));
    }
}

#[tokio::test]
async fn rel_4_bytes_that_are_not_utf_8_become_marks() {
    let (_server, provider) = scripted(Reply::invalid_utf8(), PATIENT);
    let heard = heard(&provider).await;
    assert_eq!((heard.text.as_str(), heard.failure), ("caf\u{fffd} \u{fffd}!", None));
}

#[tokio::test]
async fn snd_5_a_silent_local_server_is_said_to_load_its_model_once() {
    let reply = Reply::openai(&["ok"], 1, 1).after(Duration::from_millis(300));
    let server = ScriptedServer::always(reply).unwrap();
    let timeouts = plimsoll_provider::Timeouts { loading: Duration::from_millis(50), ..PATIENT };
    let heard = heard(&provider(&server, timeouts)).await;
    assert_eq!((heard.loading, heard.text.as_str(), heard.failure), (1, "ok", None));
}

#[tokio::test]
async fn ui_19_a_redirect_is_not_followed_even_on_the_same_server() {
    let server = ScriptedServer::answering(|request| {
        if request.path == "/v2/chat/completions" {
            Reply::openai(&["ok"], 1, 1)
        } else {
            Reply::redirect("/v2/chat/completions")
        }
    });
    let server = server.unwrap();
    let provider = provider(&server, PATIENT);
    let failure = heard(&provider).await.failure.unwrap();
    assert!(failure.transport.unwrap().contains("was not followed; check the base URL"));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn connections_are_used_again() {
    let (server, provider) = scripted(Reply::openai(&["ok"], 1, 1), PATIENT);
    for _ in 0..3 {
        assert_eq!(heard(&provider).await.text, "ok");
    }
    assert_eq!(server.requests().len(), 3);
    assert!(server.hung_up().is_empty());
}
