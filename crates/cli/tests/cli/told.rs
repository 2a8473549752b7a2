//! What a terminal is told about files and token limits, as the page tells it (DLV-2, FAU-7).

use plimsoll_testkit::{
    pdf::pdf,
    scripted::{Reply, ScriptedServer},
};

use crate::send::Home;

/// A PNG of one pixel.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 6, 0, 0, 0, 0x1f, 0x15, 0xc4, 0x89, 0, 0, 0, 13, b'I', b'D', b'A', b'T',
    0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0, 5, 0, 1, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0, 0,
    0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

#[test]
fn dlv_2_how_files_go_along_is_said_before_the_send() {
    let server = ScriptedServer::always(Reply::openai(&["read"], 40, 1)).unwrap();
    let home = Home::new(&server, 8192);
    let file = |name: &str, bytes: &[u8]| {
        let path = home.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let report = file("report.pdf", &pdf(&["A mark on the hull."]));
    let photo = file("photo.png", PIXEL);
    let notes = file("notes.md", b"A mark on the hull.\n");
    let scan = file("scan.pdf", &pdf(&["", ""]));
    for (path, says) in [
        (&report, "report.pdf: its text (1 page), "),
        (&scan, "scan.pdf: name only, "),
        (&photo, "photo.png: as a note, "),
    ] {
        let ran = home.send(&["-f", path, "What is this?"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(ran.stderr.contains(says), "{}", ran.stderr);
        let why = [
            "the text of report.pdf goes along, without pictures and layout",
            "it gets the name of scan.pdf and nothing else; its text was not read: there is no text",
            "it gets a note instead",
        ];
        assert!(why.iter().any(|why| ran.stderr.contains(why)), "{}", ran.stderr);
    }
    let ran = home.send(&["-f", &notes, "What is this?"]);
    assert!(ran.stderr.contains("note: notes.md: inline, "), "{}", ran.stderr);
    // A conversation says the same, when the message goes.
    let ran = home.command(&["chat"]).input(format!("/attach {report}\nWhat is this?\n")).run();
    assert!(ran.stderr.contains("report.pdf: its text (1 page), "), "{}", ran.stderr);
    // A person may ask for the name alone.
    let ran = home.send(&["-f", &report, "--deliver", "on-demand", "What is this?"]);
    assert!(ran.stderr.contains("test calls no tools"), "{}", ran.stderr);
}

#[test]
fn fau_7_a_token_limit_names_the_file_and_does_not_blame_a_conversation() {
    let words = "input_ids size (4271) exceeds max_length (4096)";
    let server = ScriptedServer::always(Reply::error(500, words)).unwrap();
    let home = Home::new(&server, 4096);
    let notes = home.path().join("notes.md");
    std::fs::write(&notes, "A mark on the hull.\n").unwrap();
    let ran = home.send(&["-f", notes.to_str().unwrap(), "What is this?"]);
    assert_eq!(ran.code, 1);
    let said = &ran.stderr;
    assert!(said.contains(&format!("[error: context] {words}")), "the own words: {said}");
    assert!(
        said.contains("The message with notes.md is too long for this model: 4,271 tokens, and the limit is 4,096"),
        "{said}"
    );
    assert!(said.contains("note: try a smaller file than notes.md ("), "{said}");
    assert!(!said.contains("conversation") && !said.contains("clear the history"), "{said}");
}
