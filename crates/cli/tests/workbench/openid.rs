//! TEA-9: a person signs in by OpenID Connect, in a real browser, at a provider that others wrote.

use std::{path::Path, process::Command};

use plimsoll_browser::{Browser, Page};
use plimsoll_testkit::{
    openid_peer::OpenIdPeer,
    real::skipped,
    scripted::{Reply, ScriptedServer},
};
use serde_json::json;

use crate::served::Served;

fn plimsoll(home: &Path, args: &[&str]) {
    let ran = Command::new(env!("CARGO_BIN_EXE_plimsoll"))
        .args(args)
        .env("PLIMSOLL_CONFIG_DIR", home)
        .env("PLIMSOLL_DATA_DIR", home.join("data"))
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

#[track_caller]
fn wait(page: &Page, condition: &str) {
    if let Err(error) = page.wait_for(condition) {
        panic!("{error}");
    }
}

#[track_caller]
fn click(page: &Page, selector: &str) {
    if let Err(error) = page.click(selector) {
        panic!("{error}");
    }
}

/// The page that asks who somebody is, with what it says.
#[track_caller]
fn asks(page: &Page, words: &str) {
    wait(page, "document.querySelector('.sign-in a.btn.pri')");
    let body: String = page.eval("document.body.innerText").unwrap();
    assert!(body.contains("Sign in with Harbour") && body.contains(words), "{body}");
}

/// The provider is another site (`localhost`) than the workbench (`127.0.0.1`): what the browser
/// does with cookies on the way is what it does in real life.
#[test]
fn tea_9_a_person_signs_in_by_openid_in_a_browser() {
    let Some(browser) = Browser::for_test().unwrap() else { return };
    let people = json!({
        "c-42": {"email": "cy@example.org", "email_verified": true},
        "e-13": {"email": "eve@example.org", "email_verified": true},
    });
    let peer = match OpenIdPeer::start(Path::new(env!("CARGO_TARGET_TMPDIR")), &people) {
        Ok(peer) => peer,
        Err(why) => return skipped(&format!("this test needs oidc-provider-mock: {why}")),
    };
    let server = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)]).unwrap();
    let mut served = Served::start_with(&server, 4096, |home| {
        let path = home.join("config.toml");
        let kept = std::fs::read_to_string(&path).unwrap();
        let settings = format!(
            "team = true\nopenidIssuer = \"{}\"\nopenidClientId = \"plimsoll\"\n\
             openidName = \"Harbour\"\n{kept}",
            peer.issuer()
        );
        std::fs::write(&path, settings).unwrap();
        plimsoll(home, &["team", "user", "add", "cy", "--openid", "cy@example.org"]);
        plimsoll(home, &["team", "project", "add", "sea", "--owner", "cy"]);
    });
    served.restart_with(&[("PLIMSOLL_OPENID_CLIENT_SECRET", "any")]);
    let page = browser.private_page().unwrap();
    let own = |path: &str| format!("http://{}{path}", served.address);

    // From a link to a project, by way of the provider, into that project.
    page.open(&own("/?workspace=sea%2Fmain")).unwrap();
    asks(&page, "or with a token");
    click(&page, ".sign-in a.btn.pri");
    wait(
        &page,
        "location.hostname === 'localhost' && document.querySelector('button[value=deny]')",
    );
    click(&page, "button[value=deny]");
    asks(&page, "Signing in was refused at Harbour.");
    click(&page, ".sign-in a.btn.pri");
    wait(&page, "document.querySelector('button[name=sub][value=\"e-13\"]')");
    click(&page, "button[name=sub][value=\"e-13\"]");
    asks(&page, "Nobody here is known as eve@example.org.");
    click(&page, ".sign-in a.btn.pri");
    wait(&page, "document.querySelector('button[name=sub][value=\"c-42\"]')");
    click(&page, "button[name=sub][value=\"c-42\"]");
    wait(&page, "document.querySelector('#history')?.dataset.ready");
    assert_eq!(page.url().unwrap(), own("/?workspace=sea%2Fmain"));
    let cookies: String = page.eval("document.cookie").unwrap();
    assert_eq!(cookies, "", "no script can read them");

    // They are signed in on every page, and out again with one press.
    page.open(&own("/")).unwrap();
    wait(&page, "document.querySelector('#history')?.dataset.ready");
    wait(&page, "document.body.textContent.includes('Sign out')");
    let out = "[...document.querySelectorAll('form[action=\"/sign-out\"] button')].length === 1";
    wait(&page, out);
    page.eval::<()>("document.querySelector('form[action=\"/sign-out\"] button').click()").unwrap();
    asks(&page, "or with a token");
    page.open(&own("/?workspace=sea%2Fmain")).unwrap();
    asks(&page, "or with a token");
    let broken = page.csp_violations();
    assert!(broken.iter().all(|one| !format!("{one:?}").contains(&served.address)), "{broken:?}");
}
