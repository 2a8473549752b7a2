use super::*;

fn resolve(file: &str, environment: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Settings::resolve(&Sources {
        file: Some(file.to_owned()),
        environment: environment.iter().map(pair).collect(),
    })
}

#[test]
fn defaults_are_those_of_the_spec_and_pass_their_own_check() {
    let settings = Settings::default();
    assert_eq!(settings.chars_per_token(), 3.5);
    assert_eq!(settings.user_request_allowance(), 100);
    assert_eq!(settings.max_trim_attempts(), 10);
    assert_eq!(settings.warn_at(), 80);
    assert_eq!(settings.reply_reserve(), ReplyReserve::Auto);
    assert_eq!(settings.over_budget(), OverBudget::Ask);
    assert_eq!(settings.file_limits(), FileLimits::default());
    for spec in SETTINGS {
        assert_eq!(check(spec.kind, spec.default), Ok(()), "{}", spec.key);
    }
}

#[test]
#[cfg(unix)]
fn roots_are_a_list_in_the_file_and_like_path_in_a_variable() {
    let settings = resolve("allowedRoots = [\"/a\", \"/b c\"]\nthreads = 3", &[]).unwrap();
    assert_eq!(settings.allowed_roots(), [Path::new("/a"), Path::new("/b c")]);
    assert_eq!(settings.threads(), Some(3));
    let settings = resolve("", &[("PLIMSOLL_ALLOWED_ROOTS", "/x::/y")]).unwrap();
    assert_eq!(settings.allowed_roots(), [Path::new("/x"), Path::new("/y")]);
    assert_eq!((settings.threads(), settings.long_paste()), (None, (8000, 200)));
    assert!(!settings.queue_while_sending() && settings.files_section_tokens() == 1000);
    for bad in [
        "allowedRoots = [\"a\"]",
        "allowedRoots = [\"/a:/b\"]",
        "allowedRoots = [7]",
        "warnAt = [1]",
        "threads = 0",
    ] {
        assert!(resolve(bad, &[]).is_err(), "{bad}");
    }
}

#[test]
fn ui_19_allowed_servers_are_addresses() {
    let file = "allowedServers = [\"http://10.0.0.2:8080\", \"https://models.lan\"]";
    let settings = resolve(file, &[]).unwrap();
    assert_eq!(settings.allowed_servers(), ["http://10.0.0.2:8080", "https://models.lan"]);
    let variable = [("PLIMSOLL_ALLOWED_SERVERS", "http://a, http://b:1 ")];
    assert_eq!(resolve("", &variable).unwrap().allowed_servers(), ["http://a", "http://b:1"]);
    for bad in ["\"10.0.0.2\"", "\"ftp://a\"", "\"http://\"", "[\"http://a b\"]", "[7]"] {
        assert!(resolve(&format!("allowedServers = {bad}"), &[]).is_err(), "{bad}");
    }
}

/// M8 of the review: an unknown zone was taken, and `serve` did not start.
#[test]
fn a_zone_that_nobody_knows_is_refused_where_it_is_set() {
    assert_eq!(resolve("timeZone = \"UTC\"", &[]).unwrap().time_zone(), Some("UTC"));
    assert_eq!(resolve("timeZone = \"\"", &[]).unwrap().time_zone(), None);
    let said = resolve("timeZone = \"Mars/Olympus\"", &[]).unwrap_err().to_string();
    assert!(said.contains("'Mars/Olympus' is not a value for timeZone"), "{said}");
    assert!(resolve("", &[("PLIMSOLL_TIME_ZONE", "../../etc/passwd")]).is_err());
    assert!(resolve("threads = 99999999999", &[]).is_err());
}

#[test]
fn the_environment_wins_over_the_file() {
    let file = "charsPerToken = 4\nwarnAt = 70\nsendErrorPairs = true\n";
    let settings = resolve(file, &[("PLIMSOLL_CHARS_PER_TOKEN", "3.0")]).unwrap();
    assert_eq!(settings.chars_per_token(), 3.0);
    assert_eq!(settings.get("charsPerToken"), Some(("3.0", Source::Environment)));
    assert_eq!(settings.get("warnAt"), Some(("70", Source::File)));
    assert!(settings.send_error_pairs());
    assert_eq!(settings.get("retries"), Some(("3", Source::Default)));
}

#[test]
fn bad_values_say_what_would_be_good() {
    let message = |file, env: &[(&str, &str)]| resolve(file, env).unwrap_err().to_string();
    assert_eq!(
        message("charsPerTokn = 4", &[]),
        "config.toml: there is no setting 'charsPerTokn'; did you mean 'charsPerToken'?"
    );
    assert_eq!(
        message("warnAt = 101", &[]),
        "config.toml: '101' is not a value for warnAt: a whole number from 1 to 100"
    );
    assert_eq!(
        message("", &[("PLIMSOLL_OVER_BUDGET", "drop")]),
        "PLIMSOLL_OVER_BUDGET: 'drop' is not a value for overBudget: one of ask, trim, fit, block"
    );
    assert!(message("= 4", &[]).starts_with("config.toml: "));
}

/// EST-3: whatever the catalog can count with, the tools for agents can.
#[test]
fn est_3_the_tools_count_with_every_tokenizer() {
    let spec = SETTINGS.iter().find(|spec| spec.key == "mcpTokenizer").unwrap();
    let Kind::Choice(names) = spec.kind else { panic!("{:?}", spec.kind) };
    let tokenizers: Vec<&str> =
        plimsoll_tokens::Tokenizer::ALL.iter().map(|one| one.name()).collect();
    assert_eq!(names, [&["bytes4"], &tokenizers[..]].concat());
}
