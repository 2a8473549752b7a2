//! What a page shows, as a digest (PAY-6).
//!
//! The page makes the digest of what it holds and marks as sent; the server makes the same
//! of what it is about to send. Positions are cut into blocks, so that a page can take the
//! server's word for blocks that it does not hold, and its own marks for all others.

use plimsoll_domain::{Delivery, FileId, PairId, TopicId};

/// Positions of a block. The page is told, so that the number stands here alone.
pub const BLOCK: usize = 10;

/// A pair that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPair {
    /// Its position among the visible pairs.
    pub at: usize,
    pub id: PairId,
    /// The revision of its texts.
    pub revision: u64,
    /// Whether it is pinned (HIS-10): a trim takes others before it.
    pub pinned: bool,
}

/// A file of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenFile {
    /// Which; none for a token that stands for no file.
    pub id: Option<FileId>,
    /// How it is delivered.
    pub delivery: Option<Delivery>,
}

/// A question that is answered anew. Nobody writes it again, so the page shows which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenQuestion {
    pub id: PairId,
    /// The revision of its texts.
    pub revision: u64,
}

/// Everything that is sent besides the words of a message that is being written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The model that it goes to.
    pub model: String,
    /// The conversation that is looked at alone; none where everything is (HIS-9).
    pub within: Option<TopicId>,
    /// What is said before and beside the history: digests of its parts, in the order in
    /// which they are sent.
    pub instructions: Vec<Hash>,
    /// The pairs that go along, oldest first.
    pub pairs: Vec<SeenPair>,
    /// The files of the message.
    pub files: Vec<SeenFile>,
    /// The question that is answered anew; none if a message is written.
    pub question: Option<SeenQuestion>,
}

/// The digest of a text: FNV-1a with 64 bits. It tells a changed page from an unchanged one;
/// it does not keep anybody out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hash(u64);

impl Hash {
    /// The digest of a text.
    pub fn of(text: &str) -> Self {
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(text.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Seen {
    /// The digests of the blocks that hold a pair that is sent, by their number.
    pub fn blocks(&self) -> Vec<(usize, Hash)> {
        let same = |a: &SeenPair, b: &SeenPair| a.at / BLOCK == b.at / BLOCK;
        let line = |pair: &SeenPair| {
            let pinned = if pair.pinned { " pinned" } else { "" };
            format!("{} {}{pinned}\n", pair.id, pair.revision)
        };
        let block = |pairs: &[SeenPair]| {
            let text: String = pairs.iter().map(line).collect();
            (pairs[0].at / BLOCK, Hash::of(&text))
        };
        self.pairs.chunk_by(same).map(block).collect()
    }

    /// The digest of it all.
    pub fn digest(&self) -> Hash {
        let mut text = format!("model {}\n", self.model);
        if let Some(topic) = self.within {
            text.push_str(&format!("conversation {topic}\n"));
        }
        for part in &self.instructions {
            text.push_str(&format!("instructions {part}\n"));
        }
        for (number, block) in self.blocks() {
            text.push_str(&format!("block {number} {block}\n"));
        }
        for file in &self.files {
            let id = file.id.map_or_else(|| "none".to_owned(), plimsoll_domain::file_label);
            let delivery = file.delivery.map_or("none", Delivery::name);
            text.push_str(&format!("file {id} {delivery}\n"));
        }
        if let Some(SeenQuestion { id, revision }) = self.question {
            text.push_str(&format!("question {id} {revision}\n"));
        }
        Hash::of(&text)
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Timestamp;
    use proptest::prelude::*;

    use super::*;

    fn pair(at: usize, revision: u64) -> SeenPair {
        let id = PairId::new(Timestamp::from_millis(i64::try_from(at).unwrap_or(0)), [7; 10]);
        SeenPair { at, id, revision, pinned: false }
    }

    fn seen(pairs: Vec<SeenPair>) -> Seen {
        Seen { model: "m".to_owned(), pairs, ..Seen::default() }
    }

    #[test]
    fn pay_6_the_digest_is_the_published_fnv() {
        // Vectors that the authors of FNV publish.
        assert_eq!(Hash::of("").to_string(), "cbf29ce484222325");
        assert_eq!(Hash::of("a").to_string(), "af63dc4c8601ec8c");
        assert_eq!(Hash::of("foobar").to_string(), "85944171f73967e8");
    }

    proptest! {
        #[test]
        fn pay_6_other_pairs_other_digest(
            a in proptest::collection::btree_map(0usize..60, 1u64..4, 0..20),
            b in proptest::collection::btree_map(0usize..60, 1u64..4, 0..20),
        ) {
            let of = |map: &std::collections::BTreeMap<usize, u64>| {
                seen(map.iter().map(|(at, revision)| pair(*at, *revision)).collect())
            };
            prop_assert_eq!(a == b, of(&a).digest() == of(&b).digest());
        }

        #[test]
        fn pay_6_everything_that_is_sent_counts(model in "[a-z]{1,5}", part in "[a-z]{1,9}") {
            let plain = seen(vec![pair(1, 1)]);
            let with_model = Seen { model, ..plain.clone() };
            prop_assert_eq!(with_model.model == "m", with_model.digest() == plain.digest());
            let instructed = Seen { instructions: vec![Hash::of(&part)], ..plain.clone() };
            prop_assert_ne!(instructed.digest(), plain.digest());
            let file = SeenFile { id: None, delivery: Some(Delivery::Inline) };
            let with_file = Seen { files: vec![file], ..plain.clone() };
            prop_assert_ne!(with_file.digest(), plain.digest());
            let asked = |revision| Some(SeenQuestion { id: pair(2, 1).id, revision });
            let again = Seen { question: asked(1), ..plain.clone() };
            prop_assert_ne!(again.digest(), plain.digest());
            prop_assert_ne!(again.digest(), Seen { question: asked(2), ..plain }.digest());
        }
    }
}
