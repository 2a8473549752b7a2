//! People, projects, tokens and what a team keeps about them (TEA-9, TEA-10).

use std::sync::Arc;

use plimsoll_domain::{Draft, MessagePair, Snippet, Topic, TopicId};
use plimsoll_store::{
    AuditEntry, KeyHolder, MonthlyLimits, Noun, Person, PersonToken, PersonUse, Project,
    ProjectRole, Role, SealedKey, SignIn, Store, StoreError, TeamUse, UseBy, Workspace,
};

use super::{Backend, at, memory::note, pair, ready, topic};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

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

fn project(name: &str) -> Project {
    Project { name: name.to_owned(), created_at: at(2), limits: MonthlyLimits::default() }
}

fn role(project: &str, person: &str, role: Role) -> ProjectRole {
    ProjectRole { project: project.to_owned(), person: person.to_owned(), role }
}

fn token(person: &str, label: &str, hash: &str, ends: Option<i64>) -> PersonToken {
    PersonToken {
        person: person.to_owned(),
        label: label.to_owned(),
        hash: hash.to_owned(),
        created_at: at(3),
        expires_at: ends.map(at),
    }
}

/// TEA-9: who is added gets a project of their own, and names are used once.
pub(crate) async fn tea_9_a_person_has_a_project_of_their_own(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let ann = Person {
        admin: true,
        email: Some("ann@example.org".to_owned()),
        subject: Some("https://id.example.org 7".to_owned()),
        limits: MonthlyLimits { tokens: Some(1000), cost: Some(2.5) },
        ..person("ann")
    };
    assert!(store.add_person(&person("bob")).await.unwrap());
    assert!(store.add_person(&ann).await.unwrap());
    assert!(!store.add_person(&person("ann")).await.unwrap(), "the name is taken");
    assert_eq!(store.person("ann").await.unwrap().as_ref(), Some(&ann));
    assert_eq!(store.person("eve").await.unwrap(), None);
    assert_eq!(store.people().await.unwrap(), [ann.clone(), person("bob")]);
    let subject = "https://id.example.org 7";
    assert_eq!(store.person_by_subject(subject).await.unwrap(), Some(ann));
    assert_eq!(store.roles_of("ann").await.unwrap(), [role("~ann", "ann", Role::Owner)]);
    assert!(store.put_admin("bob", true).await.unwrap());
    let limits = MonthlyLimits { tokens: Some(5), cost: None };
    assert!(store.put_person_limits("bob", &limits).await.unwrap());
    let bob = Person { admin: true, limits, ..person("bob") };
    assert_eq!(store.person("bob").await.unwrap(), Some(bob));
    assert!(!store.put_admin("eve", true).await.unwrap());
    // A project that somebody left behind is not handed to the next of that name.
    assert!(store.remove_person("bob").await.unwrap());
    assert!(!store.remove_person("bob").await.unwrap());
    assert!(!store.add_person(&person("bob")).await.unwrap(), "~bob is still there");
    assert!(store.remove_project("~bob").await.unwrap());
    assert!(store.add_person(&person("bob")).await.unwrap());
}

/// TEA-9: roles are given to people that are there, in projects that are there.
pub(crate) async fn tea_9_roles_join_people_and_projects(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for name in ["ann", "bob"] {
        store.add_person(&person(name)).await.unwrap();
    }
    assert!(store.add_project(&project("sea")).await.unwrap());
    assert!(!store.add_project(&project("sea")).await.unwrap());
    store.put_role(&role("sea", "bob", Role::Viewer)).await.unwrap();
    store.put_role(&role("sea", "ann", Role::Owner)).await.unwrap();
    store.put_role(&role("sea", "bob", Role::Member)).await.unwrap();
    let all = [role("sea", "ann", Role::Owner), role("sea", "bob", Role::Member)];
    assert_eq!(store.roles_in("sea").await.unwrap(), all);
    let unknown = store.put_role(&role("land", "ann", Role::Owner)).await.unwrap_err();
    assert_eq!(unknown, StoreError::NotFound(Noun::Project));
    let unknown = store.put_role(&role("sea", "eve", Role::Owner)).await.unwrap_err();
    assert_eq!(unknown, StoreError::NotFound(Noun::Person));
    assert!(store.remove_role("sea", "bob").await.unwrap());
    assert!(!store.remove_role("sea", "bob").await.unwrap());
    let limits = MonthlyLimits { tokens: None, cost: Some(1.5) };
    assert!(store.put_project_limits("sea", &limits).await.unwrap());
    let sea = Project { limits, ..project("sea") };
    assert_eq!(store.project("sea").await.unwrap().as_ref(), Some(&sea));
    let names: Vec<String> =
        store.projects().await.unwrap().into_iter().map(|project| project.name).collect();
    assert_eq!(names, ["sea", "~ann", "~bob"]);
    assert!(store.remove_project("sea").await.unwrap());
    assert_eq!(store.roles_of("ann").await.unwrap(), [role("~ann", "ann", Role::Owner)]);
}

/// TEA-9: a token and a sign-in tell who somebody is until they end, are taken back, or the person
/// goes.
pub(crate) async fn tea_9_tokens_and_sign_ins_end(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for name in ["ann", "bob"] {
        store.add_person(&person(name)).await.unwrap();
    }
    let (laptop, phone) =
        (token("ann", "laptop", "h1", None), token("ann", "phone", "h2", Some(50)));
    assert!(store.add_token(&phone).await.unwrap());
    assert!(store.add_token(&laptop).await.unwrap());
    assert!(!store.add_token(&token("ann", "phone", "h3", None)).await.unwrap());
    assert!(store.add_token(&token("bob", "phone", "h4", None)).await.unwrap());
    assert_eq!(store.tokens(Some("ann")).await.unwrap(), [laptop, phone]);
    assert_eq!(store.tokens(None).await.unwrap().len(), 3);
    let known = store.known_by_token("h1", at(1000)).await.unwrap().unwrap();
    assert_eq!(known.person, person("ann"));
    assert_eq!(known.role_in("~ann"), Some(Role::Owner));
    assert_eq!(known.role_in("~bob"), None);
    assert!(store.known_by_token("h2", at(49)).await.unwrap().is_some());
    assert!(store.known_by_token("h2", at(50)).await.unwrap().is_none(), "it has ended");
    assert!(store.known_by_token("h3", at(1)).await.unwrap().is_none());
    assert!(store.remove_token("ann", "laptop").await.unwrap());
    assert!(!store.remove_token("ann", "laptop").await.unwrap());
    assert!(store.known_by_token("h1", at(1)).await.unwrap().is_none());

    let sign_in = |hash: &str, person: &str, ends| SignIn {
        hash: hash.to_owned(),
        person: person.to_owned(),
        created_at: at(5),
        expires_at: at(ends),
    };
    for (hash, who, ends) in
        [("s1", "ann", 90), ("s2", "ann", 60), ("s3", "bob", 70), ("s4", "bob", 80)]
    {
        store.add_sign_in(&sign_in(hash, who, ends)).await.unwrap();
    }
    let known = store.known_by_sign_in("s1", at(89)).await.unwrap().unwrap();
    assert_eq!(known.person.name, "ann");
    assert!(store.known_by_sign_in("s1", at(90)).await.unwrap().is_none());
    assert_eq!(store.forget_ended_sign_ins(at(75), 1).await.unwrap(), 1, "no more than was asked");
    assert_eq!(store.forget_ended_sign_ins(at(75), 9).await.unwrap(), 1);
    assert!(store.known_by_sign_in("s3", at(1)).await.unwrap().is_none(), "it is forgotten");
    assert!(store.end_sign_in("s1").await.unwrap() && !store.end_sign_in("s1").await.unwrap());
    assert_eq!(store.end_sign_ins_of("bob").await.unwrap(), 1);
    store.add_sign_in(&sign_in("s5", "bob", 900)).await.unwrap();
    store.remove_person("bob").await.unwrap();
    assert!(store.known_by_sign_in("s5", at(1)).await.unwrap().is_none());
    assert!(store.known_by_token("h4", at(1)).await.unwrap().is_none());
}

/// TEA-10: what was done is told newest first, and forgotten in steps.
pub(crate) async fn tea_10_the_audit_log_is_kept_for_a_time(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let entry = |id: &str, when, who: Option<&str>| AuditEntry {
        id: id.to_owned(),
        at: at(when),
        person: who.map(str::to_owned),
        action: "sign-in".to_owned(),
        subject: "ann".to_owned(),
        origin: "127.0.0.1".to_owned(),
    };
    let all = [entry("a", 10, None), entry("b", 20, Some("ann")), entry("c", 20, Some("ann"))];
    for one in &all {
        store.note_audit(one).await.unwrap();
    }
    let told = store.audit_since(at(0), 10).await.unwrap();
    assert_eq!(told, [all[2].clone(), all[1].clone(), all[0].clone()]);
    assert_eq!(store.audit_since(at(20), 1).await.unwrap(), [all[2].clone()]);
    assert_eq!(store.purge_audit(at(21), 2).await.unwrap(), 2);
    assert_eq!(store.purge_audit(at(20), 2).await.unwrap(), 0);
    assert_eq!(store.audit_since(at(0), 10).await.unwrap().len(), 1);
}

/// TEA-10: what is used is counted by person, project and day.
pub(crate) async fn tea_10_use_is_counted_by_person_and_project(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let used = |person: &str, project: &str, day: i64, tokens, cost| PersonUse {
        person: person.to_owned(),
        project: project.to_owned(),
        at: at(day * DAY_MS + 7),
        tokens,
        cost,
    };
    store
        .count_use(&[
            used("ann", "sea", 0, 100, 0.5),
            used("ann", "sea", 1, 10, 0.25),
            used("ann", "sea", 1, 20, 0.25),
            used("ann", "~ann", 1, 5, 0.0),
            used("bob", "sea", 1, 40, 4.0),
        ])
        .await
        .unwrap();
    let sum =
        |name: &str, calls, tokens, cost| TeamUse { name: name.to_owned(), calls, tokens, cost };
    let now = |day: i64| at(day * DAY_MS + 9);
    assert_eq!(store.used_by_person("ann", now(1)).await.unwrap(), sum("ann", 4, 135, 1.0));
    assert_eq!(store.used_by_person("ann", now(30)).await.unwrap(), sum("ann", 3, 35, 0.5));
    assert_eq!(store.used_in_project("sea", now(1)).await.unwrap(), sum("sea", 4, 170, 5.0));
    assert_eq!(store.used_by_person("eve", now(1)).await.unwrap(), sum("eve", 0, 0, 0.0));
    let people = store.team_use_since(now(1), UseBy::Person).await.unwrap();
    assert_eq!(people, [sum("bob", 1, 40, 4.0), sum("ann", 3, 35, 0.5)]);
    let projects = store.team_use_since(now(0), UseBy::Project).await.unwrap();
    assert_eq!(projects, [sum("sea", 4, 170, 5.0), sum("~ann", 1, 5, 0.0)]);
    assert_eq!(store.purge_use(now(1), 5).await.unwrap(), 1);
    assert_eq!(store.purge_use(now(2), 2).await.unwrap(), 2);
    assert_eq!(store.team_use_since(now(0), UseBy::Project).await.unwrap().len(), 1);
}

/// TEA-10: a person's key comes before that of the project, and that before the team's.
pub(crate) async fn tea_10_the_nearest_key_serves(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let key = |id: &str, holder: KeyHolder| SealedKey {
        id: id.to_owned(),
        holder,
        provider: "openai".to_owned(),
        servers: vec!["https://a.example".to_owned(), "https://b.example".to_owned()],
        sealed: format!("sealed {id}"),
        created_at: at(4),
    };
    let ann = KeyHolder::Person("ann".to_owned());
    let sea = KeyHolder::Project("sea".to_owned());
    // Nobody who comes later finds a key that was there before them.
    let early = store.put_sealed_key(&key("0", ann.clone())).await;
    assert_eq!(early, Err(StoreError::NotFound(Noun::Person)));
    let early = store.put_sealed_key(&key("0", sea.clone())).await;
    assert_eq!(early, Err(StoreError::NotFound(Noun::Project)));
    store.add_person(&person("ann")).await.unwrap();
    store.add_project(&project("sea")).await.unwrap();
    let keys = [key("1", ann.clone()), key("2", sea.clone()), key("3", KeyHolder::Team)];
    for one in &keys {
        store.put_sealed_key(one).await.unwrap();
    }
    assert_eq!(store.sealed_keys().await.unwrap(), keys);
    let serves = async |person: &str, project: &str, provider: &str| {
        store.sealed_key_for(person, project, provider).await.unwrap().map(|key| key.id)
    };
    assert_eq!(serves("ann", "sea", "openai").await.as_deref(), Some("1"));
    assert_eq!(serves("bob", "sea", "openai").await.as_deref(), Some("2"));
    assert_eq!(serves("bob", "~bob", "openai").await.as_deref(), Some("3"));
    assert_eq!(serves("ann", "sea", "anthropic").await, None);
    let all = async |person: &str, project: &str| -> Vec<String> {
        let all = store.sealed_keys_for(person, project).await.unwrap();
        all.into_iter().map(|key| key.id).collect()
    };
    assert_eq!(all("ann", "sea").await, ["1", "2", "3"]);
    assert_eq!(all("bob", "~bob").await, ["3"]);
    store.put_sealed_key(&key("4", ann.clone())).await.unwrap();
    assert_eq!(serves("ann", "sea", "openai").await.as_deref(), Some("4"), "it takes its place");
    assert!(store.remove_sealed_key(&ann, "openai").await.unwrap());
    assert!(!store.remove_sealed_key(&ann, "openai").await.unwrap());
    // What is sealed anew takes the place of what was read, and of nothing newer.
    let team = key("3", KeyHolder::Team);
    assert!(store.reseal_key(&team, "again").await.unwrap());
    assert!(!store.reseal_key(&team, "late").await.unwrap());
    let again = SealedKey { sealed: "again".to_owned(), ..team };
    assert_eq!(store.sealed_key_for("bob", "~bob", "openai").await.unwrap(), Some(again.clone()));
    // Keys go with who holds them.
    store.put_sealed_key(&key("5", ann)).await.unwrap();
    store.remove_person("ann").await.unwrap();
    store.remove_project("sea").await.unwrap();
    assert_eq!(store.sealed_keys().await.unwrap(), [again]);
}

fn of_project(name: &str) -> Workspace {
    Workspace::parse(&format!("{name}/main")).unwrap()
}

/// A workspace with a pair, a note, a snippet and a draft about a word.
async fn fill(store: &Arc<dyn Store>, project: &str, word: &str, number: u8) -> Workspace {
    let workspace = of_project(project);
    store.create_workspace(&workspace, at(1)).await.unwrap();
    let topic = Topic { id: TopicId::new(at(70), [number; 10]), ..topic() };
    store.put_topic(&workspace, &topic).await.unwrap();
    let one = MessagePair { topic_id: topic.id, user_text: word.to_owned(), ..pair(number) };
    store.insert(&workspace, &one).await.unwrap();
    let (note, late) = (note(word, word), at(9));
    store.save_observations(&workspace, &[note], late, at(0)).await.unwrap();
    let snippet = Snippet { name: "greet".to_owned(), text: word.to_owned() };
    store.put_snippet(&workspace, &snippet).await.unwrap();
    let draft = Draft { text: word.to_owned(), ..Draft::default() };
    store.put_draft(&workspace, None, &draft, late).await.unwrap();
    let (line, view) = (format!("line:{workspace}"), format!("view:{workspace} by ann"));
    store.put_value(&line, Some(word)).await.unwrap();
    store.put_value(&view, Some(word)).await.unwrap();
    workspace
}

/// TEA-10: whoever leaves takes their own project along, and nothing else.
pub(crate) async fn tea_10_a_person_goes_with_all_that_is_theirs(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for name in ["ann", "ann-b", "bob"] {
        store.add_person(&person(name)).await.unwrap();
    }
    store.add_project(&project("sea")).await.unwrap();
    store.put_role(&role("sea", "ann", Role::Owner)).await.unwrap();
    let own = fill(&store, "~ann", "walrus", 1).await;
    let other = fill(&store, "~ann-b", "narwhal", 2).await;
    let sea = fill(&store, "sea", "porpoise", 3).await;
    let leaving = store.leaving("ann").await.unwrap().unwrap();
    assert_eq!(leaving.last_owner_of, ["sea"]);
    assert_eq!(leaving.workspaces, [own.clone()]);
    assert_eq!((leaving.pairs, leaving.files, leaving.notes), (1, 0, 1));
    assert_eq!(store.leaving("nobody").await.unwrap(), None);
    // A project is not left without an owner, and then nothing was done.
    assert_eq!(store.delete_person("ann").await.unwrap(), ["sea"]);
    assert_eq!(store.count(&own).await.unwrap(), 1);
    store.put_role(&role("sea", "bob", Role::Owner)).await.unwrap();
    assert_eq!(store.delete_person("ann").await.unwrap(), Vec::<String>::new());
    assert_eq!(store.person("ann").await.unwrap(), None);
    assert_eq!(store.project("~ann").await.unwrap(), None);
    assert!(!store.workspaces().await.unwrap().contains(&own));
    assert_eq!(store.search(&own, "walrus", 10).await.unwrap(), []);
    for (key, kept) in [
        ("line:~ann/main", None),
        ("view:~ann/main by ann", None),
        ("view:sea/main by ann", None),
        ("line:sea/main", Some("porpoise")),
        ("line:~ann-b/main", Some("narwhal")),
    ] {
        assert_eq!(store.value(key).await.unwrap().as_deref(), kept, "{key}");
    }
    for (workspace, word) in [(other, "narwhal"), (sea, "porpoise")] {
        assert_eq!(store.count(&workspace).await.unwrap(), 1);
        assert_eq!(store.search(&workspace, word, 10).await.unwrap().len(), 1);
        assert_eq!(store.snippets(&workspace).await.unwrap().len(), 1);
    }
    assert_eq!(store.delete_person("ann").await, Err(StoreError::NotFound(Noun::Person)));
    // Her name is free again, and nothing of hers comes back with it.
    assert!(store.add_person(&person("ann")).await.unwrap());
    assert_eq!(store.snippets(&own).await.unwrap(), []);
}

/// TEA-10: what is handed over stays where it is, and its owner is another.
pub(crate) async fn tea_10_a_person_is_handed_over(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    for name in ["ann", "bob"] {
        store.add_person(&person(name)).await.unwrap();
    }
    for name in ["sea", "land"] {
        store.add_project(&project(name)).await.unwrap();
        store.put_role(&role(name, "ann", Role::Owner)).await.unwrap();
    }
    store.put_role(&role("land", "bob", Role::Owner)).await.unwrap();
    store.put_role(&role("sea", "bob", Role::Viewer)).await.unwrap();
    let own = fill(&store, "~ann", "walrus", 1).await;
    let nobody = store.hand_over_person("ann", "nobody").await;
    assert_eq!(nobody, Err(StoreError::NotFound(Noun::Person)));
    assert!(store.person("ann").await.unwrap().is_some(), "all or nothing");
    store.hand_over_person("ann", "bob").await.unwrap();
    assert_eq!(store.person("ann").await.unwrap(), None);
    assert_eq!(store.count(&own).await.unwrap(), 1);
    let owned: Vec<ProjectRole> = store.roles_of("bob").await.unwrap();
    let owner = |project: &str| role(project, "bob", Role::Owner);
    assert_eq!(owned, [owner("land"), owner("sea"), owner("~ann"), owner("~bob")]);
    assert!(!store.add_person(&person("ann")).await.unwrap(), "her project is there still");
}

/// TEA-10: what somebody used is counted for nobody who comes after them.
pub(crate) async fn tea_10_a_name_that_used_something_is_not_given_again(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    store.add_person(&person("ann")).await.unwrap();
    let used = |project: &str, at| PersonUse {
        person: "ann".to_owned(),
        project: project.to_owned(),
        at,
        tokens: 7,
        cost: 0.5,
    };
    let (sea, own) = (used("sea", at(1)), used("~ann", at(2)));
    store.count_use(&[sea.clone(), own, sea]).await.unwrap();
    let sum =
        |name: &str, calls, cost| TeamUse { name: name.to_owned(), calls, tokens: calls * 7, cost };
    assert_eq!(store.use_of("ann").await.unwrap(), [sum("sea", 2, 1.0), sum("~ann", 1, 0.5)]);
    store.delete_person("ann").await.unwrap();
    assert!(!store.add_person(&person("ann")).await.unwrap());
    store.purge_use(at(1 + DAY_MS), 10).await.unwrap();
    assert!(store.add_person(&person("ann")).await.unwrap());
}
