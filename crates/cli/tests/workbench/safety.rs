//! What a model writes stays text (UI-7, SEC-2).

use plimsoll_testkit::scripted::Reply;

use crate::bench::Workbench;

const HOSTILE: &str = r#"<script>globalThis.pwned = 1</script>
<iframe src="https://evil.example/"></iframe><img src=x onerror="globalThis.pwned = 2">
<svg onload="globalThis.pwned = 3"><style>body { display: none }</style>
<a href="javascript:globalThis.pwned = 4">click</a> <form action="https://evil.example/"><button>x</button></form>

[one](javascript:globalThis.pwned=5) [two](JaVaScRiPt&colon;globalThis.pwned=6) [three](data:text/html,<script>alert(1)</script>)
[four](vbscript:x) ![picture](https://evil.example/spy.png) <https://example.org/fine> [five](https://example.org/ok "x\" onmouseover=\"globalThis.pwned=7")

```html
<script>globalThis.pwned = 8</script>
```

$\href{javascript:globalThis.pwned=9}{x}$ `<script>globalThis.pwned = 10</script>`

"#;

#[test]
fn sec_2_hostile_output_stays_inert() {
    // A huge table and a very long line, beside everything that might run.
    let table = format!("| a | b |\n|---|---|\n{}\n\n", "| <b>1</b> | 2 |\n".repeat(2000));
    let line = "x".repeat(400 << 10);
    let texts = [HOSTILE, &table, &line, "\n\nThe end."];
    // One that is too long to be read as Markdown.
    let longer = Reply::openai(&[HOSTILE, &"x".repeat(1 << 20), "\n\nThe end."], 14, 6);
    let replies = [Reply::openai(&texts, 14, 6), longer];
    let Some(bench) = Workbench::prepared(replies, 8192, |_| {}) else { return };
    bench.page.insert_text(HOSTILE).unwrap();
    bench.keys("Enter");
    bench.wait("T.state() === 'complete'");
    bench.wait("T.reply().endsWith('The end.') || T.reply().length > 100_000");
    for times in 0..2 {
        bench.wait(
            "T.says('.pair .u', '<script>globalThis.pwned') && T.says('.pair .a', '<iframe')",
        );
        let found: Vec<String> = bench.js(
            "[...T.one('#rows').querySelectorAll('*')].filter((node) =>
               ['script', 'iframe', 'img', 'style', 'object', 'embed', 'link', 'base', 'meta'].includes(node.localName)
               || node.closest('.prose') && ['form', 'input', 'svg'].includes(node.localName) && !node.closest('[data-copy-code]')
               || [...node.attributes].some(({ name }) => name.startsWith('on') || (name === 'style' && node.closest('.prose')))
               || node.matches('a[href]') && !['https:', 'http:', 'mailto:'].includes(node.protocol)
             ).map((node) => node.outerHTML.slice(0, 200))",
        );
        assert!(found.is_empty(), "{found:#?}");
        assert!(bench.js::<bool>("globalThis.pwned === undefined"));
        let links: Vec<String> =
            bench.js("[...document.querySelectorAll('.pair .a a[href]')].map((a) => a.href)");
        assert!(links.iter().any(|link| link == "https://example.org/fine"), "{links:?}");
        bench.fine();
        // The whole again as the server renders it, not as it streamed in.
        if times == 0 {
            bench.reload();
        }
    }
    // Nothing of it makes the page wider than the screen, and it can still be used.
    bench.wait("document.documentElement.scrollWidth <= innerWidth");
    bench.view();
    bench.keys("g");
    bench.wait("T.current() === 0");
    bench.click("#draft");
    bench.types("And more?");
    bench.keys("Enter");
    bench.wait("T.pairs().length === 2 && T.state() === 'complete'");
    bench.says(".pair .muted", "Shown as it was written: it is longer than 512 KB.");
    bench.wait("T.last().querySelector('.a .done').children.length === 1 && T.last().querySelector('.a pre.plain')");
    assert!(bench.js::<bool>("globalThis.pwned === undefined"));
    bench.fine();
}
