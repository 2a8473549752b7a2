//! One file a command.

pub(crate) mod classify;
pub(crate) mod models;
pub(crate) mod plan;
pub(crate) mod segments;
pub(crate) mod tokens;
