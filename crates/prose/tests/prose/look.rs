//! The style sheet: every class has a rule, and every colour can be read (UI-10).

use plimsoll_prose::STYLESHEET;

/// The custom properties of the block that starts at a selector.
fn colours(selector: &str) -> Vec<(String, [f64; 3])> {
    let at = STYLESHEET.find(selector).unwrap();
    let block = STYLESHEET[at..].split_once('{').unwrap().1.split_once('}').unwrap().0;
    block
        .lines()
        .filter_map(|line| {
            let (name, value) = line.trim().strip_prefix("--")?.split_once(": #")?;
            let channel =
                |at: usize| f64::from(u8::from_str_radix(&value[at..at + 2], 16).unwrap());
            Some((name.to_owned(), [channel(0), channel(2), channel(4)]))
        })
        .collect()
}

/// Relative luminance as WCAG 2 defines it.
fn luminance(colour: [f64; 3]) -> f64 {
    let linear = colour.map(|c| {
        let c = c / 255.0;
        if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn ui_10_every_text_reaches_aa_on_its_background() {
    for selector in [
        ".prose {",
        ":root:not([data-theme=\"light\"]) .prose {",
        ":root[data-theme=\"dark\"] .prose {",
    ] {
        let colours = colours(selector);
        let get = |name: &str| colours.iter().find(|(n, _)| n == name).unwrap().1;
        assert_eq!(colours.len(), 17, "{selector}");
        for (name, colour) in &colours {
            let backgrounds = match name.as_str() {
                "prose-line" | "prose-code" | "prose-bg" => continue,
                name if name.starts_with("hl-") => vec![get("prose-code")],
                _ => vec![get("prose-code"), get("prose-bg")],
            };
            for background in backgrounds {
                let ratio = contrast(*colour, background);
                assert!(ratio >= 4.5, "{selector} {name}: {ratio:.2}");
            }
        }
    }
}

#[test]
fn both_ways_to_dark_are_the_same() {
    assert_eq!(
        colours(":root:not([data-theme=\"light\"]) .prose {"),
        colours(":root[data-theme=\"dark\"] .prose {")
    );
}

#[test]
fn every_class_of_code_has_a_rule_and_nothing_is_loaded() {
    for class in ["k", "t", "f", "s", "n", "c", "a", "v", "i", "d"] {
        assert!(STYLESHEET.contains(&format!(".prose .hl-{class} {{")), "{class}");
    }
    for word in ["url(", "@import", "@font-face", "position: fixed", "expression("] {
        assert!(!STYLESHEET.contains(word), "{word}");
    }
}
