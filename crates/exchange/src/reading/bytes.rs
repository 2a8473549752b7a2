//! Bytes on their way in: counted, bounded, and made UTF-8.

use std::{
    cell::Cell,
    io::{self, Read},
};

use super::LONGEST_RECORD;

/// How much was read and how much may be. Shared between a reader deep inside a parser
/// and the one who looks at its records.
pub(super) struct Meter {
    pub(super) total: u64,
    done: Cell<u64>,
    record_until: Cell<u64>,
    file_until: u64,
    stopped: Cell<Option<TooMuch>>,
    replaced: Cell<u64>,
}

/// Which bound was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    Record,
    File,
}

/// How far readers read ahead of the record they are in.
const AHEAD: u64 = 1 << 20;

impl Meter {
    pub(super) fn new(total: u64, file_until: u64) -> Self {
        Self {
            total,
            done: Cell::new(0),
            record_until: Cell::new(LONGEST_RECORD + AHEAD),
            file_until,
            stopped: Cell::new(None),
            replaced: Cell::new(0),
        }
    }

    pub(super) fn done(&self) -> u64 {
        self.done.get()
    }

    pub(super) fn stopped(&self) -> Option<TooMuch> {
        self.stopped.get()
    }

    pub(super) fn replaced(&self) -> u64 {
        self.replaced.get()
    }

    pub(super) fn file_until(&self) -> u64 {
        self.file_until
    }

    /// A record ended; the next one has the whole bound again.
    pub(super) fn next_record(&self) {
        self.record_until.set(self.done.get().saturating_add(LONGEST_RECORD + AHEAD));
    }
}

/// Reads through a meter.
pub(super) struct Metered<'m, R> {
    pub(super) inner: R,
    pub(super) meter: &'m Meter,
}

impl<R: Read> Read for Metered<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let done = self.meter.done.get() + count as u64;
        self.meter.done.set(done);
        let too_much = if done > self.meter.file_until {
            Some(TooMuch::File)
        } else if done > self.meter.record_until.get() {
            Some(TooMuch::Record)
        } else {
            None
        };
        match too_much {
            None => Ok(count),
            Some(bound) => {
                self.meter.stopped.set(Some(bound));
                Err(io::Error::other("there is more than there may be"))
            }
        }
    }
}

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// Gives UTF-8, whatever comes in: each bad piece becomes U+FFFD and is counted.
pub(super) struct Utf8<'m, R> {
    inner: R,
    meter: &'m Meter,
    /// Bytes that were read and not looked at yet, such as the start of a character.
    raw: Vec<u8>,
    /// Good bytes from here on are to be given out.
    ready: Vec<u8>,
    at: usize,
    ended: bool,
}

impl<'m, R: Read> Utf8<'m, R> {
    pub(super) fn new(inner: R, meter: &'m Meter) -> Self {
        Self { inner, meter, raw: Vec::new(), ready: Vec::new(), at: 0, ended: false }
    }

    fn refill(&mut self) -> io::Result<()> {
        let kept = self.raw.len();
        self.raw.resize(kept + 64 * 1024, 0);
        let read = self.inner.read(&mut self.raw[kept..]);
        self.raw.truncate(kept + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        self.ready.clear();
        self.at = 0;
        let mut rest = 0;
        loop {
            match std::str::from_utf8(&self.raw[rest..]) {
                Ok(_) => {
                    self.ready.extend_from_slice(&self.raw[rest..]);
                    rest = self.raw.len();
                    break;
                }
                Err(error) => {
                    let good = rest + error.valid_up_to();
                    self.ready.extend_from_slice(&self.raw[rest..good]);
                    // A character that is cut by the end of the piece may be whole with
                    // the next one.
                    match error.error_len() {
                        None if !self.ended => {
                            rest = good;
                            break;
                        }
                        length => {
                            self.ready.extend_from_slice(REPLACEMENT);
                            self.meter.replaced.set(self.meter.replaced.get() + 1);
                            rest = length.map_or(self.raw.len(), |length| good + length);
                        }
                    }
                }
            }
        }
        self.raw.drain(..rest);
        Ok(())
    }
}

impl<R: Read> Read for Utf8<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() && !self.ended {
            self.refill()?;
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives its bytes in pieces of these lengths.
    struct Pieces(Vec<u8>, Vec<usize>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = self.1.pop().unwrap_or(3).max(1);
            let count = most.min(buffer.len()).min(self.0.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0.drain(..count);
            Ok(count)
        }
    }

    proptest! {
        #[test]
        fn any_bytes_become_what_the_standard_library_makes_of_them(
            bytes in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0xe2), Just(0x82), Just(0xac)], 0..60),
            pieces in proptest::collection::vec(1..9usize, 0..30),
        ) {
            let meter = Meter::new(0, u64::MAX);
            let mut text = Vec::new();
            Utf8::new(Pieces(bytes.clone(), pieces), &meter).read_to_end(&mut text).unwrap();
            let expected = String::from_utf8_lossy(&bytes).into_owned();
            prop_assert_eq!(String::from_utf8(text).unwrap(), expected);
            prop_assert_eq!(meter.replaced() > 0, std::str::from_utf8(&bytes).is_err());
        }
    }

    #[test]
    fn a_bound_is_an_error_that_is_remembered() {
        let meter = Meter::new(100, 10);
        let mut all = Vec::new();
        assert!(Metered { inner: &[1u8; 100][..], meter: &meter }.read_to_end(&mut all).is_err());
        assert_eq!(meter.stopped(), Some(TooMuch::File));
    }
}
