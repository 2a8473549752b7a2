//! What shows while nothing arrives: a line with the seconds, which goes away again.

use std::{io::IsTerminal, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};
use tokio::{task::JoinHandle, time::Instant};

use crate::{failure::note, output::printable};

/// What is over sooner is not worth a line.
const UNNOTICED: Duration = Duration::from_millis(300);

/// A line that counts. It is gone when this is dropped.
pub(super) struct Waiting {
    bar: ProgressBar,
    ticker: JoinHandle<()>,
}

impl Waiting {
    /// Counts down to the end of a wait that Ctrl+C stops. Without a terminal it is said
    /// once.
    pub(super) fn down(what: &str, time: Duration) -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            note(&format!("{what}; {:.1} s (Ctrl+C stops it)", time.as_secs_f64()));
            return None;
        }
        let what = printable(what);
        let end = Instant::now() + time;
        Some(Self::show(Duration::ZERO, move || {
            let left = end.saturating_duration_since(Instant::now());
            format!("{what}; {} s (Ctrl+C stops it)", left.as_millis().div_ceil(1000))
        }))
    }

    /// Counts up. Without a terminal nothing is said.
    pub(super) fn up(what: &str) -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let (what, start) = (printable(what), Instant::now());
        Some(Self::show(UNNOTICED, move || match start.elapsed().as_secs() {
            0 => format!("{what} …"),
            seconds => format!("{what} … {seconds} s (Ctrl+C stops it)"),
        }))
    }

    fn show(after: Duration, line: impl Fn() -> String + Send + 'static) -> Self {
        let style = ProgressStyle::with_template("{msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::new_spinner().with_style(style);
        let shown = bar.clone();
        let ticker = tokio::spawn(async move {
            tokio::time::sleep(after).await;
            let mut ticks = tokio::time::interval(Duration::from_millis(250));
            loop {
                ticks.tick().await;
                shown.set_message(line());
                shown.tick();
            }
        });
        Self { bar, ticker }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.ticker.abort();
        // A bar that is over draws nothing more, whatever the ticker still does.
        self.bar.finish_and_clear();
    }
}
