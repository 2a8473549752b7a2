//! The real binary between a client and the scripted upstream.

use std::collections::BTreeSet;

use crate::{
    asked::Protocol,
    served::Served,
    upstream::{Upstream, WINDOW},
};

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
             contextWindow = {WINDOW}\n\n",
            upstream.root()
        )
    }
}

/// The gateway, or nothing where clients are tried on the upstream alone.
pub(crate) struct Gateway {
    root: String,
    served: Option<Served>,
}

impl Gateway {
    /// A gateway with these models, of which the first is the default. With
    /// `PLIMSOLL_CLIENTS_DIRECT` in the environment the clients speak to the upstream itself,
    /// which shows whether a failure is the gateway's.
    pub(crate) fn before(upstream: &Upstream, models: &[(&str, Behind)]) -> Self {
        if std::env::var_os("PLIMSOLL_CLIENTS_DIRECT").is_some() {
            return Self { root: upstream.root(), served: None };
        }
        let home = tempfile::tempdir().unwrap();
        let described: String =
            models.iter().map(|(id, behind)| behind.model(id, upstream)).collect();
        std::fs::write(home.path().join("models.toml"), described).unwrap();
        let config = format!("defaultModel = \"{}\"\n", models[0].0);
        std::fs::write(home.path().join("config.toml"), config).unwrap();
        let served = Served::at_home(home);
        Self { root: format!("http://{}", served.address), served: Some(served) }
    }

    /// What Anthropic's clients take: `http://127.0.0.1:port`.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }

    /// What OpenAI's clients take.
    pub(crate) fn v1(&self) -> String {
        format!("{}/v1", self.root)
    }

    /// Sees that all calls of a client arrived in the protocol of the provider.
    #[track_caller]
    pub(crate) fn passed(&self, upstream: &Upstream, client: Protocol, behind: Behind) {
        let arrived: BTreeSet<_> = upstream.asked().iter().map(|asked| asked.protocol).collect();
        let expected = if self.served.is_some() { behind.arrives(client) } else { client };
        assert_eq!(arrived, BTreeSet::from([expected]));
    }
}
