use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use plimsoll_domain::{File, FileKind};
use plimsoll_files::{LocalRecogniser, Transcriber, Unable};
use serde_json::json;

use crate::{
    fixtures::wav,
    shelf::{Desk, ask, bare, scripts},
};

struct Stenographer;

#[async_trait]
impl Transcriber for Stenographer {
    async fn transcribe(
        &self,
        _: &File,
        path: &Path,
        language: Option<&str>,
    ) -> Result<String, Unable> {
        Ok(format!("{} bytes in {language:?}", std::fs::read(path).unwrap().len()))
    }
}

#[tokio::test]
async fn ftl_5_and_7_format_and_duration_are_told_without_a_recogniser() {
    let desk = Desk::new();
    let file = desk.put("a.wav", "audio/wav", FileKind::Audio, &wav(12_000));
    let answer = ask(&bare(&desk), "transcribe_audio", &file, json!({})).await;
    let head = "a.wav: WAV, 1.5 s, 8000 Hz, 1 channel, 23.5 KB\nNot transcribed: no recogniser.";
    assert!(answer.text.starts_with(head), "{}", answer.text);
    for way in ["transcriptionModel", "pip install openai-whisper", "whisperModel"] {
        assert!(answer.text.contains(way), "{}", answer.text);
    }
}

#[tokio::test]
async fn ftl_5_zero_length_and_damage_are_said() {
    let desk = Desk::new();
    let toolbox = bare(&desk).with_transcriber(Arc::new(Stenographer));
    for bytes in [wav(0), Vec::new()] {
        let file = desk.put("a.wav", "audio/wav", FileKind::Audio, &bytes);
        let answer = ask(&toolbox, "transcribe_audio", &file, json!({})).await;
        assert!(answer.text.contains("It holds no sound"), "{}", answer.text);
    }
    let file = desk.put("a.ogg", "audio/ogg", FileKind::Voice, b"OggS but not really");
    let answer = ask(&toolbox, "transcribe_audio", &file, json!({})).await;
    assert!(answer.text.contains("audio/ogg, duration unknown"), "{}", answer.text);
}

#[tokio::test]
async fn ftl_5_the_provider_comes_first_then_the_programs() {
    let desk = Desk::new();
    let file = desk.put("a.wav", "audio/wav", FileKind::Voice, &wav(8_000));
    let toolbox = bare(&desk).with_transcriber(Arc::new(Stenographer));
    let answer = ask(&toolbox, "transcribe_audio", &file, json!({ "language": "de" })).await;
    assert!(answer.text.contains("Transcript:\n| 16044 bytes in Some(\"de\")"), "{}", answer.text);
}

#[cfg(unix)]
#[tokio::test]
async fn ftl_5_local_recognisers_are_run() {
    let desk = Desk::new();
    let file = desk.put("a.wav", "audio/wav", FileKind::Voice, &wav(8_000));
    let (_place, programs) =
        scripts(&[("whisper", "echo '[00:00] said'; echo \"hello $9\" > \"$5/a.txt\"")]);
    let toolbox = bare(&desk).with_programs(programs);
    let answer = ask(&toolbox, "transcribe_audio", &file, json!({ "language": "en" })).await;
    assert!(answer.text.contains("Transcript:\n| hello en"), "{}", answer.text);
    let (_place, programs) = scripts(&[("whisper-cli", "echo \"by $4 $6\"")]);
    let toolbox = bare(&desk).with_programs(programs).with_whisper_model("/models/base.bin".into());
    let answer = ask(&toolbox, "transcribe_audio", &file, json!({})).await;
    assert!(answer.text.contains("| by auto /models/base.bin"), "{}", answer.text);
    // Without its model file it is no recogniser, and `plimsoll doctor` says the same.
    let (_place, programs) = scripts(&[("whisper-cli", "echo never")]);
    assert_eq!(LocalRecogniser::find(&programs, None), None);
    let answer =
        ask(&bare(&desk).with_programs(programs), "transcribe_audio", &file, json!({})).await;
    assert!(answer.text.contains("no recogniser"), "{}", answer.text);
    let (_place, programs) = scripts(&[("whisper", "echo 'no model' >&2; exit 1")]);
    let toolbox = bare(&desk).with_programs(programs);
    let answer = ask(&toolbox, "transcribe_audio", &file, json!({})).await;
    assert!(answer.text.contains("whisper failed: no model"), "{}", answer.text);
}
