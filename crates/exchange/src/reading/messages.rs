//! OpenAI-style messages: `{"messages": […]}` is a conversation, `{"role", "content"}` is
//! one message of a conversation that goes on in the next line.

use std::ops::ControlFlow;

use plimsoll_domain::Timestamp;
use serde::{Deserialize, de::IgnoredAny};

use super::{Format, Record, json::Reading};
use crate::{
    BadRecord, Conversation, LeftOut, Place,
    conversation::{Said, Speaker, Turns, key},
    times,
};

/// A conversation without end is handed over in parts of so many turns.
const PART: usize = 256;

#[derive(Deserialize)]
struct Whole {
    messages: Vec<Message>,
    title: Option<String>,
    model: Option<String>,
    #[serde(alias = "created", alias = "timestamp", alias = "create_time")]
    created_at: Option<When>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    content: Option<Content>,
    #[serde(alias = "created", alias = "timestamp", alias = "create_time")]
    created_at: Option<When>,
    model: Option<String>,
    id: Option<String>,
    tool_calls: Option<Vec<IgnoredAny>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Plain(String),
    Typed { text: Option<String> },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum When {
    Number(f64),
    Text(String),
}

/// Messages that come one at a time.
#[derive(Default)]
pub(super) struct Messages {
    alone: Option<([u8; 32], Turns)>,
}

impl Messages {
    /// Takes the next object.
    pub(super) fn take(
        &mut self,
        place: Place,
        number: u64,
        raw: &str,
        reading: &mut Reading<'_>,
    ) -> ControlFlow<()> {
        match self.read(number, raw) {
            Err(problem) => reading.sink.bad(BadRecord { place, problem }),
            Ok((conversation, left_out)) => {
                reading.summary.left_out.add(left_out);
                match conversation {
                    Some(whole) => {
                        reading.sink.record(Record::Conversation(Format::Messages, whole))
                    }
                    None => ControlFlow::Continue(()),
                }
            }
        }
    }

    fn read(&mut self, number: u64, raw: &str) -> Result<(Option<Conversation>, LeftOut), String> {
        #[derive(Deserialize)]
        struct Probe {
            messages: Option<IgnoredAny>,
        }
        let said = |error: serde_json::Error| error.to_string();
        let probe: Probe = serde_json::from_str(raw).map_err(said)?;
        let mut left_out = LeftOut::default();
        if probe.messages.is_some() {
            let whole: Whole = serde_json::from_str(raw).map_err(said)?;
            // The same conversation may stand in a file twice; its line tells them apart.
            let key = key("messages", &[&number.to_le_bytes(), raw.as_bytes()]);
            let mut turns = Turns::new(key, whole.created_at.and_then(time));
            for message in whole.messages {
                turns_say(&mut turns, message, whole.model.as_deref(), &mut left_out)?;
            }
            let conversation = Conversation { key, title: whole.title, turns: turns.finish() };
            return Ok((Some(conversation), left_out));
        }
        let message: Message = serde_json::from_str(raw).map_err(said)?;
        // A log that has grown begins as it did.
        let start = || key("messages one by one", &[raw.as_bytes()]);
        let (key, turns) = self.alone.get_or_insert_with(|| {
            let key = start();
            (key, Turns::new(key, None))
        });
        turns_say(turns, message, None, &mut left_out)?;
        let part = (turns.done() >= PART).then(|| turns.take_done());
        let conversation = part.map(|turns| Conversation { key: *key, title: None, turns });
        Ok((conversation, left_out))
    }

    /// What is left at the end of the file.
    pub(super) fn finish(self) -> Option<Conversation> {
        let (key, turns) = self.alone?;
        let turns = turns.finish();
        (!turns.is_empty()).then_some(Conversation { key, title: None, turns })
    }
}

fn turns_say(
    turns: &mut Turns,
    message: Message,
    model: Option<&str>,
    left_out: &mut LeftOut,
) -> Result<(), String> {
    let speaker = match message.role.as_str() {
        "user" | "human" => Speaker::User,
        "assistant" | "model" => Speaker::Assistant,
        "system" | "developer" => {
            left_out.system += 1;
            return Ok(());
        }
        "tool" | "function" => {
            left_out.tool += 1;
            return Ok(());
        }
        other => {
            let start: String = other.chars().take(40).collect();
            return Err(format!("role '{start}' is none of user, assistant, system and tool"));
        }
    };
    left_out.tool += message.tool_calls.map_or(0, |calls| calls.len() as u64);
    let mut texts = Vec::new();
    match message.content {
        None => {}
        Some(Content::Text(text)) => texts.push(text),
        Some(Content::Parts(parts)) => {
            for part in parts {
                match part {
                    Part::Plain(text) | Part::Typed { text: Some(text) } => texts.push(text),
                    Part::Typed { text: None } => left_out.attachments += 1,
                }
            }
        }
    }
    turns.say(Said {
        id: message.id,
        speaker,
        text: texts.join("\n\n"),
        model: message.model.or_else(|| model.map(ToOwned::to_owned)),
        at: message.created_at.and_then(time),
    });
    Ok(())
}

/// Seconds, milliseconds or RFC 3339.
fn time(when: When) -> Option<Timestamp> {
    match when {
        When::Text(text) => times::parse(&text),
        // Seconds have ten digits in our time, milliseconds thirteen.
        When::Number(number) if number > 1e11 => times::from_seconds(number / 1000.0),
        When::Number(number) => times::from_seconds(number),
    }
}
