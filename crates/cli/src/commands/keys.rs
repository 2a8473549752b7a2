//! `plimsoll keys`: set, list and remove keys; they are never printed.

use std::io::IsTerminal;

use plimsoll_budget::Api;
use plimsoll_provider::{Reach, server_of};
use plimsoll_tokens::counted;

use crate::{
    args::{KeysArgs, KeysCommand},
    context::Context,
    failure::{Failure, note},
    input,
    keys::{self, KeySource, Place},
    machine,
    output::{Output, printable},
    providers::{Providers, usual_address},
    supply::{Where, servers_of, try_server},
};

pub(crate) fn run(args: &KeysArgs, output: &mut Output) -> Result<u8, Failure> {
    match &args.command {
        KeysCommand::Set { provider, keyring, file, servers } => {
            let servers = named_servers(provider, servers)?;
            let typed = zeroize::Zeroizing::new(typed_key(provider)?);
            let key = checked(&typed, &format!("plimsoll keys set {provider}"))?;
            let place = match (keyring, file) {
                (true, _) => Place::Keyring,
                (_, true) => Place::File,
                _ => Place::Best,
            };
            let shown = servers.join(" and ");
            let kept = keys::put(provider, key, servers, place)?;
            note(&format!("the key of {provider} is kept in {}, for {shown}", kept.words()));
            if std::io::stdin().is_terminal() {
                note(&format!("whether it works: plimsoll keys test {provider}"));
            }
            let variable = keys::usual_variable(provider);
            if std::env::var_os(&variable).is_some_and(|value| !value.is_empty()) {
                note(&format!("{variable} is set, and wins over it"));
            }
        }
        KeysCommand::Rm { provider } => match keys::remove(provider)? {
            Some(place) => {
                note(&format!("the key of {provider} was removed from {}", place.words()))
            }
            None => return Err(Failure::failed(format!("there is no stored key of {provider}"))),
        },
        KeysCommand::Test { provider } => return test(provider),
        KeysCommand::List => {
            keys::tidy();
            let mut names: Vec<String> = keys::PROVIDERS.map(str::to_owned).to_vec();
            names.extend(keys::stored()?);
            let mut seen = std::collections::HashSet::new();
            names.retain(|name| seen.insert(name.clone()));
            for provider in names {
                let variable = keys::usual_variable(&provider);
                let source = keys::known(&provider, None)?.map(|known| known.source);
                let place = match source {
                    Some(KeySource::Environment) => format!("from {variable}"),
                    Some(place) => format!("stored in {}", place.words()),
                    None => format!("none (set {variable})"),
                };
                output.text(&format!("{:<12} {place}\n", printable(&provider)))?;
            }
        }
    }
    Ok(0)
}

/// A key, or what to do so that one comes; `command` takes it.
pub(super) fn checked<'k>(typed: &'k str, command: &str) -> Result<&'k str, Failure> {
    keys::checked(typed).ok_or_else(|| {
        Failure::usage("that is no key: a key is one word of letters, digits and signs")
            .hint(format!("type it when asked, or: {command} < key.txt"))
    })
}

/// The key as it comes: typed on a terminal, where it is not shown, or from a pipe.
pub(super) fn typed_key(provider: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Ok(input::standard_input()?.text);
    }
    // Whoever is fast must not type into a terminal that still shows it: nothing is shown from
    // before the question is.
    #[cfg(unix)]
    let _hidden = Hidden::begin();
    rpassword::prompt_password(format!("Key of {provider} (not shown as you type): "))
        .map_err(|error| Failure::failed(format!("no key was read: {error}")))
}

/// A terminal that does not show what is typed, until this goes away.
#[cfg(unix)]
struct Hidden(rustix::termios::Termios);

#[cfg(unix)]
impl Hidden {
    /// None where the terminal does not say how it is; the prompt hides the key all the same.
    fn begin() -> Option<Self> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

        let before = tcgetattr(std::io::stdin()).ok()?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &hidden).ok()?;
        Some(Self(before))
    }
}

#[cfg(unix)]
impl Drop for Hidden {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};

        // A terminal that is gone has nothing to be put right.
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// Asks the server of a provider for its models with the key that is kept.
fn test(provider: &str) -> Result<u8, Failure> {
    let context = Context::load()?;
    let model = context.catalog.models().iter().find(|model| model.provider == provider);
    let variable = model.and_then(|model| model.key_env.as_deref());
    let Some(found) = keys::find(provider, variable)? else {
        return Err(Failure::failed(format!("there is no key of {provider}"))
            .hint(format!("plimsoll keys set {provider}")));
    };
    let own = model.and_then(|model| model.base_url.as_deref());
    let url = usual_address(provider).or(own).ok_or_else(|| {
        Failure::usage(format!("nobody knows where {provider} is"))
            .hint("give one of its models a baseUrl in models.toml")
    })?;
    let api = model.and_then(|model| model.api).unwrap_or_else(|| Api::of_provider(provider));
    let server = server_of(url).unwrap_or_default();
    if found.servers.as_ref().is_some_and(|servers| !servers.contains(&server)) {
        return Err(Failure::failed(format!("the key of {provider} was not given for {server}"))
            .hint(format!("if it should go there: plimsoll keys set {provider} --for {server}")));
    }
    let data_dir = machine::data_path(None).unwrap_or_default();
    let providers = Providers::new(&data_dir, &context.settings);
    machine::block_on(async {
        let place = Where { provider, api, url, reach: Reach::Anywhere };
        let tried = try_server(&providers, &place, Some(&found.key)).await;
        let tried = tried.map_err(|refused| Failure::failed(refused.to_string()))?;
        note(&match tried.models {
            Some(models) => {
                let models = counted(models.len() as u64, "model");
                format!("{server} takes the key, and lists {models}")
            }
            None => format!("{server} answers, but has no list of models to try the key with"),
        });
        Ok(0)
    })
}

/// The servers that a key is for (SEC-8): those that were named, else the provider's own and
/// those of the models that are set up for it.
pub(super) fn named_servers(provider: &str, named: &[String]) -> Result<Vec<String>, Failure> {
    let mut servers = Vec::new();
    for named in named {
        let server = server_of(named).ok_or_else(|| {
            Failure::usage(format!("'{named}' is no address of a server"))
                .hint("it should look like https://api.example.com")
        })?;
        servers.push(server);
    }
    if servers.is_empty() {
        servers = servers_of(provider, Context::load()?.catalog.models());
    }
    servers.sort();
    servers.dedup();
    if servers.is_empty() {
        return Err(Failure::usage(format!("nobody knows where {provider} is"))
            .hint(format!("say it: plimsoll keys set {provider} --for https://api.example.com")));
    }
    Ok(servers)
}
