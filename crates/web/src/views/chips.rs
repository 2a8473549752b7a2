//! Attachments in the history (SHW-1).

use maud::{Markup, html};
use plimsoll_blobs::THUMBNAIL;
use plimsoll_domain::{ContextKind, Delivery, File, file_label, plain_name};
use plimsoll_files::size_words;
use plimsoll_send::AttachedFile;
use plimsoll_store::Workspace;
use plimsoll_tokens::commas;

use crate::{
    api::files::{thumbnail_url, unseen_words},
    formats::thousands,
};

/// The picture or chip of one token; without an entry the token is broken.
pub(super) fn token(at: &Workspace, attached: Option<(usize, &AttachedFile)>) -> Markup {
    let Some((place, one)) = attached else { return broken("it stands for nothing") };
    match &one.file {
        Err(why) => broken(why),
        Ok(file) if file.context_kind() == ContextKind::Image => picture(at, place, one, file),
        Ok(file) => chip(place, one, file),
    }
}

fn broken(why: &str) -> Markup {
    html! {
        span.chip.broken title=(why) { "broken attachment" span.chip-why { (why) } }
    }
}

fn picture(at: &Workspace, place: usize, one: &AttachedFile, file: &File) -> Markup {
    let Some(url) = thumbnail_url(at, file) else { return chip(place, one, file) };
    let (width, height) = fitted(file.pixels.unwrap_or((1, 1)));
    html! {
        button.thumb type="button" data-act="file" data-file=(file_label(file.id)) data-place=(place)
            data-delivery=(one.delivery.name()) title=(described(one, file)) {
            img src=(url) alt=(plain_name(&file.name)) width=(width) height=(height) loading="lazy";
        }
    }
}

/// How large the thumbnail will be, so that nothing moves when it comes.
pub(super) fn fitted((width, height): (u32, u32)) -> (u64, u64) {
    let (width, height) = (u64::from(width.max(1)), u64::from(height.max(1)));
    let (most, tallest) = (u64::from(THUMBNAIL.0), u64::from(THUMBNAIL.1));
    if width <= most && height <= tallest {
        (width, height)
    } else if width * tallest > height * most {
        (most, (height * most / width).max(1))
    } else {
        ((width * tallest / height).max(1), tallest)
    }
}

fn chip(place: usize, one: &AttachedFile, file: &File) -> Markup {
    let changeable = one.deliveries.len() > 1;
    // What the model reads of it later is not weighed yet.
    let on_demand = one.delivery == Delivery::OnDemand;
    let deliveries: Vec<&str> = one.deliveries.iter().map(|way| way.name()).collect();
    let deliveries = deliveries.join(" ");
    html! {
        span.chip data-file=(file_label(file.id)) data-place=(place)
            data-delivery=(one.delivery.name()) data-deliveries=(deliveries)
            title=(described(one, file)) {
            button.chip-name type="button" data-act="file" { (named(one, file)) }
            span.chip-size { (sized(one, file)) }
            @if let Some(words) = unseen_words(file) { span.chip-why { (words) } }
            span.chip-tok { "~" (thousands(one.tokens)) @if on_demand { " now" } }
            @if changeable {
                button.chip-delivery type="button" data-act="delivery"
                    title="Deliver it in another way from now on" { (words(one)) }
            } @else {
                span.chip-delivery { (words(one)) }
            }
        }
    }
}

/// What goes along: the file, or the text of it.
fn named(one: &AttachedFile, file: &File) -> String {
    let name = plain_name(&file.name);
    match one.delivery {
        Delivery::Text => format!("text of {name}"),
        _ => name,
    }
}

/// How much that is: of a text the pages, sheets or chapters that it was read from.
fn sized(one: &AttachedFile, file: &File) -> String {
    match file.extracted().filter(|_| one.delivery == Delivery::Text) {
        Some(text) => text.length.clone().unwrap_or_else(|| size_words(text.bytes)),
        None => size_words(file.size),
    }
}

fn described(one: &AttachedFile, file: &File) -> String {
    let (size, tokens) = (sized(one, file), commas(one.tokens));
    let (name, delivery) = (named(one, file), words(one));
    let base = format!("{name}: {size}, about {tokens} tokens, {delivery}");
    one.note.as_ref().map_or_else(|| base.clone(), |note| format!("{base}. {note}"))
}

/// How it goes out; what the model gets instead where it cannot take it that way.
fn words(one: &AttachedFile) -> &'static str {
    if let Some(instead) = one.instead {
        return instead;
    }
    match one.delivery {
        Delivery::Inline => "inline",
        Delivery::OnDemand => "on demand",
        Delivery::Path => "path",
        Delivery::Text => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_fit_their_box() {
        for (pixels, expected) in [
            ((100, 50), (100, 50)),
            ((3600, 100), (360, 10)),
            ((100, 2200), (10, 220)),
            ((720, 440), (360, 220)),
            ((100_000, 1), (360, 1)),
            ((0, 0), (1, 1)),
        ] {
            assert_eq!(fitted(pixels), expected, "{pixels:?}");
        }
    }
}
