use super::*;

fn heard(events: &[(&str, Value)]) -> Notebook {
    let notebook = Notebook::default();
    for (method, params) in events {
        assert!(notebook.hear(method, params).is_empty());
    }
    notebook
}

#[test]
fn console_values_are_shown_as_a_console_shows_them() {
    let args = json!([
        { "type": "string", "value": "a" },
        { "type": "number", "value": 1 },
        { "type": "object", "subtype": "null", "value": null },
        { "type": "undefined" },
        { "type": "number", "unserializableValue": "NaN" },
        { "type": "object", "description": "Object" },
    ]);
    let book = heard(&[("Runtime.consoleAPICalled", json!({ "type": "error", "args": args }))]);
    let said = book.read().messages.clone();
    assert_eq!(said[0].to_string(), "Error: a 1 null undefined NaN Object");
}

#[test]
fn a_redirection_is_two_requests_and_each_has_its_status() {
    let book = heard(&[
        (
            "Network.requestWillBeSent",
            json!({ "requestId": "1", "type": "Document", "request": { "url": "http://a/", "method": "POST" } }),
        ),
        (
            "Network.requestWillBeSent",
            json!({ "requestId": "1", "redirectResponse": { "status": 303 }, "request": { "url": "http://a/b", "method": "GET" } }),
        ),
        ("Network.responseReceived", json!({ "requestId": "1", "response": { "status": 200 } })),
    ]);
    let notes = book.read();
    let seen: Vec<_> =
        notes.requests.iter().map(|r| (r.method.as_str(), r.url.as_str(), r.status)).collect();
    assert_eq!(seen, [("POST", "http://a/", Some(303)), ("GET", "http://a/b", Some(200))]);
}

#[test]
fn a_dialog_is_noted_and_answered() {
    let book = Notebook::default();
    let orders = book.hear("Page.javascriptDialogOpening", &json!({ "message": "Sure?" }));
    assert_eq!(orders[0].method, "Page.handleJavaScriptDialog");
    assert_eq!(book.read().dialogs, ["Sure?"]);
}

#[test]
fn events_without_their_fields_do_no_harm() {
    for method in [
        "Runtime.consoleAPICalled",
        "Runtime.exceptionThrown",
        "Log.entryAdded",
        "Audits.issueAdded",
        "Network.requestWillBeSent",
        "Network.webSocketCreated",
        "Network.responseReceived",
        "Network.loadingFailed",
        "Page.frameNavigated",
        "Page.lifecycleEvent",
    ] {
        for params in [json!(null), json!({}), json!([1]), json!("x")] {
            Notebook::default().hear(method, &params);
        }
    }
}
