//! Signing in by OpenID Connect (TEA-9).

use plimsoll_store::{MonthlyLimits, OpenIdAttempt, Person};

use super::{Backend, at, ready};

fn person(name: &str) -> Person {
    Person {
        name: name.to_owned(),
        created_at: at(1),
        admin: false,
        email: None,
        subject: None,
        limits: MonthlyLimits::default(),
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// TEA-9: a name at the provider leads to an account once; from then on only who came by it does.
pub(crate) async fn tea_9_a_name_at_the_provider_opens_one_account_once(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for name in ["ann", "bob"] {
        store.add_person(&person(name)).await.unwrap();
    }
    assert!(store.put_openid_name("ann", Some("ann@example.org")).await.unwrap());
    assert!(!store.put_openid_name("bob", Some("ann@example.org")).await.unwrap(), "it is Ann's");
    assert!(!store.put_openid_name("eve", Some("eve@example.org")).await.unwrap());
    assert!(store.put_openid_name("bob", Some("old")).await.unwrap());
    assert!(store.put_openid_name("bob", Some("bob-7")).await.unwrap());
    let pair = |name: &str, person: &str| (name.to_owned(), person.to_owned());
    let all = [pair("ann@example.org", "ann"), pair("bob-7", "bob")];
    assert_eq!(store.openid_names().await.unwrap(), all);

    let seven = "https://id.example.org 7";
    let bind = async |subject: &str, by: &[&str]| {
        let bound = store.bind_subject(subject, &names(by)).await.unwrap();
        bound.map(|person| person.name)
    };
    assert_eq!(bind(seven, &["old", "nobody"]).await, None);
    assert_eq!(bind(seven, &["nobody", "ann@example.org"]).await.as_deref(), Some("ann"));
    let ann = store.person_by_subject(seven).await.unwrap().unwrap();
    assert_eq!((ann.name.as_str(), ann.subject.as_deref()), ("ann", Some(seven)));
    assert_eq!(store.openid_names().await.unwrap(), all[1..], "the name is used up");
    // Whoever has the address now is somebody else, and Ann stays Ann whatever she is called.
    assert_eq!(bind("https://id.example.org 8", &["ann@example.org"]).await, None);
    assert_eq!(bind(seven, &["bob-7"]).await.as_deref(), Some("ann"));
    assert_eq!(store.openid_names().await.unwrap(), all[1..], "and Bob's name is not used up");

    // A new name for the same account ends the old binding.
    assert!(store.put_openid_name("ann", Some("ann@new.example")).await.unwrap());
    assert_eq!(store.person_by_subject(seven).await.unwrap(), None);
    assert_eq!(
        bind("https://id.example.org 9", &["ann@new.example"]).await.as_deref(),
        Some("ann")
    );
    assert!(store.put_openid_name("ann", None).await.unwrap());
    assert_eq!(store.person("ann").await.unwrap(), Some(person("ann")));
    store.remove_person("bob").await.unwrap();
    assert!(store.openid_names().await.unwrap().is_empty());
}

/// TEA-9: what comes back from the provider counts once, in the browser that went there, in time.
pub(crate) async fn tea_9_an_attempt_to_sign_in_is_for_one_browser_once(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let attempt = |state: &str, ends| OpenIdAttempt {
        state: state.to_owned(),
        browser: "b".to_owned(),
        goes_to: "/c/1".to_owned(),
        expires_at: at(ends),
    };
    for (state, ends) in [("s1", 50), ("s2", 60), ("s3", 70)] {
        assert!(store.add_openid_attempt(&attempt(state, ends), 3).await.unwrap());
    }
    assert!(!store.add_openid_attempt(&attempt("s4", 70), 3).await.unwrap(), "there are enough");
    let take = async |state: &str, browser: &str, now| {
        store.take_openid_attempt(state, browser, at(now)).await.unwrap()
    };
    assert_eq!(take("s1", "c", 40).await, None, "another browser");
    assert_eq!(take("s0", "b", 40).await, None);
    assert_eq!(take("s1", "b", 49).await, Some(attempt("s1", 50)));
    assert_eq!(take("s1", "b", 49).await, None, "once");
    assert_eq!(take("s2", "b", 60).await, None, "too late");
    assert_eq!(take("s2", "b", 10).await, None, "and gone");
    assert_eq!(store.forget_openid_attempts(at(70), 0).await.unwrap(), 0);
    assert_eq!(store.forget_openid_attempts(at(70), 9).await.unwrap(), 1);
    assert_eq!(take("s3", "b", 10).await, None);
    // Of many who come with the same at once, one goes on.
    store.add_openid_attempt(&attempt("s5", 90), 3).await.unwrap();
    let both = tokio::join!(take("s5", "b", 1), take("s5", "b", 1), take("s5", "b", 1));
    let through = [both.0, both.1, both.2].iter().flatten().count();
    assert_eq!(through, 1);
}
