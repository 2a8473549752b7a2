//! Rules of search in the memory (MEM-6).

use std::sync::Arc;

use super::{
    Backend, ODD_QUERIES, at,
    memory::{note, save},
    ready,
};
use plimsoll_store::{
    Change, MemoryFilter, MemoryFound, MemoryHits, MemoryQuery, NewObservation, NewPrompt,
    Projects, Scope, Store, Workspace,
};

async fn hits(store: &Arc<dyn Store>, text: &str, filter: MemoryFilter) -> MemoryHits {
    let query = MemoryQuery { text: text.to_owned(), filter, limit: 50, snippet_chars: 300 };
    store.search_memory(&Workspace::default(), &query).await.unwrap()
}

/// The titles of what is found, the best first.
async fn titles(store: &Arc<dyn Store>, text: &str) -> Vec<String> {
    let found = hits(store, text, MemoryFilter::default()).await;
    let title = |found| match found {
        MemoryFound::Observation(note) => note.title,
        MemoryFound::Prompt(prompt) => format!("prompt {}", prompt.id),
    };
    found.hits.into_iter().map(|hit| title(hit.found)).collect()
}

/// Stems, beginnings of the last word, case, accents, phrases.
pub(crate) async fn notes_are_found_by_their_words(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for (title, content) in [
        ("Running tests", "The configuration of the runners"),
        ("Málaga", "Ein Hafen am Meer"),
        ("Tokens", "JWT with refresh tokens, expiring daily"),
    ] {
        save(&store, &note(title, content), 1).await;
    }
    let cases: [(&str, &[&str]); 12] = [
        ("run", &["Running tests"]),
        ("configurations", &["Running tests"]),
        ("configura", &["Running tests"]),
        ("conf", &["Running tests"]),
        ("MALAGA", &["Málaga"]),
        ("tokens JWT", &["Tokens"]),
        ("refreshing expire", &["Tokens"]),
        ("\"refresh tokens\"", &["Tokens"]),
        ("\"tokens refresh\"", &[]),
        ("haf", &["Málaga"]),
        ("haf am", &["Málaga"]),
        ("nothing", &[]),
    ];
    for (query, expected) in cases {
        assert_eq!(titles(&store, query).await, expected, "{query}");
    }
}

/// Texts without spaces between words, also next to other scripts.
pub(crate) async fn notes_without_spaces_are_found(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    save(&store, &note("東京都の港", "設定ファイルはconfig.tomlです"), 1).await;
    save(&store, &note("Seoul", "서울특별시에서 회의"), 2).await;
    save(&store, &note("京都", "別の町"), 3).await;
    for (query, expected) in [
        ("東京", "東京都の港"),
        ("京都の", "東京都の港"),
        ("港", "東京都の港"),
        ("ファイル", "東京都の港"),
        ("config", "東京都の港"),
        ("설정", ""),
        ("특별시", "Seoul"),
        ("회의", "Seoul"),
        ("別の町", "京都"),
    ] {
        let found = titles(&store, query).await;
        let expected: Vec<&str> =
            [expected].into_iter().filter(|title| !title.is_empty()).collect();
        assert_eq!(found, expected, "{query}");
    }
    let found = hits(&store, "設定", MemoryFilter::default()).await;
    let hit = &found.hits[0];
    assert_eq!(&hit.snippet[hit.marks[0].clone()], "設定");
}

/// A title counts more than a text, and of equals the newest comes first.
pub(crate) async fn better_notes_come_first(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let long = "words about things that nobody asked for, ".repeat(9);
    save(&store, &note("Old", &format!("an anchor {long}")), 1).await;
    save(&store, &note("Anchor", &format!("nothing {long}")), 2).await;
    save(&store, &note("New", &format!("an anchor {long}")), 3).await;
    assert_eq!(titles(&store, "anchor").await, ["Anchor", "New", "Old"]);
}

/// All words first; where no note has all, any of them, and that is said.
pub(crate) async fn any_word_is_the_second_choice(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    save(&store, &note("one", "sail and anchor"), 1).await;
    save(&store, &note("two", "sail and rudder"), 2).await;
    let all = hits(&store, "sail anchor", MemoryFilter::default()).await;
    assert_eq!((all.hits.len(), all.any_word, all.matched), (1, false, 1));
    let any = hits(&store, "anchor rudder", MemoryFilter::default()).await;
    assert_eq!((any.hits.len(), any.any_word), (2, true));
    let none = hits(&store, "keel mast", MemoryFilter::default()).await;
    assert_eq!((none.hits.len(), none.any_word), (0, false));
}

/// Type, project, scope, namespace, time.
pub(crate) async fn a_search_is_narrowed(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let plain = note("plain", "anchor");
    let others = [
        NewObservation { kind: "bugfix".to_owned(), ..note("kind", "anchor") },
        NewObservation { project: "sea".to_owned(), ..note("project", "anchor") },
        NewObservation { scope: Scope::Personal, ..note("scope", "anchor") },
        NewObservation { namespace: Some("n".to_owned()), ..note("namespace", "anchor") },
    ];
    save(&store, &plain, 1).await;
    for (n, other) in (2..).zip(&others) {
        save(&store, other, n * 1000).await;
    }
    let prompt = NewPrompt {
        session: "s".to_owned(),
        content: "where is the anchor".to_owned(),
        project: "sea".to_owned(),
        namespace: None,
    };
    store.save_prompt(&workspace, &prompt, at(9000)).await.unwrap();
    let count = async |filter: MemoryFilter| hits(&store, "anchor", filter).await.hits.len();
    let all = MemoryFilter::default;
    assert_eq!(count(all()).await, 6);
    assert_eq!(count(MemoryFilter { kind: Some("bugfix".to_owned()), ..all() }).await, 1);
    assert_eq!(
        count(MemoryFilter { projects: Projects::Only(vec!["sea".to_owned()]), ..all() }).await,
        2
    );
    assert_eq!(count(MemoryFilter { scope: Some(Scope::Personal), ..all() }).await, 1);
    assert_eq!(count(MemoryFilter { namespace: Some("n".to_owned()), ..all() }).await, 1);
    assert_eq!(count(MemoryFilter { since: Some(at(4000)), ..all() }).await, 3);
    assert_eq!(count(MemoryFilter { before: Some(at(4000)), ..all() }).await, 3);
    let query = MemoryQuery { text: "anchor".to_owned(), limit: 9, ..MemoryQuery::default() };
    let elsewhere = Workspace::parse("no/where").unwrap();
    assert!(store.search_memory(&elsewhere, &query).await.unwrap().hits.is_empty());
}

/// Words that very many notes have are found as well, the newest first, and narrowed.
pub(crate) async fn common_words_are_found(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let mut many: Vec<NewObservation> =
        (0..2500).map(|n| note(&format!("note {n}"), &format!("harbour log number {n}"))).collect();
    many[3].title = "Harbour log".to_owned();
    many[1].project = "sea".to_owned();
    store.save_observations(&workspace, &many, at(1), at(0)).await.unwrap();
    let all = MemoryFilter::default();
    let found = hits(&store, "harbour log", all.clone()).await;
    assert_eq!((found.matched, found.more), (2500, false), "all are counted");
    assert!(found.hits.len() == 50 && !found.any_word);
    let MemoryFound::Observation(first) = &found.hits[0].found else { panic!("a note") };
    assert_eq!(first.title, "Harbour log", "what is about it, however old");
    let MemoryFound::Observation(second) = &found.hits[1].found else { panic!("a note") };
    assert_eq!(second.title, "note 2499", "then the newest");
    let rare = hits(&store, "77 harbour", all.clone()).await;
    assert_eq!((rare.matched, rare.any_word), (1, false));
    for projects in [Projects::Only(vec!["sea".to_owned()]), Projects::Seen(vec!["sea".to_owned()])]
    {
        let sea = MemoryFilter { projects, ..all.clone() };
        let found = hits(&store, "harbour log", sea).await;
        assert_eq!((found.matched, found.more), (1, false), "however old");
    }
    let mine = NewObservation { scope: Scope::Personal, ..note("mine", "harbour log of mine") };
    store.save_observations(&workspace, &[mine], at(2), at(0)).await.unwrap();
    let sea = MemoryFilter { projects: Projects::Seen(vec!["sea".to_owned()]), ..all };
    let found = hits(&store, "harbour log", sea).await;
    assert_eq!(found.matched, 2, "personal notes are read in every project");
}

/// MEM-6: a word is common or rare for notes and prompts together, so that a few old prompts
/// that hold one do not stand before the notes that are full of it.
pub(crate) async fn prompts_do_not_push_notes_out(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    for n in 0..20 {
        let about = if n % 2 == 0 { "the harbour" } else { "something else" };
        let prompt = NewPrompt {
            session: "s".to_owned(),
            content: format!("question {n} about {about}"),
            project: "harbour".to_owned(),
            namespace: None,
        };
        store.save_prompt(&workspace, &prompt, at(n)).await.unwrap();
    }
    let mut many: Vec<NewObservation> =
        (0..600).map(|n| note(&format!("note {n}"), &format!("harbour log number {n}"))).collect();
    many[590].title = "Harbour".to_owned();
    store.save_observations(&workspace, &many, at(1000), at(0)).await.unwrap();
    let found = titles(&store, "harbour").await;
    assert_eq!(found[..3], ["Harbour", "note 599", "note 598"]);
    let rare = titles(&store, "17 harbour").await;
    assert_eq!(rare[0], "note 17", "a rare word beside a common one tells them apart");
    // No text has both words; those with the rare one come first.
    let any = titles(&store, "harbour something").await;
    assert!(any[..10].iter().all(|title| title.starts_with("prompt ")), "{any:?}");
}

/// Marks are on character boundaries and hold the words that were found.
pub(crate) async fn marks_show_what_was_found_in_notes(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let content = format!("{} Über dem Anker:\n das Seil {}", "a b ".repeat(99), "c ".repeat(200));
    save(&store, &note("x", &content), 1).await;
    let found = hits(&store, "anker sei", MemoryFilter::default()).await;
    let hit = &found.hits[0];
    assert!(hit.snippet.chars().count() <= 300);
    let words: Vec<_> = hit.marks.iter().map(|mark| &hit.snippet[mark.clone()]).collect();
    assert_eq!(words, ["Anker", "Seil"]);
}

/// Whatever is typed is a query, and none is an operator.
pub(crate) async fn any_query_of_the_memory_is_safe(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    save(&store, &note("near", "and not or 語"), 1).await;
    let long = "near ".repeat(2000);
    for query in ODD_QUERIES.into_iter().chain([long.as_str()]) {
        hits(&store, query, MemoryFilter::default()).await;
    }
    assert_eq!(titles(&store, "NOT near").await, ["near"]);
    assert!(titles(&store, "?!").await.is_empty());
}

/// Signs that stand for several characters, phrases in every script, projects that nobody has.
pub(crate) async fn odd_texts_break_no_search(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    save(&store, &note("Steps", "⑴deploy the server ⒈install ㈠概要 größe ändern"), 1).await;
    save(&store, &note("設定ファイル", "設定ファイルの場所"), 2).await;
    for (query, expected) in [
        ("deploy", "Steps"),
        ("⑴deploy", "Steps"),
        ("\"größe ändern\"", "Steps"),
        ("\"設定\"", "設定ファイル"),
        ("\"設定ファイル\"", "設定ファイル"),
    ] {
        assert_eq!(titles(&store, query).await, [expected], "{query}");
    }
    let nobody = MemoryFilter { projects: Projects::Only(Vec::new()), ..MemoryFilter::default() };
    assert!(hits(&store, "deploy", nobody).await.hits.is_empty());
    let many = "\"a\" ".repeat(900);
    hits(&store, &many, MemoryFilter::default()).await;
}

/// A note that is about a common word is found, however many younger ones mention it.
pub(crate) async fn old_notes_are_found_by_their_titles(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let old = save(&store, &note("Deploy", "how it is done"), 1).await.id;
    let many: Vec<NewObservation> =
        (0..900).map(|n| note(&format!("note {n}"), &format!("seen at deploy {n}"))).collect();
    store.save_observations(&workspace, &many, at(1000), at(0)).await.unwrap();
    assert_eq!(titles(&store, "deploy").await[0], "Deploy");
    let change = Change { content: Some("how to deploy".to_owned()), ..Change::default() };
    store.change_observation(&workspace, old, &change, at(9000)).await.unwrap();
    let lately = MemoryFilter { since: Some(at(5000)), ..MemoryFilter::default() };
    assert_eq!(hits(&store, "deploy", lately).await.hits.len(), 1);
}

/// The index follows changes and deletions.
pub(crate) async fn notes_are_found_as_they_are_now(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let id = save(&store, &note("starboard", "first 東京"), 1).await.id;
    let change = Change {
        title: Some("larboard".to_owned()),
        content: Some("second 大阪".to_owned()),
        ..Change::default()
    };
    store.change_observation(&workspace, id, &change, at(2)).await.unwrap();
    for gone in ["starboard", "first", "東京"] {
        assert!(titles(&store, gone).await.is_empty(), "{gone}");
    }
    for there in ["larboard", "second", "大阪"] {
        assert_eq!(titles(&store, there).await, ["larboard"], "{there}");
    }
    let moved = Change { project: Some("sea".to_owned()), ..Change::default() };
    store.change_observation(&workspace, id, &moved, at(3)).await.unwrap();
    assert!(store.check().await.unwrap().is_empty());
    store.delete_observation(&workspace, id, false, at(4)).await.unwrap();
    assert!(titles(&store, "larboard").await.is_empty());
    assert!(store.check().await.unwrap().is_empty());
    store.delete_observation(&workspace, id, true, at(5)).await.unwrap();
    assert!(store.check().await.unwrap().is_empty());
}

/// MEM-10: misspelt words, parts of identifiers, parts of compounds, rows of characters in another
/// order; and weak hits with all words do not hide better ones.
pub(crate) async fn what_people_mean_is_found(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for (title, content) in [
        ("Login", "The class OAuth2PasswordBearer reads the header; see DB_POOL_SIZE"),
        ("Antworten", "Die Datenbankverbindung bricht bei Zeitüberschreitung ab"),
        ("响应", "大于 1 KB 的响应会被压缩后再发送"),
        ("Retries", "The scheduler waits before it tries the migration again"),
        ("Plain", "Nothing of this is about anything"),
    ] {
        save(&store, &note(title, content), 1).await;
    }
    let cases = [
        ("PasswordBearer", "Login"),
        ("pool size", "Login"),
        ("dbPoolSize", "Login"),
        ("migratoin shceduler", "Retries"),
        ("Verbindung Datenbank", "Antworten"),
        ("zeitueberschreitung", "Antworten"),
        ("压缩响应", "响应"),
        ("how does the scheduler retry a failed migration", "Retries"),
    ];
    for (query, expected) in cases {
        let found = titles(&store, query).await;
        assert_eq!(found.first().map(String::as_str), Some(expected), "{query}: {found:?}");
    }
    let found = hits(&store, "migratoin", MemoryFilter::default()).await;
    assert!(found.hits[0].how.similar && found.hits[0].how.all_words);
    let hit = &found.hits[0];
    assert_eq!(&hit.snippet[hit.marks[0].clone()], "migration", "what was meant is marked");
}
