//! Topics form a tree (HIS-3), and each is a conversation (HIS-9). Names that people give are unique
//! among siblings; titles that were made of a first message are not.

use std::collections::HashMap;

use thiserror::Error;

use crate::{TopicId, words_alone};

/// A place to file pairs under.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    pub id: TopicId,
    /// The topic above it; none at the root.
    pub parent: Option<TopicId>,
    /// Unique among the named ones of its siblings, case aside.
    pub name: String,
    /// Whether somebody gave the name. Else it is the title: the first words of the first message.
    pub named: bool,
    /// Sent before the history when set (PAY-3).
    pub system_message: Option<String>,
    /// The model that a new pair here starts with.
    pub default_model: Option<String>,
    /// Sampling temperature, if the topic sets one.
    pub temperature: Option<f32>,
    /// The largest answer, in tokens, if the topic sets one.
    pub max_output: Option<u64>,
}

impl Topic {
    /// A topic with nothing but a name.
    pub fn new(id: TopicId, parent: Option<TopicId>, name: &str) -> Self {
        Self {
            id,
            parent,
            name: name.to_owned(),
            named: true,
            system_message: None,
            default_model: None,
            temperature: None,
            max_output: None,
        }
    }

    /// A conversation that nobody has named and that holds nothing yet.
    pub fn new_chat(id: TopicId) -> Self {
        Self { named: false, ..Self::new(id, None, NEW_CHAT) }
    }
}

/// The title of a conversation that holds nothing yet.
pub const NEW_CHAT: &str = "New chat";

/// The longest title that is made of a message, in characters.
const LONGEST_TITLE_CHARS: usize = 48;

/// The title of a conversation that begins with a message: its first words, without references to
/// files. What separates the names of a path stands in no name, so its look-alike does.
pub fn title_of(message: &str) -> String {
    let words = words_alone(message);
    let line = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(NEW_CHAT);
    let mut title = String::new();
    let mut chars = 0;
    for word in line.split_whitespace() {
        let more = word.chars().count() + usize::from(chars > 0);
        if chars + more > LONGEST_TITLE_CHARS {
            if chars == 0 {
                title.extend(word.chars().take(LONGEST_TITLE_CHARS));
            }
            title.push('…');
            break;
        }
        if chars > 0 {
            title.push(' ');
        }
        title.push_str(word);
        chars += more;
    }
    title.replace('/', "\u{2044}").replace('>', "\u{203a}")
}

/// Why the tree refuses a change.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TopicTreeError {
    /// A sibling has this name.
    #[error("there is already a topic named '{0}' here")]
    NameTaken(String),
    /// A topic has this id.
    #[error("there is already a topic with this id")]
    IdTaken,
    /// Names are not blank and hold no `/`, which separates a path.
    #[error("'{0}' is not a topic name: it must not be blank or hold '/' or '>'")]
    BadName(String),
    /// No topic has this id.
    #[error("there is no such topic")]
    Unknown,
    /// A topic cannot stand below itself.
    #[error("a topic cannot be moved below itself")]
    Cycle,
    /// Only an empty topic can be deleted.
    #[error("the topic still holds {}: move or delete them first", held(*pairs, *children))]
    NotEmpty {
        /// Pairs filed under it.
        pairs: usize,
        /// Topics right below it.
        children: usize,
    },
}

/// What a topic holds, in words.
fn held(pairs: usize, children: usize) -> String {
    let some = |count: usize, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    };
    let parts: Vec<String> =
        [some(pairs, "pair"), some(children, "topic")].into_iter().flatten().collect();
    parts.join(" and ")
}

/// All topics of a workspace.
#[derive(Clone, Debug, Default)]
pub struct TopicTree {
    topics: HashMap<TopicId, Topic>,
    /// Who has which name below whom, names without case; a tree of thousands is built
    /// without comparing each with all.
    names: HashMap<(Option<TopicId>, String), TopicId>,
}

impl TopicTree {
    /// Adds a topic. Without a system message of its own it starts with a copy of
    /// its parent's.
    pub fn add(&mut self, mut topic: Topic) -> Result<(), TopicTreeError> {
        // Taking a known id again could put a topic below itself.
        if self.topics.contains_key(&topic.id) {
            return Err(TopicTreeError::IdTaken);
        }
        if let Some(parent) = topic.parent {
            let parent = self.topics.get(&parent).ok_or(TopicTreeError::Unknown)?;
            if topic.system_message.is_none() {
                topic.system_message.clone_from(&parent.system_message);
            }
        }
        self.check_name(topic.parent, &topic.name, topic.named, None)?;
        if topic.named {
            self.names.insert((topic.parent, topic.name.to_lowercase()), topic.id);
        }
        self.topics.insert(topic.id, topic);
        Ok(())
    }

    /// Gives a topic another name, or another title where nobody `named` it.
    pub fn rename(&mut self, id: TopicId, name: &str, named: bool) -> Result<(), TopicTreeError> {
        let parent = self.get(id).ok_or(TopicTreeError::Unknown)?.parent;
        self.check_name(parent, name, named, Some(id))?;
        self.forget_name(id);
        if named {
            self.names.insert((parent, name.to_lowercase()), id);
        }
        if let Some(topic) = self.topics.get_mut(&id) {
            topic.name = name.to_owned();
            topic.named = named;
        }
        Ok(())
    }

    /// Moves a topic, with all below it.
    pub fn reparent(&mut self, id: TopicId, to: Option<TopicId>) -> Result<(), TopicTreeError> {
        let topic = self.get(id).ok_or(TopicTreeError::Unknown)?;
        let (name, named) = (topic.name.clone(), topic.named);
        let mut above = to;
        while let Some(at) = above {
            if at == id {
                return Err(TopicTreeError::Cycle);
            }
            above = self.get(at).ok_or(TopicTreeError::Unknown)?.parent;
        }
        self.check_name(to, &name, named, Some(id))?;
        self.forget_name(id);
        if named {
            self.names.insert((to, name.to_lowercase()), id);
        }
        if let Some(topic) = self.topics.get_mut(&id) {
            topic.parent = to;
        }
        Ok(())
    }

    /// Removes a topic that holds nothing; the caller says how many pairs it holds.
    pub fn remove(&mut self, id: TopicId, pairs: usize) -> Result<Topic, TopicTreeError> {
        let children = self.children(Some(id)).count();
        if pairs > 0 || children > 0 {
            return Err(TopicTreeError::NotEmpty { pairs, children });
        }
        self.forget_name(id);
        self.topics.remove(&id).ok_or(TopicTreeError::Unknown)
    }

    pub fn get(&self, id: TopicId) -> Option<&Topic> {
        self.topics.get(&id)
    }

    /// The topics right below one, or at the root, in no order.
    pub fn children(&self, parent: Option<TopicId>) -> impl Iterator<Item = &Topic> {
        self.topics.values().filter(move |topic| topic.parent == parent)
    }

    /// The path from the root, `/A/B`.
    pub fn path(&self, id: TopicId) -> Option<String> {
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(topic_id) = at {
            let topic = self.get(topic_id)?;
            names.push(topic.name.as_str());
            at = topic.parent;
        }
        Some(names.iter().rev().fold(String::new(), |path, name| path + "/" + name))
    }

    /// The name of a topic is free again.
    fn forget_name(&mut self, id: TopicId) {
        if let Some(topic) = self.topics.get(&id).filter(|topic| topic.named) {
            self.names.remove(&(topic.parent, topic.name.to_lowercase()));
        }
    }

    fn check_name(
        &self,
        parent: Option<TopicId>,
        name: &str,
        named: bool,
        except: Option<TopicId>,
    ) -> Result<(), TopicTreeError> {
        if name.trim().is_empty() || name.contains(['/', '>']) {
            return Err(TopicTreeError::BadName(name.to_owned()));
        }
        let holder = self.names.get(&(parent, name.to_lowercase())).copied();
        let taken = named && holder.is_some() && holder != except;
        if taken { Err(TopicTreeError::NameTaken(name.to_owned())) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Timestamp;

    fn topic(n: u8, parent: Option<&Topic>, name: &str) -> Topic {
        let id = TopicId::new(Timestamp::from_millis(i64::from(n)), [n; 10]);
        Topic::new(id, parent.map(|parent| parent.id), name)
    }

    #[test]
    fn a_child_copies_the_system_message_of_its_parent() {
        let mut tree = TopicTree::default();
        let mut sea = topic(1, None, "Sea");
        sea.system_message = Some("Speak like a sailor.".into());
        let ships = topic(2, Some(&sea), "Ships");
        tree.add(sea.clone()).unwrap();
        tree.add(ships.clone()).unwrap();
        let stored = tree.get(ships.id).unwrap();
        assert_eq!(stored.system_message, sea.system_message, "HIS-3");
        assert_eq!(tree.path(ships.id).as_deref(), Some("/Sea/Ships"));
    }

    #[test]
    fn names_are_unique_among_siblings_only() {
        let mut tree = TopicTree::default();
        let a = topic(1, None, "A");
        let b = topic(2, None, "B");
        tree.add(a.clone()).unwrap();
        tree.add(b.clone()).unwrap();
        assert_eq!(tree.add(topic(3, None, "a")), Err(TopicTreeError::NameTaken("a".into())));
        tree.add(topic(4, Some(&a), "B")).unwrap();
        assert_eq!(tree.reparent(b.id, Some(a.id)), Err(TopicTreeError::NameTaken("B".into())));
        assert!(matches!(tree.rename(b.id, "x/y", true), Err(TopicTreeError::BadName(_))));
        tree.rename(b.id, "b", true).unwrap();
    }

    #[test]
    fn his_9_titles_need_not_be_unique_and_names_that_people_give_must() {
        let mut tree = TopicTree::default();
        let chat = |n| Topic { name: "Hello".into(), ..Topic::new_chat(topic(n, None, "").id) };
        let (one, two) = (chat(1), chat(2));
        tree.add(one.clone()).unwrap();
        tree.add(two.clone()).unwrap();
        tree.add(topic(3, None, "Hello")).unwrap();
        assert_eq!(
            tree.rename(one.id, "hello", true),
            Err(TopicTreeError::NameTaken("hello".into()))
        );
        tree.rename(one.id, "Ships", true).unwrap();
        assert_eq!(
            tree.rename(two.id, "ships", true),
            Err(TopicTreeError::NameTaken("ships".into()))
        );
        tree.rename(one.id, "Boats", true).unwrap();
        tree.rename(two.id, "ships", true).unwrap();
        tree.remove(two.id, 0).unwrap();
        tree.rename(one.id, "Ships", true).unwrap();
    }

    #[test]
    fn his_9_a_title_is_the_first_words_of_the_first_message() {
        let cases = [
            ("Hello", "Hello"),
            ("\n  How do ships float?  \nAnd why?", "How do ships float?"),
            ("Look at <<context:text:/tmp/a.txt>>> please", "Look at please"),
            ("<<context:image:/tmp/a.png>>>", NEW_CHAT),
            ("a/b > c", "a\u{2044}b \u{203a} c"),
            (
                "Please explain to me how the load line of a ship is reckoned in winter",
                "Please explain to me how the load line of a ship…",
            ),
        ];
        for (message, title) in cases {
            assert_eq!(title_of(message), title, "{message:?}");
        }
        let long = title_of(&"x".repeat(500));
        assert_eq!(long.chars().count(), LONGEST_TITLE_CHARS + 1);
        for message in ["", " \n", "///", ">>>", "日本語 の 船"] {
            let title = title_of(message);
            let chat = Topic { name: title.clone(), ..Topic::new_chat(topic(1, None, "").id) };
            assert!(TopicTree::default().add(chat).is_ok(), "{title:?}");
        }
    }

    #[test]
    fn a_topic_never_stands_below_itself_and_goes_only_when_empty() {
        let mut tree = TopicTree::default();
        let a = topic(1, None, "A");
        let b = topic(2, Some(&a), "B");
        tree.add(a.clone()).unwrap();
        tree.add(b.clone()).unwrap();
        assert_eq!(tree.reparent(a.id, Some(b.id)), Err(TopicTreeError::Cycle));
        let again = Topic { name: "A2".into(), parent: Some(b.id), ..a.clone() };
        assert_eq!(tree.add(again), Err(TopicTreeError::IdTaken));
        let refused = tree.remove(a.id, 0);
        assert_eq!(refused, Err(TopicTreeError::NotEmpty { pairs: 0, children: 1 }));
        let words = refused.unwrap_err().to_string();
        assert_eq!(words, "the topic still holds 1 topic: move or delete them first");
        assert!(tree.remove(b.id, 1).is_err());
        tree.remove(b.id, 0).unwrap();
        tree.remove(a.id, 0).unwrap();
    }
}
