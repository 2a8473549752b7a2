//! LiteLLM's proxy, as its documentation starts it.

use std::{
    fs::{self, File},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use plimsoll_testkit::{http, python};

use crate::{Outcome, bodies};

/// The newest that pip could install when this was written.
const PACKAGE: &str = "litellm[proxy]==1.106.2";

/// It imports for seconds.
const PATIENCE: Duration = Duration::from_secs(180);

/// A proxy that ends with this.
pub(crate) struct LiteLlm {
    child: Child,
    pub(crate) address: String,
    /// It does not start without one.
    pub(crate) key: String,
    _home: tempfile::TempDir,
}

impl LiteLlm {
    pub(crate) fn start(upstream: &str) -> Outcome<Self> {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let python =
            python::python(cache, "litellm-proxy", PACKAGE).map_err(|why| why.to_string())?;
        let home = tempfile::tempdir()?;
        let config = home.path().join("config.yaml");
        fs::write(
            &config,
            format!(
                "model_list:\n  - model_name: {model}\n    litellm_params:\n      \
                 model: openai/{model}\n      api_base: http://{upstream}/v1\n      \
                 api_key: sk-mock\nlitellm_settings:\n  telemetry: false\n",
                model = bodies::MODEL
            ),
        )?;
        let log = home.path().join("log");
        let written = File::create(&log)?;
        let port = free_port()?;
        let key = format!("sk-{}", "0123456789abcdef".repeat(4));
        let child = Command::new(python)
            .args(["-m", "litellm.proxy.proxy_cli", "--host", "127.0.0.1"])
            .args(["--port", &port.to_string(), "--config"])
            .arg(config)
            .env("LITELLM_MASTER_KEY", &key)
            // Else it fetches prices from the network when it starts.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env("LITELLM_LOG", "ERROR")
            .env("NO_PROXY", "127.0.0.1")
            .current_dir(home.path())
            .stdin(Stdio::null())
            .stdout(written.try_clone()?)
            .stderr(written)
            .spawn()?;
        let mut started = Self { child, address: format!("127.0.0.1:{port}"), key, _home: home };
        match started.until_alive() {
            Ok(()) => Ok(started),
            Err(why) => {
                let said = fs::read_to_string(log).unwrap_or_default();
                let last: Vec<&str> = said.lines().rev().take(5).collect();
                let last: Vec<&str> = last.into_iter().rev().collect();
                Err(format!("{why}; it said last: {}", last.join(" ")).into())
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn until_alive(&mut self) -> Outcome {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("it ended ({status})").into());
            }
            let close = [("Connection", "close")];
            let alive = http::request(&self.address, "GET", "/health/liveliness", &close, b"");
            if alive.is_ok_and(|answer| answer.status == 200) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        Err(format!("it did not answer within {PATIENCE:?}").into())
    }
}

impl Drop for LiteLlm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Free a moment ago: the proxy cannot choose one and tell.
fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
