//! The real binary between a client and the scripted upstream.

use std::collections::BTreeSet;

use crate::{
    asked::Protocol,
    served::Served,
    upstream::{Upstream, WINDOW},
};

/// The key of every provider, which `served.rs` puts into the environment.
const PROVIDER_KEY: &str = "sk-canary-0123456789abcdef";

/// Which protocols the provider of a model speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Chat completions and Responses, as OpenAI has them.
    OpenAi,
    /// Chat completions alone, as most servers have them.
    ChatOnly,
    /// Anthropic's messages.
    Anthropic,
}

impl Behind {
    /// What arrives there when a client speaks this.
    pub(crate) fn arrives(self, client: Protocol) -> Protocol {
        match (self, client) {
            (Self::OpenAi, Protocol::Responses) => Protocol::Responses,
            (Self::OpenAi | Self::ChatOnly, _) => Protocol::Chat,
            (Self::Anthropic, _) => Protocol::Messages,
        }
    }

    /// Whether the gateway has to translate for a client that speaks this.
    pub(crate) fn translated(self, client: Protocol) -> bool {
        self.arrives(client) != client
    }

    fn model(self, id: &str, upstream: &Upstream) -> String {
        let (provider, api, protocols) = match self {
            Self::OpenAi => ("openai", "openai", r#"["chat", "responses"]"#),
            Self::ChatOnly => ("scripted", "openai", r#"["chat"]"#),
            Self::Anthropic => ("anthropic", "anthropic", r#"["messages"]"#),
        };
        format!(
            "[[model]]\nid = \"{id}\"\nprovider = \"{provider}\"\napi = \"{api}\"\n\
             baseUrl = \"{}/v1\"\nprotocols = {protocols}\nkeyEnv = \"PLIMSOLL_TEST_KEY\"\n\
             contextWindow = {WINDOW}\nvision = true\ntools = true\n\n",
            upstream.root()
        )
    }
}

/// The gateway, or nothing where clients are tried on the upstream alone.
pub(crate) struct Gateway {
    root: String,
    models: BTreeSet<String>,
    served: Option<Served>,
}

impl Gateway {
    /// A gateway with these models, of which the first is the default. With
    /// `PLIMSOLL_CLIENTS_DIRECT` in the environment the clients speak to the upstream itself,
    /// which shows whether a failure is the gateway's.
    pub(crate) fn before(upstream: &Upstream, models: &[(&str, Behind)]) -> Self {
        let names = models.iter().map(|(id, _)| (*id).to_owned()).collect();
        if std::env::var_os("PLIMSOLL_CLIENTS_DIRECT").is_some() {
            return Self { root: upstream.root(), models: names, served: None };
        }
        let home = tempfile::tempdir().unwrap();
        let described: String =
            models.iter().map(|(id, behind)| behind.model(id, upstream)).collect();
        std::fs::write(home.path().join("models.toml"), described).unwrap();
        let config = format!("defaultModel = \"{}\"\n", models[0].0);
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        let served = Served::at_home(home);
        Self { root: format!("http://{}", served.address), models: names, served: Some(served) }
    }

    /// A gateway with these files of settings.
    pub(crate) fn of(models: &str, config: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("models.toml"), models).unwrap();
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        let served = Served::at_home(home);
        let root = format!("http://{}", served.address);
        Self { root, models: BTreeSet::new(), served: Some(served) }
    }

    /// What went through it, the newest first.
    pub(crate) fn calls(&self) -> Vec<serde_json::Value> {
        let served = self.served.as_ref().unwrap();
        let listed = served.json("GET", "/api/gateway/calls", None);
        listed["calls"].as_array().unwrap().clone()
    }

    /// What Anthropic's clients take: `http://127.0.0.1:port`.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// What OpenAI's clients take.
    pub(crate) fn v1(&self) -> String {
        format!("{}/v1", self.root)
    }

    /// Sees that calls arrived, and named only models that the gateway has; the upstream itself
    /// takes any name.
    #[track_caller]
    pub(crate) fn knew_all_models(&self, upstream: &Upstream) {
        let asked = upstream.asked();
        assert!(!asked.is_empty());
        let named: BTreeSet<String> =
            asked.iter().filter_map(|asked| asked.body["model"].as_str()).map(Into::into).collect();
        assert!(named.is_subset(&self.models), "{named:?}");
    }

    /// Sees that all calls of a client arrived in the protocol of the provider, with the
    /// provider's key and without the client's.
    #[track_caller]
    pub(crate) fn passed(&self, upstream: &Upstream, client: Protocol, behind: Behind) {
        self.knew_all_models(upstream);
        let arrived: BTreeSet<_> = upstream.asked().iter().map(|asked| asked.protocol).collect();
        let expected = if self.served.is_some() { behind.arrives(client) } else { client };
        assert_eq!(arrived, BTreeSet::from([expected]));
        if self.served.is_some() {
            let keys: BTreeSet<_> = upstream.asked().into_iter().map(|asked| asked.keys).collect();
            assert_eq!(keys, BTreeSet::from([vec![PROVIDER_KEY.to_owned()]]));
        }
    }
}
