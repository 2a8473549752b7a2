//! What reading one document may cost, whatever it holds (SEC-5, REL-7).

use std::{
    cell::Cell,
    io::{self, BufRead, Read},
    rc::Rc,
    time::{Duration, Instant},
};

/// A larger document is not read.
pub(crate) const FILE_BYTES: u64 = 64 << 20;
/// What all parts of a document may unpack to that are read.
const UNPACKED: u64 = 256 << 20;
/// One mark or one run of text of an XML part may have this many bytes.
const PIECE: usize = 4 << 20;
/// Marks may stand in marks so deep.
pub(super) const DEPTH: usize = 512;
/// The text that is kept.
pub(crate) const TEXT_BYTES: usize = 4 << 20;
/// The parts, such as sheets and chapters, that are told apart.
pub(super) const PARTS: usize = 2_000;
/// How long reading may take.
pub(super) const TIME: Duration = Duration::from_secs(20);

/// What is left of the work on one document.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    unpacked: Rc<Cell<u64>>,
    until: Instant,
}

impl Bounds {
    pub(super) fn new() -> Self {
        Self { unpacked: Rc::new(Cell::new(UNPACKED)), until: Instant::now() + TIME }
    }

    pub(super) fn is_late(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// Reads a part and counts: against what all parts may unpack to, and what one piece may have.
pub(super) struct Metered<R> {
    inner: R,
    bounds: Bounds,
    piece: Rc<Cell<usize>>,
}

impl<R> Metered<R> {
    /// The cell is set to nothing by whoever reads pieces, after each of them.
    pub(super) fn new(inner: R, bounds: &Bounds) -> (Self, Rc<Cell<usize>>) {
        let piece = Rc::new(Cell::new(0));
        (Self { inner, bounds: bounds.clone(), piece: Rc::clone(&piece) }, piece)
    }
}

impl<R: BufRead> Read for Metered<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let from = self.fill_buf()?;
        let read = from.len().min(into.len());
        if let (Some(into), Some(from)) = (into.get_mut(..read), from.get(..read)) {
            into.copy_from_slice(from);
        }
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Metered<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.piece.get() > PIECE || self.bounds.unpacked.get() == 0 {
            return Err(io::Error::other("it unpacks to too much"));
        }
        if self.bounds.is_late() {
            return Err(io::Error::other("reading it takes too long"));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        let left = &self.bounds.unpacked;
        left.set(left.get().saturating_sub(bytes as u64));
        self.piece.set(self.piece.get().saturating_add(bytes));
        self.inner.consume(bytes);
    }
}
