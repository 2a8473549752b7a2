//! A provider of identities that others wrote (`oidc-provider-mock` of PyPI), with a page on which
//! people sign in as anybody. It is installed once into a directory of the caller, and ends when its
//! standard input does.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::python::{Unavailable, python};

/// The last one for Python 3.11.
const PACKAGE: &str = "oidc-provider-mock==0.3.4";

const SCRIPT: &str = r#"
import json, sys
import oidc_provider_mock as provider
people = [provider.User(sub=sub, claims=claims) for sub, claims in json.loads(sys.argv[1]).items()]
with provider.run_server_in_thread(user_claims=people) as server:
    print(server.server_port, flush=True)
    sys.stdin.read()
"#;

/// The provider; dropping it ends it.
#[derive(Debug)]
pub struct OpenIdPeer {
    child: Child,
    port: u16,
}

impl OpenIdPeer {
    /// Starts it with people: an object of claims by their subjects. `cache` is where it is
    /// installed when it is not there yet.
    pub fn start(cache: &Path, people: &Value) -> Result<Self, Unavailable> {
        let python = python(cache, "openid-peer", PACKAGE)?;
        let log = cache.join(format!("openid-peer-{}.log", std::process::id()));
        let mut child = Command::new(python)
            .args(["-c", SCRIPT, &people.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()?;
        let mut port = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut port)?;
        }
        let peer = Self { child, port: port.trim().parse().unwrap_or(0) };
        match peer.port {
            0 => Err(Unavailable(format!("it did not start, see {}", log.display()))),
            _ => Ok(peer),
        }
    }

    /// What goes into the settings. It is another site than `127.0.0.1`.
    pub fn issuer(&self) -> String {
        format!("http://localhost:{}", self.port)
    }
}

impl Drop for OpenIdPeer {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
