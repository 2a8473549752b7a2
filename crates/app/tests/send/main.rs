//! Sends from end to end against a real store and a provider that follows a script.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

mod again;
mod archive;
mod archive_hostile;
mod attached;
mod compare;
mod conversations;
mod during;
mod ending;
mod exchange;
mod faults;
mod listing;
mod nodes;
mod outcomes;
mod rig;
mod summaries;
mod team;
mod uses;
mod workspace_view;
mod wysiwyg;
