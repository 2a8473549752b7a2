//! What a page says, asks for and costs is seen.

use plimsoll_browser::{Impact, Level, axe, or_skip};

use crate::{Stage, eventually};

#[test]
fn the_console_and_uncaught_errors_are_collected() {
    let body = "<script>
      console.debug('d'); console.log('l', 1, { a: 1 }); console.warn('w'); console.error('e');
      setTimeout(() => { throw new Error('thrown'); });
      Promise.reject(new Error('rejected'));
      fetch('/missing');</script>";
    let Some(stage) = Stage::with(body) else { return };
    let wanted = [
        (Level::Debug, "d"),
        (Level::Info, "l 1 Object"),
        (Level::Warning, "w"),
        (Level::Error, "e"),
        (Level::Exception, "Error: thrown"),
        (Level::Exception, "Error: rejected"),
        (Level::Error, "404"),
    ];
    let there = |(level, text): &(Level, &str)| {
        stage.page.console().iter().any(|said| said.level == *level && said.text.contains(text))
    };
    eventually("every message", || wanted.iter().all(there));
    let loud = stage.page.assert_quiet().unwrap_err().to_string();
    assert!(loud.contains("Warning: w (http://127.0.0.1:"), "{loud}");
    assert!(!loud.contains("Debug"), "{loud}");
    stage.page.forget();
    stage.page.assert_quiet().unwrap();
}

#[test]
fn every_request_is_seen_also_those_of_workers() {
    let pages = [
        ("/", "<script>new Worker('/worker.js').onmessage = () => { done = 1; };</script>"),
        ("/worker.js", "fetch('http://stranger.example/w').catch(() => postMessage(1));"),
    ];
    let Some(stage) = Stage::serving(&pages, &[]) else { return };
    let origin = stage.server.root_url();
    stage.page.wait_for("done").unwrap();
    // The worker's own reports and the page's come in any order.
    let failed = || stage.page.requests().iter().any(|request| request.failed.is_some());
    eventually("the failure", failed);
    let asked = stage.page.requests();
    let find = |end: &str| asked.iter().find(|request| request.url.ends_with(end));
    assert_eq!(find("/").unwrap().status, Some(200));
    assert_eq!(find("/").unwrap().kind, "Document");
    assert!(find("/worker.js").is_some());
    let stranger = find("stranger.example/w").unwrap();
    // The stranger was not reached: there is no network here but this machine.
    assert!(stranger.failed.as_ref().unwrap().contains("ERR_NAME_NOT_RESOLVED"), "{stranger:?}");
    let error = stage.page.assert_only(&origin).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("others than {origin} were asked:\n  GET http://stranger.example/w")
    );
    stage.page.forget();
    stage.page.assert_only(&origin).unwrap();
}

#[test]
fn no_address_outside_this_machine_can_be_reached() {
    let Some(stage) = Stage::with("<p>x") else { return };
    for url in ["http://example.com/", "http://93.184.216.34/", "https://[2606:4700::1111]/"] {
        let error = stage.page.open(url).unwrap_err().to_string();
        assert!(error.contains("net::ERR_NAME_NOT_RESOLVED"), "{error}");
    }
}

#[test]
fn what_the_policy_forbids_is_collected() {
    let policy = [("Content-Security-Policy", "default-src 'self'; img-src 'self' data:")];
    let body = "<script>window.ran = 1</script><img src='http://stranger.example/x.png'>";
    let Some(stage) = Stage::serving(&[("/", body)], &policy) else { return };
    eventually("two violations", || stage.page.csp_violations().len() >= 2);
    let seen = stage.page.csp_violations();
    assert!(seen.iter().any(|found| found.directive == "script-src-elem"), "{seen:?}");
    let image = seen.iter().find(|found| found.directive == "img-src").unwrap();
    assert_eq!(image.blocked, "http://stranger.example/x.png");
    assert!(stage.page.assert_quiet().is_err());
    // It was stopped before it left, and our own scripts work in spite of the policy.
    let stopped = || stage.page.requests().iter().any(|request| request.stopped_by_policy);
    eventually("the stopped request", stopped);
    stage.page.assert_only(&stage.server.root_url()).unwrap();
    assert!(stage.page.eval::<bool>("window.ran === undefined").unwrap());
}

#[test]
fn long_tasks_frames_heap_and_metrics_are_measured() {
    let body = "<script>
      const burn = (ms) => { const end = performance.now() + ms; while (performance.now() < end); };
      const kept = [];</script><button id=b onclick='burn(300)'>b</button>";
    let Some(stage) = Stage::with(body) else { return };
    let page = &stage.page;
    page.watch_long_tasks().unwrap();
    page.reload().unwrap();
    page.watch_frames().unwrap();
    let before = page.heap_held().unwrap();
    page.click("#b").unwrap();
    let is_long = |tasks: Vec<f64>| tasks.iter().any(|&ms| ms >= 300.0);
    eventually("a long task", || is_long(page.long_tasks().unwrap()));
    // A frame that began before the task and came after it splits the gap in two.
    assert!(page.frames().unwrap().iter().any(|&ms| ms >= 100.0));
    page.eval::<()>("void kept.push(Array.from({ length: 1e6 }, () => ({})))").unwrap();
    let after = page.heap_held().unwrap();
    assert!(after.used > before.used + 4e6, "{before:?} {after:?}");
    let nodes = || page.metrics().unwrap()["Nodes"];
    let few = nodes();
    page.eval::<()>(
        "void document.body.append(...Array.from({ length: 5000 }, () => new Text('x')))",
    )
    .unwrap();
    // Old documents may be collected in between.
    assert!(nodes() >= few + 4000.0);
}

#[test]
fn dialogs_are_answered_and_noted() {
    let Some(stage) = Stage::with("<p>x") else { return };
    assert!(stage.page.eval::<bool>("confirm('Delete it?')").unwrap());
    assert_eq!(stage.page.dialogs(), ["Delete it?"]);
}

#[test]
fn headers_and_cookies_go_along_and_offline_is_offline() {
    let Some(stage) = Stage::with("<p>x") else { return };
    let (page, url) = (&stage.page, stage.server.root_url());
    page.headers(&[("Authorization", "Bearer k")]).unwrap();
    page.set_cookie(&url, "session", "s1").unwrap();
    page.reload().unwrap();
    let asked = stage.server.requests();
    let last = asked.iter().rfind(|request| request.path == "/").unwrap();
    assert_eq!(last.header("authorization"), Some("Bearer k"));
    assert_eq!(last.header("cookie"), Some("session=s1"));
    let cookies = page.cookies(&url).unwrap();
    assert_eq!((cookies[0].name.as_str(), cookies[0].value.as_str()), ("session", "s1"));
    page.offline(true).unwrap();
    assert!(!page.eval::<bool>("fetch('/').then(() => true, () => false)").unwrap());
    page.wait_for("!navigator.onLine").unwrap();
    page.offline(false).unwrap();
    assert!(page.eval::<bool>("fetch('/').then(() => true, () => false)").unwrap());
}

#[test]
fn axe_finds_what_is_wrong_in_spite_of_the_policy_and_leaves_no_trace() {
    let policy = [("Content-Security-Policy", "default-src 'none'")];
    let body = "<main><h1>Title</h1><input id=nameless><p style='color:#eee'>pale</p></main>";
    let Some(stage) = Stage::serving(&[("/", body)], &policy) else { return };
    let Some(found) = or_skip(axe(&stage.page)).unwrap() else { return };
    let label = found.iter().find(|violation| violation.id == "label").unwrap();
    assert_eq!(label.impact, Impact::Critical);
    assert!(label.nodes[0].html.contains("nameless"));
    assert!(label.to_string().contains("Critical label: "), "{label}");
    assert!(found.is_sorted_by_key(|violation| std::cmp::Reverse(violation.impact)));
    assert!(stage.page.eval::<bool>("window.axe === undefined").unwrap());
}
