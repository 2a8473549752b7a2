//! What each address is about and what has to be allowed there. An address that nobody decided
//! about is closed; a test holds this table against the router.

use axum::http::Method;
use plimsoll_app::Audited;

use super::decide::Action;

/// Where the project is found that a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Anybody may ask, also before they signed in.
    Anybody,
    /// It is about no project.
    None,
    /// `?workspace=`, and who names none means their own.
    Workspace,
    /// The workspace of the pair whose id is in the path, and that of the query.
    Pair,
    /// The workspace of the receipt whose id is in the path; that of a program's call belongs to
    /// whoever made it.
    Receipt,
    /// As `Workspace`; the panel of settings is for who looks after the team.
    Panel,
    /// `{project}` in the path.
    Project,
    /// The header `x-plimsoll-project`, and who names none means their own.
    Client,
}

/// One decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Blank for every method.
    method: &'static str,
    path: &'static str,
    pub(crate) subject: Subject,
    pub(crate) action: Action,
    /// What is noted once it was done.
    pub(crate) audited: Option<Audited>,
}

const fn rule(method: &'static str, path: &'static str, subject: Subject, action: Action) -> Rule {
    Rule { method, path, subject, action, audited: None }
}

const fn noted(rule: Rule, what: Audited) -> Rule {
    Rule { audited: Some(what), ..rule }
}

#[cfg(test)]
impl Rule {
    pub(super) fn method(&self) -> &'static str {
        self.method
    }

    pub(super) fn path(&self) -> &'static str {
        self.path
    }
}

/// The decision about an address, if there is one. Looking at the head of an answer is looking.
pub(crate) fn find(method: &Method, path: &str) -> Option<&'static Rule> {
    let method = if method == Method::HEAD { Method::GET.as_str() } else { method.as_str() };
    RULES.iter().find(|rule| rule.path == path && (rule.method == method || rule.method.is_empty()))
}

/// Whether there is an address of this form, with whatever method.
pub(crate) fn is_known(path: &str) -> bool {
    RULES.iter().any(|rule| rule.path == path)
}

use Action::{BeHere, ManageProject, ManageTeam, Read, Send, ServerFolders, Write};
use Subject::{Anybody, Client, Pair, Panel, Project, Receipt, Workspace};

const NONE: Subject = Subject::None;

/// Every decision.
pub(super) const RULES: &[Rule] = &[
    // Whether we live, and what the page of sign-in is made of.
    rule("GET", "/healthz", Anybody, BeHere),
    rule("GET", "/readyz", Anybody, BeHere),
    rule("GET", "/assets/{hash}/{*name}", Anybody, BeHere),
    rule("GET", "/manifest.webmanifest", Anybody, BeHere),
    rule("GET", "/sign-in", Anybody, BeHere),
    rule("POST", "/sign-in", Anybody, BeHere),
    rule("GET", "/sign-in/openid", Anybody, BeHere),
    rule("GET", "/sign-in/callback", Anybody, BeHere),
    rule("POST", "/sign-out", NONE, BeHere),
    rule("GET", "/metrics", NONE, ManageTeam),
    // Pages.
    rule("GET", "/", Workspace, Read),
    rule("GET", "/c/new", Workspace, Read),
    rule("GET", "/c/{id}", Workspace, Read),
    rule("GET", "/ui/rows", Workspace, Read),
    rule("GET", "/ui/pair/{id}", Pair, Read),
    rule("GET", "/ui/panel/{name}", Panel, Read),
    rule("GET", "/ui/hud", Workspace, Read),
    rule("POST", "/ui/hud", Workspace, Read),
    rule("GET", "/ui/receipt/{id}", Receipt, Read),
    rule("GET", "/ui/attempts/{id}", Pair, Read),
    rule("GET", "/ui/error/{id}", Pair, Read),
    rule("POST", "/ui/request", Workspace, Send),
    rule("POST", "/ui/summary-request", Workspace, Send),
    rule("GET", "/ui/request/{id}", Pair, Read),
    rule("GET", "/ui/events", Workspace, Read),
    // The view, and what is being written.
    rule("GET", "/api/openapi.json", NONE, BeHere),
    rule("GET", "/api/state", Workspace, Read),
    rule("PUT", "/api/view", Workspace, Read),
    rule("GET", "/api/complete", Workspace, Read),
    rule("GET", "/api/queries", Workspace, Read),
    rule("GET", "/api/filters", Workspace, Read),
    rule("PUT", "/api/filters/{name}", Workspace, Write),
    noted(rule("DELETE", "/api/filters/{name}", Workspace, Write), Audited::Deleted),
    rule("GET", "/api/snippets", Workspace, Read),
    rule("POST", "/api/snippets", Workspace, Write),
    rule("PUT", "/api/snippets/{name}", Workspace, Write),
    noted(rule("DELETE", "/api/snippets/{name}", Workspace, Write), Audited::Deleted),
    rule("GET", "/api/search", Workspace, Read),
    rule("POST", "/api/weigh", Workspace, Read),
    rule("GET", "/api/draft", Workspace, Read),
    rule("PUT", "/api/draft", Workspace, Write),
    rule("GET", "/api/prompts", Workspace, Read),
    rule("GET", "/api/events", Workspace, Read),
    // Sending.
    rule("POST", "/api/send", Workspace, Send),
    rule("POST", "/api/preview", Workspace, Read),
    rule("POST", "/api/cancel", Workspace, Send),
    rule("POST", "/api/summaries/plan", Workspace, Read),
    rule("POST", "/api/summaries", Workspace, Send),
    // Pairs, conversations, topics.
    rule("GET", "/api/pairs", Workspace, Read),
    rule("PATCH", "/api/pairs", Workspace, Write),
    rule("GET", "/api/pairs/{id}", Pair, Read),
    rule("PATCH", "/api/pairs/{id}", Pair, Write),
    noted(rule("DELETE", "/api/pairs/{id}", Pair, Write), Audited::Deleted),
    rule("POST", "/api/pairs/{id}/swap", Pair, Write),
    rule("POST", "/api/pairs/{id}/prefer", Pair, Write),
    rule("GET", "/api/pairs/{id}/error", Pair, Read),
    rule("PUT", "/api/pairs/{id}/attachments/{place}", Pair, Write),
    rule("POST", "/api/command", Workspace, Write),
    noted(rule("GET", "/api/export", Workspace, Read), Audited::Exported),
    rule("POST", "/api/import", Workspace, Write),
    rule("GET", "/api/import", Workspace, Read),
    rule("DELETE", "/api/import", Workspace, Write),
    rule("POST", "/api/undo", Workspace, Write),
    rule("GET", "/api/deletions", Workspace, Read),
    noted(rule("DELETE", "/api/deletions/{id}", Workspace, Write), Audited::Deleted),
    rule("GET", "/api/conversations", Workspace, Read),
    rule("POST", "/api/conversations", Workspace, Write),
    rule("PATCH", "/api/conversations/{id}", Workspace, Write),
    noted(rule("DELETE", "/api/conversations/{id}", Workspace, Write), Audited::Deleted),
    rule("GET", "/api/topics", Workspace, Read),
    rule("POST", "/api/topics", Workspace, Write),
    rule("PATCH", "/api/topics/{id}", Workspace, Write),
    noted(rule("DELETE", "/api/topics/{id}", Workspace, Write), Audited::Deleted),
    // Models, keys of providers, settings.
    rule("GET", "/api/models", Workspace, Read),
    rule("POST", "/api/models/look", NONE, BeHere),
    noted(rule("PUT", "/api/models/{id}", NONE, ManageTeam), Audited::SettingChanged),
    noted(rule("DELETE", "/api/models/{id}/learned", NONE, ManageTeam), Audited::SettingChanged),
    rule("GET", "/api/providers", NONE, ManageTeam),
    noted(rule("POST", "/api/providers/{name}/key", NONE, ManageTeam), Audited::KeySet),
    noted(rule("DELETE", "/api/providers/{name}/key", NONE, ManageTeam), Audited::KeyRemoved),
    noted(rule("POST", "/api/servers", NONE, ManageTeam), Audited::KeySet),
    noted(rule("POST", "/api/servers/models", NONE, ManageTeam), Audited::SettingChanged),
    rule("GET", "/api/settings", NONE, ManageTeam),
    noted(rule("PUT", "/api/settings/{key}", NONE, ManageTeam), Audited::SettingChanged),
    noted(rule("DELETE", "/api/settings/{key}", NONE, ManageTeam), Audited::SettingChanged),
    // The books.
    rule("GET", "/api/receipts", Workspace, Read),
    rule("GET", "/api/receipts/{id}", Receipt, Read),
    rule("GET", "/api/totals", Workspace, Read),
    noted(rule("GET", "/api/receipts.jsonl", Workspace, Read), Audited::Exported),
    noted(rule("GET", "/api/receipts.csv", Workspace, Read), Audited::Exported),
    rule("GET", "/api/gateway/calls", NONE, BeHere),
    // Files.
    rule("GET", "/api/files", Workspace, Read),
    rule("POST", "/api/files", Workspace, Write),
    rule("PUT", "/api/files/section", Workspace, Write),
    rule("POST", "/api/files/from-path", Workspace, ServerFolders),
    rule("GET", "/api/files/{id}", Workspace, Read),
    noted(rule("DELETE", "/api/files/{id}", Workspace, Write), Audited::Deleted),
    rule("POST", "/api/files/{id}/head", Workspace, Write),
    rule("PUT", "/api/files/{id}/listed", Workspace, Write),
    rule("GET", "/api/files/{id}/content", Workspace, Read),
    rule("GET", "/api/files/{id}/thumbnail", Workspace, Read),
    rule("GET", "/api/paths", Workspace, ServerFolders),
    // The memory.
    rule("GET", "/api/memory", Workspace, Read),
    rule("POST", "/api/memory", Workspace, Write),
    rule("GET", "/api/memory/deleted", Workspace, Read),
    rule("POST", "/api/memory/{id}/undelete", Workspace, Write),
    rule("GET", "/api/memory/pending", Workspace, Read),
    rule("POST", "/api/memory/pending/{id}/approve", Workspace, Write),
    noted(rule("DELETE", "/api/memory/pending/{id}", Workspace, Write), Audited::Deleted),
    rule("POST", "/api/memory/relations", Workspace, Write),
    noted(rule("DELETE", "/api/memory/relations/{id}", Workspace, Write), Audited::Deleted),
    rule("GET", "/api/memory/{id}", Workspace, Read),
    rule("PATCH", "/api/memory/{id}", Workspace, Write),
    noted(rule("DELETE", "/api/memory/{id}", Workspace, Write), Audited::Deleted),
    rule("POST", "/api/memory/{id}/restore", Workspace, Write),
    rule("GET", "/api/memory/{id}/timeline", Workspace, Read),
    // The team.
    rule("GET", "/api/team/me", NONE, BeHere),
    rule("GET", "/api/team/projects/{project}/roles", Project, ManageProject),
    rule("PUT", "/api/team/projects/{project}/roles/{user}", Project, ManageProject),
    rule("DELETE", "/api/team/projects/{project}/roles/{user}", Project, ManageProject),
    rule("GET", "/api/team/keys", NONE, BeHere),
    rule("PUT", "/api/team/keys/mine/{provider}", NONE, BeHere),
    rule("DELETE", "/api/team/keys/mine/{provider}", NONE, BeHere),
    rule("PUT", "/api/team/keys/team/{provider}", NONE, ManageTeam),
    rule("DELETE", "/api/team/keys/team/{provider}", NONE, ManageTeam),
    rule("PUT", "/api/team/keys/projects/{project}/{provider}", Project, ManageProject),
    rule("DELETE", "/api/team/keys/projects/{project}/{provider}", Project, ManageProject),
    // Other people's programs, and agents.
    rule("", "/v1/models", Client, Send),
    rule("", "/v1/models/{*id}", Client, Send),
    rule("", "/v1/chat/completions", Client, Send),
    rule("", "/v1/chat/completions/input_tokens", Client, Send),
    rule("", "/v1/responses", Client, Send),
    rule("", "/v1/responses/input_tokens", Client, Send),
    rule("", "/v1/messages", Client, Send),
    rule("", "/v1/messages/count_tokens", Client, Send),
    rule("", "/v1/embeddings", Client, Send),
    rule("", "/v1/audio/{*what}", Client, Send),
    rule("", "/v1/images/{*what}", Client, Send),
    rule("", "/v1", Client, Send),
    rule("", "/v1/{*what}", Client, Send),
    rule("", "/mcp", Workspace, Write),
];
