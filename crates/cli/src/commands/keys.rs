//! `plimsoll keys`: set, list and remove keys; they are never printed.

use crate::{
    args::{KeysArgs, KeysCommand},
    failure::{Failure, note},
    input,
    keys::{self, KeySource, Place},
    output::{Output, printable},
};

pub(crate) fn run(args: &KeysArgs, output: &mut Output) -> Result<u8, Failure> {
    match &args.command {
        KeysCommand::Set { provider, keyring, file } => {
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
            let kept = keys::put(provider, key, place)?;
            note(&format!("the key of {provider} is kept in {}", words(kept)));
            let variable = keys::usual_variable(provider);
            if std::env::var_os(&variable).is_some_and(|value| !value.is_empty()) {
                note(&format!("{variable} is set, and wins over it"));
            }
        }
        KeysCommand::Rm { provider } => match keys::remove(provider)? {
            Some(place) => note(&format!("the key of {provider} is gone from {}", words(place))),
            None => return Err(Failure::failed(format!("there is no stored key of {provider}"))),
        },
        KeysCommand::List => {
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

fn words(place: KeySource) -> &'static str {
    match place {
        KeySource::Environment => "the environment",
        KeySource::Keyring => "the keyring of this machine",
        KeySource::File => "a file that only you can read",
    }
}
