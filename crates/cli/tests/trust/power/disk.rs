//! What a disk holds after a power cut, from a log of everything that was done to it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use plimsoll_testkit::history::Random;

/// One thing that was done, as `writelog.c` writes it.
pub(super) struct Record {
    pub(super) kind: u8,
    pub(super) path: String,
    pub(super) other: String,
    pub(super) offset: u64,
    pub(super) data: Vec<u8>,
}

/// The records of a log.
pub(super) fn read(log: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut rest = log;
    while let Some((&kind, after)) = rest.split_first() {
        let number = |at: usize| u32::from_le_bytes(after[at..at + 4].try_into().unwrap()) as usize;
        let (path, other, data) = (number(0), number(4), number(8));
        let offset = u64::from_le_bytes(after[12..20].try_into().unwrap());
        let texts = &after[20..];
        let text = |from: usize, length: usize| {
            String::from_utf8(texts[from..from + length].to_vec()).unwrap()
        };
        records.push(Record {
            kind,
            path: text(0, path),
            other: text(path, other),
            offset,
            data: texts[path + other..path + other + data].to_vec(),
        });
        rest = &texts[path + other + data..];
    }
    records
}

/// A record in the same form, for what somebody was promised.
pub(super) fn written(kind: u8, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend([0; 8]);
    bytes.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(data);
    bytes
}

/// A change of a file's bytes.
enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

impl Change {
    fn apply(&self, data: &mut Vec<u8>) {
        match self {
            Self::Write(at, bytes) => {
                let end = at + bytes.len();
                data.resize(data.len().max(end), 0);
                data[*at..end].copy_from_slice(bytes);
            }
            Self::Length(length) => data.resize(*length, 0),
        }
    }
}

#[derive(Default)]
struct Inode {
    /// What was there when it was last synchronised.
    durable: Vec<u8>,
    /// What was done since.
    pending: Vec<Change>,
}

impl Inode {
    fn now(&self) -> Vec<u8> {
        let mut data = self.durable.clone();
        self.pending.iter().for_each(|change| change.apply(&mut data));
        data
    }
}

#[derive(Clone, Copy)]
enum Entry {
    File(usize),
    Directory,
}

type Names = BTreeMap<String, Entry>;

/// How much of what was not synchronised a disk may have lost.
#[derive(Clone, Copy, Debug)]
pub(super) enum Model {
    /// All that was done is there, in order, up to the cut.
    Ordered,
    /// Only what was synchronised is sure: of the rest any part may be missing, and names are
    /// sure only when their directory was synchronised.
    Strict,
}

/// A disk with everything that was done so far.
pub(super) struct Disk {
    root: String,
    inodes: Vec<Inode>,
    /// The names in each directory, as they are.
    names: BTreeMap<String, Names>,
    /// The same as they were when each directory was last synchronised.
    durable: BTreeMap<String, Names>,
}

impl Disk {
    pub(super) fn new(root: &Path) -> Self {
        let root = root.to_str().unwrap().to_owned();
        let names = BTreeMap::from([(root.clone(), Names::new())]);
        Self { root, inodes: Vec::new(), durable: names.clone(), names }
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        let (directory, name) = split(path);
        self.names.get(directory)?.get(name).copied()
    }

    fn put(&mut self, path: &str, entry: Entry) {
        let (directory, name) = split(path);
        self.names.entry(directory.to_owned()).or_default().insert(name.to_owned(), entry);
    }

    fn take(&mut self, path: &str) -> Option<Entry> {
        let (directory, name) = split(path);
        self.names.get_mut(directory)?.remove(name)
    }

    fn change(&mut self, path: &str, change: Change) {
        // One that was unlinked while it is open concerns nobody any more.
        if let Some(Entry::File(inode)) = self.entry(path) {
            self.inodes[inode].pending.push(change);
        }
    }

    pub(super) fn apply(&mut self, record: &Record) {
        let Record { kind, path, other, offset, data } = record;
        let at = usize::try_from(*offset).unwrap();
        match kind {
            b'c' if self.entry(path).is_none() => {
                self.inodes.push(Inode::default());
                self.put(path, Entry::File(self.inodes.len() - 1));
            }
            b'w' => self.change(path, Change::Write(at, data.clone())),
            b't' => self.change(path, Change::Length(at)),
            b's' => match self.entry(path) {
                Some(Entry::File(inode)) => {
                    let inode = &mut self.inodes[inode];
                    inode.durable = inode.now();
                    inode.pending.clear();
                }
                _ => {
                    let names = self.names.get(path).cloned().unwrap_or_default();
                    self.durable.insert(path.clone(), names);
                }
            },
            b'r' => {
                if let Some(entry) = self.take(path) {
                    self.put(other, entry);
                }
            }
            b'l' => {
                if let Some(entry) = self.entry(path) {
                    self.put(other, entry);
                }
            }
            b'u' | b'd' => drop(self.take(path)),
            b'm' => {
                self.put(path, Entry::Directory);
                self.names.entry(path.clone()).or_default();
            }
            _ => {}
        }
    }

    /// Writes down, below a directory, what would be there after a cut now.
    pub(super) fn after_cut(&self, model: Model, random: &mut Random, to: &Path) {
        let mut directories = vec![(self.root.clone(), to.to_owned())];
        let mut seen = BTreeSet::new();
        while let Some((directory, to)) = directories.pop() {
            if !seen.insert(directory.clone()) {
                continue;
            }
            fs::create_dir_all(&to).unwrap();
            let kept = match model {
                Model::Strict if random.below(2) == 0 => &self.durable,
                _ => &self.names,
            };
            for (name, entry) in kept.get(&directory).into_iter().flatten() {
                match entry {
                    Entry::Directory => {
                        directories.push((format!("{directory}/{name}"), to.join(name)));
                    }
                    // It is memory that the processes share, and is made anew.
                    Entry::File(_) if name.ends_with("-shm") => {}
                    Entry::File(inode) => {
                        let data = self.content(*inode, model, random);
                        fs::write(to.join(name), data).unwrap();
                    }
                }
            }
        }
    }

    fn content(&self, inode: usize, model: Model, random: &mut Random) -> Vec<u8> {
        let inode = &self.inodes[inode];
        match model {
            Model::Ordered => inode.now(),
            Model::Strict => {
                let mut data = inode.durable.clone();
                let kept = inode.pending.iter().filter(|_| random.below(2) == 0);
                kept.for_each(|change| change.apply(&mut data));
                data
            }
        }
    }
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The library that writes the log; none where there is no compiler for C.
pub(super) fn library(to: &Path) -> Option<PathBuf> {
    compiled("writelog", include_str!("writelog.c"), to)
}

/// Makes a library for `LD_PRELOAD` of a source; none where there is no compiler.
pub(crate) fn compiled(name: &str, text: &str, to: &Path) -> Option<PathBuf> {
    let (source, library) = (to.join(format!("{name}.c")), to.join(format!("{name}.so")));
    fs::write(&source, text).unwrap();
    let made = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .status();
    made.is_ok_and(|made| made.success()).then_some(library)
}
