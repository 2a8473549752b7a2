//! HIS-8: files and their bytes, out of one workspace and into another.

use std::{
    io::{Cursor, Read},
    path::PathBuf,
};

use plimsoll_app::{
    AppError, Cancel, ExportAsk, ExportFormat, ExportOrder, Exported, ImportAsk, Imported, Origin,
};
use plimsoll_domain::{
    Attachment, ColorFlag, Delivery, File, Lifecycle, MessagePair, PairId, PairKind, PairUse, Star,
    Timestamp, Topic, TopicId, print_token,
};
use plimsoll_store::{ArchivedPair, Workspace};

use crate::rig::{Rig, rig};

impl Rig {
    /// Takes bytes in as a person would bring them.
    pub(crate) async fn bring_file(&self, name: &str, bytes: &[u8]) -> File {
        let at = Workspace::default();
        let mut intake = self.app.blobs(&at).unwrap().begin(name, None).unwrap();
        intake.write(bytes).unwrap();
        let blob = intake.finish().unwrap();
        let origin = Origin { words: Some("here it is"), ..Origin::user(name) };
        self.app.keep_file(&at, &blob, origin).await.unwrap()
    }

    /// Keeps a pair with a token for each of the files.
    pub(crate) async fn bring_pair(
        &self,
        n: u8,
        files: &[&File],
        delivery: Option<Delivery>,
    ) -> PairId {
        let main = Workspace::default();
        let topic = Topic {
            id: TopicId::new(Timestamp::from_millis(1), [1; 10]),
            parent: None,
            name: "Sea".to_owned(),
            named: true,
            system_message: None,
            default_model: None,
            temperature: None,
            max_output: None,
        };
        let mut text = format!("pair {n}");
        for file in files {
            let path = self.app.file_path(&main, file).unwrap();
            text.push_str(&print_token(file.context_kind(), &path.to_string_lossy()));
        }
        let created_at = Timestamp::from_millis(i64::from(n));
        let pair = MessagePair {
            id: PairId::new(created_at, [n; 10]),
            topic_id: topic.id,
            model: "m".to_owned(),
            user_text: text,
            assistant_text: Some("seen".to_owned()),
            star: Star::default(),
            color_flag: ColorFlag::default(),
            pair_use: PairUse::default(),
            kind: PairKind::default(),
            summarises: Vec::new(),
            group: None,
            lifecycle: Lifecycle::Complete,
            created_at,
            error: None,
            usage: None,
            receipt_id: None,
            previous_answer: None,
            attachments: files
                .iter()
                .map(|file| Attachment { file: Some(file.id), delivery })
                .collect(),
        };
        let id = pair.id;
        let archived = ArchivedPair {
            pair,
            cut: false,
            revision: 0,
            edited_at: None,
            revisions: Vec::new(),
            previous: None,
        };
        self.app.open_workspace(&main).await.unwrap();
        self.app.store().bring_in(&main, &[topic], &[archived]).await.unwrap();
        id
    }

    pub(crate) async fn archive(
        &self,
        at: &Workspace,
        filter: &str,
        format: ExportFormat,
    ) -> (Vec<u8>, Exported) {
        let ask = ExportAsk {
            scope: plimsoll_domain::HistoryScope::Everything,
            workspace: at.clone(),
            filter: filter.to_owned(),
            topic: None,
            model: None,
            format,
            order: ExportOrder::Time,
        };
        let (mut bytes, mut last) = (Vec::new(), (0, 0));
        let mut watch = |done, total| last = (done, total);
        let exported = self.app.export(&ask, &mut bytes, &mut watch).await.unwrap();
        assert_eq!(last.0, last.1, "all of it was told");
        (bytes, exported)
    }

    pub(crate) async fn take(&self, bytes: &[u8], at: &Workspace) -> Result<Imported, AppError> {
        let ask = ImportAsk { workspace: at.clone(), ..ImportAsk::default() };
        let source = Box::new(Cursor::new(bytes.to_vec()));
        self.app.import(&ask, source, &Cancel::default(), &mut |_| {}).await
    }

    pub(crate) fn blobs_in(&self, at: &Workspace) -> Vec<String> {
        let listed = self.app.blobs(at).unwrap().list().unwrap();
        listed.iter().map(|stored| stored.name.to_string()).collect()
    }

    /// The files that the tokens of a pair stand for, as people see them.
    pub(crate) async fn shown(&self, at: &Workspace, n: usize) -> Vec<Result<String, String>> {
        let mut workspace_view = self.app.workspace_view(at, crate::rig::view("")).await.unwrap();
        let id = workspace_view.visible_ids()[n];
        let pair = self.app.store().get(id).await.unwrap().pair;
        let attached =
            workspace_view.attached(&self.app, &pair.user_text, &pair.attachments).await.unwrap();
        attached.into_iter().map(|one| one.file.map(|file| file.name.clone())).collect()
    }

    fn blob_path(&self, file: &File) -> PathBuf {
        self.app.file_path(&Workspace::default(), file).unwrap()
    }
}

fn other() -> Workspace {
    Workspace::parse("default/other").unwrap()
}

fn names(archive: &[u8]) -> Vec<String> {
    let archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

fn entry(archive: &[u8], name: &str) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// A workspace with two pairs, of which each attaches two files, and a file beside.
async fn filled() -> (Rig, [File; 4]) {
    let rig = rig(1000, vec![]).await;
    let notes = rig.bring_file("notes.md", b"# A mark on the hull\n").await;
    let same = rig.bring_file("copy of notes.md", b"# A mark on the hull\n").await;
    let odd = rig.bring_file("odd", b"\x00\x01\x02 bytes of nobody").await;
    let alone = rig.bring_file("alone.txt", b"in no message").await;
    rig.bring_pair(1, &[&notes, &same], Some(Delivery::Inline)).await;
    rig.bring_pair(2, &[&odd, &notes], None).await;
    (rig, [notes, same, odd, alone])
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_an_archive_comes_back_byte_for_byte_in_another_store() {
    let (first, files) = filled().await;
    let main = Workspace::default();
    let (zip, exported) = first.archive(&main, "", ExportFormat::Zip).await;
    assert_eq!((exported.pairs, exported.files, exported.left_out.len()), (2, 4, 0));
    assert_eq!(names(&zip).len(), 4, "the document, and the same bytes once: {:?}", names(&zip));
    assert_eq!(first.archive(&main, "", ExportFormat::Zip).await.0, zip);

    let second = rig(1000, vec![]).await;
    let imported = second.take(&zip, &main).await.unwrap();
    assert_eq!((imported.new_pairs, imported.new_files), (2, 4));
    assert!(imported.left_out.is_nothing(), "{imported:?}");
    assert_eq!(second.app.store().files(&main).await.unwrap(), {
        let mut all = files.to_vec();
        all.reverse();
        all
    });
    assert_eq!(second.archive(&main, "", ExportFormat::Zip).await.0, zip);
    assert_eq!(second.blobs_in(&main), first.blobs_in(&main));
    // Two files of the same bytes stay the two that they were.
    let expected = [Ok("notes.md".to_owned()), Ok("copy of notes.md".to_owned())];
    assert_eq!(second.shown(&main, 0).await, expected);
    let again = second.take(&zip, &main).await.unwrap();
    assert_eq!((again.new_pairs, again.new_files, again.known_files), (0, 0, 4));
    assert_eq!(second.archive(&main, "", ExportFormat::Zip).await.0, zip);
    assert!(second.app.store().check().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_another_workspace_takes_copies_that_stand_for_themselves() {
    let (rig, files) = filled().await;
    let (zip, _) = rig.archive(&Workspace::default(), "", ExportFormat::Zip).await;
    let other = other();
    let imported = rig.take(&zip, &other).await.unwrap();
    assert_eq!((imported.new_pairs, imported.new_files), (2, 4));
    let copies = rig.app.store().files(&other).await.unwrap();
    assert!(copies.iter().all(|copy| files.iter().all(|file| file.id != copy.id)));
    assert_eq!(rig.blobs_in(&other), rig.blobs_in(&Workspace::default()));
    let expected = [Ok("notes.md".to_owned()), Ok("copy of notes.md".to_owned())];
    assert_eq!(rig.shown(&other, 0).await, expected);
    // Each workspace has its own: letting one go leaves the other whole.
    let notes = copies.iter().find(|copy| copy.name == "notes.md").unwrap();
    assert_eq!(rig.app.store().used_by(notes.id).await.unwrap().len(), 2);
    rig.app.forget_file(&Workspace::default(), files[0].id).await.unwrap();
    assert_eq!(rig.shown(&other, 0).await, expected);
    let (before, _) = rig.archive(&other, "", ExportFormat::Zip).await;
    let again = rig.take(&zip, &other).await.unwrap();
    assert_eq!((again.new_pairs, again.new_files), (0, 0));
    assert_eq!(rig.archive(&other, "", ExportFormat::Zip).await.0, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_a_filter_takes_along_the_files_of_what_it_shows() {
    let (rig, [notes, _, odd, _]) = filled().await;
    let main = Workspace::default();
    let (zip, exported) = rig.archive(&main, "c'pair 2'", ExportFormat::Zip).await;
    assert_eq!((exported.pairs, exported.files), (1, 2));
    let blob = |file: &File| format!("blobs/{}", file.blob_name());
    let mut expected = vec!["plimsoll.json".to_owned(), blob(&notes), blob(&odd)];
    let mut found = names(&zip);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(entry(&zip, &blob(&odd)), b"\x00\x01\x02 bytes of nobody");
    // A token of which nothing is known stands for the newest file with its bytes (TOK-5).
    let path = rig.blob_path(&notes);
    let bare = format!("bare {}", print_token(notes.context_kind(), &path.to_string_lossy()));
    let id = rig.bring_pair(3, &[], None).await;
    let edit = plimsoll_store::Edit { user_text: Some(bare), assistant_text: None };
    rig.app.store().edit(id, &edit, Timestamp::from_millis(9)).await.unwrap();
    let (_, exported) = rig.archive(&main, "c'bare'", ExportFormat::Json).await;
    assert_eq!((exported.pairs, exported.files), (1, 1));
    let (text, exported) = rig.archive(&main, "", ExportFormat::Text).await;
    assert!(exported.files == 0 && !text.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_bytes_that_are_missing_or_altered_are_named_and_the_rest_is_exported() {
    let (rig, [notes, _, odd, alone]) = filled().await;
    rig.damage(&odd, None);
    rig.damage(&alone, Some(b"not what it was"));
    let main = Workspace::default();
    let (zip, exported) = rig.archive(&main, "", ExportFormat::Zip).await;
    let told = exported.left_out.join("\n");
    assert_eq!(exported.left_out.len(), 2, "{told}");
    assert!(told.contains("'odd'") && told.contains("missing"), "{told}");
    assert!(told.contains("'alone.txt'") && told.contains("altered"), "{told}");
    assert_eq!(entry(&zip, "left-out.txt"), format!("{told}\n").into_bytes());
    entry(&zip, &format!("blobs/{}", notes.blob_name()));

    let second = crate::rig::rig(1000, vec![]).await;
    let imported = second.take(&zip, &main).await.unwrap();
    assert_eq!((imported.new_files, imported.left_out.attachments), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn his_8_without_the_bytes_what_is_here_is_kept_and_the_rest_is_broken() {
    let (first, files) = filled().await;
    let main = Workspace::default();
    let (json, _) = first.archive(&main, "", ExportFormat::Json).await;
    let second = rig(1000, vec![]).await;
    let (bytes, ending) = (b"# A mark on the hull\n", "here already.md");
    let mut intake = second.app.blobs(&main).unwrap().begin(ending, None).unwrap();
    intake.write(bytes).unwrap();
    intake.finish().unwrap();
    let imported = second.take(&json, &main).await.unwrap();
    assert_eq!((imported.new_pairs, imported.new_files), (2, 2));
    assert_eq!(imported.left_out.attachments, 2, "{imported:?}");
    let shown = second.shown(&main, 1).await;
    assert!(shown[0].is_err() && shown[1] == Ok("notes.md".to_owned()), "{shown:?}");
    // When the bytes come after all, the same tokens stand for them again.
    let (zip, _) = first.archive(&main, "", ExportFormat::Zip).await;
    let imported = second.take(&zip, &main).await.unwrap();
    assert_eq!((imported.new_pairs, imported.new_files, imported.known_files), (0, 2, 2));
    assert_eq!(second.shown(&main, 1).await[0], Ok(files[2].name.clone()));
    assert_eq!(second.archive(&main, "", ExportFormat::Zip).await.0, zip, "nothing was lost");
}
