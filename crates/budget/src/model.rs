//! One model of the catalog (CAT-1).

use plimsoll_domain::Protocol;
use plimsoll_tokens::{DEFAULT_MESSAGE_OVERHEAD, ImagePricing, Tokenizer};

use crate::{Price, WindowSource};

/// In which form a server is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Chat completions, as most servers have them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    Gemini,
}

impl Api {
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// The form of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|api| api.name() == name)
    }

    /// The name in the catalog.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// The form that a provider has at home.
    pub fn of_provider(provider: &str) -> Self {
        match provider {
            "anthropic" => Self::Anthropic,
            "google" => Self::Gemini,
            _ => Self::OpenAi,
        }
    }
}

/// What happens to a client's request that is larger than the window (GWY-7).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientOverBudget {
    /// It goes as it is; nothing is ever touched.
    #[default]
    Pass,
    /// What is oldest is left out once the provider says that it is too much.
    Trim,
    /// What is oldest is left out before the first call.
    Fit,
    /// It is refused before the call.
    Block,
}

impl ClientOverBudget {
    pub const NAMES: [&'static str; 4] = ["pass", "trim", "fit", "block"];
    const ALL: [Self; 4] = [Self::Pass, Self::Trim, Self::Fit, Self::Block];

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }

    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// What is known about a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// The name that its provider knows it by.
    pub id: String,
    /// Who serves it.
    pub provider: String,
    /// Where it is served, when that is not where its provider usually is.
    pub base_url: Option<String>,
    /// In which form it is asked, when that is not the usual one of its provider.
    pub api: Option<Api>,
    /// The protocols in which its server takes requests of clients as they are, when those are not
    /// the usual ones of its form.
    pub protocols: Option<Vec<Protocol>>,
    /// What happens to requests of clients that are too large for it, where that is settled for it.
    pub client_over_budget: Option<ClientOverBudget>,
    /// The environment variable that holds its key, when that is not the usual one.
    pub key_env: Option<String>,
    /// Whether its address was set from the page: no key goes there but one that was given for it.
    pub keyless: bool,
    /// Other names that mean this model.
    pub aliases: Vec<String>,
    /// The context window in tokens.
    pub context_window: Option<u64>,
    /// Whose word the window is.
    pub window_source: WindowSource,
    /// Tokens a minute.
    pub tpm: Option<u64>,
    /// Requests a minute.
    pub rpm: Option<u64>,
    /// Tokens a day.
    pub tpd: Option<u64>,
    /// The longest answer in tokens.
    pub max_output: Option<u64>,
    /// Its tokenizer, where Plimsoll has it.
    pub tokenizer: Option<Tokenizer>,
    /// Its own ratio for the heuristic.
    pub chars_per_token: Option<f64>,
    /// What a message costs beyond its text.
    pub message_overhead: u64,
    /// How its provider charges for pictures.
    pub image_pricing: Option<ImagePricing>,
    /// Whether it sees pictures.
    pub vision: bool,
    pub tools: bool,
    /// Whether it hears.
    pub audio: bool,
    /// Whether the answer is drawn from the same window as the prompt.
    pub shared_window: bool,
    /// What it costs, where that is known.
    pub price: Option<Price>,
    /// Whether it is offered.
    pub enabled: bool,
}

impl Model {
    /// Whether its server takes requests of clients in a protocol as they are. OpenAI itself speaks
    /// both of its protocols; of others only the older one is taken for granted.
    pub fn speaks(&self, protocol: Protocol) -> bool {
        if let Some(protocols) = &self.protocols {
            return protocols.contains(&protocol);
        }
        let api = self.api.unwrap_or_else(|| Api::of_provider(&self.provider));
        match protocol {
            Protocol::Chat => api == Api::OpenAi,
            Protocol::Messages => api == Api::Anthropic,
            Protocol::Responses => self.provider == "openai" && self.base_url.is_none(),
        }
    }

    /// A model of which nothing is known but its name.
    pub fn unknown(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            provider: String::new(),
            base_url: None,
            api: None,
            protocols: None,
            client_over_budget: None,
            key_env: None,
            keyless: false,
            aliases: Vec::new(),
            context_window: None,
            window_source: WindowSource::Catalog,
            tpm: None,
            rpm: None,
            tpd: None,
            max_output: None,
            tokenizer: None,
            chars_per_token: None,
            message_overhead: DEFAULT_MESSAGE_OVERHEAD,
            image_pricing: None,
            vision: false,
            tools: false,
            audio: false,
            shared_window: true,
            price: None,
            enabled: true,
        }
    }
}
