//! Lines and words of a page, made of where its strings stand.
//!
//! A PDF says where glyphs stand, not where words and lines end. A move off the line in the
//! direction of writing is a new line, a gap wider than a fraction of the letters' size is a
//! space.

/// A gap of this part of the letters' size is a space.
const GAP: f32 = 0.22;

/// A step off the line of this part of the letters' size is a new line; less is a raised or
/// lowered letter.
const OFF_LINE: f32 = 0.5;

/// The cosine of the angle beyond which a string is written in another direction.
const SAME_DIRECTION: f32 = 0.9;

/// A string as it stands on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) from: (f32, f32),
    pub(super) to: (f32, f32),
    /// Where writing goes, as a vector of length one.
    pub(super) direction: (f32, f32),
    /// How large the letters are.
    pub(super) size: f32,
    /// How far off the end may be, where the font does not say how wide its letters are.
    pub(super) slack: f32,
}

/// The text of a page as far as it was drawn.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) text: String,
    last: Option<Place>,
}

impl Lines {
    pub(super) fn add(&mut self, shown: &str, place: Place) {
        if let Some(last) = self.last {
            let (x, y) = (place.from.0 - last.to.0, place.from.1 - last.to.1);
            let (right, up) = place.direction;
            let (along, across) = (x * right + y * up, y * right - x * up);
            let turned = last.direction.0 * right + last.direction.1 * up < SAME_DIRECTION;
            let apart = !self.text.ends_with([' ', '\n']) && !shown.starts_with(' ');
            if turned || across.abs() > last.size.max(place.size) * OFF_LINE {
                self.text.push('\n');
            } else if along.abs() > place.size * GAP + last.slack && apart {
                self.text.push(' ');
            }
        }
        self.text.push_str(shown);
        self.last = Some(place);
    }
}
