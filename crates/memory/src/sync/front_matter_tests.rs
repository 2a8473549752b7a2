use proptest::prelude::*;

use super::*;

fn card() -> Card {
    Card {
        title: "Ports start at 7411".to_owned(),
        kind: "decision".to_owned(),
        project: "plimsoll".to_owned(),
        scope: Scope::Project,
        topic_key: Some("decision/ports".to_owned()),
        namespace: None,
        session: "manual-save".to_owned(),
        tool: None,
        author: None,
        created_at: Timestamp::from_millis(1_794_830_400_123),
        expires_at: None,
        anchors: Vec::new(),
        content: "Below are taken on CI.\n\n- really".to_owned(),
    }
}

const UID: &str = "0123456789abcdef";

fn note(text: &str) -> Card {
    match read(text) {
        Parsed::Note { uid, card } if uid == UID => *card,
        other => panic!("{other:?}"),
    }
}

fn bad(text: &str) -> String {
    match read(text) {
        Parsed::Bad(why) => why,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn mem_17_a_note_is_a_file_that_people_read() {
    let text = "---\nplimsoll: note 1\nuid: \"0123456789abcdef\"\ntitle: Ports start at 7411\n\
        type: decision\nproject: plimsoll\nscope: project\ntopic_key: decision/ports\n\
        session: manual-save\ncreated: 2026-11-16T12:00:00.123Z\n---\n\n\
        Below are taken on CI.\n\n- really\n";
    assert_eq!(write(UID, &card()), text);
    assert_eq!(note(text), card());
}

fn anchor(target: &str, hash: Option<&str>) -> AnchorLine {
    AnchorLine { target: target.to_owned(), hash: hash.map(ToOwned::to_owned) }
}

/// A file without these lines is the one above: it has none of them.
#[test]
fn mem_17_who_wrote_a_note_when_it_ends_and_what_it_names_are_lines_of_its_file() {
    let text = "---\nplimsoll: note 1\nuid: \"0123456789abcdef\"\ntitle: Ports start at 7411\n\
        type: decision\nproject: plimsoll\nscope: project\ntopic_key: decision/ports\n\
        session: manual-save\nauthor: claude-code\ncreated: 2026-11-16T12:00:00.123Z\n\
        expires: 2026-12-31T00:00:00.000Z\nanchors:\n  - src/auth.rs#renew @3f9c2a1b\n  \
        - commit:1f3c9a2 @before\n  - \"a b #c.rs\"\n  - src/x @y @-\n---\n\n\
        Below are taken on CI.\n\n- really\n";
    let named = vec![
        anchor("src/auth.rs#renew", Some("3f9c2a1b")),
        anchor("commit:1f3c9a2", Some("before")),
        anchor("a b #c.rs", None),
        anchor("src/x @y", None),
    ];
    let whole = Card {
        author: Some("claude-code".to_owned()),
        expires_at: Some(Timestamp::from_millis(1_798_675_200_000)),
        anchors: named,
        ..card()
    };
    assert_eq!(write(UID, &whole), text);
    assert_eq!(note(text), whole);
    assert_eq!(note(&text.replace('\n', "\r\n")), whole);
    let by_hand = text.replace("2026-12-31T00:00:00.000Z", "2026-12-31");
    assert_eq!(note(&by_hand), whole, "a day is enough");
}

#[test]
fn mem_17_lines_that_name_nothing_sound_are_refused() {
    let text = write(UID, &Card { anchors: vec![anchor("src/a.rs", None)], ..card() });
    let with = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        changed
    };
    assert!(bad(&with("anchors:\n", "")).contains("src/a.rs"), "an item of no list");
    assert!(bad(&with("anchors:\n", "anchors:\nanchors:\n")).contains("twice"));
    assert!(bad(&with("  - src/a.rs", "  - \"src")).contains("not closed"));
    assert!(bad(&with("anchors:\n", "expires: 7d\nanchors:\n")).contains("expires"));
    assert!(bad(&with("anchors:\n", "expires: soon\nanchors:\n")).contains("expires"));
    for hostile in
        ["../secret", "/etc/passwd", "C:/x", "a\\\\b", "commit:xyz", ".", "x/../../y @ab12"]
    {
        let read = note(&with("  - src/a.rs", &format!("  - \"{hostile}\"")));
        let error = read.checked().unwrap_err().to_string();
        assert!(error.contains("is no anchor"), "{hostile}: {error}");
    }
    let many: String = (0..21).map(|n| format!("  - src/{n}.rs\n")).collect();
    let error = note(&with("  - src/a.rs\n", &many)).checked().unwrap_err().to_string();
    assert!(error.contains("anchors") && error.contains("20"), "{error}");
    let long = note(&with("src/a.rs", &"a".repeat(1001))).checked().unwrap_err().to_string();
    assert!(long.contains("1,001"), "{long}");
    let twice = note(&with("  - src/a.rs\n", "  - src/a.rs @ab\n  - src/a.rs\n"));
    assert_eq!(twice.checked().unwrap().anchors, [anchor("src/a.rs", Some("ab"))]);
}

#[test]
fn mem_17_line_ends_and_a_missing_last_one_change_nothing() {
    let text = write(UID, &card());
    assert_eq!(note(&text.replace('\n', "\r\n")), card());
    assert_eq!(note(text.trim_end()), card());
    assert_eq!(note(&format!("\u{feff}{text}")), card());
}

#[test]
fn mem_17_files_of_others_are_not_ours() {
    for text in ["", "# Title\n", "---\ntitle: x\n---\ntext\n", "---\n", "<<<<<<< HEAD\nx\n"] {
        assert_eq!(read(text), Parsed::NotOurs, "{text}");
    }
}

#[test]
fn mem_17_what_is_not_understood_is_refused_by_its_name() {
    let text = write(UID, &card());
    let with = |from: &str, to: &str| {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        bad(&changed)
    };
    assert!(with("scope: project\n", "scope: project\nmood: good\n").contains("'mood'"));
    assert!(with("scope: project", "scope: ours").contains("'ours'"));
    assert!(with("scope: project", "scope: project\nscope: project").contains("twice"));
    assert!(with("type: decision", "type").contains("'type'"));
    assert!(with("title: Ports start at 7411\n", "").contains("title"));
    assert!(with("created: 2026-11-16T12:00:00.123Z", "created: 7d").contains("created"));
    assert!(with(UID, "../../etc/passwd").contains("uid"));
    assert!(with("type: decision", "type: \"decision").contains("type"));
}

#[test]
fn mem_17_marks_of_a_git_conflict_are_seen_wherever_they_stand() {
    let text = write(UID, &card());
    let body = text.replace("- really", "<<<<<<< HEAD\n- really\n=======\n- no\n>>>>>>> other");
    let head = text.replace("type: decision", "<<<<<<< HEAD\ntype: a\n=======\ntype: b\n>>>>>>> o");
    let whole = format!("<<<<<<< HEAD\n{text}=======\n{text}>>>>>>> other\n");
    for text in [body, head, whole] {
        assert!(bad(&text).contains("conflict"), "{text}");
    }
}

#[test]
fn mem_17_a_note_about_conflicts_travels() {
    let about = Card { content: "<<<<<<< HEAD\nis how it begins".to_owned(), ..card() };
    let text = write(UID, &about);
    assert_eq!(note(&text), about);
    let clash = format!("{}\n<<<<<<< HEAD\nours\n>>>>>>> theirs\n", text.trim_end());
    assert!(bad(&clash).contains("conflict"));
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zé語 :#'\"\\[\\]{}&*!|>%@`,?-]{1,20}",
        "(true|No|null|12|1.5|~|- a|a: b|a #b|0x1f|---|2026-11-01)",
    ]
    .prop_map(|text| crate::checks::one_line(&text))
    .prop_filter("a name is not blank", |text| !text.is_empty())
}

proptest! {
    #[test]
    fn mem_17_every_note_comes_back_as_it_was(
        title in line(),
        kind in line(),
        project in prop_oneof![Just(String::new()), line()],
        key in proptest::option::of(line()),
        content in "(\n|-|---|a|é|: |\r|<<<<<<< |>>>>>>> |=======|\\PC){1,30}",
        millis in any::<i64>(),
        personal: bool,
        author in proptest::option::of(line()),
        expires in proptest::option::of(any::<i64>()),
        named in proptest::collection::vec(
            (prop_oneof![line(), "[a-z ]{1,3} ?@[a-z0-9 -]{0,4}"], proptest::option::of("[0-9a-z]{1,64}")),
            0..4,
        ),
    ) {
        let card = Card {
            title,
            kind,
            project,
            scope: if personal { Scope::Personal } else { Scope::Project },
            topic_key: key.clone(),
            namespace: key,
            created_at: Timestamp::from_millis(millis),
            author,
            expires_at: expires.map(Timestamp::from_millis),
            anchors: named.iter().map(|(name, hash)| anchor(name, hash.as_deref())).collect(),
            content,
            ..card()
        };
        let text = write(UID, &card);
        prop_assert_eq!(note(&text), card, "{}", text);
    }

    #[test]
    fn mem_17_any_text_is_read_or_refused(text in "(---\n|plimsoll: note 1\n|uid: |anchors:\n|  - |[a-z: \n\"]|\\PC){0,40}") {
        let _ = read(&text);
    }
}
