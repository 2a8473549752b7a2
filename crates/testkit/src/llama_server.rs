//! A real llama.cpp server on a free loopback port: the peer that overflows for real.
//!
//! It comes as a wheel from PyPI and is installed once into a directory of the caller,
//! usually `CARGO_TARGET_TMPDIR`; processes that come together take turns. The server
//! lives in a child that ends when its standard input does, so none outlives a test,
//! not even one that is killed.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::python::{Unavailable, python};

/// llama.cpp's server as a Python package; its version is fixed because its parameters
/// have no promise of staying.
const PACKAGE: &str = "xllamacpp==2026.10.11549";

/// The server in a few lines: arguments in, its address out, and then it serves until
/// nobody holds its standard input any more.
const SCRIPT: &str = r#"
import json, sys
import xllamacpp
told = json.loads(sys.argv[1])
params = xllamacpp.CommonParams()
params.model.path = told["model"]
params.model_alias = {told["name"]}
params.n_ctx = told["window"]
params.n_predict = told["longestAnswer"]
params.cpuparams.n_threads = told["threads"]
params.cpuparams_batch.n_threads = told["threads"]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_parallel = 1
params.warmup = False
params.sampling.temp = 0.0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"#;

/// What the server serves.
#[derive(Clone, Debug)]
pub struct LlamaOptions {
    /// The model file.
    pub model: PathBuf,
    /// The window in tokens.
    pub window: u32,
    /// Answers are cut here; short ones keep tests fast.
    pub longest_answer: u32,
    /// Threads; more than there are free cores make it crawl.
    pub threads: u32,
}

/// A server that runs; dropping it stops it.
#[derive(Debug)]
pub struct LlamaServer {
    child: Child,
    root_url: String,
}

impl LlamaServer {
    /// The name of its model.
    pub const MODEL: &str = "tiny-peer";

    /// Starts a server. `cache` is where it is installed when it is not there yet.
    pub fn start(cache: &Path, options: &LlamaOptions) -> Result<Self, Unavailable> {
        let python = python(cache, "llama-cpp", PACKAGE)?;
        let told = serde_json::json!({
            "model": options.model,
            "name": Self::MODEL,
            "window": options.window,
            "longestAnswer": options.longest_answer,
            "threads": options.threads,
        });
        let log = cache.join(format!("llama-server-{}.log", std::process::id()));
        let mut child = Command::new(python)
            .args(["-c", SCRIPT, &told.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&log)?)
            .spawn()?;
        let mut address = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut address)?;
        }
        let server = Self { child, root_url: address.trim().to_owned() };
        if !server.root_url.starts_with("http://127.0.0.1:") {
            return Err(Unavailable(format!(
                "the llama.cpp server did not start: {}",
                last_line(&log)
            )));
        }
        Ok(server)
    }

    /// The address without a path.
    pub fn root_url(&self) -> &str {
        &self.root_url
    }

    /// The base URL in the OpenAI style.
    pub fn base_url(&self) -> String {
        format!("{}/v1", self.root_url)
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn last_line(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no word about it").to_owned()
}
