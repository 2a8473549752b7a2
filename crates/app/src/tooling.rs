//! The file tools at a send: what is offered, and what a round of calls gives (PRV-5).

use std::sync::Arc;

use plimsoll_domain::{File, FileId, FilesScope, PairId, file_label};
use plimsoll_files::{NoSandbox, Programs, Sandbox, Section, Toolbox, files_section};
use plimsoll_send::{
    FilesTold, Hash, MAX_TOOL_ROUNDS, Message, Part, Role, ToolCall, ToolDefinition, ToolResult,
};
use plimsoll_store::{ListedIn, ToolCallRecord, Workspace};
use plimsoll_tokens::RawTokens;
use tokio::{sync::OnceCell, time::Instant};

use crate::{
    App, AppError, Cancel, Payer, Prepared, Progress, ToolStep, driver::SendState,
    shelf::StoredFiles, weigher::Weigher,
};

/// What the wire adds to each tool that is told of, beyond its words.
const PER_TOOL: u64 = 8;

/// More calls in one round are not answered.
const MOST_CALLS: usize = 16;

/// What this machine has for the tools; looked for once.
#[derive(Default)]
pub(crate) struct LocalTools {
    gear: OnceCell<Gear>,
}

struct Gear {
    programs: Programs,
    sandbox: Result<Sandbox, NoSandbox>,
}

/// What is said about files besides the messages: the section, and the tools to read with.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilesPart {
    pub(crate) section: Option<Section>,
    pub(crate) tools: Vec<ToolDefinition>,
    /// Raw tokens of the section as a message.
    pub(crate) section_tokens: RawTokens,
    /// Raw tokens of the tools.
    pub(crate) tool_tokens: u64,
    /// Files of the section that would not be in it without the message.
    pub(crate) brought: Vec<FileId>,
    /// Whose files they are.
    pub(crate) scope: FilesScope,
    /// What the tools may read besides the files of the message; nothing without it.
    pub(crate) readable: Option<ListedIn>,
}

impl FilesPart {
    pub(crate) fn tokens(&self) -> RawTokens {
        self.section_tokens + self.tool_tokens.into()
    }

    /// What of it a plan needs; none where nothing is said.
    pub(crate) fn told(&self) -> Option<FilesTold> {
        let Self { section, tools, section_tokens, tool_tokens, .. } = self;
        (!tools.is_empty()).then(|| FilesTold {
            text: section.as_ref().map_or_else(String::new, |section| section.text.clone()),
            shown: section.as_ref().map_or(0, |section| section.shown),
            total: section.as_ref().map_or(0, |section| section.total),
            raw_section: *section_tokens,
            tools: tools.iter().map(|tool| tool.name.clone()).collect(),
            raw_tools: (*tool_tokens).into(),
        })
    }

    /// Tells this from a list of other files (PAY-6). A file is known by its id, since its
    /// age grows on a page that nobody draws again. Those that the message itself brings are
    /// compared with the message.
    pub(crate) fn digest(&self) -> Option<Hash> {
        let section = self.section.as_ref()?;
        let own: Vec<String> = self.brought.iter().copied().map(file_label).collect();
        let id = |line: &&str| line.trim_start().starts_with("file_id: ");
        let others = section.text.lines().filter(id);
        let others = others.filter(|line| !own.iter().any(|label| line.ends_with(label)));
        let told: Vec<&str> = others.collect();
        // Tools reach files of the scope that the section has no room for.
        let text = || format!("{}\n{}", self.scope.name(), told.join("\n"));
        (!told.is_empty()).then(|| Hash::of(&text()))
    }
}

impl App {
    /// The file tools of a workspace, with what this machine has for them.
    pub async fn toolbox(&self, workspace: &Workspace) -> Toolbox {
        self.toolbox_for(workspace, Some(ListedIn::default()), None, None).await
    }

    /// The same for the answer of a pair: what the tools make belongs to it, and they read what
    /// the section of its send is made of (FIL-6).
    async fn toolbox_for(
        &self,
        workspace: &Workspace,
        readable: Option<ListedIn>,
        made_for: Option<PairId>,
        payer: Option<&Payer>,
    ) -> Toolbox {
        let gear = self.local_tools.gear.get_or_init(|| async {
            let programs = Programs::in_path(&std::env::var_os("PATH").unwrap_or_default());
            let sandbox = Sandbox::find(&programs).await;
            // Programs of others run in the same one (SEC-10), which needs no Python for them.
            let around = match &sandbox {
                Ok(sandbox) => Some(sandbox.clone()),
                Err(_) => Sandbox::find_for_programs(&programs).await.ok(),
            };
            let programs = match around {
                Some(sandbox) => programs.inside(sandbox),
                None => programs,
            };
            Gear { programs, sandbox }
        });
        let gear = gear.await;
        let (keeper, workspace) = (self.keeper(), workspace.clone());
        let readable = readable.map(|of| ListedIn { also: made_for, ..of });
        let shelf = StoredFiles { keeper, workspace, readable, made_for };
        let clock = Arc::clone(&self.clock);
        let mut toolbox = Toolbox::new(Arc::new(shelf), Arc::new(move || clock.now()))
            .with_programs(gear.programs.clone())
            .with_sandbox(gear.sandbox.clone());
        if let Some(model) = self.settings().whisper_model() {
            toolbox = toolbox.with_whisper_model(model.to_owned());
        }
        if let Some(vision_model) = self.vision_model(payer) {
            toolbox = toolbox.with_vision_model(vision_model);
        }
        if let Some(transcriber) = self.transcriber(payer) {
            toolbox = toolbox.with_transcriber(transcriber);
        }
        toolbox
    }

    /// What is said about the files of a workspace to a model that calls tools.
    pub(crate) async fn files_part(
        &self,
        workspace: &Workspace,
        files: &[File],
        weigher: &Weigher,
        overhead: u64,
    ) -> FilesPart {
        if files.is_empty() {
            return FilesPart::default();
        }
        let budget = self.settings().files_section_tokens();
        let count = |text: &str| weigher.message(text, overhead).total();
        let section = files_section(files, self.clock.now(), budget, &count);
        let toolbox = self.toolbox(workspace).await;
        let tools: Vec<ToolDefinition> = toolbox
            .offered()
            .map(|tool| ToolDefinition {
                name: tool.name.to_owned(),
                description: tool.description.to_owned(),
                parameters: tool.parameters.to_owned(),
                strict: None,
            })
            .collect();
        let weigh = |tool: &ToolDefinition| weigher.count(&tool.text()).saturating_add(PER_TOOL);
        FilesPart {
            section_tokens: section
                .as_ref()
                .map_or(RawTokens::ZERO, |section| weigher.message(&section.text, overhead)),
            tool_tokens: tools.iter().map(weigh).fold(0, u64::saturating_add),
            section,
            tools,
            ..FilesPart::default()
        }
    }

    /// Answers the calls of one round, each within what is left of the window. Gives none
    /// if the send was stopped meanwhile; else the calls and what they gave, as messages.
    pub(crate) async fn answer_calls(
        &self,
        prepared: &Prepared,
        state: &mut SendState,
        calls: Vec<ToolCall>,
        mut room: u64,
        cancel: &Cancel,
        tell: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Option<([Message; 2], u64)>, AppError> {
        let readable = prepared.files.readable;
        let (at, payer) = (&prepared.workspace, prepared.payer());
        let toolbox = self.toolbox_for(at, readable, Some(state.pair), payer.as_ref()).await;
        let text = state.answer[state.round_start..].to_owned();
        let mut sum = prepared.weigh(&text);
        let mut called = Message::new(Role::Assistant, text);
        let mut given = Message { role: Role::Tool, parts: Vec::new(), pair: None };
        let last = state.rounds.len() / 2 + 1 >= MAX_TOOL_ROUNDS;
        // Those beyond are as if they had not been asked for, apart from a word about it.
        let unanswered = calls.len().saturating_sub(MOST_CALLS);
        for call in calls.into_iter().take(MOST_CALLS) {
            if cancel.is_cancelled() {
                return Ok(None);
            }
            let place = state.tool_calls;
            state.tool_calls += 1;
            let step = |said| {
                let (name, arguments) = (call.name.clone(), call.arguments.clone());
                Box::new(ToolStep { place, name, arguments, said })
            };
            tell(Progress::Tool(state.pair, step(None)));
            let started = Instant::now();
            let asked = prepared.weigh(&call.name) + prepared.weigh(&call.arguments);
            room = room.saturating_sub(asked);
            let answer = tokio::select! {
                answer = toolbox.call_text(&call.name, &call.arguments, Some(room)) => answer,
                () = cancel.cancelled() => return Ok(None),
            };
            let made = answer.generated;
            let mut result = ToolResult {
                call: call.id.clone(),
                name: call.name.clone(),
                text: answer.text,
                failed: answer.is_error,
                parts: Vec::new(),
            };
            if unanswered > 0 && given.parts.len() + 1 == MOST_CALLS {
                let more = format!(
                    "\n[{unanswered} more calls were not answered: at most {MOST_CALLS} at once.]"
                );
                result.text.push_str(&more);
            }
            if last {
                result.text.push_str("\n[No more tool calls are possible. Answer now.]");
            }
            let answered = prepared.weigh(&result.text);
            room = room.saturating_sub(answered);
            let tokens = asked.saturating_add(answered);
            sum = sum.saturating_add(tokens);
            let record = ToolCallRecord {
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                result: result.text.clone(),
                failed: result.failed,
                tokens,
                millis: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
                made,
            };
            self.store.add_tool_call(state.held, &record).await?;
            tell(Progress::Tool(state.pair, step(Some(record))));
            called.push(Part::ToolCall(call));
            given.push(Part::ToolResult(result));
        }
        Ok(Some(([called, given], sum)))
    }
}
