//! Rules of model memory and notebook.

use plimsoll_budget::LearnedLimit;
use plimsoll_domain::{Draft, Snippet};

use super::{Backend, at, ready};
use plimsoll_store::{
    LearnedLimits, QUERIES_KEPT, SavedFilter, UsageEntry, UsageReport, Workspace,
};

/// EST-6: what is kept is what was put, by server and model; nothing is a reset.
pub(crate) async fn reports_are_kept_by_place_and_model(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let report = |text| UsageReport { text, overhead: 8, reported: text + 30 };
    assert!(store.usage_reports("http://a", "m").await.unwrap().is_empty());
    store.put_usage_reports("http://a", "m", &[report(1), report(2)]).await.unwrap();
    store.put_usage_reports("http://b", "m", &[report(3)]).await.unwrap();
    store.put_usage_reports("http://a", "m", &[report(5), report(4)]).await.unwrap();
    assert_eq!(store.usage_reports("http://a", "m").await.unwrap(), [report(5), report(4)]);
    store.put_usage_reports("http://a", "m", &[]).await.unwrap();
    assert!(store.usage_reports("http://a", "m").await.unwrap().is_empty());
    assert_eq!(store.usage_reports("http://b", "m").await.unwrap(), [report(3)]);
}

/// CAT-3: no limit is learned below the largest prompt that was taken.
pub(crate) async fn the_largest_prompt_is_kept(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    assert_eq!(store.largest_prompt("http://a", "m").await.unwrap(), None);
    for tokens in [19, 400, 7] {
        store.note_prompt("http://a", "m", tokens).await.unwrap();
    }
    assert_eq!(store.largest_prompt("http://a", "m").await.unwrap(), Some(400));
    assert_eq!(store.largest_prompt("http://b", "m").await.unwrap(), None);
}

/// CAT-3, EST-6: *Forget* leaves nothing of a model, wherever it is served.
pub(crate) async fn what_was_learned_of_a_model_is_forgotten_everywhere(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for (base_url, model) in [("http://a", "m"), ("http://b", "m"), ("http://a", "n")] {
        let limit = LearnedLimit { tokens: 10, learned_at: at(50) };
        store.put_learned_limit(base_url, model, limit).await.unwrap();
        store.note_prompt(base_url, model, 5).await.unwrap();
        let report = UsageReport { text: 1, overhead: 4, reported: 30 };
        store.put_usage_reports(base_url, model, &[report]).await.unwrap();
    }
    assert!(store.has_learned("m").await.unwrap() && !store.has_learned("o").await.unwrap());
    store.forget_learned("m").await.unwrap();
    assert!(!store.has_learned("m").await.unwrap());
    for base_url in ["http://a", "http://b"] {
        assert_eq!(store.learned_limit(base_url, "m").await.unwrap(), None);
        assert_eq!(store.largest_prompt(base_url, "m").await.unwrap(), None);
        assert!(store.usage_reports(base_url, "m").await.unwrap().is_empty());
    }
    assert!(store.learned_limit("http://a", "n").await.unwrap().is_some());
}

/// CAT-3: keyed by base URL and model, with the date, and can be cleared.
pub(crate) async fn limits_are_learned_by_place_and_model(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let limit = |tokens| LearnedLimit { tokens, learned_at: at(50) };
    for (base_url, tokens) in [("http://b", 8192), ("http://a", 512), ("http://b", 4096)] {
        store.put_learned_limit(base_url, "m", limit(tokens)).await.unwrap();
    }
    assert_eq!(store.learned_limit("http://b", "m").await.unwrap(), Some(limit(4096)));
    assert_eq!(store.learned_limit("http://b", "n").await.unwrap(), None);
    let all = store.learned_limits().await.unwrap();
    let kept = [("http://a", 512), ("http://b", 4096)]
        .map(|(base_url, tokens)| ((base_url.to_owned(), "m".to_owned()), limit(tokens)));
    assert_eq!(all, LearnedLimits(kept.into()));
    assert!(store.clear_learned_limit("http://b", "m").await.unwrap());
    assert!(!store.clear_learned_limit("http://b", "m").await.unwrap());
    assert_eq!(store.learned_limits().await.unwrap().0.len(), 1);
}

/// VAL-4: every request counts, also two at the same instant.
pub(crate) async fn usage_is_told_since_a_time(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let entry = |millis, tokens| UsageEntry { at: at(millis), tokens };
    for used in [entry(30, 3), entry(10, 1), entry(20, 2), entry(20, 2)] {
        store.log_usage("m", used).await.unwrap();
    }
    store.log_usage("n", entry(25, 9)).await.unwrap();
    let since = store.usage_since("m", at(20)).await.unwrap();
    assert_eq!(since, [entry(20, 2), entry(20, 2), entry(30, 3)]);
}

/// A name stands for one filter of a workspace.
pub(crate) async fn saved_filters_have_names(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let saved =
        |name: &str, text: &str| SavedFilter { name: name.to_owned(), text: text.to_owned() };
    for filter in [saved("b", "s3"), saved("a", "e"), saved("b", "s>=2")] {
        store.save_filter(&workspace, &filter).await.unwrap();
    }
    let all = store.saved_filters(&workspace).await.unwrap();
    assert_eq!(all, [saved("a", "e"), saved("b", "s>=2")]);
    assert!(store.drop_filter(&workspace, "a").await.unwrap());
    assert!(!store.drop_filter(&workspace, "a").await.unwrap());
    let elsewhere = Workspace::parse("no/where").unwrap();
    assert!(store.save_filter(&elsewhere, &saved("a", "e")).await.is_err());
}

/// UI-23: a snippet is known by its name, in one workspace.
pub(crate) async fn ui_23_snippets_have_names(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let snippet = |name: &str, text: &str| Snippet { name: name.to_owned(), text: text.to_owned() };
    for one in [snippet("b", "x"), snippet("a", "{{input}}"), snippet("b", "y")] {
        store.put_snippet(&workspace, &one).await.unwrap();
    }
    let all = store.snippets(&workspace).await.unwrap();
    assert_eq!(all, [snippet("a", "{{input}}"), snippet("b", "y")]);
    let elsewhere = Workspace::parse("no/where").unwrap();
    assert!(store.put_snippet(&elsewhere, &snippet("a", "e")).await.is_err());
    assert!(store.snippets(&elsewhere).await.unwrap().is_empty());
}

/// FLT-6: the last hundred, without adjacent repeats.
pub(crate) async fn the_last_hundred_queries_are_kept(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    for n in 0..QUERIES_KEPT + 5 {
        for _ in 0..2 {
            store.push_query(&workspace, &format!("r{n}"), at(50)).await.unwrap();
        }
    }
    store.push_query(&workspace, "r7", at(60)).await.unwrap();
    let queries = store.queries(&workspace).await.unwrap();
    assert_eq!(queries.len(), QUERIES_KEPT);
    assert_eq!((queries[0].as_str(), queries[QUERIES_KEPT - 1].as_str()), ("r6", "r7"));
}

/// A draft is there after a restart, and a blank one is none.
pub(crate) async fn drafts_belong_to_a_workspace(backend: &impl Backend) {
    let (store, workspace) = ready(backend).await;
    let other = Workspace::parse("other/main").unwrap();
    store.create_workspace(&other, at(0)).await.unwrap();
    let draft = |text: &str| Draft { text: text.to_owned(), ..Draft::default() };
    store.put_draft(&workspace, None, &draft("half a thou"), at(50)).await.unwrap();
    store.put_draft(&workspace, None, &draft("half a thought"), at(51)).await.unwrap();
    let again = backend.open().await;
    assert_eq!(again.draft(&workspace, None).await.unwrap(), Some(draft("half a thought")));
    assert_eq!(again.draft(&other, None).await.unwrap(), None);
    store.put_draft(&workspace, None, &draft(" \n"), at(52)).await.unwrap();
    assert_eq!(store.draft(&workspace, None).await.unwrap(), None);
}

/// Put, replaced, forgotten.
pub(crate) async fn single_values_come_and_go(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    assert_eq!(store.value("theme").await.unwrap(), None);
    store.put_value("theme", Some("light")).await.unwrap();
    store.put_value("theme", Some("dark")).await.unwrap();
    assert_eq!(store.value("theme").await.unwrap().as_deref(), Some("dark"));
    store.put_value("theme", None).await.unwrap();
    assert_eq!(store.value("theme").await.unwrap(), None);
}
