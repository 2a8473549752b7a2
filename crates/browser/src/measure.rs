//! What a page costs: long tasks, frames, memory, layouts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;

use crate::{Page, Result};

/// The memory of a page's scripts, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Heap {
    /// What objects take.
    #[serde(rename = "usedSize")]
    pub used: f64,
    /// What is set aside for them.
    #[serde(rename = "totalSize")]
    pub total: f64,
}

/// One of Chromium's numbers about a page.
#[derive(Deserialize)]
struct Metric {
    name: String,
    value: f64,
}

const LONG_TASKS: &str = "(() => {
  if (globalThis.__longTasks) return;
  const tasks = [];
  Object.defineProperty(globalThis, '__longTasks', { value: tasks });
  const note = (list) => { for (const entry of list.getEntries()) tasks.push(entry.duration); };
  const observer = new PerformanceObserver(note);
  observer.observe({ type: 'longtask', buffered: true });
  Object.defineProperty(globalThis, '__moreLongTasks', {
    value: () => note({ getEntries: () => observer.takeRecords() }),
  });
})()";

const FRAMES: &str = "(() => {
  globalThis.__frames?.stop();
  const times = [];
  let last = null, going = true;
  const step = (now) => {
    if (last !== null) times.push(now - last);
    last = now;
    if (going) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
  Object.defineProperty(globalThis, '__frames', {
    value: { times, stop: () => { going = false; } }, configurable: true,
  });
})()";

impl Page {
    /// Notes every task of more than 50 ms from now on, in this and all later documents
    /// of the page. Best called before [`Page::open`].
    pub fn watch_long_tasks(&self) -> Result<()> {
        self.before_load(LONG_TASKS)?;
        self.eval::<serde_json::Value>(LONG_TASKS).map(|_| ())
    }

    /// The long tasks of this document so far, in milliseconds. A task that asked for
    /// this is not among them.
    pub fn long_tasks(&self) -> Result<Vec<f64>> {
        // Chromium tells of a task after the frame that follows it.
        self.settle()?;
        self.eval("(globalThis.__moreLongTasks?.(), globalThis.__longTasks ?? [])")
    }

    /// Notes the time between frames from now on, in this document.
    pub fn watch_frames(&self) -> Result<()> {
        self.eval::<serde_json::Value>(FRAMES).map(|_| ())
    }

    /// Stops to note frames; the milliseconds between them since [`Page::watch_frames`].
    pub fn frames(&self) -> Result<Vec<f64>> {
        self.eval("(globalThis.__frames?.stop(), globalThis.__frames?.times ?? [])")
    }

    /// The memory of the page's scripts as it is.
    pub fn heap(&self) -> Result<Heap> {
        let answer = self.call("Runtime.getHeapUsage", json!({}))?;
        crate::page::parse(answer, "Runtime.getHeapUsage")
    }

    /// The memory of the page's scripts after all garbage is gone: what it really holds.
    pub fn heap_held(&self) -> Result<Heap> {
        self.call("HeapProfiler.collectGarbage", json!({}))?;
        self.heap()
    }

    /// Chromium's numbers about the page: `Nodes`, `JSEventListeners`, `LayoutCount`,
    /// `RecalcStyleCount`, `ScriptDuration` (seconds), `TaskDuration` and more. Two of
    /// these, before and after, show what an action cost.
    pub fn metrics(&self) -> Result<BTreeMap<String, f64>> {
        self.call("Performance.enable", json!({}))?;
        let mut answer = self.call("Performance.getMetrics", json!({}))?;
        let metrics: Vec<Metric> =
            crate::page::parse(answer["metrics"].take(), "Performance.getMetrics")?;
        Ok(metrics.into_iter().map(|metric| (metric.name, metric.value)).collect())
    }
}
