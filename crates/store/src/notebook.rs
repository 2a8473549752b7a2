//! Small things that should still be there tomorrow: saved filters, snippets, queries, drafts,
//! single values.

use plimsoll_domain::{Draft, Snippet, Timestamp, TopicId};

use crate::{Workspace, sql::notebook};

/// How many queries are kept for each workspace (FLT-6).
pub const QUERIES_KEPT: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFilter {
    /// Its name, as in `@name`.
    pub name: String,
    pub text: String,
}

jobs! {
    /// The notebook. Drafts survive a crash of the process; a power cut may cost the last one.
    pub trait Preferences {
        /// The saved filters of a workspace, by name.
        read saved_filters(workspace: &Workspace) -> Vec<SavedFilter> = notebook::filters;

        /// Saves a filter; one with the same name is replaced.
        write save_filter(workspace: &Workspace, filter: &SavedFilter)
            -> () = notebook::save_filter;

        /// Drops a saved filter; says whether there was one.
        write drop_filter(workspace: &Workspace, name: &str) -> bool = notebook::drop_filter;

        /// The snippets of a workspace, by name (UI-23).
        read snippets(workspace: &Workspace) -> Vec<Snippet> = notebook::snippets;

        /// Keeps a snippet; one with the same name is replaced.
        write put_snippet(workspace: &Workspace, snippet: &Snippet) -> () = notebook::put_snippet;

        /// The newest [`QUERIES_KEPT`] queries, oldest first.
        read queries(workspace: &Workspace) -> Vec<String> = notebook::queries;

        /// Remembers a query that worked; a repeat of the newest one is not kept twice.
        write_lazily push_query(workspace: &Workspace, query: &str, at: Timestamp)
            -> () = notebook::push_query;

        /// The draft of a conversation (HIS-9b), or of a page that shows everything.
        read draft(workspace: &Workspace, conversation: Option<TopicId>)
            -> Option<Draft> = notebook::draft;

        /// All drafts, each with its conversation; that of a page which shows everything has none.
        read drafts(workspace: &Workspace) -> Vec<(Option<TopicId>, Draft)> = notebook::drafts;

        /// The texts of all drafts. What their references name is still needed (BLB-4).
        read draft_texts(workspace: &Workspace) -> Vec<String> = notebook::draft_texts;

        /// Keeps what stands in the input; a blank draft is forgotten.
        write_lazily put_draft(
            workspace: &Workspace, conversation: Option<TopicId>, draft: &Draft, at: Timestamp
        ) -> () = notebook::put_draft;

        read value(key: &str) -> Option<String> = notebook::value;

        /// Keeps a single value; `None` forgets it.
        write put_value(key: &str, value: Option<&str>) -> () = notebook::put_value;
    }
}
