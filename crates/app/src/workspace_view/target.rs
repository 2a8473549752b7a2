//! How the selected model stands: who answers for it, its limit, and how it is weighed.

use std::{collections::HashSet, sync::Arc};

use plimsoll_blobs::Blobs;
use plimsoll_budget::{BoundaryInput, Model, ModelLimit};
use plimsoll_domain::{File, FileId, FilesScope, Topic, TopicId};
use plimsoll_send::{AttachLimits, Capabilities, Target};
use plimsoll_store::{ListedIn, Workspace};
use plimsoll_tokens::{Calibration, Correction, RawTokens};

use super::{WorkspaceView, within};
use crate::{
    App, AppError, Connection, PassedOver, Payer, View, attach::AttachmentRenderer,
    history::History, tooling::FilesPart, weigher::Weigher,
};

/// The provider that reads the disk, before a connection to it was ever made.
const READS_PATHS: &str = "codex";

/// What a caller says about the target whatever the catalog and the store say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GivenTarget {
    /// ML.
    pub limit: Option<u64>,
    /// Tokens that each message costs beyond its text.
    pub message_overhead: Option<u64>,
    /// Tokens of a prelude that is not ours.
    pub prelude: u64,
}

/// The selected model, with what it takes to weigh and render texts for it.
pub(crate) struct TargetModel {
    /// All of it that a plan needs.
    pub(crate) facts: Arc<Target>,
    pub(crate) weigher: Weigher,
    /// What was learned of the model.
    pub(crate) correction: Correction,
    pub(crate) raw_prelude: RawTokens,
    pub(crate) files: FilesPart,
    /// The model that answered last, where it cannot answer now.
    pub(crate) passed_over: Option<PassedOver>,
}

impl TargetModel {
    pub(crate) async fn of(
        app: &App,
        workspace: &Workspace,
        view: &View,
        topic: &Topic,
        history: &History,
        drafted: &[Arc<File>],
        given: GivenTarget,
    ) -> Result<Self, AppError> {
        let payer = view.payer(workspace);
        let payer = payer.as_ref();
        let (mut model, passed_over) = app.model_for(view, topic, history, payer).await;
        model.message_overhead = given.message_overhead.unwrap_or(model.message_overhead);
        let connection = app.providers.cached(&model, payer).await;
        let mut target =
            Self::with(app, workspace, view, topic, drafted, model, connection).await?;
        target.passed_over = passed_over;
        target.raw_prelude += given.prelude.into();
        if let Some(limit) = given.limit {
            let facts = Target { limit: ModelLimit::given(limit), ..(*target.facts).clone() };
            target.facts = Arc::new(facts);
        }
        Ok(target)
    }

    pub(crate) async fn with(
        app: &App,
        workspace: &Workspace,
        view: &View,
        topic: &Topic,
        drafted: &[Arc<File>],
        mut model: Model,
        connection: Option<Connection>,
    ) -> Result<Self, AppError> {
        let limit = app.limit(&model, connection.as_ref()).await?;
        let provider = connection.as_ref().map(|connection| &connection.provider);
        let weigher = Weigher::new(&app.settings(), &model, provider)?;
        // Who writes the chat format knows it better than the catalog.
        let format = weigher.chat_format();
        model.message_overhead = format.map_or(model.message_overhead, |format| format.message);
        let opening = RawTokens { text: 0, overhead: format.map_or(0, |format| format.request) };
        let learned = match weigher.is_exact() {
            true => Calibration::default(),
            false => app.calibration(&model, connection.as_ref()).await?,
        };
        let system = app.system_message(topic).unwrap_or_default();
        let raw_system = weigher.message(system, model.message_overhead);
        let mut capabilities = app.capabilities(&model, connection.as_ref());
        let scope = app.files_scope(view);
        let listed = listed_in(scope, within(view, topic));
        capabilities.tools &= listed.is_some();
        let files = match listed.filter(|_| capabilities.tools) {
            Some(of) => {
                let (files, brought) = app.files_to_tell(workspace, of, drafted).await?;
                let told = app.files_part(workspace, &files, &weigher, model.message_overhead);
                FilesPart { scope, readable: Some(of), brought, ..told.await }
            }
            None => FilesPart::default(),
        };
        let raw_prelude = raw_system + files.tokens() + opening;
        let told = connection.as_ref().and_then(|connection| connection.server_window);
        let window = model.window(told).map(|(tokens, _)| tokens);
        let provider = provider.and_then(|provider| provider.hidden_prompt_notice());
        let facts = Target {
            limit,
            basis: weigher.basis(&learned),
            estimator: (weigher.name(), weigher.is_exact()),
            raw_system,
            capabilities,
            file_limits: AttachLimits::of(app.settings().file_limits(), &model, window),
            files: files.told(),
            hidden_prompt_notice: provider,
            model,
        };
        Ok(Self {
            facts: Arc::new(facts),
            correction: learned.correction(),
            weigher,
            raw_prelude,
            files,
            passed_over: None,
        })
    }

    /// Who delivers the files of messages.
    pub(crate) fn renderer<'a>(
        &'a self,
        app: &'a App,
        blobs: &'a Blobs,
        workspace: &'a Workspace,
    ) -> AttachmentRenderer<'a> {
        AttachmentRenderer {
            store: &*app.store,
            documents: &app.documents,
            blobs,
            workspace,
            capabilities: self.facts.capabilities,
            model: &self.facts.model,
            weigher: &self.weigher,
        }
    }

    /// What the boundary is drawn with.
    pub(crate) fn input(&self, app: &App, topic: &Topic) -> BoundaryInput {
        let settings = app.settings();
        let limit = self.facts.limit.tokens;
        let reserve = settings.reply_reserve();
        BoundaryInput {
            limit,
            allowance: settings.user_request_allowance(),
            raw_prelude: self.raw_prelude,
            reply_reserve: reserve.resolve(limit, topic.max_output, self.facts.model.shared_window),
            correction: self.correction,
        }
    }
}

/// Which files models may be told of and may read in a scope; none in that of none.
fn listed_in(scope: FilesScope, conversation: Option<TopicId>) -> Option<ListedIn> {
    let of = |conversation, pinned| Some(ListedIn { conversation, pinned, also: None });
    match scope {
        FilesScope::Conversation => of(conversation, false),
        FilesScope::Pinned => of(conversation, true),
        FilesScope::All => of(None, false),
        FilesScope::None => None,
    }
}

impl WorkspaceView {
    /// Whose files a model is told of (FIL-6).
    pub fn files_scope(&self, app: &App) -> FilesScope {
        app.files_scope(&self.view)
    }

    /// Which files those are; none if nothing is told in this scope.
    pub fn listed_in(&self, app: &App) -> Option<ListedIn> {
        listed_in(self.files_scope(app), self.within())
    }
}

impl App {
    fn files_scope(&self, view: &View) -> FilesScope {
        let by_settings = || FilesScope::parse(self.settings().files_scope()).unwrap_or_default();
        view.files.unwrap_or_else(by_settings)
    }

    /// The files that a message would be sent with: those that are listed already, and those
    /// that the message itself brings, newest first (FIL-6); and which the latter are.
    async fn files_to_tell(
        &self,
        workspace: &Workspace,
        of: ListedIn,
        drafted: &[Arc<File>],
    ) -> Result<(Vec<File>, Vec<FileId>), AppError> {
        let mut files = self.store.listed_files(workspace, of).await?;
        let listed: HashSet<FileId> = files.iter().map(|file| file.id).collect();
        let new = drafted.iter().filter(|new| !listed.contains(&new.id));
        let new: Vec<File> = new.map(|file| File::clone(file)).collect();
        let brought = new.iter().map(|file| file.id).collect();
        files.extend(new);
        files.sort_by_key(|file| std::cmp::Reverse((file.created_at, file.id)));
        Ok((files, brought))
    }

    /// Who gets the files of messages to a model. Tools are the file tools, so without a
    /// files section there are none.
    fn capabilities(&self, model: &Model, connection: Option<&Connection>) -> Capabilities {
        let provider = connection.map(|connection| &connection.provider);
        let paths = provider
            .map_or_else(|| model.provider == READS_PATHS, |provider| provider.reads_paths());
        let files = provider.and_then(|provider| provider.files());
        let documents = files.is_some_and(|files| files.takes("application/pdf"));
        Capabilities {
            paths,
            vision: model.vision,
            tools: model.tools && !paths && self.settings().files_section_tokens() > 0,
            documents: documents && model.vision,
        }
    }

    /// CAT-5: the chosen model, the topic's, the newest pair's, the settings'. A conversation that
    /// begins goes on with the model of the newest pair elsewhere. A model that nobody chose, and
    /// that cannot be asked, gives way to the settings' one, and that is said.
    async fn model_for(
        &self,
        view: &View,
        topic: &Topic,
        history: &History,
        payer: Option<&Payer>,
    ) -> (Model, Option<PassedOver>) {
        let usual = || self.model(self.settings().default_model());
        if let Some(chosen) = view.model.as_ref().or(topic.default_model.as_ref()) {
            return (self.model(chosen), None);
        }
        let Some(model) = history.newest_model().map(|name| self.model(name)) else {
            return (usual(), None);
        };
        let Some(lack) = self.providers.lacks(&model, payer).await else { return (model, None) };
        let instead = usual();
        if instead.id == model.id || self.providers.lacks(&instead, payer).await.is_some() {
            return (model, None);
        }
        (instead, Some(PassedOver { model: model.id, lack }))
    }
}
