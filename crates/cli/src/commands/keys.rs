//! `plimsoll keys`: set, list and remove keys; they are never printed.

use crate::{
    args::{KeysArgs, KeysCommand},
    failure::{Failure, note},
    input, keys,
    output::Output,
};

pub(crate) fn run(args: &KeysArgs, output: &mut Output) -> Result<u8, Failure> {
    match &args.command {
        KeysCommand::Set { provider } => {
            let key = input::standard_input()?.text;
            let key = key.trim();
            if key.is_empty() || key.contains(char::is_whitespace) {
                return Err(Failure::usage("there is no key on standard input")
                    .hint(format!("pipe it in, as in: plimsoll keys set {provider} < key.txt")));
            }
            keys::put(provider, Some(key))?;
            note(&format!("the key of {provider} is kept in a file that only you can read"));
        }
        KeysCommand::Rm { provider } => {
            if !keys::put(provider, None)? {
                return Err(Failure::failed(format!("there is no stored key of {provider}")));
            }
        }
        KeysCommand::List => {
            let stored = keys::stored()?;
            for provider in keys::PROVIDERS {
                let variable = keys::usual_variable(provider);
                let set = std::env::var_os(&variable).is_some_and(|value| !value.is_empty());
                let place = match (set, stored.iter().any(|name| name == provider)) {
                    (true, _) => format!("from {variable}"),
                    (false, true) => "stored".to_owned(),
                    (false, false) => format!("none (set {variable})"),
                };
                output.text(&format!("{provider:<12} {place}\n"))?;
            }
        }
    }
    Ok(0)
}
