//! What the file tools see and hear with: models that the settings name (FTL-3, FTL-5).

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use futures_util::StreamExt;
use plimsoll_budget::Model;
use plimsoll_domain::File;
use plimsoll_files::{Picture, Transcriber, Unable, VisionModel};
use plimsoll_provider::{Delta, ProviderFailure};
use plimsoll_send::{FilePart, Message, Part, Request, Role};

use crate::{App, Connection, Payer, ProviderSource, shelf::blocking};

/// A look or a hearing takes no longer.
const LONGEST: Duration = Duration::from_secs(180);

/// What is shown or played is no larger.
const LARGEST: u64 = 64 << 20;

/// A longer answer about a picture is cut, in bytes.
const LONGEST_ANSWER: usize = 64 << 10;

/// A model that answers for the tools.
pub(crate) struct ToolModel {
    providers: Arc<dyn ProviderSource>,
    model: Model,
    payer: Option<Payer>,
}

impl App {
    /// The vision model, if the settings name one.
    pub(crate) fn vision_model(&self, payer: Option<&Payer>) -> Option<Arc<dyn VisionModel>> {
        let model = self.settings().vision_model().map(|name| self.model(name))?;
        Some(Arc::new(self.tool_model(model, payer)))
    }

    /// The model that transcribes, if the settings name one.
    pub(crate) fn transcriber(&self, payer: Option<&Payer>) -> Option<Arc<dyn Transcriber>> {
        let model = self.settings().transcription_model().map(|name| self.model(name))?;
        Some(Arc::new(self.tool_model(model, payer)))
    }

    fn tool_model(&self, model: Model, payer: Option<&Payer>) -> ToolModel {
        ToolModel { providers: Arc::clone(&self.providers), model, payer: payer.cloned() }
    }
}

impl ToolModel {
    fn unable(&self, why: impl std::fmt::Display, fix: Option<String>) -> Unable {
        Unable { why: format!("{}: {why}", self.model.id), fix }
    }

    fn failed(&self, failure: &ProviderFailure) -> Unable {
        self.unable(failure.fault().message, None)
    }

    async fn reach(&self) -> Result<Connection, Unable> {
        let reached = self.providers.reach(&self.model, self.payer.as_ref()).await;
        reached.map_err(|missing| self.unable(&missing.message, Some(missing.hint.clone())))
    }

    async fn read(&self, path: &Path) -> Result<Arc<[u8]>, Unable> {
        let from = path.to_owned();
        let read = move || -> std::io::Result<Vec<u8>> {
            use std::io::Read;
            let mut bytes = Vec::new();
            std::fs::File::open(from)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = blocking(read).await.map_err(|error| self.unable(error, None))?;
        let bytes = bytes.map_err(|error| self.unable(error, None))?;
        if bytes.len() as u64 > LARGEST {
            return Err(self.unable("it is too large to be sent there", None));
        }
        Ok(bytes.into())
    }
}

#[async_trait]
impl VisionModel for ToolModel {
    async fn look(&self, picture: Picture<'_>, question: &str) -> Result<String, Unable> {
        let connection = self.reach().await?;
        let question = question.trim();
        let asked = if question.is_empty() { "Describe this image." } else { question };
        let mut message = Message::new(Role::User, asked);
        message.push(Part::File(FilePart {
            file: None,
            mime: picture.mime.to_owned(),
            bytes: self.read(picture.path).await?,
            path: picture.path.to_owned(),
            remote: None,
        }));
        let request = Request {
            max_output: connection.provider.required_max_output(),
            ..Request::new(connection.model, vec![message])
        };
        let mut stream = connection.provider.ask(&request);
        let mut said = String::new();
        let listen = async {
            while let Some(delta) = stream.next().await {
                match delta {
                    Ok(Delta::Text(text)) => said.push_str(&text),
                    Ok(_) => {}
                    Err(failure) => return Err(self.failed(&failure)),
                }
                if said.len() > LONGEST_ANSWER {
                    break;
                }
            }
            Ok(())
        };
        let heard = tokio::time::timeout(LONGEST, listen).await;
        heard.map_err(|_| self.unable("no answer came in time", None))??;
        if said.trim().is_empty() { Err(self.unable("it said nothing", None)) } else { Ok(said) }
    }
}

#[async_trait]
impl Transcriber for ToolModel {
    async fn transcribe(
        &self,
        file: &File,
        path: &Path,
        language: Option<&str>,
    ) -> Result<String, Unable> {
        let connection = self.reach().await?;
        let data = self.read(path).await?;
        let name = format!("audio.{}", file.extension);
        let said =
            connection.provider.transcribe(&connection.model, &name, &file.mime, data, language);
        let Some(said) = said else {
            let fix = "set transcriptionModel to a model of a server that transcribes";
            return Err(self.unable("its provider does not transcribe", Some(fix.to_owned())));
        };
        let said = tokio::time::timeout(LONGEST, said).await;
        let said = said.map_err(|_| self.unable("no answer came in time", None))?;
        said.map_err(|failure| self.failed(&failure))
    }
}
