//! A provider of identities that does as it is told: it sends browsers back with a code, signs real
//! tokens, and lies where a test wants it to.
//!
//! It asks nobody anything: whoever is sent to it is the person that the test named.

mod keys;

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use keys::{Key, encoded, token_by_secret, token_of_nobody};
use serde_json::{Value, json};

use crate::scripted::{Recorded, Reply, ScriptedServer};

/// How it misbehaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// The token is for another attempt.
    WrongNonce,
    /// The token names no attempt.
    NoNonce,
    /// The token is for another client.
    WrongAudience,
    /// The token is for this client and another one.
    MoreAudiences,
    /// The token has ended.
    Expired,
    /// The token says that another provider made it.
    OtherIssuer,
    /// The token is signed by a key that is not published, under the id of one that is.
    OtherKey,
    /// Nobody signed the token.
    AlgNone,
    /// The token is signed with the secret of the client.
    SharedSecret,
    /// There is no token.
    NoToken,
    /// The person pressed *deny*.
    Denied,
    /// It comes back with words instead of an error.
    StrangeError,
    /// It says of itself that it is somebody else.
    OtherName,
    /// Its answers cannot be read.
    Garbage,
    /// It closes every connection.
    Down,
    /// What it tells at the other address is about somebody else.
    OtherPerson,
}

struct Code {
    redirect: String,
    challenge: String,
    nonce: Option<String>,
}

struct State {
    keys: Vec<(String, Key)>,
    claims: Value,
    more: Value,
    lie: Option<Lie>,
    codes: HashMap<String, Code>,
    made: u32,
}

/// The provider. It runs until it is dropped.
pub struct OpenIdProvider {
    server: ScriptedServer,
    state: Arc<Mutex<State>>,
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl OpenIdProvider {
    /// The client that it knows.
    pub const CLIENT: &str = "plimsoll-test";
    /// What that proves itself by; it has signs that have to be written otherwise in a header.
    pub const SECRET: &str = "s3cret+canary/of the:client";

    /// Starts a provider that signs by ES256.
    pub fn start() -> io::Result<Self> {
        Self::with(Key::p256())
    }

    /// Starts a provider that signs by RS256.
    pub fn start_rsa() -> io::Result<Self> {
        Self::with(Key::Rsa)
    }

    fn with(key: Key) -> io::Result<Self> {
        let state = Arc::new(Mutex::new(State {
            keys: vec![("key-1".to_owned(), key)],
            claims: json!({}),
            more: json!({}),
            lie: None,
            codes: HashMap::new(),
            made: 0,
        }));
        let of_script = Arc::clone(&state);
        let server = ScriptedServer::answering(move |request| {
            let host = request.header("host").unwrap_or_default();
            answer(&mut locked(&of_script), request, &format!("http://{host}"))
        })?;
        Ok(Self { server, state })
    }

    /// What goes into the settings.
    pub fn issuer(&self) -> String {
        self.server.root_url()
    }

    /// Whoever comes next is this: claims of the ID token besides those that every token has.
    pub fn person(&self, claims: Value) {
        locked(&self.state).claims = claims;
    }

    /// What is told only at the address for more.
    pub fn more(&self, claims: Value) {
        locked(&self.state).more = claims;
    }

    /// From now on it lies in this way, or in none.
    pub fn lies(&self, lie: Option<Lie>) {
        locked(&self.state).lie = lie;
    }

    /// From now on it signs by another key, and publishes that alone.
    pub fn changes_its_key(&self) {
        let mut state = locked(&self.state);
        let id = format!("key-{}", state.keys.len() + 1);
        state.keys.push((id, Key::p256()));
    }

    /// How often a path was asked for.
    pub fn asked_for(&self, path: &str) -> usize {
        let requests = self.server.requests();
        requests.iter().filter(|one| one.path.split('?').next() == Some(path)).count()
    }

    /// Where a browser is sent that goes to an address of the provider.
    pub fn sends_back(&self, address: &str) -> io::Result<String> {
        let wrong = |words: &str| io::Error::other(format!("{words}: {address}"));
        let path = address.strip_prefix(&self.issuer()).ok_or_else(|| wrong("not the provider"))?;
        let host = self.issuer().replace("http://", "");
        let answer = crate::http::request(&host, "GET", path, &[], b"")?;
        let back = answer.header("location").map(str::to_owned);
        back.ok_or_else(|| wrong(&format!("{} {}", answer.status, answer.body)))
    }
}

fn answer(state: &mut State, request: &Recorded, issuer: &str) -> Reply {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    match (state.lie, path) {
        (Some(Lie::Down), _) => Reply::closes_at_once(),
        (Some(Lie::Garbage), _) => Reply::json(200, "{\"half"),
        (_, "/.well-known/openid-configuration") => published(state, issuer),
        (_, "/keys") => {
            let newest = state.keys.last().map(|(id, key)| key.published(id));
            Reply::json(200, json!({"keys": newest.into_iter().collect::<Vec<_>>()}).to_string())
        }
        (_, "/authorize") => authorize(state, &pairs(query)),
        (_, "/token") => token(state, request, issuer),
        (_, "/userinfo") => userinfo(state, request),
        _ => Reply::error(404, "there is no such page"),
    }
}

fn published(state: &State, issuer: &str) -> Reply {
    let name = if state.lie == Some(Lie::OtherName) { "http://127.0.0.1:1" } else { issuer };
    let algorithm = state.keys.last().map(|(_, key)| key.algorithm());
    let document = json!({
        "issuer": name,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": [algorithm, "none"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "code_challenge_methods_supported": ["S256"],
    });
    Reply::json(200, document.to_string())
}

fn authorize(state: &mut State, asked: &HashMap<String, String>) -> Reply {
    let field = |name: &str| asked.get(name).cloned().unwrap_or_default();
    let right = field("client_id") == OpenIdProvider::CLIENT
        && field("response_type") == "code"
        && field("code_challenge_method") == "S256"
        && field("scope").split(' ').any(|scope| scope == "openid");
    if !right {
        return Reply::error(400, "this is no question of our client");
    }
    let redirect = field("redirect_uri");
    let back = |what: &str| {
        let location = format!("{redirect}?{what}&state={}", field("state"));
        Reply::whole(302, &[("location", &location)], "")
    };
    match state.lie {
        Some(Lie::Denied) => return back("error=access_denied&error_description=no"),
        Some(Lie::StrangeError) => return back("error=Call+0900+now"),
        _ => {}
    }
    state.made += 1;
    let code = format!("code-{}", state.made);
    let challenge = field("code_challenge");
    let nonce = asked.get("nonce").cloned();
    state.codes.insert(code.clone(), Code { redirect: redirect.clone(), challenge, nonce });
    back(&format!("code={code}"))
}

fn token(state: &mut State, request: &Recorded, issuer: &str) -> Reply {
    let refused = |error: &str| Reply::json(400, json!({ "error": error }).to_string());
    let asked = pairs(&request.body);
    let field = |name: &str| asked.get(name).map(String::as_str).unwrap_or_default();
    let basic = request.header("authorization").and_then(|text| text.strip_prefix("Basic "));
    let basic = basic.and_then(|text| BASE64_STANDARD.decode(text).ok()).unwrap_or_default();
    let basic = String::from_utf8(basic).unwrap_or_default();
    let known = basic.split_once(':').is_some_and(|(client, secret)| {
        decoded(client) == OpenIdProvider::CLIENT && decoded(secret) == OpenIdProvider::SECRET
    });
    if !known {
        return Reply::json(401, json!({"error": "invalid_client"}).to_string());
    }
    // A code is for one exchange, for whoever has what it was asked for with.
    let Some(code) = state.codes.remove(field("code")) else { return refused("invalid_grant") };
    let verifier = ring::digest::digest(&ring::digest::SHA256, field("code_verifier").as_bytes());
    if encoded(verifier) != code.challenge || field("redirect_uri") != code.redirect {
        return refused("invalid_grant");
    }
    let mut answer = json!({"access_token": "access", "token_type": "Bearer", "expires_in": 60});
    if let Some(token) = id_token(state, &code, issuer) {
        answer["id_token"] = token.into();
    }
    Reply::json(200, answer.to_string())
}

fn id_token(state: &State, code: &Code, issuer: &str) -> Option<String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let mut claims = json!({
        "iss": issuer, "aud": OpenIdProvider::CLIENT, "iat": now - 1, "exp": now + 60,
        "nonce": code.nonce,
    });
    for (name, value) in state.claims.as_object().into_iter().flatten() {
        claims[name] = value.clone();
    }
    let (id, key) = state.keys.last()?;
    match state.lie {
        Some(Lie::WrongNonce) => claims["nonce"] = "another".into(),
        Some(Lie::NoNonce) => claims["nonce"] = Value::Null,
        Some(Lie::WrongAudience) => claims["aud"] = "another".into(),
        Some(Lie::MoreAudiences) => claims["aud"] = json!([OpenIdProvider::CLIENT, "another"]),
        Some(Lie::Expired) => claims["exp"] = (now - 3600).into(),
        Some(Lie::OtherIssuer) => claims["iss"] = "http://127.0.0.1:1".into(),
        Some(Lie::OtherKey) => return Some(Key::p256().token(id, &claims)),
        Some(Lie::AlgNone) => return Some(token_of_nobody(&claims)),
        Some(Lie::SharedSecret) => return Some(token_by_secret(OpenIdProvider::SECRET, &claims)),
        Some(Lie::NoToken) => return None,
        _ => {}
    }
    Some(key.token(id, &claims))
}

fn userinfo(state: &State, request: &Recorded) -> Reply {
    if request.header("authorization") != Some("Bearer access") {
        return Reply::error(401, "who are you?");
    }
    let mut claims = json!({"sub": state.claims["sub"]});
    for (name, value) in state.more.as_object().into_iter().flatten() {
        claims[name] = value.clone();
    }
    if state.lie == Some(Lie::OtherPerson) {
        claims["sub"] = "somebody else".into();
    }
    Reply::json(200, claims.to_string())
}

/// The fields of a form or of a query.
fn pairs(text: &str) -> HashMap<String, String> {
    let fields = text.split('&').filter_map(|field| field.split_once('='));
    fields.map(|(name, value)| (decoded(name), decoded(value))).collect()
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8(digits).unwrap_or_default();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap_or(b'?'));
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
