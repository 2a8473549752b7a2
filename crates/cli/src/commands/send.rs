//! `plimsoll send`: one message, its answer on standard output.

use std::io::IsTerminal;

use plimsoll_app::{
    App, AppError, Cancel, Draft, OverQuota, Prepared, Progress, Purpose, SendChoices, Sent, View,
};
use plimsoll_budget::{OverBudget, Verdict};
use plimsoll_domain::{Attachment, File, FileId, Fillings, PairId, TopicId, print_token};
use plimsoll_files::size_words;
use plimsoll_send::{Outcome, Suggestion};
use plimsoll_store::Workspace;
use plimsoll_tokens::commas;

use super::{dry_run, snippets};
use crate::{
    args::{Location, SendArgs},
    context::Context,
    failure::{Failure, note, say},
    input,
    machine::{self, Opened},
    markdown::AnswerText,
    output::{Output, neutral},
    signals, words,
};

pub(crate) fn run(
    args: &SendArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let again = args.reask.is_some() || args.regenerate;
    let text = if again { String::new() } else { message(args)? };
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        let asked = args.over_budget.unwrap_or_else(|| app.settings().over_budget());
        let workspace = &location.workspace;
        let model = args.model.as_deref();
        let mut view = args.conversation.view(app, workspace, model).await?;
        let text = match &args.template {
            Some(name) => {
                let fillings = Fillings { values: args.params.clone(), input: text };
                snippets::message(app, workspace, name, &fillings).await?
            }
            None => text,
        };
        let mut draft = Draft { text, ..Draft::default() };
        if again {
            ask_again(app, args, workspace, &mut view, &mut draft).await?;
        }
        let mut taken = Vec::new();
        let sent = async {
            attach(app, args, workspace, &view, &mut draft, &mut taken).await?;
            let mut workspace_view = app.workspace_view(workspace, view).await?;
            let prepared = workspace_view.prepare(app, &draft).await?;
            for one in &prepared.plan.attached {
                note(&words::attached(one));
            }
            if args.dry_run {
                let view = &mut workspace_view;
                dry_run::show(app, view, &prepared, asked, args.json, output).await?;
                return Ok(None);
            }
            drop(workspace_view);
            send(&opened, args, prepared, asked, output).await.map(Some)
        };
        let sent = sent.await;
        if !matches!(sent, Ok(Some(_))) {
            // What went nowhere leaves nothing behind.
            for file in taken {
                app.forget_file(workspace, file).await?;
            }
        }
        let Some(sent) = sent? else { return Ok(0) };
        conclude(&sent, &opened).await
    })
}

async fn send(
    opened: &Opened,
    args: &SendArgs,
    prepared: Prepared,
    asked: OverBudget,
    output: &mut Output,
) -> Result<Sent, Failure> {
    let app = &opened.app;
    if let Some(words) = prepared.plan.target().hidden_prompt_notice {
        note(words);
    }
    let suggestions = opened.reachable(&prepared.plan).await;
    let policy = policy(asked, &prepared, &suggestions)?;
    let choices = SendChoices { over_budget: Some(policy), quota: args.quota, seen: None };
    let cancel = Cancel::default();
    let (stop, asked_to_end) = (cancel.clone(), signals::asked_to_end());
    tokio::spawn(async move {
        asked_to_end.await;
        stop.cancel();
    });
    let gone = cancel.clone();
    let mut answer = AnswerText::new(args.markdown);
    let mut watch = |progress: &Progress| show(progress, &mut answer, output, &gone);
    let sent = app.send(prepared, choices, &cancel, &mut watch).await;
    let sent = sent.map_err(|error| refused(error, &suggestions))?;
    output.text(&answer.end())?;
    output.flush()?;
    Ok(sent)
}

/// Fills in what is asked again: its words, its topic, and its model unless another one
/// is chosen (SND-7, SND-8).
async fn ask_again(
    app: &App,
    args: &SendArgs,
    workspace: &Workspace,
    view: &mut View,
    draft: &mut Draft,
) -> Result<(), Failure> {
    let nothing = |what: &str| Failure::failed(format!("there is no pair that {what}"));
    // Without a conversation that is named, the newest of all is meant, in its own.
    let within = view.topic.as_deref().and_then(TopicId::parse);
    let (id, purpose): (PairId, fn(PairId) -> Purpose) = match args.reask.as_deref() {
        None => {
            let newest = app.newest_complete(workspace, within).await?;
            (newest.ok_or_else(|| nothing("was answered"))?, Purpose::Regenerate)
        }
        Some("newest") => {
            let newest = app.newest_failed(workspace, within).await?;
            (newest.ok_or_else(|| nothing("failed or was stopped"))?, Purpose::ReAsk)
        }
        Some(id) => {
            let id = PairId::parse(id).ok_or_else(|| {
                Failure::usage(format!("'{id}' is no id of a pair")).hint(
                    "`plimsoll export --format json` shows them; without one it is the newest",
                )
            })?;
            (id, Purpose::ReAsk)
        }
    };
    let stored = app.store().get(id).await?;
    draft.text = stored.pair.user_text;
    draft.attachments = stored.pair.attachments;
    draft.purpose = purpose(id);
    view.model.get_or_insert(stored.pair.model);
    view.topic.get_or_insert_with(|| stored.pair.topic_id.to_string());
    Ok(())
}

/// Takes the files in and puts their references after the words. `taken` hears which they are.
async fn attach(
    app: &App,
    args: &SendArgs,
    workspace: &Workspace,
    view: &View,
    draft: &mut Draft,
    taken: &mut Vec<FileId>,
) -> Result<(), Failure> {
    for path in &args.files {
        let adding = super::files::Adding { secrets: args.secrets, ..Default::default() };
        let mut file = super::files::add(app, workspace, path, adding).await?;
        taken.push(file.id);
        file = app.with_text(workspace, file).await?;
        let cut = file.is_text || file.extracted().is_some();
        if let Some(kilobytes) = args.first.filter(|_| cut) {
            file = first_part(app, workspace, view, draft, &file, kilobytes).await?;
            taken.push(file.id);
        }
        let path = app.file_path(workspace, &file)?;
        let token = print_token(file.context_kind(), &path.to_string_lossy());
        let joint = if draft.text.is_empty() { "" } else { "\n" };
        draft.text.push_str(&format!("{joint}{token}"));
        let attachment = Attachment { file: Some(file.id), delivery: args.deliver };
        draft.attachments.push(attachment);
    }
    Ok(())
}

/// The first kilobytes of a text, or less where those do not fit the model (LIM-3).
async fn first_part(
    app: &App,
    workspace: &Workspace,
    view: &View,
    draft: &Draft,
    file: &File,
    kilobytes: u64,
) -> Result<File, Failure> {
    let wanted = kilobytes.saturating_mul(1024);
    let mut workspace_view = app.workspace_view(workspace, view.clone()).await?;
    let bytes = workspace_view.head_that_fits(app, draft, file, wanted).await?;
    if bytes < wanted.min(file.size) {
        let (size, model) = (size_words(bytes), &workspace_view.model().id);
        note(&format!("{} is cut to its first {size}: more does not fit {model}", file.name));
    }
    Ok(app.head_of(workspace, file.id, bytes).await?)
}

/// The prompt, then what was piped in as a block.
fn message(args: &SendArgs) -> Result<String, Failure> {
    let piped =
        if std::io::stdin().is_terminal() { String::new() } else { input::standard_input()?.text };
    let prompt = args.prompt.clone().unwrap_or_default();
    let text = match (prompt.trim().is_empty(), piped.trim().is_empty()) {
        (true, true) if !args.files.is_empty() || args.template.is_some() => String::new(),
        (true, true) => {
            return Err(Failure::usage("there is nothing to send")
                .hint("give a prompt, as in: plimsoll send \"What is a load line?\""));
        }
        (false, true) => prompt,
        (true, false) => piped,
        (false, false) => format!("{prompt}\n\n```\n{}\n```", piped.trim_end()),
    };
    Ok(text)
}

/// VAL-3: `ask` asks where there is somebody to ask, and blocks where there is not.
fn policy(
    asked: OverBudget,
    prepared: &Prepared,
    suggestions: &[Suggestion],
) -> Result<OverBudget, Failure> {
    let over = prepared.plan.validation.verdict == Verdict::Over;
    let somebody = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if asked != OverBudget::Ask || !over || !somebody {
        return Ok(asked);
    }
    let (excess, limit) = (prepared.plan.validation.excess, *prepared.plan.limit());
    say(&AppError::OverBudget { excess, limit, suggestions: Vec::new() }.to_string());
    for suggestion in suggestions {
        note(&words::suggestion(suggestion));
    }
    let fits = suggestions.iter().any(|one| matches!(one, Suggestion::FitFirst { .. }));
    match suggestions.first() {
        Some(Suggestion::SendAnyway) => say("[t] send anyway   [c] cancel"),
        _ if fits => say("[f] fit first   [t] trim as needed   [c] cancel"),
        _ => say("[t] trim as needed   [c] cancel"),
    }
    let mut answer = String::new();
    std::io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::failed(format!("cannot read your answer: {error}")))?;
    Ok(match answer.trim() {
        "t" => OverBudget::Trim,
        "f" if fits => OverBudget::Fit,
        _ => OverBudget::Block,
    })
}

/// Text goes to standard output as it arrives; everything else is told beside it.
fn show(progress: &Progress, answer: &mut AnswerText, output: &mut Output, gone: &Cancel) {
    let shown = match progress {
        Progress::Text(_, text) => answer.push(text),
        // What is told beside the answer begins on a line of its own.
        Progress::Loading(_)
        | Progress::RetryIn(..)
        | Progress::QuotaWait(..)
        | Progress::Unsaved(..)
        | Progress::Trimmed(..)
        | Progress::Tool(..) => answer.end(),
        _ => String::new(),
    };
    // Whoever reads us has gone away: there is nobody to answer.
    if !shown.is_empty() && output.text(&shown).and_then(|()| output.flush()).is_err() {
        gone.cancel();
    }
    match progress {
        Progress::Text(..) => {}
        Progress::Loading(_) => note("the model is being loaded"),
        Progress::RetryIn(_, wait, why) => {
            note(&format!("{why}; trying again in {:.1} s", wait.as_secs_f64()));
        }
        Progress::QuotaWait(_, wait, kind) => {
            let full = OverQuota { after: Some(*wait), kind: *kind };
            note(&format!("{full}; waiting (Ctrl+C stops it)"));
        }
        Progress::Unsaved(_, why) => {
            note(&format!("the answer is not saved yet: {why} (Ctrl+C gives up)"));
        }
        Progress::Trimmed(_, pairs) => {
            let what = match pairs {
                1 => "oldest pair".to_owned(),
                many => format!("{many} oldest pairs"),
            };
            note(&format!("the request was too large; going on without the {what}"));
        }
        Progress::Tool(_, step) => {
            if let Some(said) = &step.said {
                let (name, tokens) = (&step.name, commas(said.tokens));
                let mark = if said.failed { " failed" } else { "" };
                note(&format!("tool {}{mark}: {tokens} tokens", neutral(name)));
            }
        }
        Progress::Started(..)
        | Progress::Files
        | Progress::Attempt(..)
        | Progress::Receipt(..)
        | Progress::Reasoning(..)
        | Progress::Ended(_)
        | Progress::Changed(_)
        | Progress::Labelled(_)
        | Progress::Removed(_)
        | Progress::Imported
        | Progress::ContextFrom
        | Progress::Topics
        | Progress::Memory
        | Progress::Settings => {}
    }
}

/// A request that may not go, with what would help.
fn refused(error: AppError, suggestions: &[Suggestion]) -> Failure {
    if matches!(error, AppError::OverBudget { .. } | AppError::PromptTooLarge { .. }) {
        for suggestion in suggestions {
            note(&words::suggestion(suggestion));
        }
    }
    error.into()
}

/// What happened to the request on its way, what would help, and the receipt.
pub(crate) async fn tell_receipt(sent: &Sent, opened: &Opened) {
    let receipt = &sent.receipt;
    if let Some(notice) = sent.trim_notice() {
        note(&notice);
    }
    match sent.deleted {
        0 => {}
        1 => note("1 pair was deleted during the send and was left out"),
        many => note(&format!("{many} pairs were deleted during the send and were left out")),
    }
    if let Some(truncation) = receipt.truncation {
        note(&truncation.to_string());
    }
    for suggestion in opened.reachable_after(sent).await {
        note(&words::suggestion(&suggestion));
    }
    say(&receipt.line());
}

/// The receipt, and how it ended.
async fn conclude(sent: &Sent, opened: &Opened) -> Result<u8, Failure> {
    tell_receipt(sent, opened).await;
    match &sent.outcome {
        Outcome::Complete { cut_by_length: true } => {
            note(&words::cut(&sent.answer));
            Ok(0)
        }
        Outcome::Complete { cut_by_length: false } => Ok(0),
        Outcome::Cancelled => Err(Failure::failed("stopped; what had arrived is kept")),
        Outcome::Error(_) => {
            let (headline, advice) = words::trouble(sent).unwrap_or_default();
            let kept = "your message is kept; `plimsoll send --reask` asks it again";
            Err(Failure::failed(headline).hint(match advice {
                Some(advice) => format!("{}; {kept}", advice.trim_end_matches('.')),
                None => kept.to_owned(),
            }))
        }
    }
}
