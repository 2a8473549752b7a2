//! The ways to the upstream: direct, a bare relay, Plimsoll, LiteLLM.

use std::time::{Duration, Instant};

use plimsoll_testkit::{
    http::{self, Answer},
    real::skipped,
    scripted::{Reply, ScriptedServer},
};

use crate::{
    Outcome, bodies, litellm::LiteLlm, measures, own_process::OwnProcess, relay, served::Served,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Direct,
    Relay,
    Plimsoll,
    LiteLlm,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Relay => "bare relay",
            Self::Plimsoll => "Plimsoll",
            Self::LiteLlm => "LiteLLM",
        }
    }
}

/// Where one asks.
#[derive(Clone)]
pub(crate) struct Door {
    /// `127.0.0.1:port`
    pub(crate) address: String,
    pub(crate) key: Option<String>,
}

pub(crate) struct Way {
    pub(crate) kind: Kind,
    pub(crate) door: Door,
    pub(crate) pid: u32,
}

impl Way {
    fn new(kind: Kind, address: &str, pid: u32) -> Self {
        Self { kind, door: Door { address: address.to_owned(), key: None }, pid }
    }

    /// Waits until it has done what it does after its answers, so that the next one in turn
    /// has the machine for itself.
    pub(crate) fn until_quiet(&self) {
        const PAUSE: Duration = Duration::from_millis(30);
        const PATIENCE: Duration = Duration::from_secs(3);
        let started = Instant::now();
        let mut used = measures::processor_time(self.pid);
        while started.elapsed() < PATIENCE {
            std::thread::sleep(PAUSE);
            let now = measures::processor_time(self.pid);
            if now == used {
                break;
            }
            used = now;
        }
    }

    /// One call over a connection of its own.
    fn ask(&self, stream: bool) -> Outcome<Answer> {
        let key = self.door.key.as_ref().map(|key| format!("Bearer {key}")).unwrap_or_default();
        let mut headers = vec![("Content-Type", "application/json"), ("Connection", "close")];
        if !key.is_empty() {
            headers.push(("Authorization", &key));
        }
        let body = bodies::chat(1024, stream);
        Ok(http::request(&self.door.address, "POST", "/v1/chat/completions", &headers, &body)?)
    }

    /// Why it does not give what the upstream said, if so.
    fn wrong(&self) -> Outcome<Option<Answer>> {
        let whole = self.ask(false)?;
        if whole.status != 200 || !whole.body.contains("\"total_tokens\"") {
            return Ok(Some(whole));
        }
        let stream = self.ask(true)?;
        let pieces = stream.body.matches("a harbour in winter").count();
        let ended = stream.bytes.ends_with(bodies::DONE);
        Ok((stream.status != 200 || pieces != bodies::CHUNKS || !ended).then_some(stream))
    }
}

/// All ways that can be had, and the processes behind them.
pub(crate) struct Ways {
    pub(crate) all: Vec<Way>,
    _relay: OwnProcess,
    _plimsoll: Option<Served>,
    _litellm: Option<LiteLlm>,
}

impl Ways {
    pub(crate) fn start(upstream: &OwnProcess) -> Outcome<Self> {
        let relay = start_relay(upstream)?;
        let mut all = vec![
            Way::new(Kind::Direct, &upstream.address, upstream.pid()),
            Way::new(Kind::Relay, &relay.address, relay.pid()),
        ];
        for way in &all {
            if let Some(answer) = way.wrong()? {
                let (name, body) = (way.kind.name(), &answer.body);
                return Err(format!("{name} answered {}: {body}", answer.status).into());
            }
        }
        let plimsoll = start_plimsoll(upstream)?;
        if let Some(served) = &plimsoll {
            all.push(Way::new(Kind::Plimsoll, &served.address, served.pid()));
        }
        let mut litellm = LiteLlm::start(&upstream.address);
        if let Ok(started) = &litellm {
            let mut way = Way::new(Kind::LiteLlm, &started.address, started.pid());
            way.door.key = Some(started.key.clone());
            match way.wrong()? {
                None => all.push(way),
                Some(answer) => {
                    let said = format!("it answered {}: {}", answer.status, answer.body);
                    litellm = Err(said.into());
                }
            }
        }
        if let Err(why) = &litellm {
            skipped(&format!("LiteLLM's proxy is not measured: {why}"));
        }
        Ok(Self { all, _relay: relay, _plimsoll: plimsoll, _litellm: litellm.ok() })
    }

    /// What each process takes now, in megabytes.
    pub(crate) fn memory(&self) -> Vec<(Kind, f64)> {
        let told = |way: &Way| Some((way.kind, megabytes(way.pid)?));
        self.all.iter().filter_map(told).collect()
    }
}

/// None where the system does not tell.
pub(crate) fn megabytes(pid: u32) -> Option<f64> {
    measures::memory(pid).map(|bytes| bytes as f64 / 1e6)
}

pub(crate) fn start_relay(upstream: &OwnProcess) -> Outcome<OwnProcess> {
    OwnProcess::start(&[relay::ASKED, &upstream.address])
}

/// The binary with one model behind it; none while it has no gateway.
pub(crate) fn start_plimsoll(upstream: &OwnProcess) -> Outcome<Option<Served>> {
    let unused = ScriptedServer::chats([Reply::openai(&["fine"], 14, 6)])?;
    let served = Served::start_with(&unused, 4096, |home| {
        // The window is larger than the largest body: nothing is ever over budget.
        let models = format!(
            "[[model]]\nid = \"{}\"\nprovider = \"openai\"\nbaseUrl = \"http://{}/v1\"\n\
             keyEnv = \"PLIMSOLL_TEST_KEY\"\ncontextWindow = 1000000\n",
            bodies::MODEL,
            upstream.address
        );
        std::fs::write(home.join("models.toml"), models).unwrap();
    });
    let way = Way::new(Kind::Plimsoll, &served.address, served.pid());
    match way.wrong()? {
        None => Ok(Some(served)),
        Some(answer) if answer.status == 404 => {
            skipped("Plimsoll is not measured: it answers 404 to /v1/chat/completions");
            Ok(None)
        }
        Some(answer) => Err(format!("Plimsoll answered {}: {}", answer.status, answer.body).into()),
    }
}
