//! Topics form a tree (HIS-3). Names are unique among siblings.

use std::collections::HashMap;

use thiserror::Error;

use crate::TopicId;

/// A place to file pairs under.
#[derive(Clone, Debug, PartialEq)]
pub struct Topic {
    pub id: TopicId,
    /// The topic above it; none at the root.
    pub parent: Option<TopicId>,
    /// Unique among its siblings, case aside.
    pub name: String,
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
            system_message: None,
            default_model: None,
            temperature: None,
            max_output: None,
        }
    }
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
    #[error("the topic still holds {pairs} pairs and {children} topics")]
    NotEmpty {
        /// Pairs filed under it.
        pairs: usize,
        /// Topics right below it.
        children: usize,
    },
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
        self.check_name(topic.parent, &topic.name, None)?;
        self.names.insert((topic.parent, topic.name.to_lowercase()), topic.id);
        self.topics.insert(topic.id, topic);
        Ok(())
    }

    /// Gives a topic another name.
    pub fn rename(&mut self, id: TopicId, name: &str) -> Result<(), TopicTreeError> {
        let parent = self.get(id).ok_or(TopicTreeError::Unknown)?.parent;
        self.check_name(parent, name, Some(id))?;
        if let Some(topic) = self.topics.get_mut(&id) {
            self.names.remove(&(parent, topic.name.to_lowercase()));
            self.names.insert((parent, name.to_lowercase()), id);
            topic.name = name.to_owned();
        }
        Ok(())
    }

    /// Moves a topic, with all below it.
    pub fn reparent(&mut self, id: TopicId, to: Option<TopicId>) -> Result<(), TopicTreeError> {
        let name = self.get(id).ok_or(TopicTreeError::Unknown)?.name.clone();
        let mut above = to;
        while let Some(at) = above {
            if at == id {
                return Err(TopicTreeError::Cycle);
            }
            above = self.get(at).ok_or(TopicTreeError::Unknown)?.parent;
        }
        self.check_name(to, &name, Some(id))?;
        if let Some(topic) = self.topics.get_mut(&id) {
            self.names.remove(&(topic.parent, name.to_lowercase()));
            self.names.insert((to, name.to_lowercase()), id);
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
        let topic = self.topics.remove(&id).ok_or(TopicTreeError::Unknown)?;
        self.names.remove(&(topic.parent, topic.name.to_lowercase()));
        Ok(topic)
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

    fn check_name(
        &self,
        parent: Option<TopicId>,
        name: &str,
        except: Option<TopicId>,
    ) -> Result<(), TopicTreeError> {
        if name.trim().is_empty() || name.contains(['/', '>']) {
            return Err(TopicTreeError::BadName(name.to_owned()));
        }
        let holder = self.names.get(&(parent, name.to_lowercase())).copied();
        let taken = holder.is_some() && holder != except;
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
        assert!(matches!(tree.rename(b.id, "x/y"), Err(TopicTreeError::BadName(_))));
        tree.rename(b.id, "b").unwrap();
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
        assert!(tree.remove(b.id, 1).is_err());
        tree.remove(b.id, 0).unwrap();
        tree.remove(a.id, 0).unwrap();
    }
}
