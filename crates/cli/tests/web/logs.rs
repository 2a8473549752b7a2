//! The log: each line of a send carries the id of the request that began it, and none its words.

use std::os::unix::fs::PermissionsExt;

use plimsoll_testkit::{
    http,
    scripted::{Reply, ScriptedServer},
};

use crate::served::Served;

#[test]
fn prv_3_the_log_follows_a_request_to_the_provider_and_repeats_no_words() {
    let server = ScriptedServer::chats([Reply::openai(&["a secret answer"], 14, 6)]).unwrap();
    let served = Served::start_with(&server, 4096, |home| {
        let config = "defaultModel = \"test\"\nlog = \"debug\"\nlogToFile = true\n";
        std::fs::write(home.join("config.toml"), config).unwrap();
    });
    let mut events = served.events();
    let headers = [("Content-Type", "application/json"), ("X-Request-Id", "page-17")];
    let body = br#"{"text": "a secret question"}"#;
    let answer = http::request(&served.address, "POST", "/api/send?x=hidden", &headers, body);
    assert_eq!(answer.unwrap().header("x-request-id"), Some("page-17"));
    events.until("ended").unwrap();
    assert!(served.ask("GET", "/healthz", None).header("x-request-id").is_some());

    let path = served.home().join("data/plimsoll.log");
    let log = std::fs::read_to_string(&path).unwrap();
    for said in ["calls the model", "provider answered", "send ended", "answered status=202"] {
        let line = log.lines().find(|line| line.contains(said));
        let line = line.unwrap_or_else(|| panic!("{said} in\n{log}"));
        assert!(line.contains("id=page-17") && line.contains("path=\"/api/send\""), "{line}");
    }
    assert!(!log.contains("secret") && !log.contains("hidden"), "{log}");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}
