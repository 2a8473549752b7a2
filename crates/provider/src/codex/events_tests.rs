use plimsoll_fault::Label;
use proptest::prelude::*;

use super::*;
use crate::{Delta, ProviderFailure};

/// Reads lines, as the real program wrote them, to what comes out and what each was.
fn read(lines: &[&str]) -> (Vec<Delta>, Vec<Heard>, Events) {
    let (mut events, mut out) = (Events::default(), Deltas::default());
    let heard = lines.iter().map(|line| events.line(line.as_bytes(), &mut out)).collect();
    (std::iter::from_fn(|| out.pop()).collect(), heard, events)
}

#[test]
fn dlv_5_a_turn_becomes_reasoning_text_and_usage() {
    let (deltas, heard, _) = read(&[
        r#"{"type":"thread.started","thread_id":"01a1e21d-7102-7ae2-a340-f01cc76a7ddf"}"#,
        r#"{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata for `foo-model` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}}"#,
        r#"{"type":"turn.started"}"#,
        r#"{"type":"item.completed","item":{"id":"item_1","type":"reasoning","text":"**Thinking** of it"}}"#,
        r#"{"type":"item.started","item":{"id":"item_2","type":"command_execution","command":"ls","aggregated_output":"","status":"in_progress"}}"#,
        r#"{"type":"item.completed","item":{"id":"item_3","type":"agent_message","text":"I will look."}}"#,
        r#"{"type":"item.completed","item":{"id":"item_4","type":"agent_message","text":"Hello."}}"#,
        r#"{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":20,"cache_write_input_tokens":0,"output_tokens":7,"reasoning_output_tokens":3}}"#,
        r#"{"type":"item.completed","item":{"id":"item_5","type":"agent_message","text":"Late."}}"#,
    ]);
    let text = |text: &str| Delta::Text(text.to_owned());
    let reasoning = |text: &str| Delta::Reasoning(text.to_owned());
    let usage = Usage { prompt: 100, cached: 20, completion: 7, reasoning: 3 };
    assert_eq!(
        deltas,
        [
            reasoning("**Thinking** of it"),
            reasoning("\n\n"),
            text("I will look."),
            text("\n\n"),
            text("Hello."),
            Delta::Usage(usage),
            Delta::Finished(Finish::Stop),
        ]
    );
    use Heard::{Completed, Opening, Part};
    assert_eq!(heard, [Opening, Opening, Opening, Part, Part, Part, Part, Completed, Part]);
}

#[test]
fn dlv_5_reconnecting_is_not_a_failure() {
    let lookup = "failed to lookup address information: Name does not resolve";
    let lines = [
        format!(r#"{{"type":"error","message":"Reconnecting... 2/5 (stream disconnected before completion: {lookup})"}}"#),
        r#"{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}"#.to_owned(),
        r#"{"type":"error","message":"stream error: timed out; retrying 1/5 in 200ms…"}"#.to_owned(),
    ];
    for line in &lines {
        let (deltas, heard, events) = read(&[line]);
        assert_eq!((deltas, heard), (vec![], vec![Heard::Reconnecting]), "{line}");
        assert!(events.error().is_none() && events.reconnecting().is_some());
    }
    let fallback = format!(
        r#"{{"type":"item.completed","item":{{"id":"item_0","type":"error","message":"Falling back from WebSockets to HTTPS transport. stream disconnected before completion: {lookup}"}}}}"#
    );
    let (deltas, heard, events) = read(&[&lines[0], &fallback]);
    assert!(deltas.is_empty() && heard[1] == Heard::Opening, "a warning is no failure");
    assert!(events.error().is_none() && events.warning().is_some());
}

/// What the real program (0.166.0) says when its server answers with these.
#[test]
fn fau_3_what_codex_says_of_its_server_is_understood() {
    for (line, label, message) in [
        (
            r#"{"type":"turn.failed","error":{"message":"{\"error\":{\"message\":\"Your input exceeds the context window of this model. Please adjust your input and try again.\",\"type\":\"invalid_request_error\",\"param\":\"input\",\"code\":\"context_length_exceeded\"}}"}}"#,
            Label::Overflow,
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        ),
        (
            r#"{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: Incorrect API key provided: sk-x., url: http://127.0.0.1:8765/v1/responses"}}"#,
            Label::Auth,
            "unexpected status 401 Unauthorized: Incorrect API key provided: sk-x., url: http://127.0.0.1:8765/v1/responses",
        ),
        (
            r#"{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}"#,
            Label::Rate,
            "exceeded retry limit, last status: 429 Too Many Requests",
        ),
        (
            r#"{"type":"turn.failed","error":{"message":"We’re currently experiencing high demand, which may cause temporary errors."}}"#,
            Label::Server,
            "We’re currently experiencing high demand, which may cause temporary errors.",
        ),
        (
            r#"{"type":"turn.failed","error":{"message":"The model foo does not exist"}}"#,
            Label::Model,
            "The model foo does not exist",
        ),
    ] {
        let (_, heard, _) = read(&[line]);
        let [Heard::Failed(body)] = &heard[..] else { panic!("{line}: {heard:?}") };
        let failure = ProviderFailure { body: body.clone(), ..ProviderFailure::default() };
        let fault = failure.fault();
        assert_eq!((fault.label, fault.message.as_str()), (label, message));
    }
}

#[test]
fn a_failed_turn_without_words_takes_those_before_it() {
    let error = r#"{"type":"error","message":"no credit left"}"#;
    for failed in [r#"{"type":"turn.failed"}"#, r#"{"type":"turn.failed","error":{"message":" "}}"#]
    {
        let (_, heard, _) = read(&[error, failed]);
        assert!(matches!(&heard[1], Heard::Failed(body) if body.contains("no credit left")));
        let (_, heard, _) = read(&[failed]);
        assert!(matches!(&heard[0], Heard::Failed(body) if body.contains("does not say why")));
    }
}

#[test]
fn lines_that_are_no_events_are_kept_for_the_case_that_nothing_else_comes() {
    let (mut events, mut out) = (Events::default(), Deltas::default());
    for line in [&b"\xff\xfe oops"[..], b"[1, 2", b"{\"type\": 7}", b"null", b""] {
        assert_eq!(events.line(line, &mut out), Heard::Stray);
    }
    assert!(events.strays().contains("oops"));
    for _ in 0..10_000 {
        events.line("ä garbage".as_bytes(), &mut out);
    }
    assert!(events.strays().len() <= MAX_STRAY + 1);
    for unknown in [r#"{"type":"weather.changed","item":7}"#, r#"{"type":"item.completed"}"#] {
        assert_ne!(events.line(unknown.as_bytes(), &mut out), Heard::Stray);
    }
    assert_eq!(out.pop(), None);
}

proptest! {
    #[test]
    fn no_line_is_too_strange(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..20)) {
        let (mut events, mut out) = (Events::default(), Deltas::default());
        for line in &lines {
            events.line(line, &mut out);
        }
    }

    /// The answer is the agent's messages and nothing else, whatever comes between them.
    #[test]
    fn the_answer_is_what_the_agent_said(said in prop::collection::vec((0_u8..5, ".{1,20}"), 0..12)) {
        let (mut events, mut out) = (Events::default(), Deltas::default());
        let mut expected = Vec::new();
        for (kind, text) in &said {
            let line = match kind {
                0 => json!({"type": "item.completed", "item": {"type": "agent_message", "text": text}}),
                1 => json!({"type": "item.completed", "item": {"type": "reasoning", "text": text}}),
                2 => json!({"type": "item.completed", "item": {"type": "error", "message": text}}),
                3 => json!({"type": "error", "message": text}),
                _ => json!({"type": text, "text": text}),
            };
            if *kind == 0 {
                expected.push(text.as_str());
            }
            events.line(line.to_string().as_bytes(), &mut out);
        }
        let deltas: Vec<Delta> = std::iter::from_fn(|| out.pop()).collect();
        let answer: String = deltas
            .iter()
            .filter_map(|delta| match delta {
                Delta::Text(text) => Some(text.as_str()),
                _ => None,
            })
            .collect();
        prop_assert_eq!(answer, expected.join("\n\n"));
    }
}
