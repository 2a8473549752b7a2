//! `plimsoll chat`: a conversation in the terminal, with the load line above every prompt.
//!
//! `slash.rs` reads what was typed, `editor.rs` is the keyboard, `sending.rs` sends,
//! `over_budget.rs` asks what to do with too much, `change.rs` and `look.rs` are the
//! commands. Without a terminal each line of standard input is one message.

mod args;
mod attach;
mod change;
mod editor;
mod load_line;
mod look;
mod over_budget;
mod paths;
mod sending;
mod several;
mod slash;
mod snippet;
mod stop;
mod waiting;

use std::{
    io::{BufRead, IsTerminal},
    sync::Arc,
};

pub(crate) use args::ChatArgs;
use plimsoll_app::{App, AppError, Draft, QuotaChoice, WorkspaceView, topic_path};
use plimsoll_budget::OverBudget;
use plimsoll_domain::{NEW_CHAT, PairId};
use tokio::sync::Mutex;

use crate::{
    args::Location,
    context::Context,
    failure::{Failure, note, report, say},
    machine::{self, Opened},
    markdown::MarkdownWhen,
    output::{Output, wants_colours},
};
use editor::{Editor, Read};
pub(crate) use load_line::Load;
use slash::{Slash, Typed};
use stop::Stop;

/// A chat that goes on.
struct Chat<'a> {
    app: &'a App,
    opened: &'a Opened,
    workspace_view: Arc<Mutex<WorkspaceView>>,
    output: &'a mut Output,
    /// None without a terminal: there is nobody to ask.
    editor: Option<Editor>,
    stop: Stop,
    colour: bool,
    markdown: MarkdownWhen,
    over_budget: Option<OverBudget>,
    quota: QuotaChoice,
    /// The next line that is typed is this, asked again (SND-7).
    again: Option<Draft>,
    /// Files that go along with the next message.
    attached: Vec<plimsoll_domain::File>,
    /// The request of the last send, as it went out first.
    last_request: Option<String>,
    /// The summaries that were made last and can be taken back.
    summaries: Vec<PairId>,
    failed: bool,
}

/// Whether the chat goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    GoOn,
    Leave,
}

pub(crate) fn run(
    args: &ChatArgs,
    location: &Location,
    output: &mut Output,
) -> Result<u8, Failure> {
    let context = Context::load()?;
    machine::block_on(async {
        let opened = machine::open(context, location).await?;
        let app = &opened.app;
        let model = args.model.as_deref();
        let view = args.conversation.view(app, &location.workspace, model).await?;
        let workspace_view = app.workspace_view(&location.workspace, view).await?;
        let workspace_view = Arc::new(Mutex::new(workspace_view));
        let somebody = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let editor = match somebody {
            true => {
                let catalog = app.catalog();
                let enabled = catalog.models().iter().filter(|model| model.enabled);
                let models = enabled.map(|model| model.id.clone()).collect();
                let snippets = app.snippets(&location.workspace).await?;
                let snippets = snippets.into_iter().map(|snippet| snippet.name).collect();
                let view = Arc::clone(&workspace_view);
                Some(Editor::new(&opened.data_dir, view, models, snippets)?)
            }
            false => None,
        };
        let mut chat = Chat {
            app,
            opened: &opened,
            workspace_view,
            output,
            editor,
            stop: Stop::listen(opened.leaving()),
            colour: somebody && wants_colours(),
            markdown: args.markdown,
            over_budget: args.over_budget,
            quota: args.quota,
            again: None,
            attached: Vec::new(),
            last_request: None,
            summaries: Vec::new(),
            failed: false,
        };
        if somebody { chat.talk().await } else { chat.read_lines().await }
    })
}

impl Chat<'_> {
    /// Until Ctrl+D.
    async fn talk(&mut self) -> Result<u8, Failure> {
        say("Enter sends, /help lists the commands, Ctrl+D leaves.");
        loop {
            self.draw_load_line().await?;
            let initial = self.again.as_ref().map(|draft| draft.text.clone()).unwrap_or_default();
            match self.read(&initial)? {
                Read::End => return Ok(0),
                Read::Interrupted if self.again.take().is_some() => {
                    note("left alone; nothing was sent");
                }
                Read::Interrupted => say("Ctrl+D leaves, /help lists the commands."),
                Read::Line(line) => {
                    if self.take(&line).await? == Next::Leave {
                        return Ok(0);
                    }
                }
            }
        }
    }

    fn read(&mut self, initial: &str) -> Result<Read, Failure> {
        let Some(editor) = &mut self.editor else { return Ok(Read::End) };
        self.stop.editing();
        let read = tokio::task::block_in_place(|| editor.read(initial));
        self.stop.working();
        read
    }

    /// Asks something where there is somebody to ask.
    fn question(&mut self, prompt: &str) -> Result<Option<String>, Failure> {
        let Some(editor) = &mut self.editor else { return Ok(None) };
        self.stop.editing();
        let read = tokio::task::block_in_place(|| editor.question(prompt));
        self.stop.working();
        Ok(match read? {
            Read::Line(line) => Some(line.trim().to_lowercase()),
            Read::Interrupted | Read::End => None,
        })
    }

    /// Each line of standard input is one message.
    async fn read_lines(&mut self) -> Result<u8, Failure> {
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = tokio::task::block_in_place(|| input.read_until(b'\n', &mut line));
            let read = read
                .map_err(|error| Failure::failed(format!("cannot read standard input: {error}")))?;
            if read == 0 || self.take(&String::from_utf8_lossy(&line)).await? == Next::Leave {
                return Ok(u8::from(self.failed));
            }
        }
    }

    async fn take(&mut self, line: &str) -> Result<Next, Failure> {
        let typed = match slash::read(line) {
            Ok(typed) => typed,
            Err((problem, hint)) => {
                self.tell(&Failure::usage(problem).hint(hint));
                return Ok(Next::GoOn);
            }
        };
        let again = self.again.take();
        let next = match typed {
            Typed::Blank => Next::GoOn,
            Typed::Message(text) => {
                let draft = Draft { text, ..again.unwrap_or_default() };
                let draft = self.with_attached(draft).await?;
                self.ask(draft).await?
            }
            Typed::Called { name, rest } => self.call_snippet(&name, &rest).await?,
            Typed::Command(Slash::Quit) => Next::Leave,
            Typed::Command(command) => self.obey(command).await?,
        };
        self.output.flush()?;
        Ok(next)
    }

    async fn obey(&mut self, command: Slash) -> Result<Next, Failure> {
        let done = match command {
            Slash::Quit => return Ok(Next::Leave),
            Slash::Help => return self.output.text(&slash::help()).map(|()| Next::GoOn),
            Slash::ReAsk => return self.ask_again().await,
            Slash::Regenerate(model) => return self.regenerate(model).await,
            Slash::Compare(models, text) => self.compare(&models, text).await,
            Slash::Summarise(nth) => self.summarise(nth).await,
            Slash::Prefer(nth) => self.prefer(nth).await,
            Slash::Again(nth) => self.send_again(nth).await,
            Slash::Filter(filter) => self.choose_filter(filter).await,
            Slash::Model(model) => self.choose_model(model).await,
            Slash::Topic(topic) => self.choose_topic(topic).await,
            Slash::Attach(path) => self.attach(path).await,
            Slash::Detach => {
                self.detach();
                Ok(())
            }
            Slash::New(name) => self.new_conversation(name).await,
            Slash::Clear(on) => self.clear(on).await,
            Slash::Plan => self.show_plan().await,
            Slash::Receipt => self.show_receipt().await,
            Slash::Exact(text) => self.show_request(text).await,
            Slash::Swap => self.swap().await,
            Slash::Star(star) => self.label(plimsoll_app::Label::Star(star)).await,
            Slash::Move(path) => self.move_to(&path).await,
            Slash::Flag(flag) => self.label(plimsoll_app::Label::Flag(flag)).await,
            Slash::Use(pair_use, nth) => self.set_use(pair_use, nth).await,
            Slash::From(nth) => self.begin_at(nth).await,
            Slash::Edit(text) => self.edit(text).await,
            Slash::Delete => self.delete().await,
            Slash::Undo => self.undo().await,
            Slash::Save(name) => self.save_filter(&name).await,
            Slash::Unsave(name) => self.unsave_filter(&name).await,
        };
        if let Err(failure) = done {
            // Whoever read us is gone: there is nobody to talk to.
            if failure.is_broken_pipe() {
                return Err(failure);
            }
            self.tell(&failure);
        }
        Ok(Next::GoOn)
    }

    async fn draw_load_line(&mut self) -> Result<(), Failure> {
        let mut workspace_view = self.workspace_view.lock().await;
        match workspace_view.plan(self.app, &Draft::default()).await {
            Ok(plan) => {
                let path = topic_path(workspace_view.topics(), workspace_view.topic().id);
                // One that begins has no place among the topics yet.
                let topic = if path.is_empty() { NEW_CHAT.to_owned() } else { path };
                let line = Load::of(&plan, topic).draw(self.colour);
                drop(workspace_view);
                self.output.text(&format!("{line}\n"))?;
                self.output.flush()
            }
            Err(error) => {
                drop(workspace_view);
                self.tell_error(error);
                Ok(())
            }
        }
    }

    /// Tells what did not work; the chat goes on.
    fn tell(&mut self, failure: &Failure) {
        self.failed = true;
        report(failure);
    }

    fn tell_error(&mut self, error: AppError) {
        self.tell(&error.into());
    }
}
