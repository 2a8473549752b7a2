//! The way to a provider and back, before one that signs real tokens and lies as it is told (TEA-9).

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::sync::Arc;

use plimsoll_openid::{
    Answering, Ask, Attempt, Failure, Identity, NotAnswered, OpenId, Request, Response, Rules,
    Setup,
};
use plimsoll_testkit::{
    http,
    openid_provider::{Lie, OpenIdProvider},
};
use serde_json::json;

const BACK: &str = "http://127.0.0.1:7411/sign-in/callback";

struct Sockets;

impl Ask for Sockets {
    fn ask(&self, request: Request) -> Answering {
        let asked = tokio::task::spawn_blocking(move || blocking(&request));
        Box::pin(async move { asked.await.unwrap().map_err(NotAnswered) })
    }
}

fn blocking(request: &Request) -> Result<Response, String> {
    let host = request.uri().authority().unwrap().as_str();
    let path = request.uri().path_and_query().unwrap().as_str();
    let headers: Vec<(&str, &str)> = request
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str(), value.to_str().unwrap()))
        .collect();
    let answer = http::request(host, request.method().as_str(), path, &headers, request.body())
        .map_err(|error| error.to_string())?;
    let mut response = Response::new(answer.bytes);
    *response.status_mut() = answer.status.try_into().unwrap();
    for (name, value) in &answer.headers {
        let name = ::http::HeaderName::from_bytes(name.as_bytes()).unwrap();
        response.headers_mut().insert(name, value.parse().unwrap());
    }
    Ok(response)
}

fn openid_with(issuer: String, secret: &str) -> OpenId {
    let setup = Setup {
        issuer,
        client: OpenIdProvider::CLIENT.to_owned(),
        secret: Some(secret.to_owned()),
        scopes: vec!["email".to_owned(), "profile".to_owned()],
        shown_name: "Harbour".to_owned(),
        rules: Rules::default(),
        adds_people: false,
    };
    OpenId::new(setup, Arc::new(Sockets)).unwrap()
}

fn openid(provider: &OpenIdProvider) -> OpenId {
    openid_with(provider.issuer(), OpenIdProvider::SECRET)
}

fn ann(provider: &OpenIdProvider) {
    provider.person(json!({
        "sub": "7", "email": "ann@example.org", "email_verified": true,
        "preferred_username": "ann", "groups": ["crew"],
    }));
}

/// The code with which a browser comes back.
async fn code(openid: &OpenId, provider: &OpenIdProvider, attempt: &Attempt) -> String {
    let address = openid.address(attempt, BACK).await.unwrap();
    let back = provider.sends_back(&address).unwrap();
    let (_, rest) = back.split_once("code=").unwrap();
    rest.split('&').next().unwrap().to_owned()
}

async fn signs_in(openid: &OpenId, provider: &OpenIdProvider) -> Result<Identity, Failure> {
    let attempt = Attempt::new("browser", "state");
    let code = code(openid, provider, &attempt).await;
    openid.identity(&attempt, BACK, &code).await
}

#[tokio::test(flavor = "multi_thread")]
async fn tea_9_both_kinds_of_signatures_tell_who_somebody_is() {
    for provider in [OpenIdProvider::start().unwrap(), OpenIdProvider::start_rsa().unwrap()] {
        ann(&provider);
        let openid = openid(&provider);
        let identity = signs_in(&openid, &provider).await.unwrap();
        let expected = Identity {
            issuer: provider.issuer(),
            subject: "7".to_owned(),
            email: Some("ann@example.org".to_owned()),
            email_verified: true,
            username: Some("ann".to_owned()),
            groups: vec!["crew".to_owned()],
        };
        assert_eq!(identity, expected);
        assert_eq!(identity.bound_subject(), format!("{} 7", provider.issuer()));
        signs_in(&openid, &provider).await.unwrap();
        // What it publishes is asked for once, and people's other address not at all.
        assert_eq!(provider.asked_for("/.well-known/openid-configuration"), 1);
        assert_eq!(provider.asked_for("/keys"), 1);
        assert_eq!(provider.asked_for("/userinfo"), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tea_9_a_token_that_is_not_right_proves_nothing() {
    let provider = OpenIdProvider::start().unwrap();
    ann(&provider);
    let openid = openid(&provider);
    for lie in [
        Lie::WrongNonce,
        Lie::NoNonce,
        Lie::WrongAudience,
        Lie::MoreAudiences,
        Lie::Expired,
        Lie::OtherIssuer,
        Lie::OtherKey,
        Lie::AlgNone,
        Lie::SharedSecret,
        Lie::NoToken,
    ] {
        provider.lies(Some(lie));
        let refused = signs_in(&openid, &provider).await;
        assert!(matches!(refused, Err(Failure::NotProven(_))), "{lie:?}: {refused:?}");
        let words = refused.unwrap_err().to_string();
        assert!(!words.contains(OpenIdProvider::SECRET), "{words}");
    }
    provider.lies(None);
    assert!(signs_in(&openid, &provider).await.is_ok());
    // Claims that name nobody.
    provider.person(json!({"email": "ann@example.org", "email_verified": true}));
    assert!(signs_in(&openid, &provider).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn tea_9_a_key_that_was_changed_is_asked_for() {
    let provider = OpenIdProvider::start().unwrap();
    ann(&provider);
    let openid = openid(&provider);
    signs_in(&openid, &provider).await.unwrap();
    provider.changes_its_key();
    signs_in(&openid, &provider).await.unwrap();
    assert_eq!(provider.asked_for("/keys"), 2);
    signs_in(&openid, &provider).await.unwrap();
    assert_eq!(provider.asked_for("/keys"), 2);
    // Other lies are no reason to ask.
    provider.lies(Some(Lie::WrongNonce));
    assert!(signs_in(&openid, &provider).await.is_err());
    assert_eq!(provider.asked_for("/keys"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn tea_9_a_code_is_for_one_attempt_of_one_browser() {
    let provider = OpenIdProvider::start().unwrap();
    ann(&provider);
    let openid = openid(&provider);
    let attempt = Attempt::new("browser", "state");
    let taken = code(&openid, &provider, &attempt).await;
    openid.identity(&attempt, BACK, &taken).await.unwrap();
    let again = openid.identity(&attempt, BACK, &taken).await;
    assert!(matches!(again, Err(Failure::CodeRefused(_))), "{again:?}");
    // Somebody else's browser has another verifier, and another state has, too.
    for other in [Attempt::new("other", "state"), Attempt::new("browser", "other")] {
        let stolen = code(&openid, &provider, &attempt).await;
        let refused = openid.identity(&other, BACK, &stolen).await;
        assert!(matches!(refused, Err(Failure::CodeRefused(_))), "{refused:?}");
    }
    let code = code(&openid, &provider, &attempt).await;
    let elsewhere = openid.identity(&attempt, "http://127.0.0.1:1/x", &code).await;
    assert!(matches!(elsewhere, Err(Failure::CodeRefused(_))), "{elsewhere:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tea_9_what_is_wrong_with_a_provider_is_told_apart() {
    let provider = OpenIdProvider::start().unwrap();
    ann(&provider);
    let attempt = Attempt::new("browser", "state");
    let asks = async |lie: Lie| {
        provider.lies(Some(lie));
        openid(&provider).address(&attempt, BACK).await.unwrap_err()
    };
    assert!(matches!(asks(Lie::Down).await, Failure::Unreachable(_)));
    assert!(matches!(asks(Lie::Garbage).await, Failure::Misconfigured(_)));
    let other = asks(Lie::OtherName).await;
    assert!(matches!(&other, Failure::Misconfigured(words) if words.contains("127.0.0.1:1")));
    provider.lies(None);
    // A slash more is another issuer, as the standard wants it.
    let slash = openid_with(format!("{}/", provider.issuer()), "x").address(&attempt, BACK).await;
    assert!(matches!(slash, Err(Failure::Misconfigured(_))), "{slash:?}");
    let refused = signs_in(&openid_with(provider.issuer(), "wrong"), &provider).await;
    assert!(matches!(refused, Err(Failure::ClientRefused(_))), "{refused:?}");
    // Known once, it may be away for a while; then nobody signs in, and nothing is forgotten.
    let openid = openid(&provider);
    let code = code(&openid, &provider, &attempt).await;
    provider.lies(Some(Lie::Down));
    assert!(openid.address(&attempt, BACK).await.is_ok());
    let refused = openid.identity(&attempt, BACK, &code).await;
    assert!(matches!(refused, Err(Failure::Unreachable(_))), "{refused:?}");
    provider.lies(None);
    assert!(openid.identity(&attempt, BACK, &code).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn tea_9_what_the_token_does_not_say_is_asked_for_about_the_same_person() {
    let provider = OpenIdProvider::start().unwrap();
    provider.person(json!({"sub": "7"}));
    provider.more(json!({"email": "ann@example.org", "email_verified": "true", "groups": "crew"}));
    let openid = openid(&provider);
    let identity = signs_in(&openid, &provider).await.unwrap();
    assert_eq!(identity.email.as_deref(), Some("ann@example.org"));
    assert!(identity.email_verified, "some write truths as texts");
    assert_eq!(provider.asked_for("/userinfo"), 1);
    provider.lies(Some(Lie::OtherPerson));
    let refused = signs_in(&openid, &provider).await;
    assert!(matches!(refused, Err(Failure::NotProven(_))), "{refused:?}");
}

/// Where the provider is known by HTTPS, nothing leads to plain HTTP.
#[tokio::test(flavor = "multi_thread")]
async fn tea_9_nobody_is_led_from_https_to_plain_http() {
    struct Published(&'static str, &'static str);
    impl Ask for Published {
        fn ask(&self, request: Request) -> Answering {
            let body = match request.uri().path() {
                "/keys" => json!({"keys": []}),
                _ => json!({
                    "issuer": "https://id.example.org", "jwks_uri": self.0,
                    "authorization_endpoint": self.1,
                    "token_endpoint": "https://id.example.org/token",
                    "response_types_supported": ["code"], "subject_types_supported": ["public"],
                    "id_token_signing_alg_values_supported": ["RS256"],
                }),
            };
            let mut answer = Response::new(body.to_string().into_bytes());
            let kind = "application/json".parse().unwrap();
            answer.headers_mut().insert("content-type", kind);
            Box::pin(async move { Ok(answer) })
        }
    }
    let asks = async |keys, authorize| {
        let mut setup = openid_with("https://id.example.org".to_owned(), "x").setup().clone();
        setup.secret = None;
        let openid = OpenId::new(setup, Arc::new(Published(keys, authorize))).unwrap();
        openid.address(&Attempt::new("browser", "state"), BACK).await
    };
    let (keys, authorize) = ("https://id.example.org/keys", "https://id.example.org/authorize");
    let address = asks(keys, authorize).await.unwrap();
    for part in [
        "https://id.example.org/authorize?response_type=code",
        "code_challenge_method=S256",
        "&state=state",
        "&nonce=",
        "scope=openid+email+profile",
    ] {
        assert!(address.contains(part), "{part} in {address}");
    }
    assert!(asks("http://id.example.org/keys", authorize).await.is_err());
    assert!(asks(keys, "http://id.example.org/authorize").await.is_err());
}
