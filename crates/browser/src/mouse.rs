//! The mouse, on elements by their selectors.

use serde::Deserialize;
use serde_json::json;

use crate::{Error, Page, Result};

/// A point of the viewport, in CSS pixels from its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

/// Where an element can be clicked, or why it cannot.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Found {
    At(Point),
    Not { why: String },
}

/// The centre of an element once it stands still, is in view and is on top there.
pub(crate) const CENTRE: &str = "async (selector) => {
  const element = document.querySelector(selector);
  if (!element) return { why: 'no such element' };
  const rect = () => element.getBoundingClientRect();
  const first = rect();
  await new Promise(requestAnimationFrame);
  const second = rect();
  if (first.x !== second.x || first.y !== second.y) return { why: 'it moves' };
  if (!second.width || !second.height) return { why: 'it has no size' };
  let top = null;
  const look = () => {
    const box = rect();
    const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    top = document.elementFromPoint(point.x, point.y);
    while (top?.shadowRoot) {
      const inner = top.shadowRoot.elementFromPoint(point.x, point.y);
      if (!inner || inner === top) break;
      top = inner;
    }
    for (let up = top; up; up = up.parentNode ?? up.host) if (up === element) return point;
    return null;
  };
  const seen = look();
  if (seen) return seen;
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const found = look();
  if (found) return found;
  if (!top) return { why: 'its centre is out of view' };
  return { why: 'it is covered by ' + top.cloneNode(false).outerHTML };
}";

impl Page {
    /// The centre of the first element that a selector names. Waits until it is there,
    /// stands still, and nothing covers it; scrolls it into view where needed.
    pub fn centre(&self, selector: &str) -> Result<Point> {
        let within = self.options.patience;
        let found = self.poll(within, || match self.apply::<Found>(CENTRE, selector) {
            Ok(Found::At(point)) => Ok(Ok(point)),
            Ok(Found::Not { why }) => Ok(Err(why)),
            Err(gone @ Error::Gone(_)) => Err(gone),
            Err(not_yet) => Ok(Err(not_yet.to_string())),
        })?;
        found.map_err(|why| self.not_met(&format!("{selector} can be clicked"), within, why))
    }

    /// Clicks an element.
    pub fn click(&self, selector: &str) -> Result<()> {
        let mut at = self.centre(selector)?;
        self.move_to(at)?;
        // What moved since is followed, a few times.
        for _ in 0..5 {
            let now = self.centre(selector)?;
            if now == at {
                break;
            }
            at = now;
            self.move_to(at)?;
        }
        self.button(at, "left", 1)
    }

    /// Clicks a point.
    pub fn click_at(&self, at: Point) -> Result<()> {
        self.move_to(at)?;
        self.button(at, "left", 1)
    }

    /// Clicks an element twice, so that the page sees a double click.
    pub fn double_click(&self, selector: &str) -> Result<()> {
        let at = self.centre(selector)?;
        self.move_to(at)?;
        self.button(at, "left", 1)?;
        self.button(at, "left", 2)
    }

    /// Clicks an element with the right button.
    pub fn right_click(&self, selector: &str) -> Result<()> {
        let at = self.centre(selector)?;
        self.move_to(at)?;
        self.button(at, "right", 1)
    }

    /// Moves the mouse onto an element, for tooltips and hover styles.
    pub fn hover(&self, selector: &str) -> Result<()> {
        let at = self.centre(selector)?;
        self.move_to(at)
    }

    /// Moves the mouse to a point.
    pub fn move_to(&self, at: Point) -> Result<()> {
        self.mouse("mouseMoved", at, json!({}))
    }

    /// Turns the wheel above an element, by so many CSS pixels to the right and down.
    pub fn wheel(&self, selector: &str, right: f64, down: f64) -> Result<()> {
        let at = self.centre(selector)?;
        self.move_to(at)?;
        self.mouse("mouseWheel", at, json!({ "deltaX": right, "deltaY": down }))
    }

    /// Drags from one point to another with the left button held, in a few steps, as for
    /// a splitter or a selection of text. Not for `draggable` elements, which the
    /// system drags.
    pub fn drag(&self, from: Point, to: Point) -> Result<()> {
        const STEPS: u8 = 5;
        self.move_to(from)?;
        self.mouse("mousePressed", from, json!({ "button": "left", "clickCount": 1 }))?;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let x = from.x + (to.x - from.x) * part;
            let y = from.y + (to.y - from.y) * part;
            let held = json!({ "button": "left", "buttons": 1 });
            self.mouse("mouseMoved", Point { x, y }, held)?;
        }
        self.mouse("mouseReleased", to, json!({ "button": "left", "clickCount": 1 }))
    }

    fn button(&self, at: Point, button: &str, count: u8) -> Result<()> {
        let params = json!({ "button": button, "clickCount": count });
        self.mouse("mousePressed", at, params.clone())?;
        self.mouse("mouseReleased", at, params)
    }

    fn mouse(&self, kind: &str, at: Point, mut params: serde_json::Value) -> Result<()> {
        params["type"] = kind.into();
        params["x"] = at.x.into();
        params["y"] = at.y.into();
        self.call("Input.dispatchMouseEvent", params).map(|_| ())
    }
}
