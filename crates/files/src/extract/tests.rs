use std::io::Cursor;

use plimsoll_testkit::pdf::{assemble, pdf};
use proptest::prelude::*;

use super::{made::*, *};

fn text(format: Format, bytes: &[u8]) -> Extract {
    extract(format, Cursor::new(bytes.to_vec())).unwrap()
}

fn why_not(format: Format, bytes: &[u8]) -> String {
    extract(format, Cursor::new(bytes.to_vec())).unwrap_err().to_string()
}

#[test]
fn ins_3_a_word_document_is_read_with_headings_lists_tables_and_notes() {
    let paragraph = |style: &str, text: &str| {
        format!(
            "<w:p><w:pPr>{style}</w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"
        )
    };
    let body = [
        paragraph("<w:pStyle w:val='Heading2'/>", "The harbour"),
        paragraph("", "Opens at six &amp; closes &#233;arly. &unknown;"),
        paragraph("<w:numPr><w:ilvl w:val='1'/></w:numPr>", "a point"),
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:instrText>FIELD</w:instrText>".to_owned(),
        "<mc:AlternateContent xmlns:mc='mc'><mc:Choice><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Choice>\
         <mc:Fallback><w:p><w:r><w:t>old box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent>".to_owned(),
        format!("<w:tbl><w:tr><w:tc>{}</w:tc><w:tc>{}{}</w:tc></w:tr></w:tbl>",
            paragraph("", "Pilot"), paragraph("", "Ada"), paragraph("", "Byron")),
    ];
    let read = text(Format::Word, &word(&body.concat()));
    assert_eq!(
        read.text,
        "## The harbour\nOpens at six & closes éarly.\n  - a point\nbox\nPilot | Ada Byron\n\n\
         [Footnotes]\nA note.\n"
    );
    assert_eq!(read.facts.length.as_deref(), Some("12 pages"));
    assert_eq!(read.facts.remark().as_deref(), Some("without pictures and layout"));
    assert_eq!((read.facts.bytes, read.facts.cut), (read.text.len() as u64, false));
}

#[test]
fn ins_3_a_workbook_is_read_sheet_by_sheet() {
    let rows = "<row><c r='A1' t='s'><v>0</v></c><c r='C1' t='s'><v>1</v></c></row>\
        <row/><row><c r='A3' s='1'><v>45292</v></c><c r='B3'><f>1+2</f><v>0.30000000000000004</v></c>\
        <c r='C3' t='b'><v>1</v></c><c r='XFD3' t='inlineStr'><is><t>far\naway</t></is></c></row>\
        <row><c r='A4' s='2'><v>45351.5</v></c><c t='e'><v>#DIV/0!</v></c></row>";
    let read = text(Format::Workbook, &workbook(rows));
    assert_eq!(
        read.text,
        "[Sheet Budget & more]\nRent\t\tTwo words\n2024-01-01\t0.3\tTRUE\tfar away\n\
         2024-02-29 12:00\t#DIV/0!\n"
    );
    assert_eq!(read.facts.length.as_deref(), Some("2 sheets"));
    assert_eq!(read.facts.parts[0].name, "Sheet Budget & more");
    assert!(read.facts.remark().unwrap().contains("1 of the sheets are hidden"));
}

#[test]
fn ins_3_a_presentation_is_read_in_the_order_of_its_slides() {
    let read = text(Format::Presentation, &presentation());
    assert_eq!(
        read.text,
        "[Slide 1]\n## Harbour\nOpens early\n\n[Slide 2]\n## Tides\nHigh at six\nNotes:\nSay hello\n"
    );
    assert_eq!(read.facts.length.as_deref(), Some("2 slides"));
    assert_eq!(read.facts.parts.iter().map(|part| part.line).collect::<Vec<_>>(), [1, 5]);
}

#[test]
fn ins_3_open_documents_are_read() {
    let read = text(
        Format::OpenDocument,
        &open_document(
            "<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>\
             <text:h text:outline-level='1'>Title</text:h>\n<text:p>Two<text:s text:c='2'/>words\
             <text:line-break/>next</text:p><text:list><text:list-item><text:p>point</text:p>\
             </text:list-item></text:list><table:table><table:table-row><table:table-cell>\
             <text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p>\
             </table:table-cell></table:table-row></table:table></office:text>",
        ),
    );
    assert_eq!(read.text, "# Title\nTwo  words\nnext\n- point\na | b\n");
    assert_eq!(read.facts.length.as_deref(), Some("3 pages"));
    let read = text(
        Format::OpenDocument,
        &open_document(
            "<office:spreadsheet><table:table table:name='Q1'><table:table-row>\
             <table:table-cell><text:p>Rent</text:p></table:table-cell>\
             <table:table-cell table:number-columns-repeated='2'/>\
             <table:table-cell><text:p>900</text:p></table:table-cell>\
             <table:table-cell table:number-columns-repeated='16000'/></table:table-row>\
             <table:table-row table:number-rows-repeated='1048576'><table:table-cell/>\
             </table:table-row></table:table></office:spreadsheet>",
        ),
    );
    assert_eq!(read.text, "[Sheet Q1]\nRent\t\t\t900\n");
    assert_eq!(read.facts.length.as_deref(), Some("1 sheet"));
}

#[test]
fn ins_3_a_book_is_read_chapter_by_chapter() {
    let read = text(Format::Book, &book());
    assert_eq!(
        read.text,
        "[Chapter 1 Departure]\n# Departure\n\nIt rained.\n\n[Chapter 2 Return]\nSun.\n"
    );
    assert_eq!(read.facts.length.as_deref(), Some("2 chapters"));
}

#[test]
fn ins_3_a_web_page_is_read_without_its_marks() {
    let page = "<!doctype html><html><head><title>Tides &amp; time</title><style>p{}</style>\
        <script>if (a < b) { alert('</p>') }</script></head><body><h1>Tides</h1>\
        <p>High  at\n<b>six</b>.<br>Low at <a href='https://example.org/low'>noon</a>\
        <a href='javascript:x()'>!</a></p><ul><li>one<ul><li>two</ul></ul>\
        <table><tr><th>a<th>b<tr><td>1<td>2</table><pre>x\n  y</pre><img alt='a boat'></body>";
    let read = text(Format::Html, page.as_bytes());
    assert_eq!(
        read.text,
        "Tides & time\n\n# Tides\n\nHigh at six.\nLow at noon (https://example.org/low)!\n\n\
         - one\n  - two\n\na | b\n1 | 2\n\nx\n  y\n[picture: a boat]\n"
    );
    let latin = b"<meta charset=\"iso-8859-1\"><p>caf\xe9</p>";
    assert_eq!(text(Format::Html, latin).text, "café\n");
    assert_eq!(text(Format::Html, "<p>caf\u{e9}</p>".as_bytes()).text, "café\n");
}

#[test]
fn ins_3_texts_of_older_encodings_are_read() {
    let read = text(Format::LegacyText, b"Stra\xdfe\r\n\r\n\x80 5 \x93quoted\x94\r\n");
    assert_eq!(read.text, "Straße\n\n€ 5 “quoted”\n");
    assert_eq!(read.facts.remark().as_deref(), Some("read as Windows-1252"));
    for bytes in [&b"\x89PNG\0\0\0\xff"[..], b"\xff\x01\x02\x03abc"] {
        assert!(why_not(Format::LegacyText, bytes).contains("save it as UTF-8"));
    }
}

#[test]
fn ftl_4_a_pdf_is_read_page_by_page() {
    let read = text(Format::Pdf, &pdf(&["First page", "", "Third"]));
    assert_eq!(read.text, "[Page 1]\nFirst page\n\n[Page 3]\nThird\n");
    assert_eq!(read.facts.length.as_deref(), Some("3 pages"));
    assert_eq!(
        read.facts.remark().as_deref(),
        Some("without pictures and layout; 1 of 3 pages hold no text")
    );
    let scanned = why_not(Format::Pdf, &pdf(&["", ""]));
    assert!(scanned.contains("as in scanned pages") && scanned.contains("OCR"), "{scanned}");
}

#[test]
fn ftl_7_what_is_locked_or_damaged_is_said_with_what_helps() {
    let ole = [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 600]].concat();
    assert!(why_not(Format::Word, &ole).contains("protected by a password"));
    let secret = packed(&[
        ("META-INF/manifest.xml", "<m><f><encryption-data/></f></m>"),
        ("content.xml", "\u{1}\u{2}"),
    ]);
    assert!(why_not(Format::OpenDocument, &secret).contains("protected by a password"));
    let rights = packed(&[("META-INF/rights.xml", "<r/>")]);
    assert!(why_not(Format::Book, &rights).contains("DRM"));
    for format in [Format::Word, Format::Workbook, Format::Presentation, Format::OpenDocument] {
        for bytes in [&b""[..], b"PK\x03\x04", b"not at all", &packed(&[("a.txt", "b")])] {
            assert!(why_not(format, bytes).starts_with("it is damaged"), "{format:?}");
        }
    }
    assert_eq!(
        why_not(Format::Word, &packed(&[("word/document.xml", "<w:document/>")])),
        "there is no text in it"
    );
    let zeros = "00".repeat(32);
    let lock =
        format!("<< /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{zeros}> /U <{zeros}> >>");
    let objects = [
        (1, "<< /Type /Catalog /Pages 2 0 R >>".to_owned()),
        (2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned()),
        (3, "<< /Type /Page /Parent 2 0 R >>".to_owned()),
        (4, lock),
    ];
    let locked = assemble(&objects, "/Root 1 0 R /ID [<00> <00>] /Encrypt 4 0 R");
    assert!(why_not(Format::Pdf, &locked).contains("needs a password"));
}

#[test]
fn sec_5_bombs_are_defused() {
    // One element of 8 MB, and so many small ones that their text is too much.
    let long = "x".repeat(8 << 20);
    assert!(why_not(Format::Word, &word(&long)).contains("too much"));
    let many = word(&"<w:p><w:r><w:t>words and words</w:t></w:r></w:p>".repeat(300_000));
    let read = text(Format::Word, &many);
    assert!(read.facts.cut && read.text.len() <= bounds::TEXT_BYTES + 1);
    assert_eq!(read.facts.remark().unwrap(), "without pictures and layout; only its beginning");
    let deep = word(&"<w:x>".repeat(10_000));
    assert!(why_not(Format::Word, &deep).contains("nested too deep"));
    // A billion laughs, and a file of the machine.
    let entities = packed(&[(
        "word/document.xml",
        "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;'>\
         <!ENTITY f SYSTEM 'file:///etc/passwd'>]><w:document><w:p><w:t>word &b; &f;</w:t></w:p></w:document>",
    )]);
    assert_eq!(text(Format::Word, &entities).text, "word\n");
    // A cell at the far corner is one cell.
    let corner = "<row><c r='XFD1048576'><v>1</v></c></row>".repeat(3);
    assert_eq!(text(Format::Workbook, &workbook(&corner)).text.lines().count(), 4);
    // More parts than a document has.
    let many: Vec<(String, &str)> = (0..20_001).map(|number| (format!("{number}"), "")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    assert!(why_not(Format::Word, &packed(&many)).contains("more parts"));
    let html = "<div>".repeat(1_000_000) + "end";
    assert_eq!(text(Format::Html, html.as_bytes()).text, "end\n");
}

proptest! {
    /// Whatever the bytes are, a reader ends with a text or with words.
    #[test]
    fn any_bytes_end_well(bytes in proptest::collection::vec(any::<u8>(), 0..600), at in 0usize..2000, byte in any::<u8>()) {
        let mut broken = book();
        let at = at % broken.len();
        broken[at] = byte;
        for format in [Format::Html, Format::LegacyText, Format::Book, Format::Word] {
            let _ = extract(format, Cursor::new(bytes.clone()));
            let _ = extract(format, Cursor::new(broken.clone()));
        }
    }
}
