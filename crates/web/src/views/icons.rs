//! Small drawings of our own.

use maud::{Markup, PreEscaped, html};

pub(super) fn mark(class: &str) -> Markup {
    html! {
        svg class=(class) viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2"
            aria-hidden="true" {
            circle cx="12" cy="12" r="7.5" {}
            path d="M1 12h22" {}
        }
    }
}

/// An icon by its name, in lines of the text's colour.
pub(super) fn icon(name: &str) -> Markup {
    let path = match name {
        "star" => "M8 1.8l1.9 4 4.3.5-3.2 3 .9 4.3L8 11.500l-3.900 2.100.9-4.300-3.200-3 4.300-.5z",
        "flag" => "M3.500 14.500V2M3.500 2.500h8l-1.800 3 1.800 3h-8",
        "edit" => "M10.500 3l2.500 2.500-7.500 7.500H3v-2.500z",
        "regenerate" | "reask" => "M13 8a5 5 0 1 1-1.600-3.700M13.200 1.800v3h-3",
        "swap" => "M2.500 5.500h10M9.500 2.500l3 3-3 3M13.500 10.500h-10M6.500 7.500l-3 3 3 3",
        "copy" => "M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3",
        "copypair" => "M6.500 6.500h7v7h-7zM4 11.500h-1.500v-9h9V4",
        "delete" => "M3 4.500h10M6 4.500v-2h4v2M4.500 4.500l.7 9h5.600l.7-9",
        "receipt" => "M3.500 1.500h9v13l-2-1.400-2.500 1.400-2.500-1.400-2 1.400zM6 5h4M6 8h4",
        "request" => "M5.500 3L1.500 8l4 5M10.500 3l4 5-4 5",
        "attach" => {
            "M13 7.500l-5.200 5.200a3 3 0 0 1-4.300-4.300l5.700-5.700a2 2 0 0 1 2.900 2.900l-5.500 5.500a1 1 0 0 1-1.500-1.500l4.700-4.700"
        }
        "theme" => "M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z",
        _ => "",
    };
    html! {
        svg.icon viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.4"
            stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" {
            path d=(path) {}
        }
    }
}

/// HTML that `prose` made.
pub(super) fn rendered(html: String) -> Markup {
    PreEscaped(html)
}
