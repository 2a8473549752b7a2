//! `plimsoll settings set` and `unset`.

use crate::run::plimsoll;

const FILE: &str = "# Mine.\nwarnAt = 70 # early\n";

#[test]
fn a_setting_is_written_and_taken_out_and_comments_stay() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("config.toml");
    std::fs::write(&file, FILE).unwrap();
    let run = |args: &[&str]| plimsoll(args).env("PLIMSOLL_CONFIG_DIR", dir.path());
    let read = || std::fs::read_to_string(&file).unwrap();
    let set = run(&["settings", "set", "warnAt", "90"]).run();
    assert_eq!(set.code, 0, "{}", set.stderr);
    assert_eq!(read(), "# Mine.\nwarnAt = 90 # early\n");
    assert_eq!(run(&["settings", "set", "overBudget", "fit"]).run().code, 0);
    let listed = run(&["settings"]).run().stdout;
    // Group by group, as in the page (UI-22).
    let group = |name: &str| listed.lines().position(|line| line == name).unwrap();
    assert!(group("Conversations") < group("Context"), "{listed}");
    let of = |key: &str| listed.lines().find(|line| line.starts_with(key)).unwrap_or_default();
    assert!(of("overBudget").contains("fit") && of("overBudget").contains("config.toml"));
    let shadowed =
        run(&["settings", "set", "overBudget", "trim"]).env("PLIMSOLL_OVER_BUDGET", "block").run();
    assert!(
        shadowed.stderr.contains("PLIMSOLL_OVER_BUDGET is set to 'block'"),
        "{}",
        shadowed.stderr
    );
    assert_eq!(run(&["settings", "unset", "overBudget"]).run().code, 0);
    assert_eq!(read(), "# Mine.\nwarnAt = 90 # early\n");
    run(&["settings", "set", "warnAt", "101"]).run().refused(2, "from 1 to 100");
    run(&["settings", "set", "warnat", "1"]).run().refused(2, "did you mean 'warnAt'?");
    run(&["settings", "set", "warnAt", "-1"]).run().refused(2, "'-1' is not a value");
    assert_eq!(read(), "# Mine.\nwarnAt = 90 # early\n");
}

#[test]
fn a_first_setting_makes_the_file_and_a_bad_one_can_be_mended() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("new");
    let run = |args: &[&str]| plimsoll(args).env("PLIMSOLL_CONFIG_DIR", &config);
    assert_eq!(run(&["settings", "unset", "retries"]).run().code, 0);
    assert!(!config.exists(), "nothing to take out, nothing to write");
    assert_eq!(run(&["settings", "set", "threads", "2"]).run().code, 0);
    assert_eq!(std::fs::read_to_string(config.join("config.toml")).unwrap(), "threads = 2\n");
    std::fs::write(config.join("config.toml"), "threads = 0\n").unwrap();
    run(&["settings"]).run().refused(2, "threads");
    assert_eq!(run(&["settings", "set", "threads", "auto"]).run().code, 0);
    assert_eq!(run(&["settings"]).run().code, 0);
}

#[test]
#[cfg(unix)]
fn a_linked_file_stays_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().join("dotfiles.toml");
    std::fs::write(&real, FILE).unwrap();
    std::os::unix::fs::symlink(&real, dir.path().join("config.toml")).unwrap();
    let set = plimsoll(["settings", "set", "warnAt", "60"]).env("PLIMSOLL_CONFIG_DIR", dir.path());
    assert_eq!(set.run().code, 0);
    assert!(dir.path().join("config.toml").is_symlink());
    assert_eq!(std::fs::read_to_string(real).unwrap(), FILE.replace("70", "60"));
}
