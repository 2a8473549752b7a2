//! The last look at what is about to leave: only our elements, our attributes, our
//! classes, each opened and closed in order.
//!
//! The writers before this are built so that nothing else can come out. Should one of
//! them be wrong one day, the whole text is shown plain instead. This reads our own
//! spelling of HTML and refuses every other, so it needs no HTML parser (cleaning with
//! one costs several times the rendering); the tests hold it against a real parser.

use crate::{highlight, math};

/// Elements that hold nothing.
const VOID: [&str; 2] = ["br", "hr"];

/// The elements of ours, without those of formulas.
const ELEMENTS: [&str; 26] = [
    "p",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "ul",
    "ol",
    "li",
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "em",
    "strong",
    "del",
    "span",
    "a",
    "code",
    "pre",
    "figure",
    "figcaption",
    "br",
];

/// The classes of ours, without those of formulas and of code.
const CLASSES: [&str; 14] = [
    "boxed",
    "center",
    "code",
    "done",
    "foot",
    "image",
    "math-error",
    "no-link",
    "plain",
    "raw",
    "right",
    "table",
    "task",
    "unseen",
];

/// Whether all of it is in our own spelling.
pub(crate) fn passes(html: &str) -> bool {
    check(html).is_some()
}

fn check(html: &str) -> Option<()> {
    let mut open: Vec<&str> = Vec::with_capacity(64);
    let mut rest = html;
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        let tag = &rest[at + 1..];
        let (tag, after) = tag.split_at(memchr::memchr(b'>', tag.as_bytes())?);
        rest = &after[1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return None;
            }
            continue;
        }
        let (name, attributes) = tag.split_at(tag.find(' ').unwrap_or(tag.len()));
        if !is_element(name) || !attributes_pass(name, attributes) {
            return None;
        }
        if !VOID.contains(&name) {
            open.push(name);
        }
    }
    open.is_empty().then_some(())
}

fn is_element(name: &str) -> bool {
    name == "hr" || ELEMENTS.contains(&name) || math::is_element(name)
}

fn attributes_pass(element: &str, mut rest: &str) -> bool {
    while !rest.is_empty() {
        let Some((name, after)) = rest.strip_prefix(' ').and_then(|r| r.split_once("=\"")) else {
            return false;
        };
        let Some((value, after)) = after.split_once('"') else { return false };
        if !attribute_passes(element, name, value) {
            return false;
        }
        rest = after;
    }
    true
}

fn attribute_passes(element: &str, name: &str, value: &str) -> bool {
    match (element, name) {
        (_, "class") => value.split(' ').all(is_class),
        ("a", "href") => {
            let schemes = ["https://", "http://", "mailto:"];
            schemes.iter().any(|scheme| {
                value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
            }) && value.bytes().all(|b| b.is_ascii_graphic() && !b"\"'<>`\\".contains(&b))
        }
        ("a", "rel") => value == "noopener noreferrer nofollow",
        ("a", "target") => value == "_blank",
        ("figure", "data-lang") => value
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"+#-_".contains(&b)),
        ("pre" | "div", "tabindex") => value == "0",
        ("ol", "start") => value.bytes().all(|b| b.is_ascii_digit()),
        ("span", "role") => value == "img",
        ("span", "aria-label") => value == "done" || value == "not done",
        _ => math::is_element(element) && math::is_attribute(name, value),
    }
}

fn is_class(class: &str) -> bool {
    CLASSES.contains(&class) || highlight::CLASSES.contains(&class) || math::is_class(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ours_passes() {
        for html in [
            "",
            "a &lt; b > c",
            "<p>a<br>b</p>\n<hr>\n",
            "<a href=\"https://a/&amp;&#39;\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">x</a>",
            "<math display=\"block\"><mtable class=\"menv-cases\"></mtable></math>",
            "<span class=\"hl-k\">x</span><ol start=\"3\"></ol>",
        ] {
            assert!(passes(html), "{html}");
        }
    }

    #[test]
    fn sec_2_everything_else_is_refused() {
        for html in [
            "<script>",
            "<SCRIPT></SCRIPT>",
            "<p>",
            "</p>",
            "<p></em>",
            "<p><em></p></em>",
            "<",
            "<p onclick=\"x\"></p>",
            "<p style=\"x\"></p>",
            "<p id=\"x\"></p>",
            "<img src=\"x\">",
            "<a href=\"javascript:x\"></a>",
            "<a href='https://x'></a>",
            "<a href=https://x></a>",
            "<p class=\"pair\"></p>",
            "<!-- x -->",
            "<![CDATA[x]]>",
            "<?x?>",
            "<svg></svg>",
            "<p\nclass=\"raw\"></p>",
            "<p  class=\"raw\"></p>",
            "<p/>",
            "< p></ p>",
            "<math href=\"https://a\"></math>",
            "<mi style=\"x\">a</mi>",
            "<style></style>",
            "<iframe></iframe>",
            "<form></form>",
            "<input>",
            "<annotation-xml></annotation-xml>",
            "<pre tabindex=\"1\"></pre>",
            "<a href=\"https://a\" target=\"_top\"></a>",
        ] {
            assert!(!passes(html), "{html}");
        }
    }
}
