//! A conversation of somebody else, and what becomes of it here.

use plimsoll_domain::{File, FileId, PairId, Timestamp, TopicId};

/// A conversation, or a part of a long one, as turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// Tells it from all others, also when the file is read again.
    pub key: [u8; 32],
    /// Its title, if it has one.
    pub title: Option<String>,
    pub turns: Vec<Turn>,
}

/// A question and its answer; either may be missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Tells it from all others, also when the file is read again.
    pub key: [u8; 32],
    /// Its place in the conversation.
    pub ordinal: u64,
    /// The user's words; empty where the assistant spoke first.
    pub user: String,
    /// The answer.
    pub assistant: Option<String>,
    /// The model that answered, where that is told.
    pub model: Option<String>,
    /// When it was written, where that is told.
    pub created_at: Option<Timestamp>,
}

/// What a file holds beyond the texts of user and assistant; it is counted and told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    pub system: u64,
    /// Calls of tools, their results, and a model's reasoning.
    pub tool: u64,
    /// Messages of branches that are not the current one.
    pub branches: u64,
    /// Pictures, files and sounds.
    pub attachments: u64,
}

impl LeftOut {
    /// Whether nothing was left out.
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Counts together.
    pub fn add(&mut self, other: Self) {
        self.system += other.system;
        self.tool += other.tool;
        self.branches += other.branches;
        self.attachments += other.attachments;
    }
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Assistant,
}

pub(crate) struct Said {
    pub(crate) id: Option<String>,
    pub(crate) speaker: Speaker,
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) at: Option<Timestamp>,
}

/// The longest question or answer, in bytes: four times as long as the longest answer that is
/// taken from a provider. A store has several copies of a text while it writes it (REL-7).
const LONGEST_TEXT: usize = 16 << 20;

/// The key of a turn without an id, until the turn is whole.
const UNKNOWN: [u8; 32] = [0; 32];

/// Makes turns of what was said: a user's words and all the answers before the next ones.
pub(crate) struct Turns {
    conversation: [u8; 32],
    next: u64,
    /// The newest time so far. A conversation goes forward, whatever its clocks say.
    clock: Option<Timestamp>,
    open: Option<Turn>,
    done: Vec<Turn>,
    done_bytes: usize,
}

impl Turns {
    pub(crate) fn new(conversation: [u8; 32], started: Option<Timestamp>) -> Self {
        Self { conversation, next: 0, clock: started, open: None, done: Vec::new(), done_bytes: 0 }
    }

    /// Takes the next thing in, or says what is wrong with it.
    pub(crate) fn say(&mut self, mut said: Said) -> Result<(), String> {
        if said.text.trim().is_empty() {
            return Ok(());
        }
        let answer = self.open.as_ref().and_then(|turn| turn.assistant.as_ref());
        let before = match said.speaker {
            Speaker::Assistant => answer.map_or(0, String::len),
            Speaker::User => 0,
        };
        if before.saturating_add(said.text.len()) > LONGEST_TEXT {
            let most = LONGEST_TEXT >> 20;
            return Err(format!("one of its texts is longer than {most} MB, which no message is"));
        }
        said.model = said.model.map(model_name);
        match (&mut self.open, said.speaker) {
            (Some(turn), Speaker::Assistant) => {
                // An answer in several messages, between which a tool was at work.
                match &mut turn.assistant {
                    Some(answer) => {
                        answer.push_str("\n\n");
                        answer.push_str(&said.text);
                    }
                    None => turn.assistant = Some(said.text),
                }
                turn.model = said.model.or(turn.model.take());
            }
            _ => {
                self.close();
                self.begin(said);
            }
        }
        Ok(())
    }

    fn begin(&mut self, said: Said) {
        self.clock = said.at.max(self.clock);
        // What has an id keeps its key when an answer follows later; what has none is told
        // from others by all that it says, once that is known.
        let id = said.id.as_deref().map(str::as_bytes);
        let key = id.map_or(UNKNOWN, |id| key("turn", &[&self.conversation, id]));
        let (user, assistant) = match said.speaker {
            Speaker::User => (said.text, None),
            Speaker::Assistant => (String::new(), Some(said.text)),
        };
        let (ordinal, created_at) = (self.next, self.clock);
        self.open = Some(Turn { key, ordinal, user, assistant, model: said.model, created_at });
        self.next += 1;
    }

    fn close(&mut self) {
        let Some(mut turn) = self.open.take() else { return };
        if turn.key == UNKNOWN {
            let (place, user) = (turn.ordinal.to_le_bytes(), turn.user.as_bytes());
            let answer = turn.assistant.as_deref().unwrap_or_default().as_bytes();
            turn.key = key("turn", &[&self.conversation, &place, user, answer]);
        }
        self.done_bytes += turn.user.len() + turn.assistant.as_ref().map_or(0, String::len);
        self.done.push(turn);
    }

    /// Turns that nothing can be added to any more.
    pub(crate) fn take_done(&mut self) -> Vec<Turn> {
        self.done_bytes = 0;
        std::mem::take(&mut self.done)
    }

    /// How many bytes of text those have.
    pub(crate) fn done_bytes(&self) -> usize {
        self.done_bytes
    }

    pub(crate) fn done(&self) -> usize {
        self.done.len()
    }

    pub(crate) fn finish(mut self) -> Vec<Turn> {
        self.close();
        self.done
    }
}

/// The name of a model as far as any has one. A conversation tells it once and each of its turns
/// keeps it, so that a long one would be kept thousands of times (REL-7).
pub(crate) fn model_name(mut name: String) -> String {
    const LONGEST: usize = 200;
    name.truncate(name.floor_char_boundary(LONGEST));
    name
}

/// A key from its parts; no two lists of parts give the same.
pub(crate) fn key(kind: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("plimsoll exchange 2026-11 source keys");
    for part in std::iter::once(&kind.as_bytes()).chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// The id of the pair that a turn becomes in a workspace: the same each time the file is
/// read, and in the turn's place among those of the same instant.
pub fn pair_id(workspace: &str, turn: &Turn) -> PairId {
    // Where no time is told the place in the file stands for it; what such a pair gets as
    // its time of creation is for the caller to say.
    let instant = turn
        .created_at
        .unwrap_or_else(|| Timestamp::from_millis(i64::try_from(turn.ordinal).unwrap_or(i64::MAX)));
    // The twelve bits that sort right after the time.
    let place = u16::try_from(turn.ordinal).unwrap_or(u16::MAX).min(0x0fff).to_be_bytes();
    PairId::new(instant, random_part(place, &key("pair", &[workspace.as_bytes(), &turn.key])))
}

/// The id of the topic that a conversation becomes in a workspace. A long conversation
/// comes in parts, so it depends on nothing but the key.
pub fn topic_id(workspace: &str, conversation: &[u8; 32]) -> TopicId {
    let key = key("topic", &[workspace.as_bytes(), conversation]);
    TopicId::new(Timestamp::default(), random_part([key[8], key[9]], &key))
}

/// The id of a copy of a pair whose own id is taken by another workspace.
pub fn copied_pair_id(workspace: &str, id: PairId, created_at: Timestamp) -> PairId {
    let key = key("copied pair", &[workspace.as_bytes(), id.as_bytes()]);
    // The bits after the time are kept, so that copies sort as what they are copies of.
    let place = [id.as_bytes()[6] & 0x0f, id.as_bytes()[7]];
    PairId::new(created_at, random_part(place, &key))
}

/// The id of a copy of a topic whose own id is taken by another workspace.
pub fn copied_topic_id(workspace: &str, id: TopicId) -> TopicId {
    let key = key("copied topic", &[workspace.as_bytes(), id.as_bytes()]);
    TopicId::new(Timestamp::default(), random_part([key[8], key[9]], &key))
}

/// The id of a copy of a file whose own id is taken by another workspace or other bytes.
pub fn copied_file_id(workspace: &str, file: &File) -> FileId {
    let hash = file.hash.as_str().as_bytes();
    let key = key("copied file", &[workspace.as_bytes(), file.id.as_bytes(), hash]);
    let place = [file.id.as_bytes()[6] & 0x0f, file.id.as_bytes()[7]];
    FileId::new(file.created_at, random_part(place, &key))
}

fn random_part(first: [u8; 2], key: &[u8; 32]) -> [u8; 10] {
    let mut random = [0; 10];
    random[..2].copy_from_slice(&first);
    random[2..].copy_from_slice(&key[..8]);
    random
}

/// No topic needs a longer name.
const LONGEST_NAME: usize = 100;

/// A title as the name of a topic: one line, without what separates a path.
pub fn topic_name(title: &str) -> Option<String> {
    let readable = |c: char| match c {
        '/' => '∕',
        '>' => '›',
        c if c.is_control() => ' ',
        c => c,
    };
    let name: String = title.chars().map(readable).collect();
    let mut name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = name.char_indices().nth(LONGEST_NAME) {
        name.truncate(end);
        name = format!("{}…", name.trim_end());
    }
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(speaker: Speaker, text: &str, at: Option<i64>) -> Said {
        let at = at.map(Timestamp::from_millis);
        Said { id: None, speaker, text: text.to_owned(), model: None, at }
    }

    fn turns(said: Vec<Said>) -> Vec<(String, Option<String>)> {
        let mut turns = Turns::new([1; 32], None);
        said.into_iter().for_each(|said| turns.say(said).unwrap());
        turns.finish().into_iter().map(|turn| (turn.user, turn.assistant)).collect()
    }

    #[test]
    fn his_8_words_and_answers_become_turns() {
        use Speaker::{Assistant as A, User as U};
        let some = |text: &str| Some(text.to_owned());
        let cases = [
            (vec![(U, "a"), (A, "b")], vec![("a", some("b"))]),
            (vec![(U, "a"), (U, "b"), (A, "c")], vec![("a", None), ("b", some("c"))]),
            (vec![(A, "a"), (U, "b")], vec![("", some("a")), ("b", None)]),
            (vec![(U, "a"), (A, "b"), (A, "c")], vec![("a", some("b\n\nc"))]),
            (vec![(U, " \n"), (A, "")], vec![]),
        ];
        for (given, expected) in cases {
            let given = given.into_iter().map(|(who, text)| said(who, text, None)).collect();
            let expected: Vec<_> =
                expected.into_iter().map(|(user, answer)| (user.to_owned(), answer)).collect();
            assert_eq!(turns(given), expected);
        }
    }

    #[test]
    fn a_clock_that_goes_back_does_not_turn_a_conversation_round() {
        let mut turns = Turns::new([1; 32], Some(Timestamp::from_millis(5)));
        for (text, at) in [("a", None), ("b", Some(9)), ("c", Some(7)), ("d", Some(9))] {
            turns.say(said(Speaker::User, text, at)).unwrap();
        }
        let turns = turns.finish();
        let times: Vec<_> = turns.iter().map(|turn| turn.created_at.unwrap().millis()).collect();
        assert_eq!(times, [5, 9, 9, 9]);
        let ids: Vec<_> = turns.iter().map(|turn| pair_id("a/b", turn)).collect();
        assert!(ids.is_sorted(), "HIS-2: {ids:?}");
    }

    #[test]
    fn a_title_becomes_a_name() {
        let name = |title: &str| topic_name(title);
        assert_eq!(name(" TCP/IP > UDP?\n").as_deref(), Some("TCP∕IP › UDP?"));
        assert_eq!(name(" \u{0}\t"), None);
        let long = name(&"é ".repeat(300)).unwrap();
        assert!(long.chars().count() <= LONGEST_NAME + 1 && long.ends_with('…'));
    }
}
