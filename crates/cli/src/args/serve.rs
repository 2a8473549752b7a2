//! What can be typed to serve the workbench.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

/// Serve the workbench and its API; this is what `plimsoll` alone does
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll serve --open\n  \
    plimsoll serve --addr 127.0.0.1:0       any free port\n  \
    plimsoll serve --addr 0.0.0.0:7411      for others too; they need the token\n  \
    plimsoll serve --team                   for a team; its people sign in\n\n\
    Only this machine can reach it, unless --addr says otherwise. Your own account needs\n\
    nothing; other accounts and machines need the token, which is kept in a file of yours.\n\
    Ctrl+C ends it; what had arrived of an answer is kept.")]
pub(crate) struct ServeArgs {
    /// Where to listen
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:7411")]
    pub(crate) addr: SocketAddr,

    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,

    /// Ask everybody for this token; others can read it in the list of processes, so rather
    /// use --token-file, or PLIMSOLL_TOKEN
    #[arg(long)]
    pub(crate) token: Option<String>,

    /// Ask everybody for the token in this file, which only you may be able to read
    #[arg(long, value_name = "FILE", conflicts_with = "token")]
    pub(crate) token_file: Option<PathBuf>,

    /// Several people use this server, who sign in; `plimsoll team user add` adds them
    #[arg(long)]
    pub(crate) team: bool,

    /// What is offered to agents at /mcp: profiles and names of tools, with commas between
    #[arg(long, value_name = "PROFILE", default_value = MCP_TOOLS)]
    pub(crate) mcp_tools: String,

    /// The project, in the memory, of agents at /mcp that name none
    #[arg(long, value_name = "NAME", value_parser = crate::commands::mcp::parse_project)]
    pub(crate) project: Option<String>,
}

/// What agents get at /mcp unless something else is asked for.
const MCP_TOOLS: &str = "memory,specs";

/// What the agents of a team get at /mcp: specs are files of the machine that an agent works on,
/// and theirs is not the server's.
const TEAM_MCP_TOOLS: &str = "memory";

impl Default for ServeArgs {
    fn default() -> Self {
        let addr = SocketAddr::from(([127, 0, 0, 1], 7411));
        Self {
            addr,
            open: false,
            token: None,
            token_file: None,
            team: false,
            mcp_tools: MCP_TOOLS.to_owned(),
            project: None,
        }
    }
}

impl ServeArgs {
    /// What the agents of a team are offered: what was asked for, or the usual.
    pub(crate) fn team_mcp_tools(&self) -> &str {
        if self.mcp_tools == MCP_TOOLS { TEAM_MCP_TOOLS } else { &self.mcp_tools }
    }
}
