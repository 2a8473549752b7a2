//! The way of a text: marks out, depth limited, formulas aside, Markdown read, looked
//! over, done.

use crate::{
    gate,
    limits::MAX_MARKDOWN_BYTES,
    markdown,
    math::Aside,
    partial, prose,
    text::{self, Place},
};

/// How texts are rendered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Renderer {
    /// Whether the end of a line is the end of a line on the page, too. People type so;
    /// models, like Markdown, end a paragraph with an empty line.
    pub line_breaks: bool,
}

impl Renderer {
    /// A text as safe HTML: a sequence of blocks, each with a line feed after it.
    pub fn render(&self, markdown: &str) -> String {
        if markdown.len() > MAX_MARKDOWN_BYTES {
            return plain(markdown);
        }
        let clean = text::without_marks(markdown);
        let flat = markdown::flatten(&clean);
        let html = prose::render(&Aside::new(&flat), self.line_breaks);
        if gate::passes(&html) { html } else { plain(markdown) }
    }

    /// A text that is still being written, as safe HTML. What is open at its end (a code
    /// block, bold words, a link, a formula, a table) is shown as what it will become as
    /// far as that can be told, so that little jumps when the rest arrives. Once the text
    /// is complete, render it with [`Renderer::render`].
    pub fn render_partial(&self, markdown: &str) -> String {
        if markdown.len() > MAX_MARKDOWN_BYTES {
            return plain(markdown);
        }
        self.render(&partial::complete(markdown))
    }
}

/// [`Renderer::render`] as for what a model wrote.
pub fn render(markdown: &str) -> String {
    Renderer::default().render(markdown)
}

/// [`Renderer::render_partial`] as for what a model wrote.
pub fn render_partial(markdown: &str) -> String {
    Renderer::default().render_partial(markdown)
}

fn plain(markdown: &str) -> String {
    // Growing step by step would take twice as much for a moment (REL-7).
    let mut out = String::with_capacity(text::escaped_len(markdown) + 64);
    out.push_str("<pre class=\"plain\" tabindex=\"0\">");
    text::push(&mut out, markdown, Place::Code);
    out.push_str("</pre>\n");
    out
}
