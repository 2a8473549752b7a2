//! What the paths of tokens stand for.

use plimsoll_blobs::Broken;

use super::{Backend, nobody, take_in};

pub(crate) fn tok_4_a_token_stands_for_a_blob_by_its_path_or_its_name(backend: &dyn Backend) {
    let blobs = backend.open();
    let blob = take_in(&blobs, "a.txt", b"here");
    for handle in [&blobs, &backend.elsewhere()] {
        let resolves =
            |path: &str| assert_eq!(handle.resolve(path), Ok(blob.name.clone()), "{path}");
        resolves(blobs.path(&blob.name).to_str().unwrap());
        resolves(handle.path(&blob.name).to_str().unwrap());
        resolves(&format!("/home/somebody/conversations/p/w/context/blobs/{}", blob.name));
        resolves(&format!("C:\\Users\\somebody\\context\\blobs\\{}", blob.name));
    }
    // What comes and goes while handles are open is seen as well.
    let other = backend.elsewhere();
    let later = take_in(&other, "b.txt", b"later");
    assert_eq!(blobs.resolve(blobs.path(&later.name).to_str().unwrap()), Ok(later.name.clone()));
    blobs.remove(&later.name).unwrap();
    let gone = blobs.resolve(blobs.path(&later.name).to_str().unwrap());
    assert_eq!(gone, Err(Broken::Missing));
}

pub(crate) fn tok_4_anything_else_is_broken_for_a_reason(backend: &dyn Backend) {
    let blobs = backend.open();
    let blob = take_in(&blobs, "a.txt", b"here");
    let broken = |path: &str, why: Broken| assert_eq!(blobs.resolve(path), Err(why), "{path:?}");
    let inside = blobs.path(&nobody());
    let context = inside.parent().unwrap().parent().unwrap().to_str().unwrap();
    broken("/etc/passwd", Broken::Outside);
    broken("", Broken::NotAbsolute);
    broken(&blob.name.to_string(), Broken::NotAbsolute);
    broken(&format!("{context}/blobs/../../../../etc/passwd"), Broken::Outside);
    broken(&format!("{context}/blobs"), Broken::Missing);
    broken(inside.to_str().unwrap(), Broken::Missing);
    broken(&format!("/elsewhere/{}", nobody()), Broken::Outside);
    broken(&format!("/x\0/{}", "0".repeat(5000)), Broken::Outside);
}
