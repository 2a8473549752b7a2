use axum::body::Body;

use super::*;

const PORT: u16 = 7411;

fn peer(account: Account) -> Peer {
    Peer { address: ([127, 0, 0, 1], 50_000).into(), account, port: PORT }
}

fn asked_by(peer: Peer, method: &str, uri: &str, headers: &[(&str, &str)]) -> Request {
    let mut request = Request::builder().method(method).uri(uri).extension(peer);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}

/// Asked by somebody who needs the token.
fn asked(method: &str, uri: &str, headers: &[(&str, &str)]) -> Request {
    asked_by(peer(Account::Other(12345)), method, uri, headers)
}

fn access() -> Access {
    let token = Token::new("s3cret", "random");
    token.let_in_once("code");
    Access { hosts: vec!["192.168.7.9".into()], own_account: true, token }
}

/// Whether somebody of our own account is let in.
fn open(access: &Access, method: &str, headers: &[(&str, &str)]) -> bool {
    let own = asked_by(peer(Account::Own), method, "/api/state", headers);
    matches!(access.check(&own), Ok(Welcome::In))
}

fn let_in(access: &Access, headers: &[(&str, &str)]) -> bool {
    matches!(access.check(&asked("GET", "/api/state", headers)), Ok(Welcome::In))
}

const HOST: (&str, &str) = ("host", "localhost:7411");

#[test]
fn sec_1_only_names_of_this_machine_are_answered() {
    let access = access();
    for host in ["127.0.0.1:7411", "localhost:7411", "LOCALHOST", "[::1]:7411", "192.168.7.9:1"] {
        assert!(open(&access, "GET", &[("host", host)]), "{host}");
    }
    for host in ["evil.example", "evil.example:7411", "127.0.0.1.evil.example", "10.0.0.1", ""] {
        assert!(!open(&access, "GET", &[("host", host)]), "rebinding by {host}");
    }
    assert!(!open(&access, "GET", &[]), "no host");
}

#[test]
fn sec_1_other_pages_can_neither_read_nor_write() {
    let access = access();
    assert!(open(&access, "POST", &[HOST, ("origin", "http://localhost:7411")]));
    for origin in ["http://evil.example", "http://localhost:9999", "null", "https://localhost"] {
        assert!(!open(&access, "POST", &[HOST, ("origin", origin)]), "{origin}");
        assert!(!open(&access, "GET", &[HOST, ("origin", origin)]), "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert!(!open(&access, "POST", &[HOST, ("sec-fetch-site", site)]), "{site}");
        assert!(!open(&access, "GET", &[HOST, ("sec-fetch-site", site)]), "{site}");
    }
    let link = [HOST, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
    assert!(open(&access, "GET", &link), "a link may open the page");
    assert!(!open(&access, "POST", &link), "a form on another page may not post");
}

#[test]
fn sec_8_the_own_account_needs_nothing_and_all_others_the_token() {
    let mut access = access();
    assert!(open(&access, "GET", &[HOST]));
    for account in [Account::Other(0), Account::Other(12345), Account::Unknown] {
        let request = asked_by(peer(account), "GET", "/api/state", &[HOST]);
        assert!(matches!(access.check(&request), Err(Refused::Token)), "{account:?}");
        let lives = asked_by(peer(account), "GET", "/healthz", &[HOST]);
        assert!(matches!(access.check(&lives), Ok(Welcome::In)), "{account:?}");
    }
    access.own_account = false;
    assert!(!open(&access, "GET", &[HOST]), "where a token was asked for, everybody needs it");
    let nobody = Request::builder().uri("/").header("host", "localhost").body(Body::empty());
    assert!(access.check(&nobody.unwrap()).is_err(), "who is not told is nobody's");
}

#[test]
fn sec_1_a_token_is_asked_for_and_moves_to_a_cookie() {
    let access = access();
    assert!(!let_in(&access, &[HOST]));
    assert!(!let_in(&access, &[HOST, ("authorization", "Bearer wrong")]));
    assert!(let_in(&access, &[HOST, ("authorization", "Bearer s3cret")]));
    let head = access.check(&asked("HEAD", "/?token=code", &[HOST]));
    assert!(matches!(head, Err(Refused::Token)), "a look does not use the code up");
    let first = access.check(&asked("GET", "/?token=code&workspace=a/b", &[HOST]));
    let Ok(Welcome::Elsewhere { cookie: Some(cookie), to, .. }) = first else {
        panic!("{first:?}")
    };
    assert_eq!(to, "/?workspace=a/b");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains("s3cret") && !cookie.contains("code"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    assert!(let_in(&access, &[HOST, ("cookie", &format!("a=b; {pair}; c=d"))]));
    assert!(!let_in(&access, &[HOST, ("cookie", &format!("x{pair}"))]));
}

#[test]
fn sec_9_a_code_lets_in_once_and_the_token_is_in_no_address() {
    let access = access();
    let of = |uri: &str| access.check(&asked("GET", uri, &[HOST]));
    assert!(matches!(of("/?token=s3cret"), Err(Refused::Token)));
    assert!(matches!(of("/?token=code"), Ok(Welcome::Elsewhere { .. })));
    assert!(matches!(of("/?token=code"), Err(Refused::Token)), "it is used up");
}

#[test]
fn sec_9_a_code_leads_to_this_server_alone() {
    for (address, to) in [
        ("/?token=code", "/"),
        ("//evil.example?token=code", "/evil.example"),
        ("///evil.example/x?a=b&token=code", "/evil.example/x?a=b"),
        ("/a//b?token=code", "/a//b"),
    ] {
        let first = access().check(&asked("GET", address, &[HOST]));
        let Ok(Welcome::Elsewhere { to: led, .. }) = first else { panic!("{address}: {first:?}") };
        assert_eq!(led, to, "{address}");
    }
}

#[test]
fn sec_9_a_cookie_is_good_at_its_port_and_for_its_client_alone() {
    let access = access();
    let other = peer(Account::Other(12345));
    let cookie = access.set_cookie(&other);
    let pair = cookie.split(';').next().unwrap();
    let value = pair.split_once('=').unwrap().1;
    let far = |ip: [u8; 4]| Peer { address: (ip, 1).into(), ..peer(Account::Unknown) };
    for thief in [
        peer(Account::Other(12346)),
        peer(Account::Unknown),
        far([192, 168, 7, 5]),
        Peer { port: 9999, ..other },
    ] {
        let name = Token::cookie_name(&thief);
        let request = asked_by(thief, "GET", "/api/state", &[HOST, ("cookie", pair)]);
        assert!(access.check(&request).is_err(), "{thief:?}");
        let renamed = format!("{name}={value}");
        let request = asked_by(thief, "GET", "/api/state", &[HOST, ("cookie", &renamed)]);
        assert!(access.check(&request).is_err(), "{thief:?}");
    }
    let another = Access { token: Token::new("s3cret", "another"), ..self::access() };
    assert!(!let_in(&another, &[HOST, ("cookie", pair)]), "made by another server");
    assert!(let_in(&access, &[HOST, ("cookie", pair)]));
}

#[test]
fn sec_9_wrong_tokens_are_not_tried_without_end() {
    let access = access();
    let wrong = |turn: usize| {
        let text = format!("Bearer wrong{turn}");
        access.check(&asked("GET", "/api/state", &[HOST, ("authorization", &text)]))
    };
    for turn in 0..10 {
        assert!(matches!(wrong(turn), Err(Refused::Token)), "{turn}");
    }
    assert!(matches!(wrong(10), Err(Refused::Wait(seconds)) if seconds <= 61));
    let right = [HOST, ("authorization", "Bearer s3cret")];
    assert!(!let_in(&access, &right), "nor is the right one told from a wrong one then");
    let cookie = access.set_cookie(&peer(Account::Other(12345)));
    let pair = cookie.split(';').next().unwrap();
    assert!(let_in(&access, &[HOST, ("cookie", pair)]), "who is in stays in");
    let other = asked_by(peer(Account::Other(1)), "GET", "/api/state", &right);
    assert!(matches!(access.check(&other), Ok(Welcome::In)), "others are not kept waiting");
    assert!(open(&access, "GET", &[HOST]));
    let later = Instant::now() + std::time::Duration::from_secs(61);
    assert_eq!(access.token.must_wait(&peer(Account::Other(12345)), later), None);
}
