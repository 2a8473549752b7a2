//! Memory and specs for coding agents, over the Model Context Protocol.
//!
//! This crate translates: declared tools become schemas, arguments become the plain asks
//! of `memory` and `specs`, their answers become results. It decides nothing about what is
//! remembered or written down, opens no port and no store of its own, and prints nothing:
//! standard output belongs to the protocol.

mod answer;
mod arguments;
mod books;
mod call_specs;
mod client_lines;
mod connection;
mod extra;
#[doc(hidden)]
pub mod fuzzing;
mod http;
mod instructions;
mod memory_tools;
mod place;
mod profile;
mod reference;
mod server;
mod specs_tools;
mod stdio;
mod table;

pub use answer::ToolAnswer;
pub use arguments::{BadArgument, LONGEST_ARGUMENT};
pub use connection::Connection;
pub use extra::{ExtraTool, ExtraTools};
pub use http::http_service;
pub use memory_tools::MEMORY_TOOLS;
pub use place::{project_of, root_of};
pub use profile::{Offer, PROFILES, UnknownTool, all_tools};
pub use reference::tool_reference;
pub use server::{Clock, Server, ServerParts};
pub use specs_tools::SPECS_TOOLS;
pub use stdio::{ServeError, serve, serve_stdio};
pub use table::{Effect, Kind, Param, Part, ToolSpec};
