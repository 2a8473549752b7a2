//! `plimsoll memory`, the way people run it (MEM-9).

use crate::{exchange::Data, run::plimsoll};

#[test]
fn mem_9_what_was_saved_is_found_and_told_with_its_footer() {
    let data = Data::new();
    let saved = data.run(&[
        "memory",
        "save",
        "Ports start at 7411",
        "Lower ones are taken on the build machines.",
        "--type",
        "decision",
        "--project",
        "harbour",
    ]);
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    assert!(saved.stdout.contains("#1"), "{}", saved.stdout);

    let found = data.run(&["memory", "search", "build", "machine"]);
    assert!(found.stdout.contains("#1"), "{}", found.stdout);
    assert!(found.stdout.contains("Ports start at 7411"), "{}", found.stdout);
    assert!(
        found.stdout.trim_end().lines().last().unwrap().starts_with("📏 ~"),
        "{}",
        found.stdout
    );

    let whole = data.run(&["memory", "show", "1", "--json"]).json();
    assert_eq!(whole["notes"][0]["type"], "decision");
    assert_eq!(whole["notes"][0]["project"], "harbour");
    assert_eq!(whole["ids"], serde_json::json!([1]));
}

#[test]
fn a_note_is_of_the_project_whose_folder_this_is() {
    let data = Data::new();
    let folder = data.path("lighthouse");
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    std::fs::create_dir_all(folder.join("deep/down")).unwrap();
    let saved = plimsoll(["memory", "save", "Lamp", "It turns.", "--json"])
        .env("PLIMSOLL_DATA_DIR", data.path("data"))
        .within(&folder.join("deep/down"))
        .run();
    assert_eq!(saved.json()["notes"][0]["project"], "lighthouse");
}

#[test]
fn mbg_5_a_search_stays_within_its_budget_and_says_so() {
    let data = Data::new();
    for n in 0..12 {
        let text = format!("Anchor number {n}. {}", "It holds in sand and in mud. ".repeat(12));
        let saved = plimsoll(["memory", "save", &format!("Anchor {n}")])
            .env("PLIMSOLL_DATA_DIR", data.path("data"))
            .input(text)
            .run();
        assert_eq!(saved.code, 0, "{}", saved.stderr);
    }
    let found = data.run(&["memory", "search", "anchor", "--max-tokens", "300", "--json"]).json();
    assert!(found["estimatedTokens"].as_u64().unwrap() <= 300);
    let text = found["text"].as_str().unwrap();
    assert!(text.len().div_ceil(4) <= 301, "{text}");
    assert!(text.contains("⚡ Budget: ~"), "{text}");
    let shown = found["shown"].as_u64().unwrap();
    assert!(shown > 0 && shown < 10, "{shown}");
    assert_eq!(found["notes"].as_array().unwrap().len() as u64, shown);
}

#[test]
fn timeline_context_and_stats_are_told() {
    let data = Data::new();
    for title in ["First", "Second", "Third"] {
        data.run(&["memory", "save", title, &format!("About {title}."), "--session", "dive"]);
    }
    let around = data.run(&["memory", "timeline", "2", "--before", "1", "--after", "0"]);
    assert!(around.stdout.contains("First") && around.stdout.contains("Second"));
    assert!(!around.stdout.contains("Third"), "{}", around.stdout);
    let lately = data.run(&["memory", "context", "--detail", "summary"]);
    assert!(lately.stdout.contains("dive") && lately.stdout.contains("#3"), "{}", lately.stdout);
    let stats = data.run(&["memory", "stats", "--json"]).json();
    assert_eq!(stats["total"], 3);
}

#[test]
fn mem_9_an_export_comes_in_elsewhere_and_twice_does_no_harm() {
    let (here, there) = (Data::new(), Data::new());
    here.run(&["memory", "save", "Tide", "It comes twice a day.", "--topic-key", "tide"]);
    here.run(&["memory", "save", "Tide", "It comes about twice a day.", "--topic-key", "tide"]);
    let file = here.path("memory.jsonl");
    let file = file.to_str().unwrap();
    let written = here.run(&["memory", "export", file]);
    assert_eq!(written.code, 0, "{}", written.stderr);
    here.run(&["memory", "export", file]).refused(1, "is there already");
    assert_eq!(here.run(&["memory", "export", file, "--force"]).code, 0);

    let brought = there.run(&["memory", "import", file, "--json"]).json();
    assert!(brought["added"].as_u64().unwrap() >= 1, "{brought}");
    let again = there.run(&["memory", "import", file, "--json"]).json();
    assert_eq!(again["added"], 0);
    let first = there.run(&["memory", "show", "1", "--revision", "1"]);
    assert!(first.stdout.contains("It comes twice a day."), "{}", first.stdout);
    let (a, b) = (here.run(&["memory", "export"]), there.run(&["memory", "export"]));
    assert_eq!(a.stdout, b.stdout);
}

#[test]
fn what_was_asked_wrongly_is_told_in_a_line() {
    let data = Data::new();
    data.run(&["memory", "show", "99"]).refused(1, "there is no note #99");
    data.run(&["memory", "search", "x", "--since", "yesterday"]).refused(2, "is no time");
    data.run(&["memory", "save", " ", "text"]).refused(2, "must not be empty");
    let zero = data.run(&["memory", "search", "x", "--max-tokens", "0"]);
    assert_eq!(zero.code, 2, "{}", zero.stderr);
    let bad = data.path("bad.jsonl");
    std::fs::write(&bad, "{\"hello\":1}\n").unwrap();
    data.run(&["memory", "import", bad.to_str().unwrap()]).refused(1, "is no record of a memory");
}

#[test]
fn mem_11_all_projects_are_shown_by_name_and_one_on_demand() {
    let data = Data::new();
    for project in ["alpha", "beta"] {
        data.run(&["memory", "save", &format!("Of {project}"), "keel", "--project", project]);
    }
    for command in [&["memory", "search", "keel"][..], &["memory", "context"]] {
        let all = data.run(command).stdout;
        assert!(all.contains("project alpha") && all.contains("project beta"), "{all}");
        let one = data.run(&[command, &["--project", "Beta"]].concat()).stdout;
        assert!(one.contains("Of beta") && !one.contains("alpha"), "{one}");
    }
    let missed = data.run(&["memory", "search", "keel", "--project", "btea"]).stdout;
    assert!(missed.contains("Did you mean beta?"), "{missed}");
    data.run(&["memory", "save", "t", "c", "--project", "*"]).refused(2, "name the one project");
    let session = ["--session", "s1", "--project"];
    data.run(&[&["memory", "save", "t", "c"][..], &session, &["alpha"]].concat());
    data.run(&[&["memory", "save", "t", "c"][..], &session, &["beta"]].concat())
        .refused(1, "session s1 belongs to project alpha");
}

/// MEM-12: what was deleted is listed and comes back, unless it is gone for good.
#[test]
fn mem_12_a_deleted_note_is_brought_back() {
    let data = Data::new();
    data.run(&["memory", "save", "Lamp", "It turns."]);
    let gone = data.run(&["memory", "delete", "1"]);
    assert_eq!(gone.code, 0, "{}", gone.stderr);
    assert!(gone.stderr.contains("plimsoll memory restore 1"), "{}", gone.stderr);
    assert_eq!(data.run(&["memory", "show", "1"]).code, 1);
    let deleted = data.run(&["memory", "deleted", "--json"]).json();
    assert_eq!((&deleted["total"], &deleted["notes"][0]["title"]), (&1.into(), &"Lamp".into()));
    assert!(data.run(&["memory", "deleted"]).stdout.starts_with("#1 [manual] Lamp (deleted "));
    let back = data.run(&["memory", "restore", "1"]);
    assert_eq!(back.stdout, "#1 [manual] Lamp is there again.\n");
    assert_eq!(data.run(&["memory", "delete", "1", "--hard"]).code, 0);
    assert_eq!(data.run(&["memory", "restore", "1"]).code, 1);
    assert_eq!(data.run(&["memory", "deleted", "--json"]).json()["total"], 0);
}

/// MEM-15: anchors are of the project whose folder this is.
#[test]
fn mem_15_a_note_is_anchored_and_takes_the_place_of_another() {
    let data = Data::new();
    let folder = data.path("lighthouse");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("lamp.rs"), "fn turn() {\n    1\n}\n").unwrap();
    let within = |args: &[&str]| {
        plimsoll(args.iter().copied())
            .env("PLIMSOLL_DATA_DIR", data.path("data"))
            .within(&folder)
            .run()
    };
    within(&["memory", "save", "Lamp", "Turns."]);
    let saved = within(&[
        "memory",
        "save",
        "Lamp",
        "Turns once.",
        "--anchor",
        "lamp.rs#turn",
        "--supersedes",
        "1",
        "--expires",
        "30d",
        "--json",
    ])
    .json();
    let note = &saved["notes"][0];
    assert_eq!((&note["author"], &note["anchors"][0]), (&"cli".into(), &"lamp.rs#turn".into()));
    std::fs::write(folder.join("lamp.rs"), "fn turn() {\n    22\n}\n").unwrap();
    let context = within(&["memory", "context", "--detail", "summary"]).stdout;
    assert!(context.contains("#2 [manual] Lamp"), "{context}");
    assert!(context.contains("⚠ lamp.rs#turn changed since"), "{context}");
    assert!(within(&["memory", "show", "1"]).stdout.contains("⚠ superseded by #2"));
    let bad = within(&["memory", "save", "x", "y", "--anchor", "../x"]);
    assert!(bad.code == 2 && bad.stderr.contains("is no anchor"), "{}", bad.stderr);
}

/// Saves notes with these titles as an agent whose notes wait for a person.
fn propose(data: &Data, titles: &[&str]) {
    let save = |id: u64, title: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\
             \"mem_save\",\"arguments\":{{\"title\":\"{title}\",\"content\":\"lantern\"}}}}}}\n"
        )
    };
    let said = format!(
        "{}\n{}\n{}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\
         \"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"codex\",\"version\":\"1\"}}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        (2..).zip(titles).map(|(id, title)| save(id, title)).collect::<String>(),
    );
    let served = plimsoll(["mcp"])
        .env("PLIMSOLL_DATA_DIR", data.path("data"))
        .env("PLIMSOLL_MEMORY_REVIEW", "on")
        .input(said)
        .run();
    assert!(served.stdout.contains("waits for review as #"), "{}", served.stdout);
}

/// MEM-16: what an agent saved while a person looks at it first.
#[test]
fn mem_16_what_waits_is_listed_and_approved() {
    let data = Data::new();
    propose(&data, &["Tide", "Moon"]);
    assert!(data.run(&["memory", "search", "lantern"]).stdout.starts_with("Nothing found"));
    let waiting = data.run(&["memory", "pending", "--json"]).json();
    assert_eq!((&waiting["total"], &waiting["pending"][0]["author"]), (&2.into(), &"codex".into()));
    let told = data.run(&["memory", "pending"]).stdout;
    assert!(told.contains("by codex, ") && told.contains("\n  lantern\n"), "{told}");
    assert_eq!(data.run(&["memory", "approve"]).code, 2);
    assert_eq!(data.run(&["memory", "approve", "99"]).code, 1);
    let one = data.run(&["memory", "approve", "1"]);
    assert!(one.stderr.contains("1 approved: #1"), "{}", one.stderr);
    let all = data.run(&["memory", "approve", "--all", "--json"]).json();
    assert_eq!(all["approved"], serde_json::json!([2]));
    assert_eq!(data.run(&["memory", "search", "lantern", "--json"]).json()["total"], 2);
}

/// MEM-12, MEM-16: what is not approved goes among the deleted notes.
#[test]
fn mem_16_what_waits_is_rejected_and_can_be_brought_back() {
    let data = Data::new();
    propose(&data, &["Tide", "Moon", "Star"]);
    assert_eq!(data.run(&["memory", "reject"]).code, 2);
    let unknown = data.run(&["memory", "reject", "1", "99"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("#99"), "{}", unknown.stderr);
    assert_eq!(data.run(&["memory", "pending", "--json"]).json()["total"], 3, "all or none");
    let two = data.run(&["memory", "reject", "1", "2"]);
    assert!(two.stderr.contains("2 rejected: #1, #2; `plimsoll memory restore"), "{}", two.stderr);
    let third = data.run(&["memory", "reject", "3", "3", "--json"]).json();
    assert_eq!(third, serde_json::json!({"rejected": [3], "hard": false}));
    assert_eq!(data.run(&["memory", "pending", "--json"]).json()["total"], 0);
    assert!(data.run(&["memory", "search", "lantern"]).stdout.starts_with("Nothing found"));
    assert_eq!(data.run(&["memory", "deleted", "--json"]).json()["total"], 3);
    assert_eq!(data.run(&["memory", "restore", "2"]).code, 0);
    assert_eq!(data.run(&["memory", "search", "lantern", "--json"]).json()["total"], 1);
}

/// MEM-17: two people, one repository.
#[test]
fn mem_17_notes_travel_through_a_folder() {
    let (ours, theirs) = (Data::new(), Data::new());
    let folder = ours.path("notes");
    let at = folder.to_str().unwrap();
    ours.run(&[
        "memory",
        "save",
        "Ports start at 7411",
        "Below are taken.",
        "--project",
        "harbour",
    ]);
    let dry = ours.run(&["memory", "sync", at, "--dry-run"]);
    assert_eq!(dry.code, 0, "{}", dry.stderr);
    assert!(dry.stdout.contains("write #1 to a new file\nNothing was done."), "{}", dry.stdout);
    assert!(!folder.exists());
    let out = ours.run(&["memory", "sync", at]);
    assert_eq!(out.stdout, "Notes: 1 written to files.\n", "{}", out.stderr);
    assert_eq!(ours.run(&["memory", "sync", at]).stdout, "Both sides are the same.\n");
    let shown = std::fs::read_dir(folder.join("harbour")).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&shown).unwrap();
    assert!(text.starts_with("---\nplimsoll: note 1\nuid: "), "{text}");
    assert!(text.contains("\ntitle: Ports start at 7411\n"), "{text}");
    assert!(text.ends_with("---\n\nBelow are taken.\n"), "{text}");

    let read = theirs.run(&["memory", "sync", at, "--json"]).json();
    assert_eq!((&read["read"], &read["written"]), (&1.into(), &0.into()));
    assert!(theirs.run(&["memory", "search", "7411"]).stdout.contains("Ports start at 7411"));

    // Marks that git left are told with the name of the file, and nothing is lost.
    let clash = text.replace("Below", "<<<<<<< HEAD\nBelow\n=======\nAbove\n>>>>>>> theirs\nand");
    std::fs::write(&shown, clash).unwrap();
    let skipped = ours.run(&["memory", "sync", at]);
    assert_eq!(skipped.code, 0);
    assert!(skipped.stderr.contains("git left marks of a conflict in it"), "{}", skipped.stderr);
    std::fs::write(&shown, &text).unwrap();

    std::fs::remove_file(&shown).unwrap();
    let deleted = ours.run(&["memory", "sync", at]);
    assert_eq!(deleted.stdout, "Notes: 1 deleted, as their files were.\n");
    assert_eq!(ours.run(&["undo"]).code, 0, "a deletion by a sync is undone like any other");
    assert!(ours.run(&["memory", "show", "1"]).stdout.contains("Below are taken."));
    assert_eq!(ours.run(&["memory", "sync", at]).stdout, "Notes: 1 written to files.\n");
}
