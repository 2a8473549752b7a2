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
