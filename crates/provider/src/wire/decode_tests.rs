//! What servers send and what is read from it, as tables.

use plimsoll_domain::Usage;

use super::{Decode, Deltas, Read, Refused, anthropic, gemini, openai, read_event, read_whole};
use crate::{Delta, Finish, sse::SseEvent};

fn event(decoder: &mut dyn Decode, data: &str) -> Result<(Vec<Delta>, Read), Refused> {
    let mut out = Deltas::default();
    let event = SseEvent { name: String::new(), data: data.to_owned() };
    let read = read_event(decoder, &event, &mut out)?;
    Ok((drain(out), read))
}

fn whole(decoder: &mut dyn Decode, body: &str) -> Result<Vec<Delta>, Refused> {
    let mut out = Deltas::default();
    read_whole(decoder, body, &mut out)?;
    Ok(drain(out))
}

fn drain(mut out: Deltas) -> Vec<Delta> {
    std::iter::from_fn(|| out.pop()).collect()
}

fn text(text: &str) -> Delta {
    Delta::Text(text.into())
}

fn thought(text: &str) -> Delta {
    Delta::Reasoning(text.into())
}

fn usage(prompt: u64, cached: u64, completion: u64, reasoning: u64) -> Delta {
    Delta::Usage(Usage { prompt, cached, completion, reasoning })
}

fn done(finish: Finish) -> Delta {
    Delta::Finished(finish)
}

#[test]
fn openai_chunks() {
    let other = Finish::ToolCalls;
    for (data, expected) in [
        (r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}"#, vec![]),
        (r#"{"choices":[{"delta":{"content":"a"},"finish_reason":null}]}"#, vec![text("a")]),
        (r#"{"choices":[{"delta":{"content":""}}],"usage":null}"#, vec![]),
        (r#"{"choices":[{"delta":{"reasoning_content":"hm"}}]}"#, vec![thought("hm")]),
        (
            r#"{"choices":[{"delta":{"reasoning":"hm","reasoning_content":null,"content":"a"}}]}"#,
            vec![thought("hm"), text("a")],
        ),
        (
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text",
               "text":"hm"}]},{"type":"text","text":"a"}]}}]}"#,
            vec![thought("hm"), text("a")],
        ),
        (r#"{"choices":[{"delta":{"refusal":"No."}}]}"#, vec![text("No.")]),
        (r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#, vec![]),
        (r#"{"choices":[]}"#, vec![]),
        (r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#, vec![done(Finish::Stop)]),
        (r#"{"choices":[{"delta":{},"finish_reason":"length"}]}"#, vec![done(Finish::Length)]),
        (r#"{"choices":[{"delta":{},"finish_reason":""}]}"#, vec![]),
        (r#"{"choices":[{"finish_reason":"content_filter"}]}"#, vec![done(Finish::ContentFilter)]),
        (r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#, vec![done(other)]),
        (
            r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,
               "prompt_tokens_details":{"cached_tokens":4},
               "completion_tokens_details":{"reasoning_tokens":3}}}"#,
            vec![usage(9, 4, 5, 3)],
        ),
        (
            r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":9,
               "prompt_tokens_details":null,"prompt_cache_hit_tokens":2}}"#,
            vec![text("a"), usage(9, 2, 0, 0)],
        ),
        (
            r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":24,
               "completion_tokens_details":{"reasoning_tokens":10}}}"#,
            vec![usage(9, 0, 15, 10)],
        ),
        (
            r#"{"choices":[],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}"#,
            vec![usage(1, 0, 2, 0)],
        ),
        (
            "{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\
             {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}",
            vec![text("a"), text("b")],
        ),
    ] {
        assert_eq!(
            event(&mut openai::Decoder::default(), data),
            Ok((expected, Read::Part)),
            "{data}"
        );
    }
}

#[test]
fn openai_ends_errors_and_strangers() {
    for (data, expected) in [
        ("[DONE]", Ok((vec![], Read::Last))),
        (" [DONE] ", Ok((vec![], Read::Last))),
        (r#"{"id":"1","object":"ping"}"#, Ok((vec![], Read::Unknown))),
        (r#"{"error":{"message":"crashed","code":429}}"#, Err(Refused::Told)),
        (r#"{"error":"crashed"}"#, Err(Refused::Told)),
        (r#"{"object":"error","message":"crashed","code":400}"#, Err(Refused::Told)),
        (r#"{"choices":[{"error":{"message":"upstream"}}]}"#, Err(Refused::Told)),
        (r#"{"choices":[{"del"#, Err(Refused::Malformed)),
        ("hello", Err(Refused::Malformed)),
    ] {
        assert_eq!(event(&mut openai::Decoder::default(), data), expected, "{data}");
    }
    let named = SseEvent { name: "error".into(), data: "out of memory".into() };
    let read = read_event(&mut openai::Decoder::default(), &named, &mut Deltas::default());
    assert_eq!(read, Err(Refused::Told));
}

#[test]
fn openai_answers_in_one_piece() {
    for (body, expected) in [
        (
            r#"{"choices":[{"message":{"role":"assistant","content":"a","reasoning":"hm"},
               "finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#,
            Ok(vec![thought("hm"), text("a"), done(Finish::Stop), usage(3, 0, 1, 0)]),
        ),
        (r#"{"choices":[]}"#, Ok(vec![])),
        ("\u{feff}{\"choices\":[]}", Ok(vec![])),
        (r#"{"error":{"message":"no"}}"#, Err(Refused::Told)),
        (r#"{"detail":"Not authenticated"}"#, Err(Refused::Told)),
        ("{}", Err(Refused::Told)),
        ("{\"choices\":[", Err(Refused::Malformed)),
    ] {
        assert_eq!(whole(&mut openai::Decoder::default(), body), expected, "{body}");
    }
}

#[test]
fn anthropic_streams() {
    let mut decoder = anthropic::Decoder::default();
    for (data, expected, read) in [
        (
            r#"{"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1,
               "cache_read_input_tokens":30,"cache_creation_input_tokens":2}}}"#,
            vec![usage(42, 30, 1, 0)],
            Read::Part,
        ),
        (
            r#"{"type":"content_block_start","content_block":{"type":"text","text":""}}"#,
            vec![],
            Read::Part,
        ),
        (r#"{"type":"ping"}"#, vec![], Read::Part),
        (
            r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}"#,
            vec![thought("hm")],
            Read::Part,
        ),
        (
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
            vec![text("a")],
            Read::Part,
        ),
        (
            r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"x"}}"#,
            vec![],
            Read::Part,
        ),
        (r#"{"type":"content_block_stop","index":0}"#, vec![], Read::Part),
        (
            r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},
               "usage":{"output_tokens":7}}"#,
            vec![usage(42, 30, 7, 0), done(Finish::Length)],
            Read::Part,
        ),
        (r#"{"type":"message_stop"}"#, vec![], Read::Last),
        (r#"{"type":"something_new"}"#, vec![], Read::Unknown),
    ] {
        assert_eq!(event(&mut decoder, data), Ok((expected, read)), "{data}");
    }
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(event(&mut decoder, error), Err(Refused::Told));
}

#[test]
fn anthropic_answers_in_one_piece() {
    let body = r#"{"type":"message","content":[{"type":"thinking","thinking":"hm"},
        {"type":"text","text":"a"}],"stop_reason":"refusal",
        "usage":{"input_tokens":3,"output_tokens":4}}"#;
    let expected = vec![thought("hm"), text("a"), usage(3, 0, 4, 0), done(Finish::ContentFilter)];
    assert_eq!(whole(&mut anthropic::Decoder::default(), body), Ok(expected));
}

#[test]
fn gemini_streams() {
    for (data, expected) in [
        (
            r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"}],
               "role":"model"}}]}"#,
            Ok((vec![thought("hm"), text("a")], Read::Part)),
        ),
        (
            r#"{"candidates":[{"content":{},"finishReason":"MAX_TOKENS"}],"usageMetadata":
               {"promptTokenCount":9,"cachedContentTokenCount":4,"candidatesTokenCount":2,
               "thoughtsTokenCount":3}}"#,
            Ok((vec![usage(9, 4, 5, 3), done(Finish::Length)], Read::Part)),
        ),
        (
            r#"{"candidates":[{"finishReason":"SAFETY"}]}"#,
            Ok((vec![done(Finish::ContentFilter)], Read::Part)),
        ),
        (r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, Err(Refused::Filtered)),
        (r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}"#, Err(Refused::Told)),
        (r#"{"responseId":"x"}"#, Ok((vec![], Read::Unknown))),
    ] {
        assert_eq!(event(&mut gemini::Decoder::default(), data), expected, "{data}");
    }
    let array = r#"[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},
        {"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}]"#;
    let expected = vec![text("a"), text("b"), done(Finish::Stop)];
    assert_eq!(whole(&mut gemini::Decoder::default(), array), Ok(expected));
    assert_eq!(
        whole(&mut gemini::Decoder::default(), r#"[{"error":{"code":400}}]"#),
        Err(Refused::Told)
    );
}

#[test]
fn an_end_and_the_same_usage_are_told_once() {
    let mut out = Deltas::default();
    let chunk = r#"{"choices":[{"delta":{},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":1,"completion_tokens":1}}"#;
    let event = SseEvent { name: String::new(), data: chunk.into() };
    for _ in 0..2 {
        read_event(&mut openai::Decoder::default(), &event, &mut out).unwrap();
    }
    assert_eq!(drain(out), [done(Finish::Stop), usage(1, 0, 1, 0)]);
}

fn called(id: &str, name: &str, arguments: &str) -> Delta {
    let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_owned());
    Delta::ToolCall(plimsoll_send::ToolCall { id, name, arguments, signature: None })
}

#[test]
fn prv_5_openai_calls_arrive_in_pieces() {
    let mut decoder = openai::Decoder::default();
    for (data, expected) in [
        (
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function",
               "function":{"name":"read_file","arguments":""}}]}}]}"#,
            vec![],
        ),
        (
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a"}}]}}]}"#,
            vec![],
        ),
        (
            r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","function":
               {"name":"list_files","arguments":"{}"}}]}}]}"#,
            vec![],
        ),
        (
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]}}]}"#,
            vec![],
        ),
        (
            r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
            vec![
                called("c1", "read_file", "{\"a\":1}"),
                called("c2", "list_files", "{}"),
                done(Finish::ToolCalls),
            ],
        ),
    ] {
        assert_eq!(event(&mut decoder, data), Ok((expected, Read::Part)), "{data}");
    }
}

#[test]
fn prv_5_calls_that_come_whole_without_index_or_id() {
    let body = r#"{"choices":[{"message":{"content":"","tool_calls":[
        {"function":{"name":"a","arguments":{"x":1}}},{"function":{"name":"b","arguments":"{}"}}]},
        "finish_reason":"stop"}]}"#;
    let expected =
        vec![called("call_0", "a", "{\"x\":1}"), called("call_1", "b", "{}"), done(Finish::Stop)];
    assert_eq!(whole(&mut openai::Decoder::default(), body), Ok(expected));
}

#[test]
fn prv_5_anthropic_calls() {
    let mut decoder = anthropic::Decoder::default();
    for (data, expected) in [
        (
            r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1",
               "name":"read_file","input":{}}}"#,
            vec![],
        ),
        (
            r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{\"a\""}}"#,
            vec![],
        ),
        (
            r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":":1}"}}"#,
            vec![],
        ),
        (
            r#"{"type":"content_block_stop","index":1}"#,
            vec![called("t1", "read_file", "{\"a\":1}")],
        ),
        (
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
            vec![done(Finish::ToolCalls)],
        ),
    ] {
        assert_eq!(event(&mut decoder, data), Ok((expected, Read::Part)), "{data}");
    }
    let body = r#"{"type":"message","content":[{"type":"tool_use","id":"t","name":"n",
        "input":{"a":2}}],"stop_reason":"tool_use"}"#;
    let expected = vec![called("t", "n", "{\"a\":2}"), done(Finish::ToolCalls)];
    assert_eq!(whole(&mut anthropic::Decoder::default(), body), Ok(expected));
}

#[test]
fn prv_5_gemini_calls_keep_their_signature() {
    let data = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"n","args":{"a":2}},
        "thoughtSignature":"sig"}]},"finishReason":"STOP"}]}"#;
    let call = plimsoll_send::ToolCall {
        id: "call_1".into(),
        name: "n".into(),
        arguments: "{\"a\":2}".into(),
        signature: Some("sig".into()),
    };
    let expected = vec![Delta::ToolCall(call), done(Finish::Stop)];
    assert_eq!(event(&mut gemini::Decoder::default(), data), Ok((expected, Read::Part)));
}

#[test]
fn rel_4_calls_without_an_end_are_ended() {
    let long = "x".repeat(64 * 1024);
    let piece = format!(
        r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":"{long}"}}}}]}}}}]}}"#
    );
    let delta = format!(
        r#"{{"type":"content_block_delta","delta":{{"type":"input_json_delta","partial_json":"{long}"}}}}"#
    );
    let begin = r#"{"type":"content_block_start","content_block":{"type":"tool_use","name":"a"}}"#;
    let call = format!(
        r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"args":{{"a":"{long}"}}}}}}]}}}}]}}"#
    );
    let endless: [(Box<dyn Decode>, &str, &str); 3] = [
        (Box::<openai::Decoder>::default(), &piece, &piece),
        (Box::<anthropic::Decoder>::default(), begin, &delta),
        (Box::<gemini::Decoder>::default(), &call, &call),
    ];
    for (mut decoder, first, more) in endless {
        let mut out = Deltas::default();
        let mut read = |data: &str| {
            let event = SseEvent { name: String::new(), data: data.to_owned() };
            read_event(decoder.as_mut(), &event, &mut out)
        };
        assert_eq!(read(first), Ok(Read::Part));
        let ended = (0..100).find_map(|_| read(more).err());
        assert_eq!(ended, Some(Refused::Malformed));
    }
    // Many that hold nothing have an end as well.
    let (mut decoder, mut out) = (openai::Decoder::default(), Deltas::default());
    let ended = (0..100_000).find_map(|n| {
        let data = format!(r#"{{"choices":[{{"delta":{{"tool_calls":[{{"index":{n}}}]}}}}]}}"#);
        read_event(&mut decoder, &SseEvent { name: String::new(), data }, &mut out).err()
    });
    assert_eq!(ended, Some(Refused::Malformed));
}
