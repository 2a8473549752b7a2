//! Any answer: what comes out is in our own spelling, whole or unfinished, and a cut at
//! the stable place changes nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use plimsoll_prose::{Renderer, plain_preview, render, render_partial, stable_prefix};

/// The names in every tag. The gate of the crate refuses what is not ours; this looks at
/// the tags once more and in another way.
fn tags_are_ours(html: &str) {
    const BAD: [&str; 9] =
        ["script", "style", "iframe", "img", "svg", "form", "input", "object", "annotation-xml"];
    const ATTRIBUTES: [&str; 23] = [
        "class",
        "href",
        "rel",
        "target",
        "data-lang",
        "tabindex",
        "start",
        "role",
        "aria-label",
        "display",
        "displaystyle",
        "scriptlevel",
        "stretchy",
        "largeop",
        "movablelimits",
        "mathvariant",
        "linethickness",
        "width",
        "height",
        "depth",
        "lspace",
        "rspace",
        "accent",
    ];
    for tag in html.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(!BAD.contains(&name.trim_start_matches('/')), "{tag}");
        // Every second piece between quotes is a value.
        for attribute in attributes.split('"').step_by(2).filter(|piece| !piece.is_empty()) {
            let attribute = attribute.trim().strip_suffix('=').unwrap_or("no value");
            assert!(ATTRIBUTES.contains(&attribute), "{attribute} in {tag}");
        }
        if let Some((_, address)) = attributes.split_once("href=\"") {
            let address = address.to_ascii_lowercase();
            assert!(["http://", "https://", "mailto:"].iter().any(|s| address.starts_with(s)));
        }
    }
}

fuzz_target!(|text: &str| {
    let html = render(text);
    tags_are_ours(&html);
    assert!(!html.starts_with("<pre class=\"plain\""), "the gate was needed");
    tags_are_ours(&render_partial(text));
    tags_are_ours(&Renderer { line_breaks: true }.render(text));
    let cut = stable_prefix(text);
    assert_eq!(render(&text[..cut]) + &render(&text[cut..]), html, "cut at {cut}");
    assert!(plain_preview(text, 40).chars().count() <= 40);
});
