//! `transcribe_audio` (FTL-5): format and duration from the headers, words from a provider
//! or a local recogniser.

use std::{
    ffi::OsStr,
    fs,
    io::{BufReader, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use lofty::{
    config::{ParseOptions, ParsingMode},
    file::AudioFile,
    probe::Probe,
};
use plimsoll_domain::File;

use crate::{
    answering::Draft,
    ports::Transcriber,
    programs::{Ended, Programs, run},
    words::{file_label, name_words, shortened, size_words, visible},
};

const RECOGNISER_TIME: Duration = Duration::from_secs(900);
const TRANSCRIPT: u64 = 1024 * 1024;

/// What the headers of a sound say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    format: String,
    duration: Duration,
    rate: Option<u32>,
    channels: Option<u8>,
}

/// Reads the headers; nothing if they are not understood.
pub(crate) fn facts(path: &Path) -> Option<Facts> {
    measured(path).or_else(|| silent_wav(path))
}

/// A WAV without one sample, which the reader takes for damaged.
fn silent_wav(path: &Path) -> Option<Facts> {
    let mut head = Vec::new();
    fs::File::open(path).ok()?.take(4096).read_to_end(&mut head).ok()?;
    let mut rest = head.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WAVE")?;
    loop {
        let (name, after) = rest.split_at_checked(4)?;
        let (size, body) = after.split_at_checked(4)?;
        let size = u32::from_le_bytes(size.try_into().ok()?);
        if name == b"data" {
            let silence = Facts {
                format: "WAV".to_owned(),
                duration: Duration::ZERO,
                rate: None,
                channels: None,
            };
            return (size == 0).then_some(silence);
        }
        // Parts begin at even places.
        rest = body.get(usize::try_from(size).ok()?.checked_next_multiple_of(2)?..)?;
    }
}

fn measured(path: &Path) -> Option<Facts> {
    let options = ParseOptions::new()
        .read_tags(false)
        .read_cover_art(false)
        .parsing_mode(ParsingMode::Relaxed);
    let reader = BufReader::new(fs::File::open(path).ok()?);
    let probe = Probe::new(reader).options(options).guess_file_type().ok()?;
    let format = format!("{:?}", probe.file_type()?).to_uppercase();
    let found = probe.read().ok()?;
    let properties = found.properties();
    Some(Facts {
        format,
        duration: properties.duration(),
        rate: properties.sample_rate(),
        channels: properties.channels(),
    })
}

impl Facts {
    fn words(&self) -> String {
        let mut words = format!("{}, {}", self.format, duration_words(self.duration));
        if let Some(rate) = self.rate {
            words.push_str(&format!(", {rate} Hz"));
        }
        if let Some(channels) = self.channels {
            words
                .push_str(&format!(", {channels} channel{}", if channels == 1 { "" } else { "s" }));
        }
        words
    }
}

/// `0.8 s`, `1 min 5 s`, `2 h 3 min 4 s`.
fn duration_words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min {} s", seconds / 3600, seconds / 60 % 60, seconds % 60),
    }
}

/// A language as recognisers take it: a few letters, since it becomes an argument.
pub(crate) fn is_language(text: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphabetic() || c == '-';
    (2..=16).contains(&text.len()) && text.chars().all(letters) && !text.starts_with('-')
}

/// What gives a machine without one a recogniser.
pub const RECOGNISER_HINT: &str = "Set transcriptionModel to a model that transcribes, such as \
    whisper-1, or install one here: pip install openai-whisper, or whisper.cpp (whisper-cli, with \
    its model file as whisperModel)";

/// A program of this machine that writes down what is said. Whoever tells whether there is one
/// asks here, so that the tool and `plimsoll doctor` agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalRecogniser {
    /// whisper.cpp, which needs a model file.
    WhisperCli { program: PathBuf, model: PathBuf },
    /// OpenAI's own, which fetches its model by itself.
    Whisper { program: PathBuf },
}

impl LocalRecogniser {
    /// The one that is used.
    pub fn find(programs: &Programs, whisper_model: Option<&Path>) -> Option<Self> {
        let cli = programs.find("whisper-cli").zip(whisper_model);
        let cli = cli.map(|(program, model)| Self::WhisperCli { program, model: model.to_owned() });
        cli.or_else(|| Some(Self::Whisper { program: programs.find("whisper")? }))
    }

    pub fn program(&self) -> &Path {
        match self {
            Self::WhisperCli { program, .. } | Self::Whisper { program } => program,
        }
    }
}

pub(crate) struct Recognisers<'a> {
    pub(crate) transcriber: Option<&'a dyn Transcriber>,
    pub(crate) programs: &'a Programs,
    /// The model file of `whisper-cli`.
    pub(crate) whisper_model: Option<&'a Path>,
}

/// The whole answer.
pub(crate) async fn transcribe(
    file: &File,
    path: &Path,
    facts: Option<Facts>,
    language: Option<&str>,
    recognisers: Recognisers<'_>,
) -> Draft {
    let more = format!("transcribe_audio {} and more max_tokens", file_label(file.id));
    let mut draft = Draft::new("lines", more);
    let told = match &facts {
        Some(facts) => facts.words(),
        None => format!("{}, duration unknown", visible(&shortened(&file.mime, 60))),
    };
    draft.line(format!("{}: {told}, {}", name_words(&file.name), size_words(file.size)));
    if file.size == 0 || facts.is_some_and(|facts| facts.duration.is_zero()) {
        draft.line("It holds no sound: its length is zero.".to_owned());
        return draft;
    }
    match recognisers.hear(file, path, language).await {
        Ok(words) if words.trim().is_empty() => {
            draft.line("No words were recognised.".to_owned());
        }
        Ok(words) => draft.foreign("Transcript:", &words),
        Err(why) => {
            for words in why {
                draft.line(visible(&shortened(&words.replace('\n', " "), 400)));
            }
        }
    }
    draft
}

impl Recognisers<'_> {
    async fn hear(
        &self,
        file: &File,
        path: &Path,
        language: Option<&str>,
    ) -> Result<String, Vec<String>> {
        let mut why = Vec::new();
        if let Some(transcriber) = self.transcriber {
            match transcriber.transcribe(file, path, language).await {
                Ok(words) => return Ok(words),
                Err(unable) => {
                    why.push(format!("The provider did not transcribe it: {}", unable.why));
                    why.extend(unable.fix);
                }
            }
        }
        match self.local(path, language).await {
            Some(Ok(words)) => return Ok(words),
            Some(Err(said)) => why.push(said),
            None => why.push(format!("Not transcribed: no recogniser. {RECOGNISER_HINT}.")),
        }
        Err(why)
    }

    /// By a program of this machine, if there is one.
    async fn local(&self, path: &Path, language: Option<&str>) -> Option<Result<String, String>> {
        let recogniser = LocalRecogniser::find(self.programs, self.whisper_model)?;
        if let LocalRecogniser::WhisperCli { program, model } = &recogniser {
            let arguments = [
                OsStr::new("--no-timestamps"),
                OsStr::new("--no-prints"),
                OsStr::new("--language"),
                OsStr::new(language.unwrap_or("auto")),
                OsStr::new("--model"),
                model.as_os_str(),
                OsStr::new("--file"),
                path.as_os_str(),
            ];
            let ended = run(program, &arguments, RECOGNISER_TIME, TRANSCRIPT as usize).await;
            return Some(said("whisper-cli", ended));
        }
        let program = recogniser.program();
        let Ok(out) = tempfile::tempdir() else {
            return Some(Err("Not transcribed: no temporary directory could be made.".to_owned()));
        };
        let mut arguments = vec![
            path.as_os_str(),
            OsStr::new("--output_format"),
            OsStr::new("txt"),
            OsStr::new("--output_dir"),
            out.path().as_os_str(),
            OsStr::new("--fp16"),
            OsStr::new("False"),
        ];
        if let Some(language) = language {
            arguments.extend([OsStr::new("--language"), OsStr::new(language)]);
        }
        let ended = run(program, &arguments, RECOGNISER_TIME, 64 * 1024).await;
        // It also prints, but with times in between; the file has the words alone.
        Some(said("whisper", ended).and_then(|_| {
            written(out.path()).ok_or_else(|| "Not transcribed: whisper wrote no text.".to_owned())
        }))
    }
}

fn said(program: &str, ended: std::io::Result<Ended>) -> Result<String, String> {
    match ended {
        Ok(Ended::Done { success: true, stdout, .. }) => {
            Ok(String::from_utf8_lossy(&stdout).into_owned())
        }
        Ok(Ended::Done { stderr, .. }) => {
            let words = String::from_utf8_lossy(&stderr);
            let last = words.lines().last().unwrap_or("it did not say why").trim();
            Err(format!("Not transcribed: {program} failed: {last}"))
        }
        Ok(Ended::TimedOut) => Err(format!(
            "Not transcribed: {program} took longer than {} min.",
            RECOGNISER_TIME.as_secs() / 60
        )),
        Err(error) => Err(format!("Not transcribed: {program} could not be started: {error}.")),
    }
}

/// The one text that whisper wrote.
fn written(directory: &Path) -> Option<String> {
    let texts = fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path());
    let path = texts.into_iter().find(|path| path.extension() == Some(OsStr::new("txt")))?;
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(TRANSCRIPT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
