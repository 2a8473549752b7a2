//! The toolbox: one call in, one answer out, within its budget. Nothing that a model
//! writes into a call makes it fail otherwise than with words that help.

use std::{path::PathBuf, sync::Arc};

use plimsoll_domain::{File, FileKind, Timestamp, json_is_bounded};
use plimsoll_tokens::Estimator;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::{
    answering::{Allowance, Draft, ToolAnswer},
    arguments::{Arguments, Mistake},
    audio, image, listing, pdf,
    ports::{ToolFailure, Transcriber, VisionModel, WorkspaceFiles},
    programs::Programs,
    python, reading,
    sandbox::{Input, Job, NoSandbox, Sandbox},
    tools::{EXECUTE_PYTHON, TOOLS, ToolSpec},
    words::{file_label, name_words, parse_file_id, quoted, shortened, size_words, visible},
};

/// Tells the time.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// With less room than this nothing can be told.
const LEAST_ROOM: u64 = 48;

/// Programs of models that run at once.
const RUNS: usize = 2;

/// The file tools of one workspace.
pub struct Toolbox {
    shelf: Arc<dyn WorkspaceFiles>,
    clock: Clock,
    vision_model: Option<Arc<dyn VisionModel>>,
    transcriber: Option<Arc<dyn Transcriber>>,
    programs: Programs,
    whisper_model: Option<PathBuf>,
    sandbox: Result<Sandbox, NoSandbox>,
    counter: Estimator,
    pdf_places: Arc<Semaphore>,
    runs: Arc<Semaphore>,
}

impl Toolbox {
    /// The tools for the files on a shelf, with nothing else at hand yet.
    pub fn new(shelf: Arc<dyn WorkspaceFiles>, clock: Clock) -> Self {
        let sandbox = NoSandbox {
            why: "no sandbox was looked for".to_owned(),
            how_to_fix: "switch execute_python on".to_owned(),
        };
        Self {
            shelf,
            clock,
            vision_model: None,
            transcriber: None,
            programs: Programs::default(),
            whisper_model: None,
            sandbox: Err(sandbox),
            counter: Estimator::Bytes4,
            pdf_places: pdf::places(),
            runs: Arc::new(Semaphore::new(RUNS)),
        }
    }

    /// With a vision model.
    pub fn with_vision_model(mut self, vision_model: Arc<dyn VisionModel>) -> Self {
        self.vision_model = Some(vision_model);
        self
    }

    /// With a provider that transcribes.
    pub fn with_transcriber(mut self, transcriber: Arc<dyn Transcriber>) -> Self {
        self.transcriber = Some(transcriber);
        self
    }

    /// With the programs of this machine: OCR, recognisers.
    pub fn with_programs(mut self, programs: Programs) -> Self {
        self.programs = programs;
        self
    }

    /// With the model file that `whisper-cli` needs.
    pub fn with_whisper_model(mut self, model: PathBuf) -> Self {
        self.whisper_model = Some(model);
        self
    }

    /// With what [`Sandbox::find`] found.
    pub fn with_sandbox(mut self, sandbox: Result<Sandbox, NoSandbox>) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// With another formula than EST-2.
    pub fn with_counter(mut self, counter: Estimator) -> Self {
        self.counter = counter;
        self
    }

    /// The tools that are offered here.
    pub fn offered(&self) -> impl Iterator<Item = &'static ToolSpec> {
        let runs = self.sandbox.is_ok();
        TOOLS.iter().filter(move |tool| runs || tool.name != EXECUTE_PYTHON)
    }

    /// Why Python cannot be run here, if it cannot.
    pub fn no_sandbox(&self) -> Option<&NoSandbox> {
        self.sandbox.as_ref().err()
    }

    /// Answers a call whose arguments are still text, as providers send them.
    pub async fn call_text(&self, name: &str, arguments: &str, room: Option<u64>) -> ToolAnswer {
        let arguments = arguments.trim();
        let text = if arguments.is_empty() { "{}" } else { arguments };
        if !json_is_bounded(text.as_bytes()) {
            let words = "The arguments hold too many values. Send one small object.".to_owned();
            return Draft::error(words).answer(Allowance::new(None, room, self.counter));
        }
        match serde_json::from_str(text) {
            Ok(value) => self.call(name, &value, room).await,
            Err(error) => {
                let words = format!("The arguments are not JSON ({error}). Send one object.");
                Draft::error(words).answer(Allowance::new(None, room, self.counter))
            }
        }
    }

    /// Answers a call. `room` is what is left of a larger budget, in tokens.
    pub async fn call(&self, name: &str, arguments: &Value, room: Option<u64>) -> ToolAnswer {
        let none = Map::new();
        let wide = Allowance::new(None, room, self.counter);
        let arguments = match arguments {
            Value::Object(arguments) => Arguments::new(arguments),
            Value::Null => Arguments::new(&none),
            _ => {
                let words = "The arguments must be one JSON object.";
                return Draft::error(words).answer(wide);
            }
        };
        let allowance = match arguments.max_tokens() {
            Ok(asked) => Allowance::new(asked, room, self.counter),
            Err(Mistake(words)) => return Draft::error(words).answer(wide),
        };
        if room.is_some_and(|room| room < LEAST_ROOM) {
            // Not even the footers would fit, and whatever a tool did would be lost.
            return Draft::full(self.counter);
        }
        let draft = match name {
            "list_files" => self.list(&arguments).await,
            "read_file" => self.read(&arguments, allowance).await,
            "analyze_image" => self.look(&arguments).await,
            "analyze_pdf" => self.analyze_pdf(&arguments).await,
            "transcribe_audio" => self.listen(&arguments).await,
            EXECUTE_PYTHON => self.execute(&arguments).await,
            _ => {
                let names: Vec<&str> = self.offered().map(|tool| tool.name).collect();
                let name = quoted(&shortened(name, 40));
                Err(Mistake(format!("There is no tool {name}. There are {}.", names.join(", "))))
            }
        };
        draft.unwrap_or_else(|Mistake(words)| Draft::error(words)).answer(allowance)
    }

    async fn list(&self, arguments: &Arguments<'_>) -> Result<Draft, Mistake> {
        let wish = listing::Wish::read(arguments)?;
        let files = self.shelf.list().await.map_err(|failure| failed(&failure))?;
        Ok(listing::list(files, &wish, (self.clock)()))
    }

    async fn read(
        &self,
        arguments: &Arguments<'_>,
        allowance: Allowance,
    ) -> Result<Draft, Mistake> {
        let lines = reading::Lines::read(arguments)?;
        let (file, path) = self.file(arguments.needed("file_id")?).await?;
        // Pages of a PDF are told by a tool of their own, which sees more than their text.
        let document = if is_pdf(&file) { None } else { self.shelf.document(&file).await };
        let document = match document {
            Some(Ok(document)) if !file.is_text => Some(document),
            Some(Err(why)) if !is_readable(&file) => {
                let name = name_words(&shortened(&file.name, 40));
                return Err(Mistake(format!("{name} has no text to read: {}.", visible(&why))));
            }
            _ if is_readable(&file) => None,
            _ => return Err(self.other_tool(&file, "read_file")),
        };
        let work = move || reading::read(&file, &path, document.as_ref(), lines, allowance);
        blocking(work)
            .await?
            .map_err(|error| Mistake(format!("The file could not be read: {error}.")))
    }

    async fn look(&self, arguments: &Arguments<'_>) -> Result<Draft, Mistake> {
        let question = arguments.text("question")?;
        let (file, path) = self.file(arguments.needed("file_id")?).await?;
        if !is_image(&file) {
            return Err(self.other_tool(&file, "analyze_image"));
        }
        let (place, size) = (path.clone(), file.size);
        let facts = blocking(move || image::facts(&place, size)).await?;
        let facts =
            facts.map_err(|error| Mistake(format!("The image could not be read: {error}.")))?;
        let vision_model = self.vision_model.as_deref();
        Ok(image::analyze(&file, &path, facts, question, vision_model, &self.programs).await)
    }

    async fn analyze_pdf(&self, arguments: &Arguments<'_>) -> Result<Draft, Mistake> {
        let pages = arguments.text("pages")?.map(pdf::Pages::parse).transpose()?;
        let question = arguments.text("question")?;
        let (file, path) = self.file(arguments.needed("file_id")?).await?;
        if !is_pdf(&file) {
            return Err(self.other_tool(&file, "analyze_pdf"));
        }
        let tools =
            pdf::Tools { vision_model: self.vision_model.as_deref(), programs: &self.programs };
        pdf::analyze(&file, path, pages, question, &self.pdf_places, tools).await.map_err(Mistake)
    }

    async fn listen(&self, arguments: &Arguments<'_>) -> Result<Draft, Mistake> {
        let language = arguments.text("language")?.map(str::trim);
        if let Some(wrong) = language.filter(|language| !audio::is_language(language)) {
            let wrong = quoted(&shortened(wrong, 20));
            return Err(Mistake(format!("language must be such as en or German, not {wrong}.")));
        }
        let (file, path) = self.file(arguments.needed("file_id")?).await?;
        if !is_sound(&file) {
            return Err(self.other_tool(&file, "transcribe_audio"));
        }
        let place = path.clone();
        // A header that makes the reader panic is a header that is not understood.
        let facts = blocking(move || audio::facts(&place)).await.unwrap_or(None);
        let recognisers = audio::Recognisers {
            transcriber: self.transcriber.as_deref(),
            programs: &self.programs,
            whisper_model: self.whisper_model.as_deref(),
        };
        Ok(audio::transcribe(&file, &path, facts, language, recognisers).await)
    }

    async fn execute(&self, arguments: &Arguments<'_>) -> Result<Draft, Mistake> {
        let sandbox = self.sandbox.as_ref().map_err(|none| {
            Mistake(format!(
                "Not run: there is no sandbox here ({}). To have one: {}.",
                shortened(&visible(&none.why), 200),
                none.how_to_fix
            ))
        })?;
        let wish = python::Wish::read(arguments)?;
        let (mut files, mut paths) = (Vec::new(), Vec::new());
        for id in &wish.inputs {
            let (file, path) = self.file(id).await?;
            files.push(file);
            paths.push(path);
        }
        let bytes = files.iter().fold(0u64, |sum, file| sum.saturating_add(file.size));
        if bytes > python::INPUT_BYTES {
            return Err(Mistake(format!(
                "The inputs have {}; up to {} are taken.",
                size_words(bytes),
                size_words(python::INPUT_BYTES)
            )));
        }
        let names = python::input_names(&files);
        let inputs: Vec<Input> = names
            .iter()
            .zip(paths)
            .map(|(name, path)| Input { name: name.clone(), path })
            .collect();
        let turn = self.runs.acquire().await;
        let job = Job { code: wish.code, inputs: &inputs, time: wish.time };
        let outcome = sandbox.run(job).await;
        drop(turn);
        let outcome = outcome.map_err(|error| Mistake(format!("Not run: {error}.")))?;
        let names: Vec<(String, String)> =
            files.into_iter().map(|file| file.name).zip(names).collect();
        Ok(python::tell(outcome, &*self.shelf, &names).await)
    }

    /// The file that a model names, and where its bytes are.
    async fn file(&self, id: &str) -> Result<(File, PathBuf), Mistake> {
        let unknown = || {
            let id = quoted(&shortened(id, 50));
            Mistake(format!("There is no file {id}. Call list_files for the ids."))
        };
        let found = self.shelf.find(parse_file_id(id).ok_or_else(unknown)?).await;
        let file = found.map_err(|failure| match failure {
            ToolFailure::NoSuchFile => unknown(),
            failure => failed(&failure),
        })?;
        let path = self.shelf.path(&file).await.map_err(|failure| failed(&failure))?;
        Ok((file, path))
    }

    /// The tool that does read such a file.
    fn other_tool(&self, file: &File, asked: &str) -> Mistake {
        let what = format!(
            "{asked} does not read {} ({})",
            name_words(&shortened(&file.name, 40)),
            visible(&shortened(&file.mime, 40))
        );
        let tool = match () {
            () if is_image(file) => "analyze_image",
            () if is_pdf(file) => "analyze_pdf",
            () if is_sound(file) => "transcribe_audio",
            () if is_readable(file) => "read_file",
            () if self.sandbox.is_ok() => EXECUTE_PYTHON,
            () => return Mistake(format!("{what}, and no tool here does.")),
        };
        Mistake(format!("{what}. Use {tool} with {}.", file_label(file.id)))
    }
}

/// Text by its bytes, whatever its name promises: `Makefile.old` and `notes.qmd` too.
fn is_readable(file: &File) -> bool {
    file.is_text || file.mime.starts_with("text/")
}

fn is_image(file: &File) -> bool {
    file.kind == FileKind::Image || file.mime.starts_with("image/")
}

fn is_pdf(file: &File) -> bool {
    file.kind == FileKind::Pdf || file.mime == "application/pdf"
}

/// A film has a sound track, too.
fn is_sound(file: &File) -> bool {
    matches!(file.kind, FileKind::Audio | FileKind::Voice | FileKind::Video)
        || file.mime.starts_with("audio/")
        || file.mime.starts_with("video/")
}

fn failed(failure: &ToolFailure) -> Mistake {
    Mistake(format!("That failed: {}.", visible(&shortened(&failure.to_string(), 160))))
}

/// Reads files aside. A panic there is a file that cannot be read.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Mistake> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| Mistake("The file is damaged; its reader gave up on it.".to_owned()))
}
