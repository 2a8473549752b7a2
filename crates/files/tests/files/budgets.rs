//! MBG-5 for every file tool: the whole answer within its budget, and true counts.

use std::sync::Arc;

use async_trait::async_trait;
use plimsoll_domain::FileKind;
use plimsoll_files::{Picture, Sandbox, ToolAnswer, Unable, VisionModel};
use plimsoll_testkit::pdf::pdf;
use plimsoll_tokens::{Estimator, Tokenizer, bytes4};
use proptest::{prelude::*, test_runner::TestCaseResult};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::{
    fixtures::{png_head, wav},
    shelf::{Desk, ask, bare, programs, scripts},
};

/// Sees whatever it was made to see.
struct Seer(String);

#[async_trait]
impl VisionModel for Seer {
    async fn look(&self, _: Picture<'_>, _: &str) -> Result<String, Unable> {
        Ok(self.0.clone())
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "\\PC{0,80}",
        "[a-z ]{0,400}",
        "[a-z]{300,900}",
        Just("📏 ~1 tokens".to_owned())
    ];
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

fn obeys(answer: &ToolAnswer, max: u64) -> TestCaseResult {
    prop_assert!(bytes4(&answer.text) <= max, "{} > {max}: {}", bytes4(&answer.text), answer.text);
    prop_assert!(answer.estimated_tokens <= max && answer.estimated_tokens >= bytes4(&answer.text));
    prop_assert!(answer.shown <= answer.total);
    if answer.shown < answer.total || answer.cut {
        let told = format!("{} of {}", answer.shown, answer.total);
        prop_assert!(
            answer.text.contains(&format!("/{max} tokens used. {told} ")),
            "{}",
            answer.text
        );
    }
    let footers = answer.text.lines().filter(|line| line.starts_with("📏")).count();
    prop_assert_eq!(footers, 1, "{}", answer.text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn mbg_5_list_files(names in prop::collection::vec("(\\PC|\n){0,150}", 0..20), max in 64u64..20_000) {
        let desk = Desk::new();
        for name in &names {
            desk.text(name, "x");
        }
        let answer = runtime().block_on(bare(&desk).call("list_files", &json!({ "max_tokens": max }), None));
        obeys(&answer, max)?;
        prop_assert_eq!(answer.total, names.len());
        prop_assert_eq!(answer.text.matches("\n  file_id: file-").count(), answer.shown - usize::from(answer.cut && !answer.text.contains("\n  file_id: file-")));
    }

    #[test]
    fn mbg_5_read_file(
        text in text(),
        max in 64u64..20_000,
        room in prop::option::of(64u64..5000),
        offset in 1usize..200,
        lines in prop::option::of(1usize..100),
    ) {
        let desk = Desk::new();
        let file = desk.text("a.txt", &text);
        let mut arguments = json!({ "max_tokens": max.to_string(), "offset": offset });
        if let Some(lines) = lines {
            arguments["lines"] = lines.into();
        }
        arguments["file_id"] = plimsoll_files::file_label(file.id).into();
        let answer = runtime().block_on(bare(&desk).call("read_file", &arguments, room));
        obeys(&answer, max.min(room.unwrap_or(max)))?;
        let there = text.split_terminator('\n').count();
        let wanted = there.saturating_sub(offset - 1).min(lines.unwrap_or(usize::MAX));
        prop_assert_eq!(answer.total, wanted);
        let numbered = answer.text.lines().filter(|line| {
            line.split_once("| ").is_some_and(|(number, _)| number.parse::<usize>().is_ok())
        });
        let shown = numbered.count();
        prop_assert!(shown == answer.shown || answer.cut, "{shown}: {}", answer.text);
    }

    #[test]
    fn mbg_5_analyze_image(seen in text(), size in 0u32..5000, max in 64u64..20_000) {
        let desk = Desk::new();
        let file = desk.put("a.png", "image/png", FileKind::Image, &png_head(size, size));
        let toolbox = bare(&desk).with_vision_model(Arc::new(Seer(seen)));
        obeys(&runtime().block_on(ask(&toolbox, "analyze_image", &file, json!({ "max_tokens": max }))), max)?;
    }

    #[test]
    fn mbg_5_analyze_pdf(
        pages in prop::collection::vec("[ -~\n]{0,300}", 1..8),
        damage in prop::option::of((any::<prop::sample::Index>(), any::<u8>())),
        max in 64u64..20_000,
    ) {
        let desk = Desk::new();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        let mut bytes = pdf(&pages);
        if let Some((at, byte)) = damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let file = desk.put("a.pdf", "application/pdf", FileKind::Pdf, &bytes);
        obeys(&runtime().block_on(ask(&bare(&desk), "analyze_pdf", &file, json!({ "max_tokens": max }))), max)?;
    }

    #[test]
    fn mbg_5_hostile_sounds_and_images(bytes in prop::collection::vec(any::<u8>(), 0..400), head in 0usize..4, max in 64u64..20_000) {
        let desk = Desk::new();
        let head = [Vec::new(), wav(10), png_head(3, 3), b"OggS\0\x02".to_vec()][head].clone();
        let bytes = [head, bytes].concat();
        let toolbox = bare(&desk);
        let sound = desk.put("a", "audio/ogg", FileKind::Voice, &bytes);
        obeys(&runtime().block_on(ask(&toolbox, "transcribe_audio", &sound, json!({ "max_tokens": max }))), max)?;
        let image = desk.put("a", "image/png", FileKind::Image, &bytes);
        obeys(&runtime().block_on(ask(&toolbox, "analyze_image", &image, json!({ "max_tokens": max }))), max)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn mbg_7_a_real_tokenizer_counts_as_well(text in text(), max in 64u64..2000) {
        let desk = Desk::new();
        let file = desk.text("a.txt", &text);
        let toolbox = bare(&desk).with_counter(Estimator::Exact(Tokenizer::O200k));
        let answer = runtime().block_on(ask(&toolbox, "read_file", &file, json!({ "max_tokens": max })));
        prop_assert!(Tokenizer::O200k.count(&answer.text) <= max, "{}", answer.text);
        prop_assert_eq!(answer.total, text.split_terminator('\n').count());
    }

    #[cfg(unix)]
    #[test]
    fn mbg_5_transcribe_audio(said in text(), max in 64u64..20_000) {
        let desk = Desk::new();
        let file = desk.put("a.wav", "audio/wav", FileKind::Audio, &wav(8000));
        let (place, programs) = scripts(&[("whisper-cli", "exec /bin/cat \"$6\"")]);
        let model = place.path().join("said");
        std::fs::write(&model, said).unwrap();
        let toolbox = bare(&desk).with_programs(programs).with_whisper_model(model);
        obeys(&runtime().block_on(ask(&toolbox, "transcribe_audio", &file, json!({ "max_tokens": max }))), max)?;
    }

    #[test]
    fn mbg_5_execute_python(said in text(), max in 64u64..20_000) {
        let desk = Desk::new();
        let runtime = runtime();
        let Ok(sandbox) = runtime.block_on(Sandbox::find(&programs())) else {
            plimsoll_testkit::real::skipped("there is no sandbox");
            return Ok(());
        };
        let file = desk.text("said", &said);
        let toolbox = bare(&desk).with_sandbox(Ok(sandbox));
        let arguments = json!({
            "code": "import sys; print(open('said').read()); sys.stderr.write(open('said').read())",
            "file_inputs": plimsoll_files::file_label(file.id),
            "max_tokens": max,
        });
        obeys(&runtime.block_on(toolbox.call("execute_python", &arguments, None)), max)?;
    }
}
