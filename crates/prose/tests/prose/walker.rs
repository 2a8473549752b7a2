//! Reads HTML as a browser would and refuses everything that is not on its lists. The
//! lists are its own, written from the rules and not from the crate.

use scraper::{Html, Node};

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
const MATH: [&str; 24] = [
    "math",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
];
const HTML_NS: &str = "http://www.w3.org/1999/xhtml";
const MATH_NS: &str = "http://www.w3.org/1998/Math/MathML";

/// What a parser found in a text.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) depth: usize,
    pub(crate) links: Vec<String>,
    pub(crate) elements: usize,
}

/// Walks through all of it, or says what does not belong there.
pub(crate) fn walk(html: &str) -> Result<Found, String> {
    let fragment = Html::parse_fragment(html);
    let mut found = Found::default();
    // The parser wraps a fragment into one element of its own. A list of what is still
    // to be seen, for what is hostile may be deep.
    let mut ahead = vec![(*fragment.root_element(), 0)];
    while let Some((node, depth)) = ahead.pop() {
        found.depth = found.depth.max(depth);
        match node.value() {
            Node::Element(element) if depth > 0 => check(element, &mut found)?,
            Node::Element(_) => {}
            Node::Text(text) => found.text.push_str(text),
            other => return Err(format!("{other:?}")),
        }
        let children: Vec<_> = node.children().collect();
        ahead.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
    }
    Ok(found)
}

fn check(element: &scraper::node::Element, found: &mut Found) -> Result<(), String> {
    let name = element.name();
    let namespace: &str = &element.name.ns;
    let known = match namespace {
        HTML_NS => name == "hr" || ELEMENTS.contains(&name),
        MATH_NS => MATH.contains(&name),
        _ => false,
    };
    if !known {
        return Err(format!("element {name} of {namespace}"));
    }
    found.elements += 1;
    for (attribute, value) in element.attrs() {
        let fine = match attribute {
            "class" => value.split(' ').all(|class| {
                !class.is_empty() && class.chars().all(|c| c.is_ascii_lowercase() || c == '-')
            }),
            "href" => {
                found.links.push(value.to_owned());
                name == "a"
                    && element.attr("rel") == Some("noopener noreferrer nofollow")
                    && element.attr("target") == Some("_blank")
                    && ["http://", "https://", "mailto:"]
                        .iter()
                        .any(|scheme| value.to_ascii_lowercase().starts_with(scheme))
                    && value.is_ascii()
                    && !value.contains([' ', '"', '<', '>', '\n', '\t', '\\'])
            }
            "rel" | "target" => name == "a",
            "data-lang" => name == "figure",
            "tabindex" => value == "0",
            "start" => name == "ol" && value.parse::<u64>().is_ok(),
            "role" => name == "span" && value == "img",
            "aria-label" => name == "span",
            "display" | "displaystyle" | "scriptlevel" | "stretchy" | "largeop"
            | "movablelimits" | "mathvariant" | "linethickness" | "width" | "height" | "depth"
            | "lspace" | "rspace" | "accent" => namespace == MATH_NS,
            _ => false,
        };
        if !fine {
            return Err(format!("attribute {attribute}={value:?} of {name}"));
        }
    }
    Ok(())
}

/// Walks and panics with the text that was rendered.
pub(crate) fn inert(markdown: &str) -> Found {
    let html = plimsoll_prose::render(markdown);
    let partial = plimsoll_prose::render_partial(markdown);
    if let Err(why) = walk(&partial) {
        panic!("{why}\nunfinished {markdown:?}\nbecame {partial}");
    }
    match walk(&html) {
        Ok(found) => found,
        Err(why) => panic!("{why}\n{markdown:?}\nbecame {html}"),
    }
}
