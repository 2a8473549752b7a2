use axum::body::Body;

use super::*;

fn asked(method: &str, uri: &str, headers: &[(&str, &str)]) -> Request {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::empty()).unwrap()
}

fn open(access: &Access, method: &str, headers: &[(&str, &str)]) -> bool {
    matches!(access.check(&asked(method, "/api/state", headers)), Ok(Welcome::In))
}

#[test]
fn sec_1_only_names_of_this_machine_are_answered() {
    let access = Access { hosts: vec!["192.168.7.9".into()], ..Access::default() };
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
    let access = Access::default();
    let host = ("host", "localhost:7411");
    assert!(open(&access, "POST", &[host, ("origin", "http://localhost:7411")]));
    for origin in ["http://evil.example", "http://localhost:9999", "null", "https://localhost"] {
        assert!(!open(&access, "POST", &[host, ("origin", origin)]), "{origin}");
        assert!(!open(&access, "GET", &[host, ("origin", origin)]), "{origin}");
    }
    for site in ["cross-site", "same-site"] {
        assert!(!open(&access, "POST", &[host, ("sec-fetch-site", site)]), "{site}");
        assert!(!open(&access, "GET", &[host, ("sec-fetch-site", site)]), "{site}");
    }
    let link = [host, ("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")];
    assert!(open(&access, "GET", &link), "a link may open the page");
    assert!(!open(&access, "POST", &link), "a form on another page may not post");
}

#[test]
fn sec_1_a_token_is_asked_for_and_moves_to_a_cookie() {
    let access = Access { token: Some(Token::new("s3cret")), ..Access::default() };
    let host = ("host", "localhost:7411");
    assert!(!open(&access, "GET", &[host]));
    assert!(!open(&access, "GET", &[host, ("authorization", "Bearer wrong")]));
    assert!(open(&access, "GET", &[host, ("authorization", "Bearer s3cret")]));
    assert!(open(&access, "GET", &[host, ("cookie", "a=b; plimsoll_token=s3cret; c=d")]));
    assert!(!open(&access, "GET", &[host, ("cookie", "xplimsoll_token=s3cret")]));
    let first = access.check(&asked("GET", "/?token=s3cret", &[host]));
    let Ok(Welcome::SetCookie(cookie, to)) = first else { panic!("{first:?}") };
    assert_eq!(to, "/");
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    assert!(access.check(&asked("GET", "/?token=wrong", &[host])).is_err());
    assert!(access.check(&asked("GET", "/healthz", &[host])).is_ok());
}
