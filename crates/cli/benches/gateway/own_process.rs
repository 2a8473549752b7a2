//! This program once more, as a server in a process of its own.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, Command, Stdio},
};

use axum::{Router, serve::ListenerExt};

use crate::Outcome;

/// A server that ends with this.
pub(crate) struct OwnProcess {
    child: Child,
    /// `127.0.0.1:port`
    pub(crate) address: String,
}

impl OwnProcess {
    /// The arguments say which server it is.
    pub(crate) fn start(args: &[&str]) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        let command = command.args(args).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut address = String::new();
        let said = child.stdout.take().ok_or("it has no standard output")?;
        BufReader::new(said).read_line(&mut address)?;
        Ok(Self { child, address: address.trim().to_owned() })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for OwnProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The other side: says where it is, and serves until it is killed.
pub(crate) fn serve(routes: Router) -> Outcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let mut out = std::io::stdout();
        writeln!(out, "{}", listener.local_addr()?)?;
        out.flush()?;
        // Else an event waits until the one before was acknowledged.
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        Ok(axum::serve(listener, routes).await?)
    })
}
