//! Paths and names that want out (TOK-4, SEC-3).

use std::{fs, path::Path};

use proptest::prelude::*;

use crate::{
    BlobError, BlobName, Blobs, Broken,
    intake_tests::{store, take_in},
};

fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn tok_4_a_token_resolves_inside_its_workspace_or_by_name() {
    let (_dir, blobs) = store();
    let blob = take_in(&blobs, "a.txt", b"here", 9);
    let resolves = |path: &str| assert_eq!(blobs.resolve(path), Ok(blob.name.clone()), "{path}");
    resolves(shown(&blobs.path(&blob.name)));
    // Data moved from another machine.
    resolves(&format!("/home/somebody/conversations/p/w/context/blobs/{}", blob.name));
    resolves(&format!("C:\\Users\\somebody\\context\\blobs\\{}", blob.name));
}

#[test]
fn tok_4_anything_else_is_broken_for_a_reason() {
    let (dir, blobs) = store();
    let blob = take_in(&blobs, "a.txt", b"here", 9);
    let other = Blobs::open(dir.path().join("other")).unwrap();
    let elsewhere = take_in(&other, "b.txt", b"elsewhere", 9);
    fs::write(dir.path().join("context/secret.txt"), "x").unwrap();
    let context = dir.path().join("context");
    let context = shown(&context);
    let broken = |path: &str, why: Broken| assert_eq!(blobs.resolve(path), Err(why), "{path:?}");
    broken("/etc/passwd", Broken::Outside);
    broken("a.txt", Broken::NotAbsolute);
    broken(&blob.name.to_string(), Broken::NotAbsolute);
    broken("", Broken::NotAbsolute);
    broken(&format!("{context}/blobs/../../../../../../etc/passwd"), Broken::Outside);
    broken(&format!("{context}/blobs/.."), Broken::Outside);
    broken(&format!("{context}/blobs"), Broken::Missing);
    broken(&format!("{context}/secret.txt"), Broken::Missing);
    broken(&format!("{context}/blobs/{}.txt", "0".repeat(64)), Broken::Missing);
    broken(shown(&other.path(&elsewhere.name)), Broken::Outside);
    broken(&format!("/x\0/{}", "0".repeat(5000)), Broken::Outside);
    broken("\\\\server\\share\\passwords.txt", Broken::Outside);
    assert!(!Broken::Outside.to_string().is_empty());
}

#[cfg(unix)]
#[test]
fn hostile_symlinks_are_never_followed_out() {
    use std::os::unix::fs::symlink;
    let (dir, blobs) = store();
    let blob = take_in(&blobs, "a.txt", b"here", 9);
    let secret = dir.path().join("secret.txt");
    fs::write(&secret, "secret").unwrap();
    let name = BlobName::parse(&format!("{}.txt", "1".repeat(64))).unwrap();
    symlink(&secret, blobs.path(&name)).unwrap();
    assert_eq!(blobs.resolve(shown(&blobs.path(&name))), Err(Broken::NotAFile));
    assert!(matches!(blobs.open_blob(&name), Err(BlobError::NotAFile(_))));
    assert!(matches!(blobs.read(&name, 99), Err(BlobError::NotAFile(_))));
    assert!(blobs.thumbnail(&name).is_err());
    assert!(blobs.list().unwrap().iter().all(|one| one.name != name));
    // A link that leads to a blob of this workspace stands for that blob.
    let alias = blobs.shared.blobs.join("alias.txt");
    symlink(blobs.path(&blob.name), &alias).unwrap();
    assert_eq!(blobs.resolve(shown(&alias)), Ok(blob.name.clone()));
    // One in the place of the blob that is being taken in is replaced, not written through.
    fs::remove_file(blobs.path(&blob.name)).unwrap();
    symlink(&secret, blobs.path(&blob.name)).unwrap();
    assert!(take_in(&blobs, "a.txt", b"here", 9).new);
    assert_eq!(blobs.read(&blob.name, 9).unwrap(), b"here");
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    // Removing one removes the link.
    blobs.remove(&name).unwrap();
    assert_eq!(fs::read(&secret).unwrap(), b"secret");
    // A directory with the name of a blob is none.
    fs::create_dir(blobs.path(&name)).unwrap();
    assert_eq!(blobs.resolve(shown(&blobs.path(&name))), Err(Broken::NotAFile));
    assert!(matches!(blobs.open_blob(&name), Err(BlobError::NotAFile(_))));
}

#[cfg(unix)]
#[test]
fn a_workspace_that_is_reached_through_a_link_works() {
    let (dir, blobs) = store();
    let blob = take_in(&blobs, "a.txt", b"here", 9);
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&blobs.shared.context, &link).unwrap();
    let linked = Blobs::open(&link).unwrap();
    assert_eq!(linked.resolve(shown(&linked.path(&blob.name))), Ok(blob.name.clone()));
    assert_eq!(linked.resolve(shown(&blobs.path(&blob.name))), Ok(blob.name));
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_taken_in() {
    let (_dir, blobs) = store();
    for path in ["/dev/zero", "/dev/null", "/"] {
        let refused = blobs.import_file(Path::new(path), None, &mut |_, _| {}, &|| false);
        assert!(matches!(refused, Err(BlobError::NotAFile(_))), "{path}");
    }
}

#[test]
fn hostile_names_are_looked_at_and_never_used() {
    let (dir, blobs) = store();
    let names = [
        "../../../etc/passwd.png",
        "a\nb\".png",
        "invoice\u{202e}gnp.exe.png",
        "a'; rm -rf ~ .png",
        "con\0.png",
        "..\\..\\x.png",
        &format!("{}.png", "long".repeat(5000)),
    ];
    for (n, name) in names.iter().enumerate() {
        let blob = take_in(&blobs, name, format!("text {n}").as_bytes(), 3);
        let said = blob.facts.mismatch.unwrap();
        let hidden = |c: char| c.is_control() || c == '\u{202e}' || c == '/';
        assert!(said.len() < 300 && !said.contains(hidden), "{said:?}");
        assert_eq!(blobs.path(&blob.name).parent().unwrap(), blobs.shared.blobs);
    }
    assert_eq!(blobs.list().unwrap().len(), names.len());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing beside context/");
}

proptest! {
    /// TOK-4: whatever a token says, what it resolves to is a plain file in this store.
    #[test]
    fn a_token_never_leads_out(
        parts in prop::collection::vec(prop_oneof![
            Just("..".to_owned()), Just("blobs".to_owned()), Just("context".to_owned()),
            Just("link".to_owned()), Just("etc".to_owned()), Just(String::new()),
            Just("HERE".to_owned()), Just("BLOB".to_owned()), any::<String>(),
        ], 0..8),
    ) {
        let (dir, blobs) = store();
        let blob = take_in(&blobs, "a.txt", b"here", 9);
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", blobs.shared.blobs.join("link")).unwrap();
        let path = parts.join("/").replace("HERE", shown(dir.path())).replace("BLOB", &blob.name.to_string());
        for path in [path.clone(), format!("/{path}"), format!("{}/{path}", shown(&blobs.shared.context))] {
            if let Ok(name) = blobs.resolve(&path) {
                prop_assert_eq!(&name, &blob.name);
                prop_assert!(blobs.open_blob(&name).is_ok());
            }
        }
    }
}
