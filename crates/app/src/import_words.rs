//! What an import did, in the words that the terminal and the page share.

use plimsoll_exchange::ReadError;
use plimsoll_tokens::{commas, counted};

use crate::{AppError, Imported};

impl Imported {
    /// What came in, in one line.
    pub fn summary(&self) -> String {
        let mut parts = vec![counted(self.new_pairs, "new pair")];
        if self.known_pairs > 0 {
            parts.push(format!("{} already there", commas(self.known_pairs)));
        }
        parts.push(counted(self.new_topics, "new topic"));
        let others = [
            (self.new_files, "new file"),
            (self.new_filters, "saved filter"),
            (self.new_snippets, "snippet"),
            (self.new_drafts, "draft"),
        ];
        parts.extend(some_of(&others));
        let from = self.format.map(|format| format!("{}: ", format.name()));
        format!("{}{}", from.unwrap_or_default(), parts.join(", "))
    }

    /// What whoever imported should know beside it: that nothing of it is sent, and what was not
    /// taken, or not as it stood.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.new_pairs > 0 {
            // HIS-9: nobody sends a hundred old chats along by accident.
            notes.push("nothing of it is sent before you open a conversation of it".to_owned());
        }
        let left = self.left_out;
        let counts = [
            (left.branches, "message on another branch", "messages on other branches"),
            (left.tool, "tool call or thought", "tool calls and thoughts"),
            (left.system, "system message", "system messages"),
            (left.attachments, "picture or file", "pictures and files"),
        ];
        let said = counts.iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| {
            format!("{} {}", commas(*count), if *count == 1 { one } else { many })
        });
        let said: Vec<String> = said.collect();
        if !said.is_empty() {
            notes.push(format!("left out: {}", said.join(", ")));
        }
        match self.undated {
            0 => {}
            1 => notes.push("1 pair has no date in the file and got that of today".to_owned()),
            many => notes.push(format!(
                "{} pairs have no date in the file and got that of today",
                commas(many)
            )),
        }
        if self.replaced > 0 {
            let places = counted(self.replaced, "place");
            notes.push(format!("the file is not UTF-8 in {places}, read as U+FFFD"));
        }
        notes.extend(self.bad.iter().map(|bad| format!("left out {bad}")));
        let more = self.skipped.saturating_sub(self.bad.len() as u64);
        if more > 0 {
            notes.push(format!("and {} more that could not be read", commas(more)));
        }
        if let Some(broken) = &self.broken {
            notes.push(format!("{broken}; what stands before it was taken"));
        }
        notes
    }
}

/// Those that there are any of.
fn some_of<'a>(counts: &'a [(u64, &'a str)]) -> impl Iterator<Item = String> + 'a {
    counts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| counted(*count, noun))
}

impl AppError {
    /// Whether an import that failed so takes the rest of the file when bad records may be skipped.
    pub fn is_mended_by_skipping(&self) -> bool {
        matches!(
            self,
            Self::BadRecord(_)
                | Self::Import(ReadError::Broken { .. } | ReadError::RecordTooLarge { .. })
        )
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_exchange::{Format, LeftOut};

    use super::*;

    #[test]
    fn his_9_an_import_says_what_came_and_that_nothing_of_it_is_sent() {
        let mut imported = Imported {
            format: Some(Format::ChatGpt),
            new_pairs: 1_234,
            known_pairs: 2,
            new_topics: 1,
            new_snippets: 1,
            ..Imported::default()
        };
        assert_eq!(
            imported.summary(),
            "ChatGPT: 1,234 new pairs, 2 already there, 1 new topic, 1 snippet"
        );
        assert_eq!(
            imported.notes(),
            ["nothing of it is sent before you open a conversation of it"]
        );
        imported.new_pairs = 0;
        imported.undated = 1;
        imported.left_out = LeftOut { branches: 1, attachments: 2, ..LeftOut::default() };
        assert_eq!(
            imported.notes(),
            [
                "left out: 1 message on another branch, 2 pictures and files",
                "1 pair has no date in the file and got that of today",
            ]
        );
    }
}
