//! The file tools as a model meets them, over a shelf of made-up files.

// Helpers of tests stand outside the test functions, and may fail and print like them.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod budgets;
mod fixtures;
mod images;
mod listing;
mod mistakes;
mod pdfs;
mod python;
mod reading;
mod shelf;
mod sounds;
