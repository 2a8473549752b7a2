//! The elements that are written, and how deep they go.
//!
//! A tag is one of the constants below or it is not written. What has no room left is
//! left out together with all that it holds, except the text.

use crate::limits::MAX_DEPTH;

/// An element of ours: how it opens, how it closes, and how many levels it needs below
/// it to be whole (a table without its cells would let text fall out of it).
pub(crate) struct Element {
    pub(crate) open: &'static str,
    pub(crate) close: &'static str,
    pub(crate) levels: usize,
}

macro_rules! elements {
    ($($name:ident: $open:literal, $close:literal, $levels:literal;)*) => {
        $(pub(crate) const $name: Element =
            Element { open: $open, close: $close, levels: $levels };)*
    };
}

elements! {
    PARAGRAPH: "<p>", "</p>\n", 1;
    RAW: "<p class=\"raw\">", "</p>\n", 1;
    H3: "<h3>", "</h3>\n", 1;
    H4: "<h4>", "</h4>\n", 1;
    H5: "<h5>", "</h5>\n", 1;
    H6: "<h6>", "</h6>\n", 1;
    QUOTE: "<blockquote>\n", "</blockquote>\n", 2;
    LIST: "<ul>\n", "</ul>\n", 3;
    NUMBERED: "<ol", "</ol>\n", 3;
    ITEM: "<li>", "</li>\n", 1;
    TABLE: "<div class=\"table\" tabindex=\"0\"><table>\n", "</tbody>\n</table></div>\n", 6;
    HEAD: "<thead>\n<tr>", "</tr>\n</thead>\n<tbody>\n", 1;
    ROW: "<tr>", "</tr>\n", 1;
    TITLE_CELL: "<th", "</th>", 1;
    CELL: "<td", "</td>", 1;
    EMPHASIS: "<em>", "</em>", 1;
    STRONG: "<strong>", "</strong>", 1;
    STRUCK: "<del>", "</del>", 1;
    NO_LINK: "<span class=\"no-link\">", "</span>", 1;
}

/// HTML in the making.
#[derive(Default)]
pub(crate) struct Html {
    pub(crate) out: String,
    /// For each event that was opened, what closes it, or nothing.
    open: Vec<Option<&'static str>>,
    depth: usize,
    /// Levels of events below an element that was left out.
    left_out: usize,
}

impl Html {
    /// Opens an element, or leaves it out.
    pub(crate) fn open(&mut self, element: &Element) {
        self.try_open(element);
    }

    /// Opens an element, or leaves it out; says whether it was written.
    pub(crate) fn try_open(&mut self, element: &Element) -> bool {
        if !self.has_room(element.levels) {
            self.leave_out();
            return false;
        }
        self.out.push_str(element.open);
        self.opened(element.close);
        true
    }

    /// Counts an element that the caller has written the opening tag of.
    pub(crate) fn opened(&mut self, close: &'static str) {
        self.depth += 1;
        self.open.push(Some(close));
    }

    /// Whether so many levels more may be opened here.
    pub(crate) fn has_room(&self, levels: usize) -> bool {
        self.left_out == 0 && self.depth + levels <= MAX_DEPTH
    }

    /// Remembers a level without an element, below which there are none.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
        self.open.push(None);
    }

    /// Remembers a level that is not an element, but below which there may be some.
    pub(crate) fn pass(&mut self) {
        if self.left_out > 0 {
            self.leave_out();
        } else {
            self.opened("");
        }
    }

    /// Closes what was opened last.
    pub(crate) fn close(&mut self) {
        match self.open.pop() {
            Some(Some(close)) => {
                self.depth -= 1;
                self.out.push_str(close);
            }
            Some(None) => {
                self.left_out -= 1;
                // Words of neighbouring blocks must not grow together.
                if !self.out.ends_with(['\n', ' ', '>']) {
                    self.out.push(' ');
                }
            }
            None => {}
        }
    }

    /// What was written, with everything closed.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }
}
