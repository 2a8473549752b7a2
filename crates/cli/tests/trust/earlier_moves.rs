//! Stores that earlier versions filled move to a team's server and back (REL-3, TEA-4).

use std::{fs, path::Path, process::Command};

use plimsoll_testkit::{postgres::Postgres, s3_server::S3Server};

use crate::earlier::STORES;

/// A machine on which `plimsoll` is run, with its own data directory or a server's store.
struct Machine<'m> {
    home: &'m Path,
    variables: Vec<(String, String)>,
}

impl Machine<'_> {
    #[track_caller]
    fn does(&self, args: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_plimsoll"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PLIMSOLL_") {
                command.env_remove(name);
            }
        }
        let ran = command
            .args(args)
            .current_dir(self.home)
            .env("PLIMSOLL_CONFIG_DIR", self.home)
            .env("PLIMSOLL_DATA_DIR", self.home.join("data"))
            .env("PLIMSOLL_TIME_ZONE", "UTC")
            .envs(self.variables.iter().cloned())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{args:?}: {said}");
        said
    }

    /// All that goes out: conversations with the contents of files, and the memory.
    #[track_caller]
    fn exports(&self, name: &str) -> (Vec<u8>, Vec<u8>) {
        let (zip, memory) = (format!("{name}.zip"), format!("{name}.jsonl"));
        self.does(&["export", "-o", &zip]);
        self.does(&["memory", "export", &memory]);
        let read = |name: &str| fs::read(self.home.join(name)).unwrap();
        (read(&zip), read(&memory))
    }
}

/// What comes out is the same, byte for byte, wherever it is kept.
#[test]
fn rel_3_tea_4_what_earlier_versions_kept_moves_to_a_server_and_back() {
    let Some(server) = Postgres::shared() else { return };
    for earlier in STORES {
        let (what, objects) = (earlier.commit, S3Server::start().unwrap());
        let scratch = tempfile::tempdir().unwrap();
        let home = scratch.path();
        earlier.unpack(&home.join("data"));
        let here = Machine { home, variables: objects.variables() };
        let before = here.exports("before");

        let (store, blobs) = (server.database(), objects.address("team"));
        let said = here.does(&["move", "--to", &store, "--to-blobs", &blobs]);
        assert!(said.contains("compared"), "{what}: {said}");
        assert_eq!(!objects.keys().is_empty(), earlier.files, "{what}: {:?}", objects.keys());
        let mut variables = objects.variables();
        variables.push(("PLIMSOLL_STORE".to_owned(), store));
        variables.push(("PLIMSOLL_BLOBS".to_owned(), blobs));
        let there = Machine { home: &home.join("node"), variables };
        fs::create_dir(there.home).unwrap();
        assert!(there.exports("there") == before, "{what}: another export on the server");

        // Back into a directory of its own; the server's stays as it was.
        let back = home.join("back");
        fs::create_dir(&back).unwrap();
        there.does(&["move", "--to", back.join("data").to_str().unwrap()]);
        let back = Machine { home: &back, variables: Vec::new() };
        assert!(back.exports("back") == before, "{what}: another export of what came back");
        assert!(there.exports("still") == before, "{what}: the server's store changed");
        // What they knew is in it, so that two blank exports are not taken for a move.
        let memory = String::from_utf8(before.1).unwrap();
        assert_eq!(memory.contains("Ten metres."), earlier.memory, "{what}: {memory}");
        here.does(&["export", "--format", "json", "-o", "all.json"]);
        let all = fs::read_to_string(home.join("all.json")).unwrap();
        assert!(all.contains("When is high water?"), "{what}: {all}");
    }
}
