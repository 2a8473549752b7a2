//! Workspaces (HIS-6) and their topics (HIS-3).

use plimsoll_domain::{Timestamp, Topic, TopicId};

use crate::{
    Workspace,
    sql::{topics, workspaces},
};

jobs! {
    /// The workspaces, each with a tree of topics. `default/main` exists from the start.
    pub trait Topics {
        read workspaces() -> Vec<Workspace> = workspaces::all;

        /// Whether somebody made it.
        read has_workspace(workspace: &Workspace) -> bool = workspaces::is_there;

        /// Makes a workspace; one that exists already is left as it is.
        write create_workspace(workspace: &Workspace, at: Timestamp) -> () = workspaces::create;

        /// All topics, parents before their children, siblings by name.
        read topics(workspace: &Workspace) -> Vec<Topic> = topics::all;

        /// One of them.
        read topic(workspace: &Workspace, id: TopicId) -> Option<Topic> = topics::of_workspace;

        /// Adds a topic, or changes the one with this id. It is kept exactly as given; that a
        /// new child copies the system message of its parent is for the caller to do. Refused
        /// when the name is bad or taken, the parent unknown, or a circle would arise.
        write put_topic(workspace: &Workspace, topic: &Topic) -> () = topics::put;

        /// Removes a topic; refused unless it is empty.
        write remove_topic(workspace: &Workspace, id: TopicId) -> () = topics::remove;
    }
}
