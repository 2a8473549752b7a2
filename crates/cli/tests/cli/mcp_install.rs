//! `plimsoll mcp install` and `uninstall`: the configuration of other programs, as people have it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::run::{Ran, plimsoll};

/// A home of its own, with a project below it.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(home.path("work/deep")).unwrap();
        fs::create_dir_all(home.path("work/.git")).unwrap();
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut run = plimsoll(["mcp"].iter().chain(args)).env("HOME", self.path(""));
        for name in ["CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_CONFIG_HOME", "PATH"] {
            run = run.env(name, "");
        }
        run.within(&self.path("work/deep")).run()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }
}

fn beside(path: &Path) -> usize {
    fs::read_dir(path.parent().unwrap()).unwrap().count()
}

const CLIENTS: [(&str, &str, &str); 10] = [
    ("codex", "user", ".codex/config.toml"),
    ("codex", "project", "work/.codex/config.toml"),
    ("claude", "user", ".claude.json"),
    ("claude", "project", "work/.mcp.json"),
    ("cursor", "user", ".cursor/mcp.json"),
    ("cursor", "project", "work/.cursor/mcp.json"),
    ("zed", "user", ".config/zed/settings.json"),
    ("zed", "project", "work/.zed/settings.json"),
    ("vscode", "user", ".config/Code/User/mcp.json"),
    ("vscode", "project", "work/.vscode/mcp.json"),
];

#[cfg(target_os = "linux")]
#[test]
fn each_program_is_set_up_where_it_looks_and_taken_back() {
    let home = Home::new();
    for (client, scope, file) in CLIENTS {
        let words = [client, "--scope", scope];
        let dry = home.run(&["install", client, "--scope", scope, "--print"]);
        assert_eq!(dry.code, 0, "{}", dry.stderr);
        assert!(dry.stdout.contains(home.path(file).to_str().unwrap()), "{}", dry.stdout);
        assert!(!home.path(file).exists());
        let done = home.run(&[&["install"], &words[..], &["--yes", "--project", "reef"]].concat());
        assert_eq!(done.code, 0, "{}", done.stderr);
        let text = home.read(file);
        assert!(text.contains(r#""mcp", "--project", "reef""#), "{text}");
        assert_eq!(text.contains(env!("CARGO_BIN_EXE_plimsoll")), scope == "user", "{text}");
        let again = home.run(&[&["install"], &words[..], &["--yes", "--project", "reef"]].concat());
        assert!(again.stdout.contains("has it already"), "{}", again.stdout);
        assert_eq!(home.read(file), text);
        let back = home.run(&[&["uninstall"], &words[..], &["--yes"]].concat());
        assert_eq!(back.code, 0, "{}", back.stderr);
        assert!(!home.path(file).exists(), "there was none before");
        let again = home.run(&[&["uninstall"], &words[..], &["--yes"]].concat());
        assert!(again.stdout.contains("does not have it"), "{}", again.stdout);
    }
}

const ZED: &str = "// My settings\n{\n  \"theme\": \"One Dark\", // at night\n  \"context_servers\": {\n    \
    \"other\": { \"command\": \"x\", \"args\": [], }, // keep\n  },\n}\n";

#[cfg(target_os = "linux")]
#[test]
fn the_rest_of_a_configuration_stays_and_comes_back_byte_for_byte() {
    let home = Home::new();
    let file = ".config/zed/settings.json";
    home.write(file, ZED);
    let done = home.run(&["install", "zed", "--yes"]);
    assert!(done.stdout.contains("+     \"plimsoll\": {"), "{}", done.stdout);
    assert!(done.stderr.contains(".plimsoll-backup-"), "{}", done.stderr);
    let text = home.read(file);
    for line in ZED.lines() {
        assert!(text.lines().any(|kept| kept == line), "{line} of {text}");
    }
    // Another choice replaces the first one.
    home.run(&["install", "zed", "--yes", "--tools", "core"]);
    assert!(home.read(file).contains(r#"["mcp", "--tools", "core"]"#));
    assert_eq!(beside(&home.path(file)), 3, "two copies");
    home.run(&["uninstall", "zed", "--yes"]);
    assert_eq!(home.read(file), ZED);
    assert_eq!(beside(&home.path(file)), 1, "copies that led here are gone");

    // Where somebody has changed it since, only the entry goes.
    home.run(&["install", "zed", "--yes"]);
    let edited = home.read(file).replace("One Dark", "One Light");
    home.write(file, &edited);
    home.run(&["uninstall", "zed", "--yes"]);
    assert_eq!(home.read(file), ZED.replace("One Dark", "One Light"));
}

#[test]
fn nothing_is_changed_unasked_or_unread() {
    let home = Home::new();
    let shown = home.run(&["install", "cursor"]);
    assert_eq!(shown.code, 1);
    assert!(shown.stdout.contains("+   \"mcpServers\": {"), "{}", shown.stdout);
    assert!(shown.stderr.contains("--yes"), "{}", shown.stderr);
    assert!(!home.path(".cursor").exists());
    for (client, file, text, line) in [
        ("cursor", ".cursor/mcp.json", "{\n  \"mcpServers\": {\n", "line 3"),
        ("codex", ".codex/config.toml", "a = 1\nb = \n", "line 2"),
    ] {
        home.write(file, text);
        for verb in ["install", "uninstall"] {
            let refused = home.run(&[verb, client, "--yes"]);
            assert_eq!(refused.code, 1);
            assert!(refused.stderr.contains(line), "{}", refused.stderr);
            assert!(refused.stderr.contains("left alone"), "{}", refused.stderr);
            assert_eq!(home.read(file), text);
        }
    }
}

fn copy_before(home: &Home, file: &str, text: &str) -> PathBuf {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    home.path(&format!("{file}.plimsoll-backup-{}", &hash[..12]))
}

#[test]
fn installs_back_and_forth_are_taken_back() {
    let file = ".cursor/mcp.json";
    for text in [Some("{\"a\": 1} // mine\n"), None] {
        let home = Home::new();
        if let Some(text) = text {
            home.write(file, text);
        }
        for tools in ["memory", "core", "specs", "memory"] {
            let done = home.run(&["install", "cursor", "--yes", "--tools", tools]);
            assert_eq!(done.code, 0, "{}", done.stderr);
            assert!(home.read(file).contains(&format!("\"--tools\", \"{tools}\"")));
        }
        let back = home.run(&["uninstall", "cursor", "--yes"]);
        assert_eq!(back.code, 0, "{}", back.stderr);
        assert_eq!(fs::read_to_string(home.path(file)).ok().as_deref(), text);
    }
}

#[test]
fn copies_that_lead_in_a_circle_are_left_and_the_entry_goes() {
    let home = Home::new();
    let file = ".cursor/mcp.json";
    home.write(file, "{\"a\": 1}\n");
    home.run(&["install", "cursor", "--yes"]);
    let one = home.read(file);
    home.run(&["install", "cursor", "--yes", "--tools", "core"]);
    let two = home.read(file);
    // As an earlier version left them.
    let copies = [(copy_before(&home, file, &one), &two), (copy_before(&home, file, &two), &one)];
    for (copy, text) in &copies {
        fs::write(copy, text).unwrap();
    }
    let back = home.run(&["uninstall", "cursor", "--yes"]);
    assert_eq!(back.code, 0, "{}", back.stderr);
    assert_eq!(home.read(file), "{\"a\": 1}\n");
    for (copy, text) in &copies {
        assert_eq!(fs::read_to_string(copy).unwrap(), **text, "it was not put back");
    }
    let kept = copy_before(&home, file, "{\"a\": 1}\n");
    assert_eq!(fs::read_to_string(kept).unwrap(), two, "what was changed is kept");
}

#[test]
fn a_copy_is_never_written_over() {
    let home = Home::new();
    let file = ".cursor/mcp.json";
    home.write(file, "{\"a\": 1}\n");
    home.run(&["install", "cursor", "--yes"]);
    let ours = home.read(file);
    let edited = ours.replace("[\"mcp\"]", "[\"mcp\", \"--mine\"]");
    assert_ne!(edited, ours);
    home.write(file, &edited);
    let done = home.run(&["install", "cursor", "--yes"]);
    assert_eq!(home.read(file), ours);
    let first = copy_before(&home, file, &ours);
    assert_eq!(fs::read_to_string(&first).unwrap(), "{\"a\": 1}\n");
    let second = format!("{}-2", first.display());
    assert!(done.stderr.contains(&second), "{}", done.stderr);
    assert_eq!(fs::read_to_string(&second).unwrap(), edited);
    home.run(&["uninstall", "cursor", "--yes"]);
    assert_eq!(home.read(file), "{\"a\": 1}\n");
    assert!(!first.exists(), "it stands there again");
    assert_eq!(fs::read_to_string(&second).unwrap(), edited);
}

#[test]
fn an_entry_of_somebody_else_is_left_alone() {
    let home = Home::new();
    for (client, file, text, entry) in [
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers.plimsoll]\nurl = \"http://127.0.0.1:7070/mcp\"\n",
            "mcp_servers.plimsoll",
        ),
        (
            "claude",
            ".claude.json",
            "{\"mcpServers\": {\"plimsoll\": {\"type\": \"http\"}}}",
            "mcpServers.plimsoll",
        ),
        (
            "cursor",
            ".cursor/mcp.json",
            "{\"mcpServers\": {\"plimsoll\": {\"command\": \"npx\"}}}",
            "mcpServers.plimsoll",
        ),
    ] {
        home.write(file, text);
        let copy = copy_before(&home, file, text);
        fs::write(&copy, "earlier").unwrap();
        for verb in ["install", "uninstall"] {
            let refused = home.run(&[verb, client, "--yes"]);
            assert_eq!(refused.code, 1, "{}", refused.stdout);
            for told in [home.path(file).to_str().unwrap(), entry, "take that entry out"] {
                assert!(refused.stderr.contains(told), "{}", refused.stderr);
            }
            assert_eq!(home.read(file), text);
            assert_eq!(fs::read_to_string(&copy).unwrap(), "earlier");
        }
    }
}

#[test]
fn a_change_that_would_hit_something_else_is_not_made() {
    let home = Home::new();
    let file = ".cursor/mcp.json";
    let text =
        "{\"mcpServers\": { // mine\n\"plimsoll\": {\"command\": \"plimsoll\"}, \"o\": {}}}\n";
    home.write(file, text);
    let refused = home.run(&["uninstall", "cursor", "--yes"]);
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    assert!(refused.stderr.contains("would change something else"), "{}", refused.stderr);
    assert_eq!(home.read(file), text);
    assert_eq!(beside(&home.path(file)), 1);
}

#[test]
fn tools_that_are_not_known_are_refused_as_the_server_does() {
    let home = Home::new();
    let data = home.path("data");
    let server = home.run(&["--tools", "nonsense", "--data-dir", data.to_str().unwrap()]);
    let refused = home.run(&["install", "cursor", "--yes", "--tools", "nonsense"]);
    assert_eq!((refused.code, &refused.stderr), (2, &server.stderr));
    assert!(refused.stderr.contains("nonsense"), "{}", refused.stderr);
    assert!(!home.path(".cursor").exists());
}

#[cfg(unix)]
#[test]
fn a_link_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = Home::new();
    home.write("dotfiles/codex.toml", "model = \"x\"\n");
    let secret = fs::Permissions::from_mode(0o600);
    fs::set_permissions(home.path("dotfiles/codex.toml"), secret).unwrap();
    fs::create_dir_all(home.path(".codex")).unwrap();
    symlink(home.path("dotfiles/codex.toml"), home.path(".codex/config.toml")).unwrap();
    let done = home.run(&["install", "codex", "--yes"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(home.path(".codex/config.toml").symlink_metadata().unwrap().is_symlink());
    assert!(home.read("dotfiles/codex.toml").contains("[mcp_servers.plimsoll]"));
    for entry in fs::read_dir(home.path("dotfiles")).unwrap() {
        let mode = entry.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "the copy is as secret as the file");
    }
}
