//! The text of a page: its drawing is gone through, with the forms that it draws, and each
//! string is put where it stands.

use std::{collections::HashMap, rc::Rc};

use lopdf::{
    Dictionary, Document, Error, Object, ObjectId,
    content::{Content, Operation},
};

use super::{
    font::Font,
    layout::{Lines, Place},
    matrix::Matrix,
};

/// A letter of a font that does not say is taken to be this wide, give or take.
const WIDTH: f32 = 0.5;
const SLACK: f32 = 0.1;

/// Forms may draw forms; deeper ones are not drawn.
const FORM_DEPTH: usize = 12;
/// More states than this are not put aside.
const STATES: usize = 256;

/// The fonts of one call that are read, and what the table of one may unpack to.
const FONTS: usize = 512;
const FONT_BYTES: usize = 4 * 1024 * 1024;

/// What is left of the work that one call may make of a PDF, all its pages together: a small
/// file can unpack to a thousand times its size, and draw for minutes.
#[derive(Debug)]
pub(super) struct Effort {
    /// Bytes that streams of pages, forms and fonts may unpack to.
    pub(super) unpacked: usize,
    pub(super) steps: usize,
}

/// Reads the pages of a document one after the other; fonts are read once.
pub(super) struct Texts<'a> {
    document: &'a Document,
    effort: Effort,
    fonts: HashMap<ObjectId, Option<Rc<Font>>>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(document: &'a Document, effort: Effort) -> Self {
        Self { document, effort, fonts: HashMap::new() }
    }

    /// The text of a page, up to `bytes` of it.
    pub(super) fn of_page(&mut self, page: ObjectId, bytes: usize) -> Result<String, Error> {
        let document = self.document;
        let (own, inherited) = document.get_page_resources(page)?;
        let inherited = inherited.into_iter().filter_map(|id| document.get_dictionary(id).ok());
        let resources: Vec<&Dictionary> = own.into_iter().chain(inherited).collect();
        let content = document.get_page_content_with_limit(page, self.effort.unpacked)?;
        self.effort.unpacked = self.effort.unpacked.saturating_sub(content.len());
        let mut pen = Pen {
            texts: self,
            lines: Lines::default(),
            bytes,
            state: State::default(),
            states: Vec::new(),
            forms: Vec::new(),
            stopped: false,
        };
        pen.draw(&content, &resources);
        Ok(pen.lines.text)
    }

    /// The font with this name; none if there is none or its letters cannot be told.
    fn font(&mut self, resources: &[&'a Dictionary], name: &[u8]) -> Option<Rc<Font>> {
        let entry = lookup(self.document, resources, b"Font", name)?;
        let id = entry.as_reference().ok();
        if let Some(known) = id.and_then(|id| self.fonts.get(&id)) {
            return known.clone();
        }
        if self.fonts.len() >= FONTS {
            return None;
        }
        let font = self.document.dereference(entry).ok()?.1.as_dict().ok()?;
        let most = FONT_BYTES.min(self.effort.unpacked);
        let table = font.get_deref(b"ToUnicode", self.document).and_then(Object::as_stream);
        let table = table.and_then(|table| table.decompressed_content_with_limit(most)).ok();
        // A font without a table is work, too.
        let size = table.as_ref().map_or(0, Vec::len).max(FONT_BYTES / 1024);
        self.effort.unpacked = self.effort.unpacked.saturating_sub(size);
        let read = Font::read(self.document, font, table.as_deref()).map(Rc::new);
        if let Some(id) = id {
            self.fonts.insert(id, read.clone());
        }
        read
    }
}

/// What a name of a kind stands for: the first of the dictionaries that has it says so.
fn lookup<'a>(
    document: &'a Document,
    resources: &[&'a Dictionary],
    kind: &[u8],
    name: &[u8],
) -> Option<&'a Object> {
    resources.iter().find_map(|resources| {
        let kind = resources.get_deref(kind, document).ok()?.as_dict().ok()?;
        kind.get(name).ok()
    })
}

/// What `q` puts aside and `Q` takes back.
#[derive(Clone)]
struct State {
    /// From where things are drawn to where they stand on the page.
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f32,
    leading: f32,
    /// What is put between letters, and between words besides.
    spacing: (f32, f32),
    /// How much letters are stretched sideways.
    stretch: f32,
    rise: f32,
    /// Where the line starts, and where the next letter stands.
    line: Matrix,
    next: Matrix,
}

impl Default for State {
    fn default() -> Self {
        Self {
            page: Matrix::UNCHANGED,
            font: None,
            size: 0.0,
            leading: 0.0,
            spacing: (0.0, 0.0),
            stretch: 1.0,
            rise: 0.0,
            line: Matrix::UNCHANGED,
            next: Matrix::UNCHANGED,
        }
    }
}

struct Pen<'t, 'a> {
    texts: &'t mut Texts<'a>,
    lines: Lines,
    /// Where the text of the page ends.
    bytes: usize,
    state: State,
    states: Vec<State>,
    /// The forms that are being drawn, so that none draws itself.
    forms: Vec<ObjectId>,
    stopped: bool,
}

impl<'a> Pen<'_, 'a> {
    fn draw(&mut self, content: &[u8], resources: &[&'a Dictionary]) {
        let below = self.states.len();
        for operation in Content::decode_iter(content) {
            // What was drawn before the damage is still the text of the page.
            let Ok(operation) = operation else { break };
            let Some(steps) = self.texts.effort.steps.checked_sub(1) else {
                self.stop("\n[… the rest is not read: the PDF draws too much]");
                break;
            };
            self.texts.effort.steps = steps;
            match operation.operator.as_str() {
                "Do" => self.form(&operation, resources),
                "Tf" => {
                    let name = operation.operands.first().and_then(|name| name.as_name().ok());
                    self.state.font = name.and_then(|name| self.texts.font(resources, name));
                    self.state.size = number(&operation.operands, 1);
                }
                "q" if self.states.len() < STATES => self.states.push(self.state.clone()),
                "Q" if self.states.len() > below => {
                    self.state = self.states.pop().unwrap_or_default();
                }
                _ => self.step(&operation),
            }
            if self.lines.text.len() > self.bytes && !self.stopped {
                self.lines.text.truncate(self.lines.text.floor_char_boundary(self.bytes));
                self.stop("\n[… the rest of this page is not read]");
            }
            if self.stopped {
                break;
            }
        }
        self.states.truncate(below);
    }

    fn stop(&mut self, why: &str) {
        self.lines.text.push_str(why);
        self.stopped = true;
    }

    /// Draws a form: a drawing of its own, with fonts of its own, put somewhere on the page.
    fn form(&mut self, operation: &Operation, resources: &[&'a Dictionary]) {
        let document = self.texts.document;
        let name = operation.operands.first().and_then(|name| name.as_name().ok());
        let entry = name.and_then(|name| lookup(document, resources, b"XObject", name));
        let Some(Ok(id)) = entry.map(Object::as_reference) else { return };
        let Ok(form) = document.get_object(id).and_then(Object::as_stream) else { return };
        let kind = form.dict.get(b"Subtype").and_then(Object::as_name);
        let is_form = kind.is_ok_and(|kind| kind == b"Form");
        if !is_form || self.forms.len() >= FORM_DEPTH || self.forms.contains(&id) {
            return;
        }
        let most = self.texts.effort.unpacked;
        let Ok(content) = form.decompressed_content_with_limit(most) else { return };
        // An empty one is work, too.
        self.texts.effort.unpacked = most.saturating_sub(content.len().max(64));
        let own = form.dict.get_deref(b"Resources", document).and_then(Object::as_dict).ok();
        // A form without fonts of its own uses those of who draws it.
        let resources: Vec<&Dictionary> = own.map_or(resources.to_vec(), |own| vec![own]);
        let matrix = form.dict.get_deref(b"Matrix", document).and_then(Object::as_array);
        let matrix = matrix.map_or(Matrix::UNCHANGED, |numbers| matrix_of(numbers));
        let before = self.state.clone();
        self.state.page = matrix.then(self.state.page);
        self.forms.push(id);
        self.draw(&content, &resources);
        self.forms.pop();
        self.state = before;
    }

    fn step(&mut self, operation: &Operation) {
        let operands = &operation.operands;
        let given = |at: usize| number(operands, at);
        let state = &mut self.state;
        match operation.operator.as_str() {
            "cm" => state.page = matrix_of(operands).then(state.page),
            "BT" => state.start(Matrix::UNCHANGED),
            "Tm" => state.start(matrix_of(operands)),
            "Tc" => state.spacing.0 = given(0),
            "Tw" => state.spacing.1 = given(0),
            "Tz" => state.stretch = given(0) / 100.0,
            "TL" => state.leading = given(0),
            "Ts" => state.rise = given(0),
            "Td" => state.walk(given(0), given(1)),
            "TD" => {
                state.leading = -given(1);
                state.walk(given(0), given(1));
            }
            "T*" => state.walk(0.0, -state.leading),
            "Tj" => self.show(operands.first()),
            "'" => {
                state.walk(0.0, -state.leading);
                self.show(operands.first());
            }
            "\"" => {
                state.spacing = (given(1), given(0));
                state.walk(0.0, -state.leading);
                self.show(operands.get(2));
            }
            "TJ" => {
                let parts = operands.first().and_then(|parts| parts.as_array().ok());
                for part in parts.into_iter().flatten() {
                    match part.as_float() {
                        Ok(back) => self.state.advance(-finite(back) / 1000.0 * self.state.size),
                        Err(_) => self.show(Some(part)),
                    }
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, string: Option<&Object>) {
        let Some(bytes) = string.and_then(|string| string.as_str().ok()) else { return };
        let Some(font) = self.state.font.clone() else { return };
        let shown = font.letters(bytes);
        let state = &mut self.state;
        let here = Matrix::moved(0.0, state.rise).then(state.next).then(state.page);
        let from = here.point(0.0, 0.0);
        let (width, letters) = font.width(bytes);
        let letters = letters as f32;
        let spaces = shown.matches(' ').count() as f32;
        let spacing = state.spacing.0 * letters + state.spacing.1 * spaces;
        state.advance(width.unwrap_or(letters * WIDTH) * state.size + spacing);
        let there = Matrix::moved(0.0, state.rise).then(state.next).then(state.page);
        // A size of nothing is a font that the page scales otherwise.
        let size = match (state.size * here.height()).abs() {
            size if size > 0.0 && size.is_finite() => size,
            _ => 1.0,
        };
        let slack = if width.is_some() { 0.0 } else { letters * SLACK * size };
        let mut direction = here.direction();
        // A size below nothing turns letters around, and so does the matrix that goes with it.
        if state.size * state.stretch < 0.0 {
            direction = (-direction.0, -direction.1);
        }
        let to = there.point(0.0, 0.0);
        self.lines.add(&shown, Place { from, to, direction, size, slack });
    }
}

impl State {
    fn start(&mut self, at: Matrix) {
        (self.line, self.next) = (at, at);
    }

    fn walk(&mut self, x: f32, y: f32) {
        self.start(Matrix::moved(x, y).then(self.line));
    }

    fn advance(&mut self, by: f32) {
        self.next = Matrix::moved(by * self.stretch, 0.0).then(self.next);
    }
}

fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

fn number(operands: &[Object], at: usize) -> f32 {
    finite(operands.get(at).and_then(|operand| operand.as_float().ok()).unwrap_or(0.0))
}

fn matrix_of(operands: &[Object]) -> Matrix {
    Matrix::of([0, 1, 2, 3, 4, 5].map(|at| number(operands, at)))
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
