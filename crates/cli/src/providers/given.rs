//! For whom a key was given (SEC-8), and which models lack one (UI-19).

use plimsoll_app::Lack;
use plimsoll_budget::Model;
use plimsoll_provider::server_of;

use super::usual_address;
use crate::keys::Known;

/// Whether a key was given for the server of a model (SEC-8).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum GivenFor {
    It,
    /// The address was set from the page, and gets no key.
    Nobody,
    /// Other servers than this one.
    Others(String),
}

pub(super) fn given_for(model: &Model, servers: Option<&[String]>) -> GivenFor {
    let usual = usual_address(&model.provider);
    let server = model.base_url.as_deref().or(usual).and_then(server_of).unwrap_or_default();
    let at_home = usual.and_then(server_of).is_some_and(|usual| usual == server);
    match servers {
        // Where somebody said for whom it is, that is all that counts.
        Some(servers) if servers.contains(&server) => GivenFor::It,
        _ if model.keyless && !at_home => GivenFor::Nobody,
        Some(_) => GivenFor::Others(server),
        // A key of the environment, or of a file that does not say: models.toml is the word of
        // its owner, as long as the page did not write it.
        None => GivenFor::It,
    }
}

/// The server that a model is asked at, as far as its address is known.
pub(super) fn server_for(model: &Model) -> Option<String> {
    server_of(model.base_url.as_deref().or(usual_address(&model.provider))?)
}

/// The key that a model lacks, by what is known without asking anybody. Of a server at home
/// nobody knows whether it wants one until it was asked.
pub(super) fn key_lack(model: &Model, known: Option<&Known>) -> Option<Lack> {
    let server = server_for(model)?;
    let at_home = model.base_url.is_some() && server.starts_with("http://");
    let lacks = match known.map(|known| given_for(model, known.servers.as_deref())) {
        Some(GivenFor::It) => false,
        Some(GivenFor::Others(_)) => true,
        // The address is another one than the key was given for, so that it is asked for again.
        Some(GivenFor::Nobody) => !at_home && known.is_some_and(|known| known.servers.is_some()),
        // A server that the page added was asked without a key.
        None => !at_home && !model.keyless,
    };
    let provider = model.provider.clone();
    lacks.then_some(Lack::Key { provider, server, refused: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(provider: &str, base_url: Option<&str>, keyless: bool) -> Model {
        let base_url = base_url.map(str::to_owned);
        Model { provider: provider.to_owned(), base_url, keyless, ..Model::unknown("m") }
    }

    #[test]
    fn sec_8_a_key_goes_to_the_server_that_it_was_given_for() {
        let own = ["https://api.openai.com".to_owned()];
        let both = [own[0].clone(), "http://127.0.0.1:8080".to_owned()];
        let local = Some("http://127.0.0.1:8080/v1");
        let evil = Some("https://evil.example/v1");
        let plain = Some("http://api.openai.com/v1");
        let others = |server: &str| GivenFor::Others(server.to_owned());
        for (model, servers, expected) in [
            (at("openai", None, false), None, GivenFor::It),
            (at("openai", None, false), Some(&own[..]), GivenFor::It),
            (at("openai", None, true), None, GivenFor::It),
            (at("openai", local, false), None, GivenFor::It),
            (at("openai", local, false), Some(&both[..]), GivenFor::It),
            (at("openai", local, true), Some(&both[..]), GivenFor::It),
            (at("openai", local, true), Some(&own[..]), GivenFor::Nobody),
            (at("openai", local, true), None, GivenFor::Nobody),
            (at("openai", evil, true), None, GivenFor::Nobody),
            (at("openai", evil, false), Some(&own[..]), others("https://evil.example")),
            (at("openai", plain, true), None, GivenFor::Nobody),
            (at("openai", plain, false), Some(&own[..]), others("http://api.openai.com")),
            (at("acme", evil, true), None, GivenFor::Nobody),
            (at("acme", evil, false), None, GivenFor::It),
        ] {
            assert_eq!(given_for(&model, servers), expected, "{model:?} {servers:?}");
        }
    }

    #[test]
    fn ui_19_a_changed_address_asks_for_the_key_again() {
        let key = |servers: Option<&[&str]>| Known {
            source: crate::keys::KeySource::File,
            servers: servers.map(|all| all.iter().map(|one| (*one).to_owned()).collect()),
        };
        let (old, new) = (Some("https://models.acme.test/v1"), Some("https://other.acme.test/v1"));
        let lacks = |model: Model, known: Option<Known>| {
            key_lack(&model, known.as_ref()).map(|lack| match lack {
                Lack::Key { server, .. } => server,
                other => panic!("{other:?}"),
            })
        };
        let kept = || Some(key(Some(&["https://models.acme.test"])));
        assert_eq!(lacks(at("acme", old, true), kept()), None);
        let asked = Some("https://other.acme.test".to_owned());
        assert_eq!(lacks(at("acme", new, true), kept()), asked);
        assert_eq!(lacks(at("acme", new, false), kept()), asked);
        // Without any key: the provider's own address wants one, one that was asked does not.
        let home = Some("https://api.openai.com".to_owned());
        assert_eq!(lacks(at("openai", None, false), None), home);
        assert_eq!(lacks(at("acme", new, true), None), None);
        assert_eq!(lacks(at("acme", Some("http://127.0.0.1:1/v1"), false), None), None);
        assert_eq!(lacks(at("openai", None, false), Some(key(None))), None);
    }
}
