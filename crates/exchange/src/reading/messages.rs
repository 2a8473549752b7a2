//! OpenAI-style messages: `{"messages": […]}` is a conversation, `{"role", "content"}` is
//! one message of a conversation that goes on in the next line.

use std::ops::ControlFlow;

use plimsoll_domain::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny},
};
use serde_json::value::RawValue;

use super::{
    Format, Record,
    json::{Reading, bounded},
    parts::Parts,
};
use crate::{
    BadRecord, Conversation, LeftOut, Place,
    conversation::{Said, Speaker, Turns, key, model_name},
    times,
};

/// A conversation without end is handed over in parts of so many turns, or bytes of text.
const PART: usize = 256;
const PART_BYTES: usize = 4 << 20;

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

/// A text, or a list of parts. It is told apart as it is read: one that tries each would keep
/// the whole list in memory first (REL-7).
enum Content {
    Text(String),
    Parts(Parts<false>),
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        let read = if raw.starts_with('"') {
            serde_json::from_str(raw).map(Self::Text)
        } else {
            serde_json::from_str(raw).map(Self::Parts)
        };
        read.map_err(D::Error::custom)
    }
}

/// A time as a number or as a text, told apart in the same way.
enum When {
    Number(f64),
    Text(String),
}

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?.get();
        let read = if raw.starts_with('"') {
            serde_json::from_str(raw).map(Self::Text)
        } else {
            serde_json::from_str(raw).map(Self::Number)
        };
        read.map_err(D::Error::custom)
    }
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
        let raw = bounded(raw)?;
        let probe: Probe = serde_json::from_str(raw).map_err(said)?;
        let mut left_out = LeftOut::default();
        if probe.messages.is_some() {
            let mut whole: Whole = serde_json::from_str(raw).map_err(said)?;
            // The same conversation may stand in a file twice; its line tells them apart.
            let key = key("messages", &[&number.to_le_bytes(), raw.as_bytes()]);
            let mut turns = Turns::new(key, whole.created_at.and_then(time));
            whole.model = whole.model.map(model_name);
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
        let enough = turns.done() >= PART || turns.done_bytes() >= PART_BYTES;
        let part = enough.then(|| turns.take_done());
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
    let text = match message.content {
        None => String::new(),
        Some(Content::Text(text)) => text,
        Some(Content::Parts(parts)) => {
            left_out.attachments += parts.things;
            parts.text
        }
    };
    turns.say(Said {
        id: message.id,
        speaker,
        text,
        model: message.model.or_else(|| model.map(ToOwned::to_owned)),
        at: message.created_at.and_then(time),
    })
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
