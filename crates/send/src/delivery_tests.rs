use plimsoll_domain::{
    ContentHash, ExtractedText, Extraction, FileId, FileKind, FileSource, Timestamp,
};
use proptest::prelude::*;

use super::*;

const HTTP: Capabilities =
    Capabilities { paths: false, vision: false, tools: false, documents: false };
const TOOLS: Capabilities = Capabilities { tools: true, ..HTTP };
const SEES: Capabilities = Capabilities { vision: true, ..TOOLS };
const CODEX: Capabilities = Capabilities { paths: true, ..SEES };

pub(crate) fn file(name: &str, kind: FileKind, size: u64) -> File {
    File {
        id: FileId::new(Timestamp::from_millis(1), [1; 10]),
        name: name.to_owned(),
        mime: if kind == FileKind::Image { "image/png" } else { "text/plain" }.to_owned(),
        kind,
        size,
        hash: ContentHash::parse(&"ab".repeat(32)).unwrap(),
        extension: "txt".to_owned(),
        source: FileSource::User,
        upload_context: None,
        created_at: Timestamp::from_millis(1),
        expires_at: None,
        provider_ids: Vec::new(),
        tokens: None,
        pixels: (kind == FileKind::Image).then_some((640, 480)),
        is_text: kind == FileKind::Document,
        listed: false,
        made_for: None,
        extraction: None,
    }
}

fn bytes(file: &File) -> FilePart {
    FilePart {
        file: Some(file.clone().into()),
        mime: sent_mime(file).to_owned(),
        bytes: [1u8].into(),
        path: "/nowhere".into(),
        remote: None,
    }
}

/// A reference and its text.
type Referred = (Reference, Option<String>);

fn refer(file: &File, delivery: Option<Delivery>, text: Option<&str>) -> Referred {
    (Reference { file: Ok(Arc::new(file.clone())), delivery }, text.map(str::to_owned))
}

fn words(message: &str, referred: &[Referred], capabilities: Capabilities) -> (String, Vec<usize>) {
    let (references, texts): (Vec<_>, Vec<_>) = referred.iter().cloned().unzip();
    let parts = deliver(message, &references, &texts, capabilities, "phi");
    let token = |file: &File| {
        capabilities
            .paths
            .then(|| format!("<<context:{}:/b/{}>>>", file.context_kind().name(), file.name))
    };
    let (mut text, mut places) = (String::new(), Vec::new());
    for part in rendered(&parts, token, |file| Some(bytes(file))) {
        match part {
            Part::Text(more) => text.push_str(&more),
            Part::File(_) => places.push(text.len()),
            other => panic!("{other:?}"),
        }
    }
    (text, places)
}

/// DLV-4: what no wire takes is never sent as a picture, and never dropped in silence.
#[test]
fn dlv_4_a_picture_that_cannot_be_shown_is_a_note() {
    let picture = |name: &str, mime: &str, pixels| File {
        mime: mime.to_owned(),
        pixels,
        ..file(name, FileKind::Image, 99)
    };
    let capabilities = Capabilities { paths: false, vision: true, tools: false, documents: false };
    let some = Some((9, 9));
    for (name, mime, pixels, expected) in [
        ("a.png", "image/png", some, None),
        ("a.webp", "image/webp", some, None),
        ("a.bmp", "image/bmp", some, None),
        ("a.tif", "image/tiff", None, Some(Unseeable::Format)),
        ("a.ico", "image/x-icon", None, Some(Unseeable::Format)),
        ("a.heic", "image/heic", None, Some(Unseeable::Format)),
        ("cut.png", "image/png", None, Some(Unseeable::Damaged)),
    ] {
        let picture = picture(name, mime, pixels);
        assert_eq!(unseeable(&picture), expected, "{name}");
        let referred = refer(&picture, None, None);
        let (text, enclosed) = words("<<context:image:/b/a>>>", &[referred], capabilities);
        match expected {
            None => assert_eq!((text.as_str(), enclosed), ("", vec![0]), "{name}"),
            Some(why) => {
                assert!(enclosed.is_empty(), "{name}");
                assert_eq!(text, format!("[image \"{name}\": not shown, because {}]", why.words()));
            }
        }
        let tools = Capabilities { tools: true, ..capabilities };
        let by_tool = default_delivery(&picture, tools) == Delivery::OnDemand;
        assert_eq!(by_tool, expected.is_some(), "{name}: a tool can tell more of it");
    }
    let bmp = picture("a.bmp", "image/bmp", some);
    assert_eq!(sent_mime(&bmp), "image/png");
}

#[test]
fn dlv_4_defaults() {
    use Delivery::*;
    let (small, large) = (file("a", FileKind::Document, 8192), file("b", FileKind::Document, 8193));
    let (picture, pdf) = (file("c", FileKind::Image, 9), file("d", FileKind::Pdf, 9));
    for (capabilities, expected) in [
        (HTTP, [Inline, Inline, Inline, OnDemand]),
        (TOOLS, [Inline, OnDemand, OnDemand, OnDemand]),
        (SEES, [Inline, OnDemand, Inline, OnDemand]),
        (CODEX, [Path; 4]),
    ] {
        let given =
            [&small, &large, &picture, &pdf].map(|file| default_delivery(file, capabilities));
        assert_eq!(given, expected, "{capabilities:?}");
    }
}

#[test]
fn dlv_4_paths_go_to_those_who_read_the_disk_and_to_nobody_else() {
    let text = file("a.txt", FileKind::Document, 10);
    for capabilities in [HTTP, TOOLS, SEES] {
        assert_ne!(effective_delivery(&text, Some(Delivery::Path), capabilities), Delivery::Path);
        let referred = refer(&text, Some(Delivery::Path), Some("hi"));
        let (sent, _) = words("see <<context:text:/secret/a.txt>>>", &[referred], capabilities);
        assert!(!sent.contains("/secret") && sent.contains("hi"), "{sent}");
    }
    let referred = refer(&text, Some(Delivery::Inline), Some("hi"));
    let (sent, _) = words("see <<context:text:/x/a.txt>>>!", &[referred], CODEX);
    assert_eq!(
        sent, "see <<context:text:/b/a.txt>>>!",
        "DLV-3: text is not inlined, and its token names the place where the bytes are now"
    );
}

#[test]
fn dlv_1_text_stands_in_a_marked_block_where_its_token_stood() {
    let log = file("a \"b\".log", FileKind::Document, 5);
    let referred = refer(&log, None, Some("x\ny"));
    let (sent, _) = words("Before <<context:text:/a>>> after", &[referred], HTTP);
    let expected = "Before \n[file \"a \\\"b\\\".log\", 5 bytes, begins abababababab]\nx\ny\n\
                    [file \"a \\\"b\\\".log\" ends abababababab]\n after";
    assert_eq!(sent, expected);
}

fn report() -> File {
    let text = ExtractedText {
        bytes: 3,
        tokens: 1,
        length: Some("12 pages".to_owned()),
        parts: Vec::new(),
        lost: Some("without pictures and layout".to_owned()),
        cut: true,
    };
    let extraction = Some(Extraction::Text(text));
    File { extraction, ..file("r.pdf", FileKind::Pdf, 9_000_000) }
}

#[test]
fn dlv_4_a_document_goes_as_its_text_where_nothing_else_reads_it() {
    use Delivery::*;
    let reads = Capabilities { documents: true, ..SEES };
    for (capabilities, delivery, allowed) in [
        (HTTP, Text, &[Text, OnDemand][..]),
        (TOOLS, OnDemand, &[Text, OnDemand]),
        (reads, OnDemand, &[Inline, Text, OnDemand]),
        (CODEX, Path, &[Path]),
    ] {
        assert_eq!(default_delivery(&report(), capabilities), delivery, "{capabilities:?}");
        assert_eq!(allowed_deliveries(&report(), capabilities), allowed);
    }
    let scanned = File {
        extraction: Some(Extraction::Nothing("no text".to_owned())),
        ..file("s.pdf", FileKind::Pdf, 9)
    };
    assert_eq!(allowed_deliveries(&scanned, HTTP), [OnDemand]);
    let page = File { extraction: report().extraction, ..file("a.html", FileKind::Document, 9) };
    assert_eq!(default_delivery(&page, HTTP), Inline, "INS-3: its source");
    assert_eq!(allowed_deliveries(&page, TOOLS), [Inline, Text, OnDemand]);
}

#[test]
fn dlv_1_the_text_of_a_document_is_marked_as_extracted() {
    let referred = refer(&report(), None, Some("a\nb"));
    let (sent, places) = words("See <<context:file:/r>>>", &[referred], HTTP);
    let expected = "See \n[text of \"r.pdf\", 12 pages, extracted, without pictures and layout; \
                    only its beginning, begins abababababab]\na\nb\n\
                    [text of \"r.pdf\" ends abababababab]\n";
    assert_eq!((sent.as_str(), places.len()), (expected, 0));
}

#[test]
fn dlv_1_pictures_are_enclosed_in_token_order() {
    let (one, two) = (file("1.png", FileKind::Image, 9), file("2.png", FileKind::Image, 9));
    let tokens = [&one, &two].map(|file| refer(file, None, None));
    let message = "<<context:image:/1>>>a<<context:image:/2>>>";
    assert_eq!(words(message, &tokens, SEES), ("a".to_owned(), vec![0, 1]));
    let (sent, places) = words(message, &tokens, HTTP);
    assert!(places.is_empty());
    assert!(sent.contains("phi does not see images"), "never a silent drop: {sent}");
    let (sent, places) = words(message, &tokens, CODEX);
    assert_eq!(sent, "<<context:image:/b/1.png>>>a<<context:image:/b/2.png>>>");
    assert_eq!(places.len(), 2);
}

#[test]
fn fil_4_a_pdf_is_enclosed_where_the_model_reads_it_and_only_if_chosen() {
    let pdf = file("a.pdf", FileKind::Pdf, 9);
    let reads = Capabilities { documents: true, ..SEES };
    assert_eq!(default_delivery(&pdf, reads), Delivery::OnDemand, "INS-3");
    let referred = refer(&pdf, Some(Delivery::Inline), None);
    let referred = [referred];
    assert_eq!(words("<<context:file:/a>>>", &referred, reads).1, [0]);
    let (sent, places) = words("<<context:file:/a>>>", &referred, SEES);
    assert!(places.is_empty() && sent.contains("file_id"), "{sent}");
}

#[test]
fn dlv_2_on_demand_is_a_short_reference() {
    let log = file("a.log", FileKind::Document, 30_000);
    let referred = refer(&log, Some(Delivery::OnDemand), None);
    let (sent, _) = words("<<context:text:/a>>>", &[referred], TOOLS);
    assert_eq!(sent, format!("[attached file \"a.log\", 30000 bytes, file_id: file-{}]", log.id));
}

#[test]
fn tok_4_a_broken_token_is_never_sent() {
    let broken = (Reference { file: Err("outside".to_owned()), delivery: None }, None);
    for tokens in [&[][..], &[broken]] {
        let (sent, _) = words("read <<context:text:/etc/passwd>>> now", tokens, HTTP);
        assert_eq!(sent, "read [broken attachment] now");
        let (sent, _) = words("read <<context:text:/etc/passwd>>> now", tokens, CODEX);
        assert_eq!(sent, "read [broken attachment] now");
    }
}

proptest! {
    /// A name cannot end its quotes or its line: what it adds stays one line of ours.
    #[test]
    fn a_hostile_name_stays_in_its_line(name in any::<String>()) {
        let file = file(&name, FileKind::Pdf, 1);
        let line = on_demand_line(&file);
        prop_assert!(!line.chars().any(char::is_control), "{line}");
        prop_assert!(line.ends_with(&format!(", 1 bytes, file_id: file-{}]", file.id)), "{line}");
    }

    /// Nothing of the person's own words is lost, whatever the tokens.
    #[test]
    fn words_are_never_lost(before in "[^<>]{0,20}", after in "[^<>]{0,20}", text in ".{0,40}") {
        let file = file("n", FileKind::Document, 1);
        let message = format!("{before}<<context:text:/x>>>{after}");
        for capabilities in [HTTP, TOOLS, SEES, CODEX] {
            let referred = refer(&file, None, Some(&text));
            let (sent, _) = words(&message, &[referred], capabilities);
            prop_assert!(sent.starts_with(&before) && sent.ends_with(&after), "{sent}");
        }
    }
}
