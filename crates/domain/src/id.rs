//! Time-sortable ids. The clock and the randomness come from the caller.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use uuid::{Builder, Uuid};

use crate::Timestamp;

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// A UUIDv7 from a creation time and ten random bytes.
            pub fn new(created_at: Timestamp, random: [u8; 10]) -> Self {
                let millis = u64::try_from(created_at.millis()).unwrap_or(0);
                Self(Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
            }

            /// Reads the usual hyphenated form; `None` if it is anything else.
            pub fn parse(text: &str) -> Option<Self> {
                Uuid::try_parse(text).ok().map(Self)
            }

            /// When it was made, as the id itself tells; imported ones may tell nothing true.
            pub fn made_at(&self) -> Timestamp {
                let mut millis = [0; 8];
                millis[2..].copy_from_slice(&self.as_bytes()[..6]);
                Timestamp::from_millis(i64::from_be_bytes(millis))
            }

            /// The sixteen bytes, in the order in which ids sort.
            pub fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                Self::parse(&text).ok_or_else(|| D::Error::custom("an id is expected"))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

id_type!(
    /// Names a message pair.
    PairId
);
id_type!(TopicId);
id_type!(
    /// Names a file of the registry.
    FileId
);
id_type!(
    /// Names the receipt of one send.
    ReceiptId
);
id_type!(
    /// Names one act of deleting, however many things it took.
    DeletionId
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_then_randomness() {
        let early = PairId::new(Timestamp::from_millis(1_000), [0xff; 10]);
        let late = PairId::new(Timestamp::from_millis(1_001), [0; 10]);
        assert!(early < late, "HIS-2: ids are time-sortable");
        assert!(early.to_string() < late.to_string(), "their text sorts the same way");
    }

    #[test]
    fn ids_are_version_seven_and_round_trip() {
        let id = TopicId::new(Timestamp::from_millis(1_700_000_000_000), [7; 10]);
        let text = id.to_string();
        assert_eq!(text.as_bytes()[14], b'7');
        assert_eq!(TopicId::parse(&text), Some(id));
        assert_eq!(TopicId::parse("not an id"), None);
    }

    #[test]
    fn a_time_before_1970_does_not_panic() {
        let id = FileId::new(Timestamp::from_millis(-5), [1; 10]);
        assert!(id.to_string().starts_with("00000000-0000-7"));
    }
}
