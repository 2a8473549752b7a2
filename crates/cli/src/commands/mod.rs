//! One file a command.

pub(crate) mod backup;
pub(crate) mod chat;
pub(crate) mod classify;
pub(crate) mod doctor;
pub(crate) mod dry_run;
pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod gateway;
pub(crate) mod generate;
pub(crate) mod import;
pub(crate) mod keys;
pub(crate) mod mcp;
mod mcp_install;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod plan;
pub(crate) mod receipts;
pub(crate) mod restore;
pub(crate) mod segments;
pub(crate) mod send;
pub(crate) mod serve;
pub(crate) mod settings;
pub(crate) mod snippets;
pub(crate) mod tokens;
pub(crate) mod topics;
pub(crate) mod undo;
pub(crate) mod verify;
