//! Keys and servers as somebody gives them, on the terminal or in the page (UI-19): tried first,
//! then kept.

use std::{sync::Arc, time::Duration};

use plimsoll_budget::{Api, Model};
use plimsoll_provider::{Provider, Reach, Secret, ServedModel, SetupError, server_of};
use plimsoll_store::KeyHolder;
use thiserror::Error;

use crate::{
    failure::Failure,
    keys::{self, KeySource, Place},
    machine,
    providers::{Providers, usual_address},
    survey::is_about_key,
};

/// Whoever does not list its models within this time is not waited for.
const KEY_TEST_TIMEOUT: Duration = Duration::from_secs(15);

/// Why a key or a server is not taken.
#[derive(Debug, Error)]
pub(crate) enum Refused {
    #[error("{0}")]
    Address(String),
    #[error("that is no key: a key is one word of letters, digits and signs")]
    NoKey,
    #[error("'{0}' is no name for a provider: letters, digits, '-', '_' and '.' are")]
    Name(String),
    /// What the server said is not repeated: some say parts of the key.
    #[error("this key is refused by {0}")]
    Key(String),
    #[error("a key is needed for {0}")]
    WantsKey(String),
    #[error("the key could not be tried: {0}")]
    NotTried(String),
    #[error("{0}")]
    NoAnswer(String),
    #[error("{0}")]
    Kept(String),
}

impl Refused {
    /// A name that never changes.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Address(_) => "bad_address",
            Self::NoKey => "bad_key",
            Self::Name(_) => "bad_name",
            Self::Key(_) => "key_refused",
            Self::WantsKey(_) => "key_needed",
            Self::NotTried(_) => "key_not_tried",
            Self::NoAnswer(_) => "no_answer",
            Self::Kept(_) => "not_kept",
        }
    }
}

impl Refused {
    /// What is told of a failure to keep a key, with what to do next.
    fn not_kept(failure: Failure) -> Self {
        Self::Kept(match failure.hint_text() {
            Some(hint) => format!("{failure}; {hint}"),
            None => failure.to_string(),
        })
    }
}

impl From<SetupError> for Refused {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::KeyUnusable(_) => Self::NoKey,
            other => Self::Address(other.to_string()),
        }
    }
}

/// A server that was tried.
pub(crate) struct Tried {
    /// None where it keeps no list.
    pub(crate) models: Option<Vec<ServedModel>>,
}

/// Where a provider is tried: at its own address, or at one that was named.
pub(crate) struct Where<'a> {
    pub(crate) provider: &'a str,
    pub(crate) api: Api,
    pub(crate) url: &'a str,
    pub(crate) reach: Reach,
}

/// Asks a server for its models, with a key or without.
pub(crate) async fn try_server(
    providers: &Providers,
    place: &Where<'_>,
    key: Option<&Secret>,
) -> Result<Tried, Refused> {
    let Where { provider, api, url, reach } = *place;
    let server = server_of(url).unwrap_or_else(|| url.to_owned());
    let asked: Arc<dyn Provider> = providers.at(provider, api, url, key.cloned(), reach)?;
    let Ok(listed) = tokio::time::timeout(KEY_TEST_TIMEOUT, asked.models_for_key()).await else {
        let seconds = KEY_TEST_TIMEOUT.as_secs();
        return Err(Refused::NoAnswer(format!("no answer from {server} within {seconds} s")));
    };
    let failure = match listed {
        Ok(models) => return Ok(Tried { models: Some(models) }),
        Err(failure) => failure,
    };
    if is_about_key(&failure) {
        return Err(match key {
            Some(_) => Refused::Key(server),
            None => Refused::WantsKey(server),
        });
    }
    match (failure.status, failure.transport) {
        // It answers, and has no list.
        (Some(404 | 405 | 501), None) => Ok(Tried { models: None }),
        (_, Some(transport)) => Err(Refused::NoAnswer(transport)),
        (Some(status), None) => {
            Err(Refused::NoAnswer(format!("status {status} came from {server}")))
        }
        (None, None) => Err(Refused::NoAnswer(format!("nothing came from {server}"))),
    }
}

/// A key that somebody gives.
pub(crate) struct NewKey<'a> {
    pub(crate) place: Where<'a>,
    pub(crate) key: &'a str,
    /// Whether it is kept also where it cannot be tried.
    pub(crate) untested: bool,
    /// The servers that it is for; the one that it is tried at is among them.
    pub(crate) servers: Vec<String>,
    /// Whose it is in a team; none is whoever runs this program.
    pub(crate) holder: Option<KeyHolder>,
}

/// What came of a key.
pub(crate) struct KeptKey {
    pub(crate) source: KeySource,
    pub(crate) servers: Vec<String>,
    /// What its server serves; none where it could not be tried.
    pub(crate) models: Option<Vec<ServedModel>>,
}

/// Tries a key at its server and keeps it.
pub(crate) async fn keep_key(providers: &Providers, new: NewKey<'_>) -> Result<KeptKey, Refused> {
    let NewKey { place, key, untested, mut servers, holder } = new;
    if !keys::is_name(place.provider) {
        return Err(Refused::Name(place.provider.to_owned()));
    }
    let key = keys::checked(key).ok_or(Refused::NoKey)?;
    let models = match try_server(providers, &place, Some(&Secret::new(key))).await {
        Ok(Tried { models: Some(models) }) => Some(models),
        Ok(Tried { models: None }) if untested => None,
        Ok(Tried { models: None }) => {
            return Err(Refused::NotTried("its server has no list of models".to_owned()));
        }
        Err(Refused::NoAnswer(_)) if untested => None,
        Err(Refused::NoAnswer(why)) => return Err(Refused::NotTried(why)),
        Err(refused) => return Err(refused),
    };
    servers.extend(server_of(place.url));
    servers.sort();
    servers.dedup();
    if let Some(holder) = holder {
        let kept = async {
            let keys = providers.team_keys()?;
            keys.keep(&holder, place.provider, key, &servers, machine::now()).await
        };
        kept.await.map_err(Refused::not_kept)?;
        return Ok(KeptKey { source: KeySource::of(&holder), servers, models });
    }
    let (name, own, kept) = (place.provider.to_owned(), key.to_owned(), servers.clone());
    let put = move || keys::put(&name, &own, kept, Place::Best);
    let source = tokio::task::spawn_blocking(put)
        .await
        .map_err(|error| Refused::Kept(error.to_string()))?
        .map_err(Refused::not_kept)?;
    providers.forget().await;
    Ok(KeptKey { source, servers, models })
}

/// An address as somebody types it, with what it lacks: a scheme, and the path of the API.
pub(crate) fn whole_address(typed: &str, api: Api) -> Result<String, Refused> {
    let typed = typed.trim().trim_end_matches('/');
    let wrong = || {
        let words = "that is no address of a server; it should look like http://127.0.0.1:8080";
        Refused::Address(words.to_owned())
    };
    let no_host = typed.is_empty() || typed.ends_with(':');
    if no_host || typed.len() > 500 || typed.contains(char::is_whitespace) {
        return Err(wrong());
    }
    let whole = if typed.contains("://") {
        typed.to_owned()
    } else {
        let host = typed.split(['/', ':']).next().unwrap_or_default();
        let near = host == "localhost" || host.parse::<std::net::Ipv4Addr>().is_ok();
        format!("{}://{typed}", if near || typed.starts_with('[') { "http" } else { "https" })
    };
    let server = server_of(&whole).ok_or_else(wrong)?;
    let bare = whole.len() <= server.len() || whole.trim_end_matches('/').matches('/').count() == 2;
    Ok(match (bare, api) {
        (true, Api::Gemini) => format!("{whole}/v1beta"),
        (true, _) => format!("{whole}/v1"),
        _ => whole,
    })
}

/// A name for a server that nobody named: that of its host, and the port.
pub(crate) fn name_of(url: &str) -> String {
    let server = server_of(url).unwrap_or_default();
    let host = server.split("://").nth(1).unwrap_or_default();
    let name: String = host
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' })
        .collect();
    name.trim_matches(['-', '.']).chars().take(64).collect()
}

/// The servers that a key of a provider is for where nobody says it: the provider's own, and
/// those of the models that its owner set up for it (SEC-8).
pub(crate) fn servers_of(provider: &str, models: &[Model]) -> Vec<String> {
    let own = models.iter().filter(|model| model.provider == provider && !model.keyless);
    let declared = own.filter_map(|model| server_of(model.base_url.as_deref()?));
    let mut servers: Vec<String> =
        usual_address(provider).and_then(server_of).into_iter().chain(declared).collect();
    servers.sort();
    servers.dedup();
    servers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ui_19_an_address_is_completed_as_it_was_meant() {
        for (typed, api, whole) in [
            ("localhost:11434", Api::OpenAi, "http://localhost:11434/v1"),
            ("127.0.0.1:8080/", Api::OpenAi, "http://127.0.0.1:8080/v1"),
            ("[::1]:8080", Api::OpenAi, "http://[::1]:8080/v1"),
            ("api.acme.test", Api::OpenAi, "https://api.acme.test/v1"),
            ("https://api.acme.test/openai/v2", Api::OpenAi, "https://api.acme.test/openai/v2"),
            ("https://a.test", Api::Gemini, "https://a.test/v1beta"),
            ("https://a.test", Api::Anthropic, "https://a.test/v1"),
        ] {
            assert_eq!(whole_address(typed, api).unwrap(), whole, "{typed}");
        }
        for wrong in ["", " ", "a b", "ftp://a", "http://", "file:///etc/passwd"] {
            assert!(whole_address(wrong, Api::OpenAi).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_server_has_a_name_that_a_key_can_be_kept_under() {
        for (url, name) in [
            ("http://127.0.0.1:8080/v1", "127.0.0.1-8080"),
            ("https://api.acme.test/v1", "api.acme.test"),
            ("http://[::1]:8080/v1", "1--8080"),
        ] {
            assert_eq!(name_of(url), name);
            assert!(keys::is_name(name), "{name}");
        }
    }
}
