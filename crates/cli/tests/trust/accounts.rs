//! Other accounts of the same machine are strangers (SEC-8): what they get from a server of
//! ours, and how the token lets them in. Only root can act as another account.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, Command, Stdio},
};

use plimsoll_testkit::{
    http::{self, Answer},
    real::skipped,
    scripted::{Reply, ScriptedServer},
};
use serde_json::{Value, json};

use crate::served::Served;

/// An account that nobody has.
const STRANGER: u32 = 12345;

/// What another account is told to ask.
const ASK: &str = "DOOR_ASK";

/// Not a test by itself: the tests below start this program again as another account, and it
/// asks what they want to know.
#[test]
fn asked_as_another_account() {
    let Ok(ask) = std::env::var(ASK) else { return };
    let ask: Value = serde_json::from_str(&ask).unwrap();
    let text = |name: &str| ask[name].as_str().unwrap_or_default();
    let headers: Vec<(&str, &str)> = ask["headers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair[0].as_str().unwrap(), pair[1].as_str().unwrap()))
        .collect();
    let body = text("body").as_bytes();
    let answer = http::request(text("address"), text("method"), text("path"), &headers, body);
    let answer = answer.unwrap();
    let told = json!({"status": answer.status, "headers": answer.headers, "body": answer.body});
    writeln!(std::io::stdout(), "\nDOOR {told}").unwrap();
}

/// Asks as an account; none if that cannot be done here.
fn ask_as(
    account: u32,
    address: &str,
    (method, path): (&str, &str),
    headers: &[(&str, &str)],
    body: &str,
) -> Option<Answer> {
    let ask = json!({"address": address, "method": method, "path": path,
        "headers": headers, "body": body});
    let ran = Command::new(std::env::current_exe().unwrap())
        .args(["accounts::asked_as_another_account", "--exact", "--nocapture"])
        .env(ASK, ask.to_string())
        .current_dir("/")
        .uid(account)
        .gid(account)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&ran.stdout);
    let line = said.lines().find_map(|line| line.strip_prefix("DOOR "));
    let told: Value = serde_json::from_str(line?).unwrap();
    let headers = serde_json::from_value(told["headers"].clone()).unwrap();
    let body = told["body"].as_str().unwrap().to_owned();
    let status = u16::try_from(told["status"].as_u64().unwrap()).unwrap();
    Some(Answer { status, headers, bytes: body.clone().into_bytes(), body })
}

/// Whether other accounts can be tried here; else it says why not.
fn can_be_others(address: &str) -> bool {
    let asked = ask_as(STRANGER, address, ("GET", "/healthz"), &[], "");
    if asked.is_none() {
        skipped("only root can act as another account, and that account must reach this test");
    }
    asked.is_some_and(|answer| answer.status == 200)
}

fn answering() -> ScriptedServer {
    ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap()
}

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn sec_8_another_account_gets_neither_files_nor_keys() {
    let (server, thief) = (answering(), answering());
    let served = Served::start(&server, 4096);
    if !can_be_others(&served.address) {
        return;
    }
    let secret = served.home().join("id_rsa");
    std::fs::write(&secret, "the words of the key").unwrap();
    let root = json!({"value": served.home().to_str().unwrap()}).to_string();
    let path = json!({"path": secret.to_str().unwrap(), "secret": "allow"}).to_string();
    let evil = json!({"provider": "openai", "baseUrl": thief.base_url(),
        "keyEnv": "PLIMSOLL_TEST_KEY"})
    .to_string();
    let send = json!({"text": "hello", "model": "thief"}).to_string();
    for (method, at, body) in [
        ("PUT", "/api/settings/allowedRoots", root.as_str()),
        ("POST", "/api/files/from-path", &path),
        ("PUT", "/api/models/thief", &evil),
        ("POST", "/api/send", &send),
        ("GET", "/", ""),
        ("GET", "/api/state", ""),
        ("GET", "/api/events", ""),
        ("GET", "/api/settings", ""),
        ("GET", "/metrics", ""),
        ("POST", "/mcp", "{}"),
        ("POST", "/ui/request", "{}"),
    ] {
        let answer = ask_as(STRANGER, &served.address, (method, at), &[JSON], body).unwrap();
        assert_eq!(answer.status, 401, "{method} {at}: {}", answer.body);
        assert!(!answer.body.contains("the words"), "{}", answer.body);
    }
    assert!(thief.requests().is_empty(), "{:?}", thief.requests());
    // The account of the server needs nothing, with one connection for many requests or with
    // many; that is what every other test here does.
    assert_eq!(served.ask("GET", "/api/state", None).status, 200);
}

/// Serves a home with its words on both outputs; gives the address, and what is said of others.
fn serve(home: &Path, server: &ScriptedServer, more: &[&str]) -> (Running, String, String) {
    let models = format!(
        "[[model]]\nid = \"test\"\nprovider = \"openai\"\nbaseUrl = \"{}\"\n",
        server.base_url()
    );
    std::fs::write(home.join("models.toml"), models).unwrap();
    std::fs::write(home.join("config.toml"), "defaultModel = \"test\"\n").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["serve", "--addr", "127.0.0.1:0"])
        .args(more)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut said).unwrap();
    let mut words = String::new();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    while !words.contains("once; ") {
        assert_ne!(stderr.read_line(&mut words).unwrap(), 0, "{words}");
    }
    // Whoever writes to a closed pipe ends.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    (Running(child), said, words)
}

/// A server that ends with this, however its test does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The address in a line, and its query.
fn address_in(line: &str) -> (String, String) {
    let url = line.split("http://").nth(1).unwrap().split_whitespace().next().unwrap();
    let (address, path) = url.split_once('/').unwrap();
    (address.to_owned(), format!("/{path}"))
}

#[test]
fn sec_8_the_token_lets_another_account_in_by_an_address_that_works_once_or_from_a_file() {
    let server = answering();
    let home = tempfile::tempdir().unwrap();
    let (_running, said, words) = serve(home.path(), &server, &[]);
    let (address, plain) = address_in(&said);
    assert_eq!(plain, "/", "our own account needs no code: {said}");
    if !can_be_others(&address) {
        return;
    }
    let (_, once) = address_in(&words);
    let ask = |what: (&str, &str), headers: &[(&str, &str)], body: &str| {
        ask_as(STRANGER, &address, what, headers, body).unwrap()
    };
    let page = ask(("GET", "/"), &[("Accept", "text/html")], "");
    assert!(page.status == 401 && page.body.contains("<form"), "{}", page.body);
    // Of a page that tells nobody where it stands, browsers say that its form comes from nowhere.
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    let first = ask(("GET", &once), &[], "");
    assert_eq!((first.status, first.header("location")), (303, Some("/")), "{}", first.body);
    let cookie = first.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert_eq!(ask(("GET", "/"), &[("Cookie", &cookie)], "").status, 200);
    assert_eq!(ask(("GET", &once), &[], "").status, 401, "the code is used up");
    // A server of a third account at another port is sent the cookie by browsers.
    let thief = ask_as(STRANGER + 1, &address, ("GET", "/"), &[("Cookie", &cookie)], "").unwrap();
    assert_eq!(thief.status, 401);

    let file = home.path().join("data/token");
    let token = std::fs::read_to_string(&file).unwrap().trim().to_owned();
    assert!(words.contains(file.to_str().unwrap()) && !words.contains(&token), "{words}");
    let bearer = format!("Bearer {token}");
    assert_eq!(ask(("GET", "/api/state"), &[("Authorization", &bearer)], "").status, 200);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let entered = ask(("POST", "/enter"), &form, &format!("token={token}"));
    assert_eq!((entered.status, entered.header("location")), (303, Some("/")));
    // The code that was used up was the first wrong try.
    for turn in 1..10 {
        assert_eq!(ask(("POST", "/enter"), &form, &format!("token={turn}")).status, 401);
    }
    assert_eq!(ask(("POST", "/enter"), &form, &format!("token={token}")).status, 429);
}

#[test]
fn sec_9_a_given_token_is_asked_of_everybody_and_is_in_no_address() {
    let server = answering();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("my-token");
    std::fs::write(&file, "s3;cret\n").unwrap();
    let file_name = file.to_str().unwrap();
    let arguments = ["--token-file", file_name];
    let permit = |mode| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    permit(0o644);
    let refused = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(["serve", "--addr", "127.0.0.1:0"])
        .args(arguments)
        .env("PLIMSOLL_CONFIG_DIR", home.path())
        .env("PLIMSOLL_DATA_DIR", home.path().join("data"))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && words.contains("can be read by others"), "{words}");
    permit(0o600);
    let (_running, said, words) = serve(home.path(), &server, &arguments);
    assert!(!said.contains("s3") && !words.contains("s3;cret"), "{said} {words}");
    let (address, once) = address_in(&said);
    let ask = |method: &str, path: &str, headers: &[(&str, &str)], body: &str| {
        http::request(&address, method, path, headers, body.as_bytes()).unwrap()
    };
    assert_eq!(ask("GET", "/api/state", &[], "").status, 401);
    assert_eq!(ask("GET", "/?token=s3;cret", &[], "").status, 401);
    let bearer = [("Authorization", "Bearer s3;cret")];
    assert_eq!(ask("GET", "/api/state", &bearer, "").status, 200);
    // Where another page, or a file, leads here, the cookie would not go along a redirect.
    let fetch = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
    let first = ask("GET", &once, &fetch, "");
    assert!(first.status == 200 && first.body.contains("url=/\""), "{first:?}");
    let cookie = first.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    assert!(!cookie.contains("cret"), "{cookie}");
    assert_eq!(ask("GET", "/api/state", &[("Cookie", &cookie)], "").status, 200);
    let port = address.rsplit(':').next().unwrap();
    assert!(cookie.starts_with(&format!("plimsoll_{port}=")), "{cookie}");
}

#[test]
fn a_link_on_another_page_opens_a_workspace_and_makes_none() {
    let server = answering();
    let served = Served::start(&server, 4096);
    let link = [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")];
    let ask = |path: &str| http::request(&served.address, "GET", path, &link, b"").unwrap().status;
    assert_eq!(ask("/?workspace=made/elsewhere"), 404);
    let metrics = served.ask("GET", "/metrics", None).body;
    assert!(!metrics.contains("made/elsewhere"), "{metrics}");
    assert_eq!(ask("/"), 200);
    let draft = json!({"text": "mine"});
    served.json("PUT", "/api/draft?workspace=made/here", Some(draft));
    assert_eq!(ask("/?workspace=made/here"), 200);
}
