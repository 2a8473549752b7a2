//! One pair as an article.

use std::borrow::Cow;

use jiff::tz::TimeZone;
use maud::{Markup, html};
use plimsoll_app::{Inclusion, Shown};
use plimsoll_budget::ExcludedBecause;
use plimsoll_domain::{
    ColorFlag, Lifecycle, PairKind, PairUse, SegmentBody, Timestamp, ends_in_a_circle, plain_name,
    segments,
};
use plimsoll_prose::{Renderer, limits::MAX_MARKDOWN_BYTES};
use plimsoll_send::{Action, AttachedFile, Receipt, actions, short_label};
use plimsoll_store::StoredPair;
use plimsoll_tokens::{commas, counted, dollars};

use super::{
    icons::{icon, rendered},
    toolcalls::CallView,
};
use crate::{
    answer_streams::Streamed,
    formats::{rfc3339, thousands, when},
    keys::tooltip,
};

/// The conversation that a pair is the first of, where several are looked at (UI-25).
pub(crate) struct BeginsConversation {
    pub(crate) title: String,
    pub(crate) address: String,
}

/// Everything that an article shows.
pub(crate) struct PairView<'a> {
    pub(crate) stored: &'a StoredPair,
    pub(crate) shown: &'a Shown,
    pub(crate) begins: Option<&'a BeginsConversation>,
    /// Its position among the visible ones.
    pub(crate) at: usize,
    pub(crate) receipt: Option<&'a Receipt>,
    /// What the request was estimated at.
    pub(crate) estimate: Option<u64>,
    /// What was left out of its request, in words.
    pub(crate) trimmed: Option<&'a str>,
    /// What has arrived of an answer in flight.
    pub(crate) streamed: Option<&'a Streamed>,
    /// What the tokens of its question stand for.
    pub(crate) attached: &'a [AttachedFile],
    /// What was read for its answer.
    pub(crate) tool_calls: &'a [CallView],
    pub(crate) now: Timestamp,
    pub(crate) zone: &'a TimeZone,
}

/// What people type has its line breaks where they typed them.
const USER: Renderer = Renderer { line_breaks: true };

/// A text that goes on in the line of a chip begins no heading, list or quote there.
fn goes_on(text: &str, after_a_chip: bool) -> Cow<'_, str> {
    let start = text.trim_start_matches([' ', '\t']);
    let digits = start.trim_start_matches(|c: char| c.is_ascii_digit());
    let at = match digits.chars().next() {
        _ if !after_a_chip => return Cow::Borrowed(text),
        Some('.' | ')') if digits.len() < start.len() => start.len() - digits.len(),
        Some('#' | '>' | '-' | '+' | '*' | '=' | '|' | '`' | '~')
            if digits.len() == start.len() =>
        {
            0
        }
        _ => return Cow::Borrowed(text),
    };
    let (before, mark) = start.split_at(at);
    let space = if start.len() < text.len() { " " } else { "" };
    Cow::Owned(format!("{space}{before}\\{mark}"))
}

/// A weight bar is as long as this at its longest.
const WEIGHT_WIDTH: u64 = 54;
/// The weight that makes the longest bar.
const HEAVY: u64 = 600;

impl PairView<'_> {
    pub(crate) fn article(&self) -> Markup {
        let pair = &self.stored.pair;
        let why = match self.shown.place {
            Inclusion::Included => None,
            Inclusion::Excluded(why) => Some(why),
        };
        let never = why.filter(|why| *why != ExcludedBecause::Budget);
        let id = pair.id.to_string();
        let sending = pair.lifecycle == Lifecycle::Sending;
        let pinned = pair.pair_use == PairUse::Pinned && why.is_none();
        html! {
            article.pair.ooc[why.is_some()] id={ "p-" (id) } data-id=(id) data-at=(self.at)
                data-revision=(self.stored.revision)
                data-state=(pair.lifecycle.name()) data-star=(pair.star.count())
                data-flag=(pair.color_flag.name()) data-use=(pair.pair_use.name())
                data-kind=(pair.kind.name()) data-group=[pair.group.map(|id| id.to_string())]
                data-why=[never.map(ExcludedBecause::name)]
                data-swap[pair.previous_answer.is_some()] data-cut[self.stored.cut]
                tabindex="-1" {
                @if let Some(begins) = self.begins {
                    p.conversation {
                        a href=(begins.address) title="Open this conversation alone" { (begins.title) }
                    }
                }
                div.gut.mono { (self.weight()) (self.pair_use()) }
                div.body {
                    div.u {
                        (self.question())
                        (self.kind())
                        @if pinned { span.badge.pinned title="always sent, never left out to make room" { "pinned" } }
                        (self.off(why))
                        span.think hidden[!sending] { "…" }
                    }
                    (self.tool_calls())
                    (self.answer())
                    (self.error())
                    @if let Some(trimmed) = self.trimmed { div.say { (trimmed) } }
                    (self.meta())
                    (self.tools())
                }
            }
        }
    }

    /// SHW-1: the question in the order in which it was written, never a raw token.
    fn question(&self) -> Markup {
        let mut attached = self.attached.iter().enumerate();
        html! {
            @if self.stored.pair.user_text.len() > MAX_MARKDOWN_BYTES { (shown_plain()) }
            // Who listens to the page jumps from question to question by their headings (UI-10).
            div.prose role="heading" aria-level="2" {
                @for (at, segment) in segments(&self.stored.pair.user_text).into_iter().enumerate() {
                    @match segment.body {
                        SegmentBody::Text(text) => (rendered(USER.render(&goes_on(text, at > 0)))),
                        SegmentBody::Token(_) => (super::chips::token(
                            &self.stored.workspace, attached.next()
                        )),
                    }
                }
            }
        }
    }

    /// That it is a summary (HIS-11), or one of several answers to a message (HIS-12).
    fn kind(&self) -> Markup {
        let pair = &self.stored.pair;
        let sending = pair.lifecycle == Lifecycle::Sending;
        html! {
            @if pair.kind == PairKind::Summary {
                span.badge.summary title="It is sent in place of the messages that it stands for." {
                    "summary"
                }
                @if self.stored.outdated {
                    span.badge.outdated title="A message that it stands for was edited or deleted since." {
                        "out of date"
                    }
                }
                @if let Some(first) = pair.summarises.first() {
                    button.link type="button" data-act="summarised" data-pair=(first.pair.to_string()) {
                        "Show what it stands for"
                    }
                }
            }
            @if pair.group.is_some() {
                span.badge.compared title="One of several answers to this message." { "compared" }
                @if sending {
                    button.link type="button" data-act="stop" { "Stop this one" }
                } @else if pair.pair_use == PairUse::Out && pair.lifecycle == Lifecycle::Complete {
                    button.link type="button" data-act="prefer" { "Go on with this answer" }
                }
            }
        }
    }

    /// HIS-10: why it is not sent; one in a summary leads to that (HIS-11).
    fn off(&self, why: Option<ExcludedBecause>) -> Markup {
        let summary = self.stored.summarised_by.filter(|_| why == Some(ExcludedBecause::LeftOut));
        let left_out = why == Some(ExcludedBecause::LeftOut);
        let (reason, title) = match summary {
            Some(_) => (": in a summary", "not sent: a summary is sent in its place"),
            // All but the first answer are left out from the start (HIS-12).
            None if left_out && self.stored.pair.group.is_some() => {
                (": left out", "not sent: it was left out by the comparison or by hand")
            }
            None if left_out => (": left out by hand", off_title(why)),
            None => ("", off_title(why)),
        };
        html! {
            span.badge.off title=(title) { "off" (reason) }
            @if let Some(summary) = summary {
                button.link type="button" data-act="goto" data-id=(summary.to_string()) {
                    "Show the summary"
                }
            }
        }
    }

    /// PRV-5: each call and what it gave, weighed.
    fn tool_calls(&self) -> Markup {
        html! {
            div.toolcalls {
                @for call in self.tool_calls {
                    (call.card())
                }
                // Seen where there is a call, also one that comes while somebody looks.
                div.muted.toolnote {
                    "Read once for this answer; not sent again with later messages."
                }
            }
        }
    }

    fn weight(&self) -> Markup {
        let Some(tokens) = self.shown.tokens else { return html! { span.tok {} } };
        let width = (tokens.min(HEAVY) * WEIGHT_WIDTH).div_ceil(HEAVY);
        html! {
            span.tok { (commas(tokens)) }
            svg.weight width=(WEIGHT_WIDTH) height="3" aria-hidden="true" {
                rect x=(WEIGHT_WIDTH - width) width=(width) height="3" rx="1.5" {}
            }
        }
    }

    /// HIS-10: pinned or left out by hand, and the buttons that change it.
    fn pair_use(&self) -> Markup {
        let now = self.stored.pair.pair_use;
        html! {
            div.use role="group" aria-label="Whether it is sent" {
                @for (act, does, title) in [
                    ("pin", PairUse::Pinned, tooltip("pin")),
                    ("out", PairUse::Out, tooltip("out")),
                ] {
                    button.tool type="button" data-act=(act) aria-pressed=(now == does)
                        title=(title) aria-label=(title) { (icon(act)) }
                }
            }
        }
    }

    fn answer(&self) -> Markup {
        // What happens is told a little later than it is kept: an answer that is whole by now may
        // still seem to be on its way, or only to begin.
        let sending = self.stored.pair.lifecycle == Lifecycle::Sending;
        if let Some(streamed) = self.streamed.filter(|_| sending) {
            return html! {
                div.a.prose data-stable=(streamed.stable) data-end=(streamed.end) {
                    div.done { (rendered(streamed.done.clone())) }
                    div.tail { (rendered(streamed.tail.clone())) }
                }
            };
        }
        let text = self.stored.pair.assistant_text.as_deref();
        // BND-1: of a pair in error that is sent, the question goes and the answer does not.
        let failed = self.stored.pair.lifecycle == Lifecycle::Error;
        let unsent = failed && self.shown.place == Inclusion::Included && text.is_some();
        html! {
            @if unsent {
                div.muted.unsent-note { "Only the question is sent; this part of an answer is not." }
            }
            @if text.is_some_and(|text| text.len() > MAX_MARKDOWN_BYTES) { (shown_plain()) }
            div.a.prose.unsent[unsent] {
                div.done { @if let Some(text) = text { (rendered(plimsoll_prose::render(text))) } }
                div.tail {}
            }
        }
    }

    /// FAU-8: the label, the words, and what can be done.
    fn error(&self) -> Markup {
        let pair = &self.stored.pair;
        let again = matches!(pair.lifecycle, Lifecycle::Error | Lifecycle::Cancelled);
        html! {
            @if let Some(error) = &pair.error {
                div.err { "[error: " (short_label(&error.code)) "] " (error.message) }
            }
            @if pair.lifecycle == Lifecycle::Cancelled {
                div.stopped { "stopped" @if pair.assistant_text.is_some() { "; what had arrived is kept" } }
            }
            @if again {
                div.acts {
                    button.btn type="button" data-act="reask" { "Re-ask " kbd { "e" } }
                    button.btn type="button" data-act="delete" { "Delete " kbd { "d" } }
                    @for action in self.ways_out() {
                        button.btn type="button" data-act=(action.name())
                            data-file=[self.largest_file(action)] {
                            (action.label())
                            @if let Some(name) = self.largest_file(action) { ": " bdi { (plain_name(name)) } }
                        }
                    }
                    @if pair.error.is_some() {
                        button.btn type="button" data-act="details" { "Details" }
                    }
                }
            }
            @if self.stored.cut {
                div.acts {
                    span.muted {
                        @if pair.assistant_text.as_deref().is_some_and(ends_in_a_circle) {
                            "The answer repeats itself and was stopped."
                        } @else {
                            "The answer was cut by its length."
                        }
                    }
                    button.btn type="button" data-act="continue" { "Continue" }
                }
            }
        }
    }

    /// FAU-7: what helps against a token limit, each where it applies.
    fn ways_out(&self) -> Vec<Action> {
        let Some(error) = &self.stored.pair.error else { return Vec::new() };
        let file = self.attached.iter().any(|one| one.file.is_ok());
        // Earlier pairs that were trimmed away would be tried again with the same message.
        let first = self.receipt.and_then(|receipt| receipt.attempts.first());
        actions(&error.code, file, first.is_some_and(|first| first.predicted_message_count > 0))
    }

    /// The file that an action is about.
    fn largest_file(&self, action: Action) -> Option<&str> {
        if action != Action::SmallerFile {
            return None;
        }
        let files = self.attached.iter().filter(|one| one.file.is_ok());
        let largest = files.max_by_key(|one| one.tokens)?;
        largest.file.as_ref().ok().map(|file| file.name.as_str())
    }

    fn meta(&self) -> Markup {
        let pair = &self.stored.pair;
        let stars = usize::from(pair.star.count());
        let estimate = self.estimate.filter(|tokens| *tokens > 0);
        let used = pair.usage.map(|usage| usage.prompt);
        html! {
            div.meta {
                @if pair.color_flag == ColorFlag::Blue { span.flag title="flagged" {} }
                @if stars > 0 {
                    span.star aria-label=(counted(stars as u64, "star")) { ("★".repeat(stars)) } " "
                }
                span { (pair.model) } " · "
                @let at = if pair.kind == PairKind::Summary { pair.id.made_at() } else { pair.created_at };
                time datetime=(rfc3339(at)) { (when(at, self.now, self.zone)) }
                @if let Some(estimate) = estimate {
                    " · request " (self.mark()) (thousands(estimate)) " est"
                    @if let Some(used) = used { " / " (thousands(used)) " used" }
                }
                @if let Some(cost) = self.receipt.and_then(|receipt| receipt.cost).filter(|cost| *cost > 0.0) {
                    " · " span.cost title="What this send cost, by the prices of the catalog" { (dollars(cost)) }
                }
                @if self.stored.edited_at.is_some() { " · edited" }
                @if pair.previous_answer.is_some() {
                    " · " button.link type="button" data-act="swap" { "earlier answer" }
                }
                @if let Some(receipt) = pair.receipt_id {
                    " · "
                    button.link type="button" data-act="receipt" data-receipt=(receipt.to_string()) {
                        "receipt"
                    }
                }
            }
        }
    }

    /// `~` where the request was estimated and not counted (EST-4).
    fn mark(&self) -> &'static str {
        match self.receipt.is_some_and(|receipt| receipt.estimator == "exact") {
            true => "",
            false => "~",
        }
    }

    fn tools(&self) -> Markup {
        let pair = &self.stored.pair;
        let complete = pair.lifecycle == Lifecycle::Complete;
        let sending = pair.lifecycle == Lifecycle::Sending;
        let chat = pair.kind == PairKind::Chat;
        let tools = [
            (true, "star"),
            (true, "flag"),
            (true, "copy"),
            (true, "copypair"),
            (true, "edit"),
            (complete && chat, "regenerate"),
            (chat && !sending, "send-again"),
            (complete, "summarise"),
            (true, "context-here"),
            (!sending, "move"),
            (pair.receipt_id.is_some(), "receipt"),
            (pair.receipt_id.is_some(), "request"),
            (true, "delete"),
        ];
        html! {
            div.tools role="toolbar" aria-label="This pair" {
                @for (_, act) in tools.iter().filter(|(wanted, _)| *wanted) {
                    @let title = tooltip(act);
                    button.tool type="button" data-act=(act) title=(title) aria-label=(title) {
                        (icon(act))
                    }
                }
            }
        }
    }
}

fn off_title(why: Option<ExcludedBecause>) -> &'static str {
    match why {
        Some(ExcludedBecause::Error) => "not sent: it failed",
        Some(ExcludedBecause::InFlight) => "not sent: it is being answered",
        Some(ExcludedBecause::Cancelled) => "not sent: it was stopped without an answer",
        Some(ExcludedBecause::LeftOut) => "not sent: it was left out by hand",
        Some(ExcludedBecause::BeforeTheLine) => "not sent: it is before the line that was set",
        Some(ExcludedBecause::Budget) | None => "not sent: it is beyond the load line",
    }
}

/// REL-7: a text that long is not read as Markdown.
fn shown_plain() -> Markup {
    let size = MAX_MARKDOWN_BYTES >> 10;
    html! { div.muted { "Shown as it was written: it is longer than " (size) " KB." } }
}

#[cfg(test)]
mod tests {
    use plimsoll_store::Workspace;
    use plimsoll_testkit::pairs::{answered, at};

    use super::*;

    fn article(lifecycle: Lifecycle, streamed: &Streamed) -> String {
        let mut pair = answered(1);
        (pair.lifecycle, pair.assistant_text) = (lifecycle, Some("the whole answer".to_owned()));
        let id = pair.id;
        let stored = StoredPair {
            workspace: Workspace::default(),
            pair,
            edited_at: None,
            cut: false,
            outdated: false,
            summarised_by: None,
            revision: 2,
        };
        let place = Inclusion::Included;
        let shown =
            Shown { id, lifecycle, pair_use: PairUse::Auto, tokens: None, place, begins: None };
        let view = PairView {
            stored: &stored,
            shown: &shown,
            begins: None,
            at: 0,
            receipt: None,
            estimate: None,
            trimmed: None,
            streamed: Some(streamed),
            attached: &[],
            tool_calls: &[],
            now: at(1),
            zone: &TimeZone::UTC,
        };
        view.article().into_string()
    }

    /// Promise 1: a page that is told late that a send began does not show the whole answer as
    /// one that has not begun.
    #[test]
    fn pay_6_an_answer_that_is_whole_is_shown_whole_whatever_was_told_of_it() {
        let streamed = Streamed { tail: "the".to_owned(), ..Streamed::default() };
        let sending = article(Lifecycle::Sending, &streamed);
        assert!(sending.contains("the") && !sending.contains("whole answer"), "{sending}");
        let complete = article(Lifecycle::Complete, &streamed);
        assert!(complete.contains("the whole answer"), "{complete}");
    }

    /// SHW-1: what stands behind a chip is the rest of its line.
    #[test]
    fn a_text_behind_a_chip_begins_nothing_of_its_own() {
        for (text, expected) in [
            (" # 1", " \\# 1"),
            (">>> x", "\\>>> x"),
            ("  2. b", " 2\\. b"),
            (" and so on\n# Heading", " and so on\n# Heading"),
            ("\n# Heading", "\n# Heading"),
            (" 20 of them", " 20 of them"),
        ] {
            assert_eq!(goes_on(text, true), expected);
            assert_eq!(goes_on(text, false), text);
        }
    }
}
