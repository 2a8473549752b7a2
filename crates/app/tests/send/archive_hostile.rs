//! HIS-8: archives that mean harm, imports that are stopped, and any files at all.

use std::io::{Cursor, Write};

use plimsoll_app::{AppError, Cancel, ExportFormat, ImportAsk, ImportProgress};
use plimsoll_domain::{Delivery, File};
use plimsoll_store::Workspace;
use proptest::prelude::*;

use crate::rig::rig;

fn packed<'a>(entries: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// An archive with one pair that attaches one file, and these bytes in its place.
async fn with_bytes(bytes: &[u8]) -> (Vec<u8>, File) {
    let rig = rig(1000, vec![]).await;
    let file = rig.bring_file("a.txt", b"what it was").await;
    rig.bring_pair(1, &[&file], None).await;
    let (json, _) = rig.archive(&Workspace::default(), "", ExportFormat::Json).await;
    let name = format!("blobs/{}", file.blob_name());
    (packed([(name.as_str(), bytes), ("plimsoll.json", &json)]), file)
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_bytes_without_their_hash_change_nothing_unless_told_to_skip() {
    let (zip, _) = with_bytes(b"what it is not").await;
    let main = Workspace::default();
    let second = rig(1000, vec![]).await;
    let refused = second.take(&zip, &main).await.unwrap_err();
    assert!(matches!(&refused, AppError::BadRecord(_)), "{refused}");
    assert!(refused.to_string().starts_with("blob 1: blobs/"), "{refused}");
    assert!(second.app.store().topics(&main).await.unwrap().is_empty());
    assert!(second.blobs_in(&main).is_empty());

    let skip = ImportAsk { skip_bad: true, ..ImportAsk::default() };
    let source = Box::new(Cursor::new(zip));
    let taken = second.app.import(&skip, source, &Cancel::default(), &mut |_| {}).await.unwrap();
    assert_eq!((taken.skipped, taken.new_pairs, taken.new_files), (1, 1, 0));
    assert_eq!(taken.left_out.attachments, 1);
    assert!(second.blobs_in(&main).is_empty(), "nothing is kept of it");
    assert!(second.shown(&main, 0).await[0].is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_no_file_of_another_workspace_is_reached() {
    let rig = rig(1000, vec![]).await;
    let secret = rig.bring_file("secret.txt", b"of another").await;
    rig.bring_pair(1, &[&secret], None).await;
    let main = Workspace::default();
    let (json, _) = rig.archive(&main, "", ExportFormat::Json).await;
    let other = Workspace::parse("default/other").unwrap();
    let text = String::from_utf8(json).unwrap();
    // Without the file in the list the id is that of a file of the first workspace.
    let start = text.find("\"files\":[").unwrap() + "\"files\":[".len();
    let end = start + text[start..].find("],\n\"pairs\"").unwrap();
    let text = format!("{}{}", &text[..start], &text[end..]);
    let imported = rig.take(text.as_bytes(), &other).await.unwrap();
    assert_eq!((imported.new_pairs, imported.left_out.attachments), (1, 1));
    assert!(rig.shown(&other, 0).await[0].is_err());
    assert_eq!(rig.app.store().used_by(secret.id).await.unwrap().len(), 1);
    assert!(rig.app.store().files(&other).await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_a_file_with_a_known_id_and_other_bytes_stands_for_its_own() {
    let (zip, file) = with_bytes(b"what it was").await;
    let main = Workspace::default();
    let second = rig(1000, vec![]).await;
    // The rigs count their ids alike, so that this one has the same.
    let mine = second.bring_file("mine.txt", b"bytes of my own").await;
    assert_eq!(mine.id, file.id);
    let imported = second.take(&zip, &main).await.unwrap();
    assert_eq!((imported.new_files, imported.left_out.attachments), (1, 0));
    assert_eq!(second.app.store().file(&main, mine.id).await.unwrap(), mine);
    assert_eq!(second.shown(&main, 0).await, [Ok("a.txt".to_owned())]);
    assert_eq!(second.take(&zip, &main).await.unwrap().known_files, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_a_cancelled_archive_leaves_no_half_blob_and_goes_on() {
    let first = rig(1000, vec![]).await;
    let mut large = vec![0; 6 << 20];
    for (at, byte) in large.iter_mut().enumerate() {
        *byte = (at * 31 % 251) as u8;
    }
    let file = first.bring_file("large.bin", &large).await;
    first.bring_pair(1, &[&file], Some(Delivery::OnDemand)).await;
    let main = Workspace::default();
    let (zip, _) = first.archive(&main, "", ExportFormat::Zip).await;

    let second = rig(1000, vec![]).await;
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let mut steps = Vec::new();
    let mut watch = |progress: ImportProgress| {
        if let ImportProgress::Writing(done, total) = progress {
            steps.push((done, total));
            stop.cancel();
        }
    };
    let ask = ImportAsk::default();
    let source = Box::new(Cursor::new(zip.clone()));
    let imported = second.app.import(&ask, source, &cancel, &mut watch).await.unwrap();
    assert!(imported.cancelled && imported.new_pairs == 0, "{imported:?}");
    assert!(steps[0].0 < steps[0].1, "it was told while the bytes came: {steps:?}");
    let tmp = second.dir.path().join("conversations/default/main/context/tmp");
    assert_eq!(std::fs::read_dir(tmp).map_or(0, Iterator::count), 0);
    assert!(second.app.store().files(&main).await.unwrap().is_empty());
    let rest = second.take(&zip, &main).await.unwrap();
    assert_eq!((rest.new_pairs, rest.new_files), (1, 1));
    assert_eq!(second.archive(&main, "", ExportFormat::Zip).await.0, zip);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..Default::default() })]

    /// HIS-8: whatever the files are, another store exports the same bytes again.
    #[test]
    fn his_8_any_files_come_back_byte_for_byte(
        files in prop::collection::vec(
            ("[a-zA-Z0-9. /_-]{0,12}(\\.(txt|md|png|bin|json))?", prop::collection::vec(any::<u8>(), 0..300)),
            1..5,
        ),
        delivery in prop::option::of(prop::sample::select(Delivery::ALL.to_vec())),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let main = Workspace::default();
            let first = rig(1000, vec![]).await;
            let mut kept = Vec::new();
            for (name, bytes) in &files {
                kept.push(first.bring_file(name, bytes).await);
            }
            first.bring_pair(1, &kept.iter().collect::<Vec<_>>(), delivery).await;
            let (zip, exported) = first.archive(&main, "", ExportFormat::Zip).await;
            assert!(exported.left_out.is_empty());
            let second = rig(1000, vec![]).await;
            let imported = second.take(&zip, &main).await.unwrap();
            assert_eq!(imported.new_files, kept.len() as u64);
            assert_eq!(second.archive(&main, "", ExportFormat::Zip).await.0, zip);
            assert_eq!(second.shown(&main, 0).await, first.shown(&main, 0).await);
        });
    }
}
