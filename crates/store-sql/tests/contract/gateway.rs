//! Calls through the gateway, their keys and their counters.

use plimsoll_domain::{ReceiptId, Usage};
use plimsoll_store::{ClientKey, ClientUse, GatewayCall};

use super::{Backend, at, ready};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

fn call(number: u8, at_ms: i64, client: Option<&str>) -> GatewayCall {
    let time = at(at_ms);
    GatewayCall {
        id: ReceiptId::new(time, [number; 10]),
        at: time,
        client: client.map(str::to_owned),
        project: None,
        protocol: "chat".to_owned(),
        model: "m".to_owned(),
        stage: "success".to_owned(),
        estimate: 90,
        usage: Some(Usage { prompt: 100, cached: 40, completion: 20, reasoning: 5 }),
        cost: Some(0.25),
        left_out: 3,
        body: format!("{{\"number\":{number}}}"),
    }
}

fn key(name: &str, hash: &str) -> ClientKey {
    ClientKey {
        name: name.to_owned(),
        hash: hash.to_owned(),
        created_at: at(1),
        models: vec!["a".to_owned(), "b c".to_owned()],
        tokens_per_day: Some(1000),
        cost_per_month: Some(2.5),
        requests_per_minute: None,
        concurrent: Some(2),
        over_budget: Some("fit".to_owned()),
    }
}

/// GWY-9: calls come back as they were written, the newest first, and one that is written twice
/// counts once.
pub(crate) async fn gwy_9_calls_come_back_as_they_were_written(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let all = [call(1, 10, Some("ann")), call(2, 30, None), call(3, 20, Some("ann"))];
    store.put_gateway_calls(&all).await.unwrap();
    store.put_gateway_calls(&all[..1]).await.unwrap();
    for one in &all {
        assert_eq!(store.gateway_call(one.id).await.unwrap().as_ref(), Some(one));
    }
    assert_eq!(store.gateway_call(ReceiptId::new(at(9), [9; 10])).await.unwrap(), None);
    let bare = |call: &GatewayCall| GatewayCall { body: String::new(), ..call.clone() };
    let newest = store.gateway_calls(2).await.unwrap();
    assert_eq!(newest, [bare(&all[1]), bare(&all[2])]);
    let used = store.client_use("ann", at(40)).await.unwrap();
    assert_eq!((used.calls_today, used.tokens_today), (2, 240));
    assert_eq!(store.gateway_calls_of("ann", 9).await.unwrap(), [bare(&all[2]), bare(&all[0])]);
    // TEA-10: a call of somebody of a team counts for them and for its project, once.
    let of_team = GatewayCall { project: Some("sea".to_owned()), ..call(4, 50, Some("ann")) };
    for _ in 0..2 {
        store.put_gateway_calls(std::slice::from_ref(&of_team)).await.unwrap();
    }
    let used = store.used_in_project("sea", at(60)).await.unwrap();
    assert_eq!((used.calls, used.tokens, used.cost), (1, 120, 0.25));
    assert_eq!(store.used_by_person("ann", at(60)).await.unwrap().tokens, 120);
}

/// GWY-15: counters are kept by day, and those of a month are those of thirty days.
pub(crate) async fn gwy_15_a_client_has_counters(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    let calls: Vec<GatewayCall> = [0, 1, 29, 30]
        .into_iter()
        .map(|day| call(day, i64::from(day) * DAY_MS + 5, Some("ann")))
        .collect();
    store.put_gateway_calls(&calls).await.unwrap();
    let used = |name: &'static str, day: i64| store.client_use(name, at(day * DAY_MS + 9));
    let expected = |calls_today, tokens_today, cost_of_month| ClientUse {
        calls_today,
        tokens_today,
        cost_of_month,
    };
    assert_eq!(used("ann", 1).await.unwrap(), expected(1, 120, 0.5));
    assert_eq!(used("ann", 29).await.unwrap(), expected(1, 120, 0.75));
    assert_eq!(used("ann", 30).await.unwrap(), expected(1, 120, 0.75), "the first one is over");
    assert_eq!(used("ann", 31).await.unwrap(), expected(0, 0, 0.5));
    assert_eq!(used("bob", 1).await.unwrap(), ClientUse::default());
    // What was read and not reported counts by its estimate; what was refused does not.
    let silent = |number, stage: &str| GatewayCall {
        usage: None,
        cost: None,
        stage: stage.to_owned(),
        ..call(number, 7, Some("bob"))
    };
    let calls = [silent(90, "success"), silent(91, "cancelled"), silent(92, "error")];
    store.put_gateway_calls(&calls).await.unwrap();
    assert_eq!(used("bob", 0).await.unwrap(), expected(3, 180, 0.0));
}

/// GWY-15: a key has one name and is found by its hash.
pub(crate) async fn gwy_15_keys_have_names(backend: &impl Backend) {
    let (store, _) = ready(backend).await;
    assert!(store.add_client_key(&key("bob", "h2")).await.unwrap());
    assert!(store.add_client_key(&key("ann", "h1")).await.unwrap());
    assert!(!store.add_client_key(&key("ann", "h3")).await.unwrap(), "the name is taken");
    assert_eq!(store.client_keys().await.unwrap(), [key("ann", "h1"), key("bob", "h2")]);
    assert_eq!(store.client_key_by_hash("h2").await.unwrap(), Some(key("bob", "h2")));
    assert_eq!(store.client_key_by_hash("h3").await.unwrap(), None);
    assert!(store.remove_client_key("bob").await.unwrap());
    assert!(!store.remove_client_key("bob").await.unwrap());
    assert_eq!(store.client_key_by_hash("h2").await.unwrap(), None);
}
