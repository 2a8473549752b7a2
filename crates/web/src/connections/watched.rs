//! A connection's bytes, and what they tell of what it is doing.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

use super::held::Held;

/// A stream that tells when bytes come, and when none are taken.
pub(super) struct Watched {
    pub(super) stream: TcpStream,
    pub(super) held: Arc<Held>,
}

impl Watched {
    fn told<T>(&self, written: Poll<T>) -> Poll<T> {
        match written {
            Poll::Pending => self.held.is_not_read(),
            Poll::Ready(_) => self.held.is_read(),
        }
        written
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(context, buffer));
        if buffer.filled().len() > before {
            self.held.bytes_came();
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.told(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.told(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Fewer bytes than this in one time are no progress: a client that sends one now and then
/// stands still.
const PROGRESS: usize = 1024;

/// The body of a request, each piece of which has to come in time. A body of which nobody asks
/// for more may wait.
pub(super) struct InTime {
    body: Incoming,
    time: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
    unproductive: usize,
}

impl InTime {
    pub(super) fn new(body: Incoming, time: Duration) -> Self {
        Self { body, time, sleep: None, unproductive: 0 }
    }
}

impl Body for InTime {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => {
                if let Some(Ok(frame)) = &frame {
                    self.unproductive += frame.data_ref().map_or(0, Bytes::len);
                }
                if self.unproductive >= PROGRESS {
                    self.unproductive = 0;
                    self.sleep = None;
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => {
                let time = self.time;
                let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(time)));
                ready!(sleep.as_mut().poll(context));
                let words = format!("the body did not come within {} s", time.as_secs_f64());
                Poll::Ready(Some(Err(words.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer; when its last byte was handed over, the connection is idle again.
pub(super) struct Answer<B> {
    body: B,
    held: Arc<Held>,
}

impl<B> Answer<B> {
    pub(super) fn new(body: B, held: Arc<Held>) -> Self {
        Self { body, held }
    }
}

impl<B> Drop for Answer<B> {
    fn drop(&mut self) {
        self.held.answered();
    }
}

impl<B: Body + Unpin> Body for Answer<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
