//! SEC-2, UI-7: what people have tried against pages that show text, in our own words.
//! Each must come out inert, and its words must still be there to be read.

use crate::walker::{inert, walk};

/// Raw markup, in every place that Markdown has for it.
const MARKUP: [&str; 64] = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://evil.example/pixel.gif>",
    "<img srcset='https://evil.example/a 1x'>",
    "<image href=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<svg><foreignObject><iframe src=javascript:alert(1)></foreignObject></svg>",
    "<svg><use href='data:image/svg+xml,<svg onload=alert(1)>'/></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<math><annotation-xml encoding=text/html><script>alert(1)</script>",
    "<math href=javascript:alert(1)>x</math>",
    "<math><maction actiontype=statusline#https://evil.example>x</maction></math>",
    "<iframe src=https://evil.example></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)></object>",
    "<embed src=javascript:alert(1)>",
    "<applet code=x></applet>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href=https://evil.example ping=https://evil.example/p>x</a>",
    "<form action=https://evil.example><input name=a><button>go</button></form>",
    "<button formaction=javascript:alert(1)>x</button>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)>",
    "<textarea autofocus onfocus=alert(1)></textarea>",
    "<textarea></textarea><script>alert(1)</script>",
    "<title></title><script>alert(1)</script>",
    "<style>*{background:url(https://evil.example)}</style>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<link rel=prefetch href=https://evil.example>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href=https://evil.example/>",
    "<body onload=alert(1)>",
    "<html onclick=alert(1)>",
    "<div style=position:fixed;inset:0>over everything</div>",
    "<div style='background:url(https://evil.example)'>x</div>",
    "<div id=app class=pair>x</div>",
    "<p onclick=alert(1)>x</p>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video src=x onerror=alert(1)></video>",
    "<video poster=https://evil.example/p.png></video>",
    "<audio src=https://evil.example/a.mp3 autoplay></audio>",
    "<source src=x onerror=alert(1)>",
    "<track src=https://evil.example>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<dialog open>x</dialog>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<xmp></xmp><img src=x onerror=alert(1)>",
    "<plaintext>",
    "<!--><script>alert(1)</script>-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "<!DOCTYPE html><script>alert(1)</script>",
    "</p></div></article><script>alert(1)</script>",
    "<br onmouseover=alert(1)>",
    "<a\u{0}href=javascript:alert(1)>x</a>",
    "<img\u{c}src=x\u{c}onerror=alert(1)//",
];

/// Where Markdown takes an address.
const ADDRESSES: [&str; 26] = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "java&#10;script:alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6A;avascript&colon;alert(1)",
    "javascript&#58;alert(1)",
    " javascript:alert(1)",
    "\u{1}javascript:alert(1)",
    "%6aavascript:alert(1)",
    "javascript://evil.example/%0aalert(1)",
    "vbscript:msgbox(1)",
    "data:text/html;base64,PHNjcmlwdD4=",
    "data:image/svg+xml,<svg/onload=alert(1)>",
    "blob:https://evil.example/1",
    "file:///etc/passwd",
    "about:blank",
    "view-source:https://evil.example",
    "//evil.example",
    "\\\\evil.example\\share",
    "/api/v1/pairs",
    "#app",
    "https:javascript:alert(1)",
    "https://evil.example/\" onmouseover=\"alert(1)",
    "https://evil.example/'><script>alert(1)</script>",
    "https://evil.example/<img src=x>",
];

/// Texts that try the crate itself: its marks, its classes, its formulas, its languages.
const OWN: [&str; 45] = [
    "```\"><script>alert(1)</script>\nx\n```",
    "```js onload=alert(1)\nx\n```",
    "``` <img src=x onerror=alert(1)>\n<img src=x onerror=alert(1)>\n```",
    "```html\n<script>alert(1)</script><!-- <b> -->\n```",
    "```html\n<a href=\"</code></pre><script>alert(1)</script>\n```",
    "```diff\n+<script>alert(1)</script>\n```",
    "```rust\n\"</span><script>alert(1)</script>\n```",
    "```math\n</math><script>alert(1)</script>\n```",
    "```math\n\\text{</mtext></math><img src=x onerror=alert(1)>}\n```",
    "`</code><script>alert(1)</script>`",
    "~~~\n</pre><script>alert(1)</script>",
    "    </pre><script>alert(1)</script>",
    "$\\text{<script>alert(1)</script>}$",
    "$\\text{</mtext></math><img src=x onerror=alert(1)>}$",
    "$x<script>alert(1)</script>$",
    "$$<img src=x onerror=alert(1)>$$",
    "\\(<svg onload=alert(1)>\\)",
    "\\[\\href{javascript:alert(1)}{x}\\]",
    "$\\style{background:url(https://evil.example)}{x}$",
    "$\\class{pair}{x}$ $\\cssId{app}{x}$",
    "$\\color{red;background:url(x)}{x}$",
    "$\\textcolor{\"onclick=alert(1)}{x}$",
    "$\\unicode{x3c}script\\unicode{x3e}$",
    "$\\def\\x{\\x\\x}\\x$",
    "$\\newcommand{\\a}{\\a\\a}\\a$",
    "$\\frac{</math>}{<script>}$",
    "$\\rule{999999em}{999999em}$",
    "$\\hspace{\"onclick=\"x}$",
    "\u{fdd0}0\u{fdd1} $x$ \u{fdd0}1\u{fdd1} \u{fdd0}99999999999999999999\u{fdd1}",
    "\u{fdd2}<script>alert(1)</script>",
    "`$x` \u{fdd0}0 `$` $x$ `\u{fdd1}`",
    "[$x$](https://evil.example/$y$)",
    "[\u{202e}evil\u{202c}](https://evil.example)",
    "`if (admin\u{202e} \u{2066}// check\u{2069} \u{2066}) {`",
    "[a]: javascript:alert(1)\n\n[a] [x][a] ![y][a]",
    "[a]: https://evil.example/\"onclick=alert(1) 'title\"><script>'\n\n[a]",
    "![x](https://evil.example/p.png \"onerror=alert(1)\")",
    "![<img src=x onerror=alert(1)>](https://evil.example/p.png)",
    "[![x](javascript:alert(1))](javascript:alert(2))",
    "![a [b](javascript:alert(1)) c](https://evil.example)",
    "| <script> | `|` |\n|---|---|\n| <img src=x onerror=alert(1)> | [x](javascript:y) |",
    "# <script>alert(1)</script> {#app .pair onclick=alert(1)}",
    "- [x] <script>alert(1)</script>\n- [ ](javascript:alert(1))",
    "> [!NOTE]\n> <script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62; &NewLine;&Tab;",
];

#[test]
fn sec_2_markup_is_text_wherever_it_stands() {
    for markup in MARKUP {
        for place in [
            "{}",
            "a {} b",
            "# {}",
            "- {}",
            "> {}",
            "**{}**",
            "[{}](https://a.example)",
            "![{}](b)",
            "| {} |\n|---|\n| {} |",
            "`{}`",
            "```\n{}\n```",
            "```html\n{}\n```",
            "$ {} $",
            "${}$",
            "$$\n{}\n$$",
            "{}\n\n{}",
            "<b>{}</b>",
            "a\n{}\nb",
            "\\(x {} y\\)",
        ] {
            let found = inert(&place.replace("{}", markup));
            // A bare web address in the text of it is a link like any other.
            let harmless = |link: &String| link.starts_with("https://");
            assert!(found.links.iter().all(harmless), "{place} {markup}: {:?}", found.links);
        }
        let found = inert(markup);
        let word = if markup.contains("alert(1)") { "alert(1)" } else { "<" };
        assert!(found.text.contains(word), "{markup}: {}", found.text);
    }
}

#[test]
fn ui_7_addresses_are_web_addresses_or_no_links() {
    for address in ADDRESSES {
        for place in [
            "[x]({})",
            "[x](<{}>)",
            "![x]({})",
            "<{}>",
            "[x][r]\n\n[r]: {}",
            "[x][r]\n\n[r]: <{}>",
            "[x]({} \"t\")",
            "{}",
            "[![y]({})]({})",
            "**[x]({})**",
            "| [x]({}) |\n|---|\n",
        ] {
            let found = inert(&place.replace("{}", address));
            for link in found.links {
                let lower = link.to_ascii_lowercase();
                assert!(lower.starts_with("https://evil.example"), "{place} {address}: {link}");
            }
        }
    }
}

#[test]
fn sec_2_the_crate_is_not_turned_against_itself() {
    for text in OWN {
        inert(text);
        // Cut anywhere, as a text is that is still arriving.
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let html = plimsoll_prose::render_partial(&text[..at]);
            walk(&html).unwrap_or_else(|why| panic!("{why}\n{:?}\n{html}", &text[..at]));
        }
    }
}

#[test]
fn there_are_enough_of_them() {
    assert!(MARKUP.len() + ADDRESSES.len() + OWN.len() > 100);
}
