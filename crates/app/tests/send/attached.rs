//! Attachments from the draft to the request, and what tools read (DLV, LIM, PRV-5).

use plimsoll_app::{App, AppError, Cancel, Draft, Origin, Progress, SendChoices, Sent};
use plimsoll_budget::Model;
use plimsoll_domain::{Attachment, Delivery, File, FileSource, print_token};
use plimsoll_provider::{Delta, Finish};
use plimsoll_send::ToolCall;
use plimsoll_send::{Message, Part, Plan, Request, Role};
use plimsoll_store::{StoredPair, Workspace};
use plimsoll_testkit::{pdf::pdf, real::skipped};

use crate::rig::{Copies, Rig, Script, Written, plain_settings, rig_of, view};

/// Takes bytes in as a person would bring them.
pub(crate) async fn bring(app: &App, name: &str, bytes: &[u8]) -> File {
    let workspace = Workspace::default();
    let mut intake = app.blobs(&workspace).unwrap().begin(name, None).unwrap();
    intake.write(bytes).unwrap();
    let blob = intake.finish().unwrap();
    app.keep_file(&workspace, &blob, Origin::user(name)).await.unwrap()
}

/// Takes bytes in as the Files panel does: for models to see, apart from any message.
pub(crate) async fn add(app: &App, name: &str, bytes: &[u8]) -> File {
    let file = bring(app, name, bytes).await;
    app.list_file(&Workspace::default(), file.id, true).await.unwrap();
    app.store().file(&Workspace::default(), file.id).await.unwrap()
}

pub(crate) fn token(app: &App, file: &File) -> String {
    let path = app.file_path(&Workspace::default(), file).unwrap();
    print_token(file.context_kind(), &path.to_string_lossy())
}

pub(crate) fn with(file: &File, delivery: Option<Delivery>) -> Attachment {
    Attachment { file: Some(file.id), delivery }
}

pub(crate) fn draft(text: &str, attachments: Vec<Attachment>) -> Draft {
    Draft { text: text.to_owned(), attachments, ..Draft::default() }
}

/// A PNG of this many pixels.
pub(crate) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::new(width, height);
    picture.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    bytes.into_inner()
}

async fn rig_with(scripts: Vec<Script>, model: impl FnOnce(&mut Model)) -> Rig {
    rig_of(scripts, plain_settings(&[("PLIMSOLL_CHARS_PER_TOKEN", "4")]), model).await
}

pub(crate) fn answer(text: &str) -> Script {
    crate::rig::answer(text, 0)
}

pub(crate) async fn send_draft(rig: &Rig, draft: Draft) -> Result<Sent, AppError> {
    send_watched(rig, draft, &mut Vec::new()).await
}

pub(crate) async fn send_watched(
    rig: &Rig,
    draft: Draft,
    steps: &mut Vec<Progress>,
) -> Result<Sent, AppError> {
    let ask = Written { view: view(""), draft };
    let prepared = rig.prepare(&ask).await?;
    let mut watch = |step: &Progress| steps.push(step.clone());
    rig.app.send(prepared, SendChoices::default(), &Cancel::default(), &mut watch).await
}

pub(crate) async fn plan_of(rig: &Rig, draft: &Draft) -> Plan {
    let mut workspace_view = rig.app.workspace_view(&Workspace::default(), view("")).await.unwrap();
    workspace_view.plan(&rig.app, draft).await.unwrap()
}

pub(crate) fn last_request(rig: &Rig) -> Request {
    rig.provider.requests.lock().unwrap().last().unwrap().clone()
}

pub(crate) fn push(rig: &Rig, script: Script) {
    rig.provider.scripts.lock().unwrap().push_back(script);
}

async fn pairs(rig: &Rig) -> Vec<StoredPair> {
    let rows = rig.app.store().rows(&Workspace::default()).await.unwrap();
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    rig.app.store().get_many(&ids).await.unwrap()
}

pub(crate) fn calls(name: &str, arguments: &str) -> Script {
    let call = ToolCall {
        id: "c1".into(),
        name: name.into(),
        arguments: arguments.into(),
        signature: None,
    };
    vec![Ok(Delta::ToolCall(call)), Ok(Delta::Finished(Finish::ToolCalls))]
}

pub(crate) async fn tooled(scripts: Vec<Script>, window: u64) -> Rig {
    rig_with(scripts, |model| {
        model.context_window = Some(window);
        model.tools = true;
        model.vision = true;
    })
    .await
}

/// A send looks up each reference once: those of the message, and those of the history, whose
/// weights are known.
#[tokio::test]
async fn pay_1_a_send_looks_up_each_reference_once() {
    let rig = tooled(vec![answer("ok"), answer("again")], 9000).await;
    let first = bring(&rig.app, "first.md", b"one\n").await;
    let second = bring(&rig.app, "second.md", b"two\n").await;
    let both = format!("{} and {}", token(&rig.app, &first), token(&rig.app, &second));
    let files = vec![with(&first, None), with(&second, None)];
    send_draft(&rig, draft(&both, files)).await.unwrap();

    let mut workspace_view = rig.app.workspace_view(&Workspace::default(), view("")).await.unwrap();
    workspace_view.boundary(&rig.app).await.unwrap();
    let weighed = workspace_view.resolutions();
    let next = draft(&format!("See {}", token(&rig.app, &first)), vec![with(&first, None)]);
    let prepared = workspace_view.prepare(&rig.app, &next).await.unwrap();
    assert_eq!(prepared.included_ids().len(), 1);
    assert_eq!(workspace_view.resolutions() - weighed, 3, "one of the message, two of the history");
}

#[tokio::test]
async fn dlv_1_a_small_text_stands_in_the_request_and_weighs() {
    let rig =
        rig_with(vec![answer("ok"), answer("again")], |model| model.context_window = Some(9000))
            .await;
    let file = bring(&rig.app, "notes.md", &b"load line notes\n".repeat(40)).await;
    let text = format!("See {} now", token(&rig.app, &file));
    let plain = plan_of(&rig, &draft("See  now", vec![])).await;
    let plan = plan_of(&rig, &draft(&text, vec![with(&file, None)])).await;
    let attached = &plan.attached[0];
    assert_eq!(attached.delivery, Delivery::Inline);
    assert!(
        plan.weights.message >= plain.weights.message + attached.tokens,
        "AUT includes the file"
    );
    send_draft(&rig, draft(&text, vec![with(&file, None)])).await.unwrap();
    let request = last_request(&rig);
    let sent = request.messages.last().unwrap().text();
    assert!(sent.starts_with("See ") && sent.ends_with(" now"), "{sent}");
    assert_eq!(sent.matches("load line notes").count(), 40);
    assert!(!sent.contains("<<context"), "DLV-4: no raw token to an HTTP provider");
    // The same file is weighed and sent again when its pair is history.
    send_draft(&rig, draft("And?", vec![])).await.unwrap();
    let request = last_request(&rig);
    assert!(request.messages[0].text().contains("load line notes"));
    let kept = pairs(&rig).await;
    assert_eq!(kept[0].pair.user_text, text, "TOK-1: the stored text is never rewritten");
    assert_eq!(kept[0].pair.attachments, [with(&file, Some(Delivery::Inline))]);
    let words = rig.app.store().file(&Workspace::default(), file.id).await.unwrap();
    assert_eq!(words.upload_context.as_deref(), Some("See  now"), "FIL-2");
}

#[tokio::test]
async fn dlv_1_pictures_are_enclosed_for_those_who_see_and_noted_for_those_who_do_not() {
    let rig = tooled(vec![answer("a ship")], 9000).await;
    let file = bring(&rig.app, "hull.png", &png(64, 32)).await;
    let text = format!("What is {}?", token(&rig.app, &file));
    let plan = plan_of(&rig, &draft(&text, vec![with(&file, None)])).await;
    assert_eq!(plan.attached[0].tokens, 255, "EST-5: one tile of 512 pixels");
    send_draft(&rig, draft(&text, vec![with(&file, None)])).await.unwrap();
    let message = last_request(&rig).messages.last().unwrap().clone();
    let [Part::Text(before), Part::File(picture), Part::Text(_)] = message.parts.as_slice() else {
        panic!("{message:?}");
    };
    assert_eq!((before.as_str(), picture.mime.as_str()), ("What is ", "image/png"));
    assert_eq!(message.text(), "What is ?");

    let blind = rig_with(vec![answer("no")], |model| model.context_window = Some(9000)).await;
    let file = bring(&blind.app, "hull.png", &png(64, 32)).await;
    let text = format!("What is {}?", token(&blind.app, &file));
    let plan = plan_of(&blind, &draft(&text, vec![])).await;
    assert!(plan.attached[0].note.as_ref().unwrap().contains("does not see images"));
    send_draft(&blind, draft(&text, vec![])).await.unwrap();
    let message = last_request(&blind).messages.last().unwrap().clone();
    assert!(
        message.files().next().is_none() && message.text().contains("not shown"),
        "{message:?}"
    );
}

/// INS-3: what marks a text as UTF-8 is no part of it in a request.
#[tokio::test]
async fn ins_3_the_mark_of_a_text_is_not_sent() {
    let rig = rig_with(vec![answer("ok")], |model| model.context_window = Some(9000)).await;
    let file = bring(&rig.app, "table.csv", "\u{feff}a,b\n1,2\n".as_bytes()).await;
    let text = token(&rig.app, &file);
    send_draft(&rig, draft(&text, vec![with(&file, None)])).await.unwrap();
    let sent = last_request(&rig).messages.last().unwrap().text();
    assert!(sent.contains("\na,b\n1,2\n") && !sent.contains('\u{feff}'), "{sent}");
}

/// DLV-4: a picture that providers do not take goes out as a note and nothing else, and people
/// are told; BMP is made a PNG on the way.
#[tokio::test]
async fn dlv_4_odd_pictures_go_out_as_pngs_or_notes() {
    let of = |format| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(8, 8).write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    };
    let tiff = [&b"II*\0\x08\0\0\0\0\0\0\0\0\0"[..], &[0; 64]].concat();
    let cut = png(64, 64)[..40].to_vec();
    for (name, bytes, sent_as) in [
        ("scan.tiff", tiff, None),
        ("cut.png", cut, None),
        ("old.bmp", of(image::ImageFormat::Bmp), Some("image/png")),
        ("hull.png", png(8, 8), Some("image/png")),
    ] {
        let rig = tooled(vec![answer("ok")], 9000).await;
        let file = bring(&rig.app, name, &bytes).await;
        let text = token(&rig.app, &file);
        let inline = draft(&text, vec![with(&file, Some(Delivery::Inline))]);
        let attached = plan_of(&rig, &inline).await.attached.remove(0);
        assert_eq!(attached.instead, sent_as.is_none().then_some("as a note"), "{name}");
        send_draft(&rig, inline).await.unwrap();
        let message = last_request(&rig).messages.last().unwrap().clone();
        let enclosed: Vec<&str> = message.files().map(|one| one.mime.as_str()).collect();
        assert_eq!(enclosed, Vec::from_iter(sent_as), "{name}");
        assert_eq!(message.text().contains("not shown, because"), sent_as.is_none(), "{name}");
    }
}

#[tokio::test]
async fn tok_4_typed_tokens_are_never_read() {
    let rig = rig_with(vec![answer("ok")], |model| model.context_window = Some(9000)).await;
    let secret = rig.dir.path().join("secret.txt");
    std::fs::write(&secret, "TOP SECRET").unwrap();
    let text = format!(
        "a <<context:text:/etc/passwd>>> b <<context:text:{}>>> c <<context:text:../../x>>>",
        secret.display()
    );
    let plan = plan_of(&rig, &draft(&text, vec![])).await;
    assert!(plan.attached.iter().all(|one| one.file.is_err()), "{:?}", plan.attached);
    send_draft(&rig, draft(&text, vec![])).await.unwrap();
    let sent = last_request(&rig).messages.last().unwrap().text();
    assert_eq!(sent, "a [broken attachment] b [broken attachment] c [broken attachment]");
}

#[tokio::test]
async fn lim_1_limits_follow_the_window_and_a_file_over_them_is_a_choice() {
    let limit = |window: Option<u64>| async move {
        let rig = rig_with(vec![], |model| model.context_window = window).await;
        plan_of(&rig, &draft("", vec![])).await.target().file_limits.clone()
    };
    let small = limit(Some(4096)).await;
    assert_eq!(small.text, 16 * 1024);
    assert_eq!(small.words.as_deref(), Some("Files up to 16 KB with m (4K window)"));
    for window in [Some(131_072), None] {
        let usual = limit(window).await;
        assert_eq!((usual.text, usual.words), (100 * 1024, None));
    }

    let rig = rig_with(vec![answer("ok"), answer("ok")], |model| {
        model.context_window = Some(4096);
        model.tools = true;
    })
    .await;
    let over = bring(&rig.app, "over.log", &vec![b'a'; 16 * 1024 + 1]).await;
    let text = token(&rig.app, &over);
    let inline = draft(&text, vec![with(&over, Some(Delivery::Inline))]);
    let told = send_draft(&rig, inline).await.err().unwrap().to_string();
    assert!(told.contains("has 16,385 bytes; the limit is 16,384 bytes"), "{told}");
    let file = bring(&rig.app, "big.log", &b"a line of the log\n".repeat(2900)).await;
    let text = format!("Read {}", token(&rig.app, &file));
    let inline = draft(&text, vec![with(&file, Some(Delivery::Inline))]);
    let error = send_draft(&rig, inline).await.err().unwrap();
    assert!(matches!(error, AppError::FileTooLarge(_)), "{error}");
    let on_demand = draft(&text, vec![with(&file, Some(Delivery::OnDemand))]);
    send_draft(&rig, on_demand).await.unwrap();
    let head = rig.app.head_of(&Workspace::default(), file.id, 8 * 1024).await.unwrap();
    assert!(head.size <= 8 * 1024 + 256);
    let text = format!("Read {}", token(&rig.app, &head));
    send_draft(&rig, draft(&text, vec![with(&head, Some(Delivery::Inline))])).await.unwrap();
    let sent = last_request(&rig).messages.last().unwrap().text();
    assert!(sent.contains("of 52200 bytes]"), "the note states both sizes");
}

#[tokio::test]
async fn prv_5_a_model_reads_a_file_by_tool_and_everything_is_kept() {
    let rig = tooled(vec![], 9000).await;
    let log: String = (1..=2000).map(|n| format!("line {n}\n")).collect();
    let file = bring(&rig.app, "server.log", log.as_bytes()).await;
    let text = format!("Why? {}", token(&rig.app, &file));
    let plan = plan_of(&rig, &draft(&text, vec![with(&file, None)])).await;
    assert_eq!(plan.attached[0].delivery, Delivery::OnDemand, "over 8 KB");
    let files = plan.target().files.clone().unwrap();
    assert!(files.text.contains("server.log") && files.tools.contains(&"read_file".to_owned()));
    assert!(plan.weights.prelude >= plan.files_tokens().0 + plan.files_tokens().1, "weighed");
    let asked = format!(r#"{{"file_id":"file-{}","offset":100,"lines":200}}"#, file.id);
    push(&rig, calls("list_files", "{}"));
    push(&rig, calls("read_file", &asked));
    push(&rig, answer("It says so."));
    let mut steps = Vec::new();
    let message = draft(&text, vec![with(&file, None)]);
    let sent = send_watched(&rig, message, &mut steps).await.unwrap();
    assert_eq!(sent.answer, "It says so.");
    let tools: Vec<_> = steps.iter().filter(|step| matches!(step, Progress::Tool(..))).collect();
    assert_eq!(tools.len(), 4, "each call is told when it starts and when it ends");
    let kept = rig.app.store().tool_calls(sent.pair).await.unwrap();
    assert_eq!(kept.len(), 2);
    assert!(kept[1].result.contains("line 100") && kept[1].result.contains("line 299"));
    assert!(!kept[1].result.contains("line 300\n"));
    assert!(kept[1].tokens > 200 && !kept[1].failed);
    let last = last_request(&rig);
    let given: Vec<&Message> = last.messages.iter().filter(|one| one.role == Role::Tool).collect();
    assert_eq!(given.len(), 2);
    let Part::ToolResult(result) = &given[1].parts[0] else { panic!("{given:?}") };
    assert_eq!(result.text, kept[1].result);
    assert!(!last.tools.is_empty());
    let receipt = serde_json::json!(sent.receipt);
    assert_eq!(receipt["toolCalls"], 2);
    assert!(receipt["toolTokens"].as_u64().unwrap() >= kept[1].tokens);
    assert_eq!(sent.receipt.attempts.last().unwrap().attempts_used, 1, "one attempt");
}

#[tokio::test]
async fn prv_5_a_result_is_capped_by_the_room_that_is_left() {
    let rig = tooled(vec![], 1600).await;
    let log: String = (1..=5000).map(|n| format!("line {n} of a long log\n")).collect();
    let file = add(&rig.app, "server.log", log.as_bytes()).await;
    let asked = format!(r#"{{"file_id":"file-{}","max_tokens":20000}}"#, file.id);
    push(&rig, calls("read_file", &asked));
    push(&rig, answer("done"));
    let sent = send_draft(&rig, draft("Read it", vec![])).await.unwrap();
    let kept = rig.app.store().tool_calls(sent.pair).await.unwrap();
    let record = sent.receipt.attempts.last().unwrap();
    assert!(record.attempt_total_tokens + kept[0].tokens <= 1600, "{record:?}");
    assert!(kept[0].result.contains("⚡ Budget"), "{}", kept[0].result);
}

#[tokio::test]
async fn prv_5_a_loop_is_bounded_and_errors_are_told_to_the_model() {
    let rig = tooled(vec![], 60_000).await;
    add(&rig.app, "a.txt", b"a").await;
    for _ in 0..20 {
        push(&rig, calls("read_file", r#"{"file_id":"file-none"}"#));
    }
    let sent = send_draft(&rig, draft("Go", vec![])).await.unwrap();
    let kept = rig.app.store().tool_calls(sent.pair).await.unwrap();
    assert_eq!(kept.len(), plimsoll_send::MAX_TOOL_ROUNDS);
    assert!(kept.iter().all(|call| call.failed));
    assert!(kept.last().unwrap().result.contains("Answer now"));
    let error = pairs(&rig).await[0].pair.error.clone().unwrap();
    assert_eq!(error.code, "tool_rounds");
    assert!(error.message.contains("8 rounds"), "the reason is said: {}", error.message);
}

#[tokio::test]
async fn fil_3_files_of_earlier_messages_are_listed_with_their_words() {
    let rig = tooled(vec![answer("1"), answer("2"), answer("3"), answer("4")], 9000).await;
    for (name, words) in
        [("a.txt", "my math homework"), ("b.txt", "the essay"), ("c.txt", "drawing")]
    {
        let file = bring(&rig.app, name, name.as_bytes()).await;
        let text = format!("{words} {}", token(&rig.app, &file));
        send_draft(&rig, draft(&text, vec![with(&file, None)])).await.unwrap();
    }
    send_draft(&rig, draft("check the homework", vec![])).await.unwrap();
    let request = last_request(&rig);
    let section = request.messages[request.messages.len() - 2].text();
    for words in ["my math homework", "the essay", "drawing"] {
        assert!(section.contains(&format!("context: \"{words}\"")), "{section}");
    }
    assert!(section.find("c.txt") < section.find("a.txt"), "newest first");
}

#[tokio::test]
async fn a_deleted_or_altered_file_is_broken_and_nothing_else_fails() {
    let rig = rig_with(vec![answer("ok")], |model| model.context_window = Some(9000)).await;
    let (gone, altered) = (
        bring(&rig.app, "gone.txt", b"gone").await,
        bring(&rig.app, "altered.txt", b"altered").await,
    );
    let text = format!("{} {}", token(&rig.app, &gone), token(&rig.app, &altered));
    rig.app.forget_file(&Workspace::default(), gone.id).await.unwrap();
    rig.damage(&altered, Some(b"ALTERED"));
    let attachments = vec![with(&gone, None), with(&altered, None)];
    send_draft(&rig, draft(&text, attachments)).await.unwrap();
    let sent = last_request(&rig).messages.last().unwrap().text();
    assert!(sent.starts_with("[broken attachment]"), "{sent}");
    assert!(sent.contains("could not be read") && !sent.contains("ALTERED"), "{sent}");
}

#[tokio::test]
async fn blb_4_garbage_is_what_nothing_refers_to() {
    use std::time::Duration;
    let rig = rig_with(vec![answer("ok")], |model| model.context_window = Some(9000)).await;
    let workspace = Workspace::default();
    let kept = bring(&rig.app, "kept.txt", b"kept").await;
    let gone = bring(&rig.app, "gone.txt", b"gone").await;
    let quoted = bring(&rig.app, "quoted.txt", b"quoted").await;
    let text = format!("see {}", token(&rig.app, &quoted));
    send_draft(&rig, draft(&text, vec![with(&quoted, None)])).await.unwrap();
    for file in [&gone, &quoted] {
        rig.app.forget_file(&workspace, file.id).await.unwrap();
    }
    let grace = Duration::from_secs(3600);
    assert!(rig.app.garbage(&workspace, grace).await.unwrap().found.is_empty(), "too young");
    let garbage = rig.app.garbage(&workspace, Duration::ZERO).await.unwrap();
    let names: Vec<String> = garbage.found.iter().map(|one| one.name.to_string()).collect();
    assert_eq!(names, [gone.blob_name()], "a message that quotes a file keeps its bytes");
    let collected = rig.app.collect(garbage).await.unwrap();
    assert_eq!((collected.blobs, collected.bytes), (1, 4));
    assert!(rig.kept_at(&kept).exists());
    assert_eq!(kept.source, FileSource::User);
}

#[tokio::test]
async fn ftl_3_the_vision_model_of_the_settings_looks_at_an_image() {
    let settings = plain_settings(&[("PLIMSOLL_VISION_MODEL", "m")]);
    let rig = rig_of(vec![answer("a grey hull")], settings, |model| model.vision = true).await;
    let file = add(&rig.app, "hull.png", &png(64, 32)).await;
    let toolbox = rig.app.toolbox(&Workspace::default()).await;
    let asked = format!(r#"{{"file_id":"file-{}","question":"What is it?"}}"#, file.id);
    let answer = toolbox.call_text("analyze_image", &asked, None).await;
    assert!(answer.text.contains("a grey hull") && answer.text.contains("64"), "{}", answer.text);
    let request = last_request(&rig);
    assert_eq!(request.files().count(), 1);
    assert!(request.messages[0].text().contains("What is it?"));
}

#[tokio::test]
async fn ftl_4_the_vision_model_of_the_settings_looks_at_a_page() {
    if !std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|directory| directory.join("pdftoppm").is_file())
    {
        return skipped("pdftoppm is not installed (apt-get install poppler-utils)");
    }
    let settings = plain_settings(&[("PLIMSOLL_VISION_MODEL", "m")]);
    let rig = rig_of(vec![answer("a load line")], settings, |model| model.vision = true).await;
    let file = add(&rig.app, "hull.pdf", &pdf(&["The load line"])).await;
    let toolbox = rig.app.toolbox(&Workspace::default()).await;
    let asked = format!(r#"{{"file_id":"file-{}","question":"What is drawn?"}}"#, file.id);
    let answer = toolbox.call_text("analyze_pdf", &asked, None).await;
    assert!(answer.text.contains("a load line"), "{}", answer.text);
    assert!(answer.text.contains("The load line"), "{}", answer.text);
    let request = last_request(&rig);
    assert!(request.messages[0].text().contains("What is drawn?"));
    let page = request.files().next().unwrap();
    assert_eq!(page.mime, "image/png");
}

#[tokio::test]
async fn fil_4_a_copy_is_made_once_and_again_when_it_has_expired() {
    let answers = (0..4).map(|n| answer(&n.to_string())).collect();
    let rig = tooled(answers, 9000).await;
    let copies: &'static Copies = Box::leak(Box::default());
    *rig.provider.files.lock().unwrap() = Some(copies);
    let file = bring(&rig.app, "hull.png", &png(64, 32)).await;
    let text = format!("What is {}?", token(&rig.app, &file));
    let send = || send_draft(&rig, draft(&text, vec![with(&file, None)]));
    let named = |rig: &Rig| {
        last_request(rig).messages.last().unwrap().files().next().unwrap().remote.clone()
    };
    let made = || copies.made.load(std::sync::atomic::Ordering::Relaxed);
    send().await.unwrap();
    assert_eq!((made(), named(&rig).as_deref()), (1, Some("copy-1")));
    send().await.unwrap();
    assert_eq!((made(), named(&rig).as_deref()), (1, Some("copy-1")), "uploaded once");
    let hour = 60 * 60 * 1000;
    rig.clock.set(1_800_000_000_000 + 25 * hour);
    send().await.unwrap();
    assert_eq!((made(), named(&rig).as_deref()), (2, Some("copy-2")), "24 h unless told");

    let refusing: &'static Copies =
        Box::leak(Box::new(Copies { refuses: true, ..Copies::default() }));
    *rig.provider.files.lock().unwrap() = Some(refusing);
    rig.clock.set(1_800_000_000_000 + 50 * hour);
    send().await.unwrap();
    assert_eq!(named(&rig), None, "without a copy the bytes go along");
}
