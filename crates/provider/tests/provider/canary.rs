//! SEC-4: a canary key is looked for in everything that leaves this crate.

use plimsoll_provider::{
    Anthropic, Endpoint, Gemini, LocalServer, OpenAiStyle, Provider, ProviderFailure, Secret,
};
use plimsoll_testkit::scripted::{Recorded, Reply, ScriptedServer};

use super::{PATIENT, endpoint, heard, request};

const CANARY: &str = "sk-canary-0123456789abcdef0123";

fn providers(endpoint: &Endpoint) -> [Box<dyn Provider>; 3] {
    [
        Box::new(OpenAiStyle::new(endpoint.clone()).unwrap()),
        Box::new(Anthropic::new(endpoint.clone()).unwrap()),
        Box::new(Gemini::new(endpoint.clone()).unwrap()),
    ]
}

/// A server that answers with everything that it was sent, in every way it can.
fn echoes() -> Vec<fn(&Recorded) -> Reply> {
    fn all(request: &Recorded) -> String {
        format!("{:?}", request.headers).replace(['"', '\\'], "")
    }
    fn error(request: &Recorded) -> String {
        format!(r#"{{"error":{{"message":"bad key {}","code":"{CANARY}"}}}}"#, all(request))
    }
    vec![
        |request| Reply::json(401, error(request)),
        |request| Reply::json(200, error(request)),
        |request| Reply::whole(500, &[("x-echo", &all(request)), ("set-cookie", CANARY)], ""),
        |request| Reply::stream().event(error(request)).end(),
        |request| Reply::stream().named_event("error", all(request)).end(),
        |request| Reply::stream().chunk(all(request)).end(),
        |request| Reply::stream().event(all(request)).end(),
        |_| Reply::whole(302, &[("location", &format!("/{CANARY}?key={CANARY}"))], ""),
        |_| Reply::openai_open(&[&format!("Your key is {CANARY}.")]).close(),
        |_| Reply::anthropic(&[&format!("Your key is {CANARY}.")], 1, 0, 1),
        |_| Reply::gemini(&[&format!("Your key is {CANARY}.")], 1, 1),
    ]
}

#[tokio::test]
async fn sec_4_the_key_is_in_no_answer_failure_or_list() {
    for (at, echo) in echoes().into_iter().enumerate() {
        let server = ScriptedServer::answering(echo).unwrap();
        let endpoint = endpoint(&server, PATIENT).with_key(Secret::new(CANARY));
        for provider in providers(&endpoint) {
            let heard = heard(provider.as_ref()).await;
            let fault = heard.failure.as_ref().map(ProviderFailure::fault);
            let listed = provider.models().await;
            let told = format!("{heard:?} {fault:?} {listed:?}");
            assert!(!told.contains("canary"), "{at}: {told}");
        }
        let sent = server.requests();
        assert!(sent.iter().all(|asked| format!("{:?}", asked.headers).contains(CANARY)));
        assert!(sent.iter().all(|asked| !asked.body.contains(CANARY)));
        assert!(sent.iter().all(|asked| !asked.path.contains(CANARY)));
    }
}

#[tokio::test]
async fn sec_4_the_key_is_in_no_description_and_no_body() {
    let server = ScriptedServer::always(Reply::auth()).unwrap();
    let endpoint = endpoint(&server, PATIENT).with_key(Secret::new(CANARY));
    let openai = OpenAiStyle::new(endpoint.clone()).unwrap();
    let anthropic = Anthropic::new(endpoint.clone()).unwrap();
    let gemini = Gemini::new(endpoint.clone()).unwrap();
    let described = format!("{endpoint:?} {openai:?} {anthropic:?} {gemini:?}");
    assert!(!described.contains("canary"), "{described}");
    for provider in providers(&endpoint) {
        assert!(!provider.encode(&request()).into_body().contains("canary"));
        assert!(!format!("{} {}", provider.base_url(), provider.name()).contains("canary"));
    }
}

#[tokio::test]
async fn sec_4_a_redirect_elsewhere_does_not_take_the_key_along() {
    let thief = ScriptedServer::always(Reply::openai(&["Thank you."], 1, 1)).unwrap();
    let elsewhere = format!("{}/v1/chat/completions", thief.root_url());
    let server = ScriptedServer::always(Reply::redirect(&elsewhere)).unwrap();
    let endpoint = endpoint(&server, PATIENT).with_key(Secret::new(CANARY));
    for provider in providers(&endpoint) {
        let failure = heard(provider.as_ref()).await.failure.unwrap();
        assert_eq!(failure.status, Some(307));
        assert!(failure.transport.unwrap().contains("was not followed"));
    }
    assert!(thief.requests().is_empty());
}

#[tokio::test]
async fn prv_2_discovery_sends_no_key() {
    let server = ScriptedServer::always(Reply::json(200, r#"{"data":[]}"#)).unwrap();
    let place = plimsoll_provider::Place {
        kind: plimsoll_provider::LocalKind::Ollama,
        base_url: server.base_url(),
    };
    let found: Vec<LocalServer> = plimsoll_provider::discover_at(vec![place]).await;
    assert_eq!(found.len(), 1);
    let asked = server.requests();
    assert!(asked.iter().all(|asked| asked.header("authorization").is_none()));
}
