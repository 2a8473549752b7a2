//! A driver for a real Chromium: tests and screenshots of the workbench.
//!
//! Never part of the product: nothing that ships depends on this crate, and it knows
//! nothing of Plimsoll. It speaks the DevTools protocol over a pair of pipes, so there is
//! no port to find and no web socket, and every call blocks, so a test needs no runtime:
//!
//! ```no_run
//! # fn main() -> plimsoll_browser::Result<()> {
//! use plimsoll_browser::{Browser, Options};
//!
//! let browser = Browser::launch(Options::default())?;
//! let page = browser.page()?;
//! page.open("http://127.0.0.1:8080/")?;
//! page.keys("Enter")?;
//! page.type_text("Hello, 世界")?;
//! page.keys("Escape j j Shift+O")?;
//! page.wait_for("document.querySelector('.boundary') !== null")?;
//! page.screenshot()?.save("boundary.png")?;
//! page.assert_quiet()?;
//! page.assert_only("http://127.0.0.1:8080")?;
//! # Ok(())
//! # }
//! ```
//!
//! Where Chromium is missing, [`Browser::launch`] fails with [`Error::Missing`]; a test
//! takes [`Browser::for_test`], which then says on standard error that it is skipped.
//!
//! The `assert_` functions give an error and do not panic: `?` or `unwrap` them.

mod axe;
mod browser;
mod emulate;
mod error;
mod files;
mod firefox;
mod keyboard;
mod launch;
mod listen;
mod measure;
mod mouse;
mod notes;
mod page;
mod process;
mod screenshot;
pub mod shots;
mod skip;
mod typing;
mod wire;

pub use axe::{AxeNode, AxeViolation, Impact, axe};
pub use browser::Browser;
pub use emulate::{Cookie, Scheme};
pub use error::{Error, Result};
pub use firefox::{Firefox, FirefoxPage};
pub use launch::{Options, Viewport};
pub use measure::Heap;
pub use mouse::Point;
pub use notes::{CspViolation, Level, Message, Request};
pub use page::Page;
pub use screenshot::Png;
pub use skip::or_skip;
