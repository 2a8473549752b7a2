//! What a program says, while it says it, in bounded memory.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    sync::Notify,
};

pub(super) const HEAD: usize = 64 * 1024;
const TAIL: usize = 16 * 1024;

/// A program that says more than this is ended.
pub(super) const MOST: u64 = 16 << 20;

/// The head and the tail of a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Bytes between them that were let go.
    lost: u64,
}

impl Captured {
    fn add(&mut self, bytes: &[u8], most: usize) {
        let room = most.saturating_sub(self.head.len());
        let (head, rest) = bytes.split_at(bytes.len().min(room));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
        self.lost += over as u64;
    }

    /// The head alone, as it came.
    pub(crate) fn into_head(self) -> Vec<u8> {
        self.head
    }

    /// The text, with a line that says what is missing.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.lost > 0 {
            text.push_str(&format!("\n[… {} bytes left out …]\n", self.lost));
        }
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        text.push_str(&String::from_utf8_lossy(&tail));
        text
    }
}

/// Counts what both streams say together, and calls out when it is too much.
#[derive(Debug, Default)]
pub(super) struct Meter {
    said: AtomicU64,
    pub(super) too_much: Notify,
}

/// Reads a stream to its end, and keeps so much of its head.
pub(super) async fn capture(
    stream: Option<impl AsyncRead + Unpin>,
    meter: Arc<Meter>,
    head: usize,
) -> Captured {
    let mut captured = Captured::default();
    let Some(mut stream) = stream else { return captured };
    let mut buffer = vec![0; 32 * 1024];
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        captured.add(&buffer[..read], head);
        if meter.said.fetch_add(read as u64, Ordering::Relaxed) + read as u64 > MOST {
            meter.too_much.notify_one();
            // Nobody reads on: the program waits at its full pipe until it is ended.
            break;
        }
    }
    captured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn head_and_tail_are_kept_and_the_rest_is_counted() {
        let text: String = (0..60_000).map(|n| format!("{n:05}\n")).collect();
        let captured = capture(Some(text.as_bytes()), Arc::default(), HEAD).await;
        let kept = captured.text();
        assert!(kept.starts_with("00000\n00001\n") && kept.ends_with("59999\n"));
        let lost = text.len() - HEAD - TAIL;
        assert!(kept.contains(&format!("[… {lost} bytes left out …]")));
        assert!(kept.len() < HEAD + TAIL + 100);
    }

    #[tokio::test]
    async fn a_stream_without_end_is_left() {
        let meter = Arc::new(Meter::default());
        let captured = capture(Some(tokio::io::repeat(b'x')), Arc::clone(&meter), HEAD).await;
        assert!(captured.text().len() < HEAD + TAIL + 100);
        meter.too_much.notified().await;
    }
}
