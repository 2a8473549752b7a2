//! `list_files` (FTL-1).

use plimsoll_domain::{File, FileKind, Timestamp};

use crate::{
    answering::Draft,
    arguments::{Arguments, Mistake},
    section::{each_once, entry},
    words::{quoted, shortened},
};

/// What is asked for.
pub(crate) struct Wish {
    kind: Option<FileKind>,
    query: Option<String>,
}

impl Wish {
    pub(crate) fn read(arguments: &Arguments<'_>) -> Result<Self, Mistake> {
        let kind = match arguments.text("kind")? {
            None => None,
            Some(name) => Some(FileKind::parse(name.trim()).ok_or_else(|| unknown_kind(name))?),
        };
        let query = arguments.text("query")?.map(|query| query.trim().to_lowercase());
        Ok(Self { kind, query })
    }

    fn wants(&self, file: &File) -> bool {
        let found = |text: &str, query: &str| text.to_lowercase().contains(query);
        self.kind.is_none_or(|kind| kind == file.kind)
            && self.query.as_deref().is_none_or(|query| {
                found(&file.name, query)
                    || file.upload_context.as_deref().is_some_and(|text| found(text, query))
            })
    }
}

fn unknown_kind(name: &str) -> Mistake {
    let kinds: Vec<&str> = FileKind::ALL.iter().map(|kind| kind.name()).collect();
    Mistake(format!(
        "kind must be one of {}, not {}.",
        kinds.join(", "),
        quoted(&shortened(name, 20))
    ))
}

pub(crate) fn list(mut files: Vec<File>, wish: &Wish, now: Timestamp) -> Draft {
    files.sort_by_key(|file| std::cmp::Reverse((file.created_at, file.id)));
    let mut files = each_once(&files, now);
    let all = files.len();
    files.retain(|file| wish.wants(file));
    let mut draft = Draft::new("files", "list_files with a larger max_tokens");
    if files.is_empty() {
        draft.intro(match all {
            0 => "There are no files.".to_owned(),
            1 => "No file matches; there is 1 in all.".to_owned(),
            all => format!("No file matches; there are {all} in all."),
        });
    }
    for file in files {
        draft.line(entry(file, now));
    }
    draft.next("Narrow it with kind or query.");
    draft
}
