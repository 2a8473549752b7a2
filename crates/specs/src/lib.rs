//! The spec notebook of a project: plain files below `sdd/` that people read and commit.
//!
//! The model writes; this crate checks what must be there, renders Markdown, saves it
//! whole or not at all, and moves to the next stage. It speaks no protocol, keeps no
//! memory (what should be remembered is handed back) and never reads or writes outside
//! the project's root.

mod adr;
mod change;
mod change_flow;
mod check;
mod clarify;
mod context;
mod detail;
mod document;
mod error;
mod explore;
mod files;
#[doc(hidden)]
pub mod fuzzing;
mod kin;
mod notebook;
mod root;
mod scan;
mod slug;
mod stage;
mod stage_args;
mod state;

pub use adr::{Adr, AdrStatus};
pub use change::{AdvanceChange, StartChange};
pub use change_flow::{ChangeSize, ChangeType, flow};
pub use check::{ContextCheck, MOST_EXPLORATIONS, Recalled};
pub use clarify::{Clarify, DIMENSIONS, Dimension};
pub use context::{ContextRead, GetContext};
pub use detail::Reading;
pub use error::SpecsError;
pub use explore::Explore;
pub use files::LONGEST_FIELD;
pub use notebook::{Done, Notebook, Remember};
pub use root::find_root;
pub use slug::slug;
pub use stage::Stage;
pub use stage_args::{
    BusinessRules, Design, InitProject, Proposal, Requirements, Tasks, Validation, Verdict,
};
pub use state::Mode;
