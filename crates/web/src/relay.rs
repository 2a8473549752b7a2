//! What goes on beside the requests: events of the app and of other nodes are told to browsers, and
//! the store is looked after.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use plimsoll_app::Heard;
use serde_json::json;
use tokio::{
    task::{JoinHandle, JoinSet},
    time::{MissedTickBehavior, interval},
};

use crate::{Web, answer_streams, event_log::Audience, news::Nodes, outlet::Outlet, telling};

/// Other processes are looked for this often (TEA-6): what they do is on the page soon after, and
/// asking costs the store next to nothing.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What was deleted long enough ago is purged this often (REC-5), and old changes are forgotten.
const PURGE_EVERY: Duration = Duration::from_secs(10 * 60);

/// Between two steps of making the store smaller.
const SHRINK_REST: Duration = Duration::from_millis(50);

/// Makes the store of an earlier version smaller, in steps between which others write (REL-9).
/// What fails is tried again at the next start: nothing depends on it.
async fn shrink(web: Arc<Web>) {
    while let Ok(true) = web.app.store().shrink().await {
        tokio::time::sleep(SHRINK_REST).await;
    }
}

/// Ends the sends of processes that died (TEA-7). Whoever has much to tell is not held up by it, nor
/// does it wait for them.
async fn recover(web: Arc<Web>) {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        look.tick().await;
        // Where the store answers nothing now, it may the next time.
        let _ = web.app.recover().await;
    }
}

/// Starts relaying; it goes on until it is stopped.
pub(crate) fn start(web: Arc<Web>) -> JoinHandle<()> {
    let mut events = web.app.events();
    tokio::spawn(async move {
        // It ends with this task. What happens while a long text is rendered is relayed.
        let mut texts = JoinSet::new();
        texts.spawn(answer_streams::tell_texts(Arc::clone(&web)));
        texts.spawn(shrink(Arc::clone(&web)));
        texts.spawn(recover(Arc::clone(&web)));
        let mut look = interval(LOOK_EVERY);
        let mut purge = interval(PURGE_EVERY);
        let mut nodes = Nodes::default();
        let out = Outlet::to_all(&web);
        loop {
            tokio::select! {
                heard = events.next() => match heard {
                    Heard::Event(event) => {
                        nodes.something_happened_here();
                        // A fault of ours in one place must not keep all pages from hearing more.
                        let told = AssertUnwindSafe(telling::tell(&out, event, false));
                        if told.catch_unwind().await.is_err() {
                            out.tell(Audience::Everybody, "reset", &json!({}));
                        }
                    }
                    Heard::Missed => out.tell(Audience::Everybody, "reset", &json!({})),
                },
                // What cannot be purged now is purged the next time.
                _ = purge.tick() => {
                    let _ = web.app.purge_expired().await;
                    let _ = web.app.forget_old_changes().await;
                    if web.team.is_some() {
                        let _ = web.app.tidy_team().await;
                    }
                }
                _ = look.tick() => {
                    if events.is_caught_up() {
                        nodes.all_is_told();
                    }
                    if AssertUnwindSafe(nodes.look(&out)).catch_unwind().await.is_err() {
                        out.tell(Audience::Everybody, "reset", &json!({}));
                    }
                }
            }
        }
    })
}
