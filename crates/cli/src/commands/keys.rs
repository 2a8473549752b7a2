//! `plimsoll keys`: set, list and remove keys; they are never printed.

use plimsoll_provider::server_of;

use crate::{
    args::{KeysArgs, KeysCommand},
    context::Context,
    failure::{Failure, note},
    input,
    keys::{self, KeySource, Place},
    output::{Output, printable},
    providers::usual_address,
};

pub(crate) fn run(args: &KeysArgs, output: &mut Output) -> Result<u8, Failure> {
    match &args.command {
        KeysCommand::Set { provider, keyring, file, servers } => {
            let key = input::standard_input()?.text;
            let key = key.trim();
            if key.is_empty() || key.contains(|c: char| c.is_whitespace() || c.is_control()) {
                return Err(Failure::usage("there is no key on standard input")
                    .hint(format!("pipe it in, as in: plimsoll keys set {provider} < key.txt")));
            }
            let place = match (keyring, file) {
                (true, _) => Place::Keyring,
                (_, true) => Place::File,
                _ => Place::Best,
            };
            let servers = servers_of(provider, servers)?;
            let shown = servers.join(" and ");
            let kept = keys::put(provider, key, servers, place)?;
            note(&format!("the key of {provider} is kept in {}, for {shown}", words(kept)));
            let variable = keys::usual_variable(provider);
            if std::env::var_os(&variable).is_some_and(|value| !value.is_empty()) {
                note(&format!("{variable} is set, and wins over it"));
            }
        }
        KeysCommand::Rm { provider } => match keys::remove(provider)? {
            Some(place) => {
                note(&format!("the key of {provider} was removed from {}", words(place)))
            }
            None => return Err(Failure::failed(format!("there is no stored key of {provider}"))),
        },
        KeysCommand::List => {
            keys::tidy();
            let mut names: Vec<String> = keys::PROVIDERS.map(str::to_owned).to_vec();
            names.extend(keys::stored()?);
            let mut seen = std::collections::HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            for provider in names {
                let variable = keys::usual_variable(&provider);
                let place = match keys::place(&provider, None)? {
                    Some(KeySource::Environment) => format!("from {variable}"),
                    Some(place) => format!("stored in {}", words(place)),
                    None => format!("none (set {variable})"),
                };
                output.text(&format!("{:<12} {place}\n", printable(&provider)))?;
            }
        }
    }
    Ok(0)
}

/// The servers that a key is for (SEC-8): those that were named, else the provider's own and
/// those of the models that are set up for it.
fn servers_of(provider: &str, named: &[String]) -> Result<Vec<String>, Failure> {
    let mut servers = Vec::new();
    for named in named {
        let server = server_of(named).ok_or_else(|| {
            Failure::usage(format!("'{named}' is no address of a server"))
                .hint("it should look like https://api.example.com")
        })?;
        servers.push(server);
    }
    if servers.is_empty() {
        let catalog = Context::load()?.catalog;
        let models = catalog.models().iter();
        let own = models.filter(|model| model.provider == provider && !model.keyless);
        servers.extend(usual_address(provider).and_then(server_of));
        servers.extend(own.filter_map(|model| server_of(model.base_url.as_deref()?)));
    }
    servers.sort();
    servers.dedup();
    if servers.is_empty() {
        return Err(Failure::usage(format!("nobody knows where {provider} is"))
            .hint(format!("say it: plimsoll keys set {provider} --for https://api.example.com")));
    }
    Ok(servers)
}

fn words(place: KeySource) -> &'static str {
    match place {
        KeySource::Environment => "the environment",
        KeySource::Keyring => "the keyring of this machine",
        KeySource::File => "a file that only you can read",
    }
}
