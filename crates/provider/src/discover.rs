//! Finding the servers that run on this machine (PRV-2): loopback only, all at once,
//! and never for long. Nothing is remembered here; that is up to the caller.

use std::{net::IpAddr, time::Duration};

use futures_util::future;
use reqwest::Url;
use tokio::{process::Command, time::timeout};

use crate::{
    Endpoint, ServedModel, Timeouts,
    child::program,
    endpoint::is_loopback,
    http::{Call, Client},
    models::{by_id, listed},
};

/// A server that runs here answers soon or is not there. Where nobody listens, that is
/// known at once, so this only has to outlast a busy machine.
const PROBE: Duration = Duration::from_secs(1);
/// Foundry's port is only known to its own program, which takes its time to start.
const FOUNDRY: Duration = Duration::from_secs(3);

/// The kinds of local servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocalKind {
    Ollama,
    LmStudio,
    LlamaCpp,
    Vllm,
    /// Microsoft's Foundry Local.
    Foundry,
}

impl LocalKind {
    /// The name in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::LmStudio => "lmstudio",
            Self::LlamaCpp => "llamacpp",
            Self::Vllm => "vllm",
            Self::Foundry => "foundry",
        }
    }
}

/// Where a server may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What would be there.
    pub kind: LocalKind,
    /// Its base URL in the OpenAI style.
    pub base_url: String,
}

impl Place {
    fn at(kind: LocalKind, port: u16) -> Self {
        Self { kind, base_url: format!("http://127.0.0.1:{port}/v1") }
    }

    /// The usual places. `ollama_host` is the value of `OLLAMA_HOST`, which counts when
    /// it names this machine.
    pub fn usual(ollama_host: Option<&str>) -> Vec<Self> {
        let ollama = ollama_host.and_then(ollama_base);
        let ollama = ollama.map(|base_url| Self { kind: LocalKind::Ollama, base_url });
        vec![
            ollama.unwrap_or_else(|| Self::at(LocalKind::Ollama, 11434)),
            Self::at(LocalKind::LmStudio, 1234),
            Self::at(LocalKind::LlamaCpp, 8080),
            Self::at(LocalKind::Vllm, 8000),
        ]
    }
}

/// A server that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// What it is, by where it was found.
    pub kind: LocalKind,
    /// Its base URL in the OpenAI style.
    pub base_url: String,
    /// Its models, as its list tells them; [`crate::Provider::models`] may tell more.
    pub models: Vec<ServedModel>,
}

/// Finds the servers that run on this machine, in the order of the usual places.
pub async fn discover() -> Vec<LocalServer> {
    let host = std::env::var("OLLAMA_HOST").ok();
    let usual = Place::usual(host.as_deref());
    let foundry = async {
        let place = foundry_place().await;
        discover_at(place.into_iter().collect()).await
    };
    let (mut found, foundry) = future::join(discover_at(usual), foundry).await;
    found.extend(foundry);
    found
}

/// Finds the servers that run at these places; whatever is not on this machine is
/// passed over.
pub async fn discover_at(places: Vec<Place>) -> Vec<LocalServer> {
    let probes = places
        .into_iter()
        .map(|place| async move { timeout(PROBE, probe(place)).await.ok().flatten() });
    future::join_all(probes).await.into_iter().flatten().collect()
}

async fn probe(place: Place) -> Option<LocalServer> {
    let endpoint = Endpoint::new(place.kind.name(), &place.base_url).ok()?;
    if !endpoint.is_loopback() {
        return None;
    }
    let timeouts = Timeouts { connect: PROBE, first_byte: PROBE, idle: PROBE, loading: PROBE };
    let client = Client::new(&endpoint.clone().with_timeouts(timeouts)).ok()?;
    let list = client.json(Call::get(endpoint.join(["models"]), &[])).await.ok()?;
    // Any program may listen there; one that lists models in this form serves them.
    list.get("data").or_else(|| list.get("models"))?.as_array()?;
    let models = by_id(listed(&list));
    Some(LocalServer { kind: place.kind, base_url: endpoint.base_url, models })
}

/// Asks Foundry's program, where it is installed, for the address of its service.
async fn foundry_place() -> Option<Place> {
    let mut command = Command::from(program("foundry"));
    command.args(["service", "status"]).stdin(std::process::Stdio::null()).kill_on_drop(true);
    let output = timeout(FOUNDRY, command.output()).await.ok()?.ok()?;
    let base_url = foundry_base(&String::from_utf8_lossy(&output.stdout))?;
    Some(Place { kind: LocalKind::Foundry, base_url })
}

/// The base URL in what `foundry service status` prints: the first address on this
/// machine, whatever path it has.
pub fn foundry_base(printed: &str) -> Option<String> {
    let starts = printed.match_indices("http").map(|(at, _)| &printed[at..]);
    starts
        .filter_map(|text| {
            let end = text.find(|c: char| c.is_whitespace() || "\"'<>()\u{1b}".contains(c));
            let mut url = Url::parse(&text[..end.unwrap_or(text.len())]).ok()?;
            url.set_path("/v1");
            (url.scheme().starts_with("http") && is_loopback(&url)).then_some(url)
        })
        .map(|mut url| {
            url.set_query(None);
            url.to_string()
        })
        .next()
}

/// The base URL that `OLLAMA_HOST` means, when it names this machine. It may be a host,
/// a port, both, or a URL; an address to listen on everywhere is also here.
pub fn ollama_base(host: &str) -> Option<String> {
    let host = host.trim().trim_matches(['"', '\'']).trim_end_matches('/');
    let host = if host.starts_with(':') { format!("127.0.0.1{host}") } else { host.to_owned() };
    let (full, default_port) = match host.split_once("://") {
        Some(("http", _)) => (host, 80),
        Some(_) => return None,
        None => (format!("http://{host}"), 11434),
    };
    let mut url = Url::parse(&full).ok()?;
    let unspecified = url.host_str().map(|host| host.trim_matches(['[', ']']));
    if unspecified?.parse::<IpAddr>().is_ok_and(|address| address.is_unspecified()) {
        url.set_host(Some("127.0.0.1")).ok()?;
    }
    if !is_loopback(&url) {
        return None;
    }
    // A port that is the default of HTTP is dropped by the parser, so the text is asked.
    let told = full.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if url.port().is_none() && !told {
        url.set_port(Some(default_port)).ok()?;
    }
    url.set_path("/v1");
    Some(url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foundrys_words() {
        for (printed, expected) in [
            (
                "🟢 Model management service is running on http://127.0.0.1:5273/openai/status\n",
                Some("http://127.0.0.1:5273/v1"),
            ),
            (
                "See https://aka.ms/foundry.\nhttp://localhost:60123/openai/status is up",
                Some("http://localhost:60123/v1"),
            ),
            ("\u{1b}[32mhttp://127.0.0.1:1/x\u{1b}[0m", Some("http://127.0.0.1:1/v1")),
            ("🔴 Model management service is not running!", None),
            ("running on http://10.0.0.7:5273/openai/status", None),
            ("http", None),
            ("", None),
        ] {
            assert_eq!(foundry_base(printed).as_deref(), expected, "{printed}");
        }
    }

    #[test]
    fn ollamas_host() {
        for (host, expected) in [
            ("127.0.0.1:11500", Some("http://127.0.0.1:11500/v1")),
            ("localhost", Some("http://localhost:11434/v1")),
            ("0.0.0.0", Some("http://127.0.0.1:11434/v1")),
            ("0.0.0.0:9999", Some("http://127.0.0.1:9999/v1")),
            (":11435", Some("http://127.0.0.1:11435/v1")),
            ("http://localhost:1234/", Some("http://localhost:1234/v1")),
            ("http://127.0.0.1", Some("http://127.0.0.1/v1")),
            ("[::]:11434", Some("http://127.0.0.1:11434/v1")),
            ("[::1]", Some("http://[::1]:11434/v1")),
            ("192.168.1.5:11434", None),
            ("https://ollama.example.com", None),
            ("", None),
        ] {
            assert_eq!(ollama_base(host).as_deref(), expected, "{host}");
        }
    }

    #[test]
    fn the_usual_places_are_on_this_machine() {
        for host in [None, Some("gpu.example.com:11434"), Some("localhost:1")] {
            for place in Place::usual(host) {
                assert!(Endpoint::new("x", &place.base_url).unwrap().is_loopback(), "{place:?}");
            }
        }
    }
}
