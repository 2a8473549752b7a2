//! Finding and starting Firefox, in a home of its own and with nobody to talk to.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::{Error, Options, Result, launch::on_path, process::Process};

/// The names under which Firefox is looked for, best first.
const NAMES: [&str; 3] =
    ["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"];

/// What it is told before it starts. Everything but this machine goes to a proxy that is not there.
const PREFERENCES: &str = r#"
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.socks", "127.0.0.1");
user_pref("network.proxy.socks_port", 9);
user_pref("network.proxy.no_proxies_on", "localhost, 127.0.0.1, [::1]");
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("app.update.auto", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.page", 0);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("dom.timeout.enable_budget_timer_throttling", false);
user_pref("dom.min_background_timeout_value", 4);
"#;

/// The program to start.
fn find() -> Result<PathBuf> {
    if let Some(program) = env::var_os("PLIMSOLL_FIREFOX").map(PathBuf::from) {
        return on_path(&program).ok_or_else(|| Error::Missing {
            what: "Firefox",
            how: format!("there is no program {}", program.display()),
        });
    }
    NAMES.iter().map(Path::new).find_map(on_path).ok_or_else(|| Error::Missing {
        what: "Firefox",
        how: "install it (apt-get install firefox-esr, or from mozilla.org), or name the program \
              in PLIMSOLL_FIREFOX"
            .to_owned(),
    })
}

#[cfg(unix)]
pub(super) fn start(options: &Options) -> Result<(Process, u16)> {
    use std::{
        fs::{self, File},
        os::unix::process::CommandExt,
        process::{Command, Stdio},
        thread,
        time::{Duration, Instant},
    };

    let program = find()?;
    let failed =
        |what: &'static str| move |error: std::io::Error| Error::Launch(format!("{what}: {error}"));
    let home = tempfile::Builder::new()
        .prefix("plimsoll-firefox-")
        .tempdir()
        .map_err(failed("no temporary directory"))?;
    let profile = home.path().join("profile");
    fs::create_dir(&profile).map_err(failed("no directory for its profile"))?;
    fs::write(profile.join("user.js"), PREFERENCES).map_err(failed("no preferences"))?;
    let words = File::create(home.path().join("stderr")).map_err(failed("no file"))?;
    let child = Command::new(program)
        .args(["--headless", "--no-remote", "--remote-debugging-port", "0", "--profile"])
        .arg(&profile)
        .args(&options.args)
        .env("HOME", home.path())
        .envs([("XDG_CONFIG_HOME", home.path()), ("XDG_CACHE_HOME", home.path())])
        .env("TMPDIR", home.path())
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(words)
        .process_group(0)
        .spawn()
        .map_err(failed("firefox"))?;
    let process = Process::new(child, home);
    // It writes down where it listens, once it does.
    let told = profile.join("WebDriverBiDiServer.json");
    let until = Instant::now() + options.patience;
    while Instant::now() < until {
        let text = fs::read_to_string(&told).unwrap_or_default();
        let port = serde_json::from_str::<serde_json::Value>(&text)
            .ok()
            .and_then(|told| told["ws_port"].as_u64())
            .and_then(|port| u16::try_from(port).ok());
        if let Some(port) = port {
            return Ok((process, port));
        }
        thread::sleep(Duration::from_millis(25));
    }
    Err(Error::Launch(format!("it never listens\n{}", process.last_words())))
}

#[cfg(not(unix))]
pub(super) fn start(_: &Options) -> Result<(Process, u16)> {
    find().and_then(|_| {
        Err(Error::Missing {
            what: "a Unix system",
            how: "browser tests run on Linux and macOS".to_owned(),
        })
    })
}
