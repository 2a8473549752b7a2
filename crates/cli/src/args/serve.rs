//! What can be typed to serve the workbench.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;

/// Serve the workbench and its API; this is what `plimsoll` alone does
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    plimsoll serve --open\n  \
    plimsoll serve --addr 127.0.0.1:0       any free port\n  \
    plimsoll serve --addr 0.0.0.0:7411      for others too; it prints a token\n\n\
    Only this machine can reach it, unless --addr says otherwise; then a token is needed.\n\
    Ctrl+C ends it; what had arrived of an answer is kept.")]
pub(crate) struct ServeArgs {
    /// Where to listen
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:7411")]
    pub(crate) addr: SocketAddr,

    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,

    /// Ask for this token; one is made up where others could come in
    #[arg(long)]
    pub(crate) token: Option<String>,

    /// Where everything is kept
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

impl Default for ServeArgs {
    fn default() -> Self {
        let addr = SocketAddr::from(([127, 0, 0, 1], 7411));
        Self { addr, open: false, token: None, data_dir: None }
    }
}
