//! TEA-6, TEA-7: several nodes on one store.

use std::time::Duration;

use plimsoll_app::{Cancel, Label, Progress, View};
use plimsoll_budget::OverBudget;
use plimsoll_domain::{Lifecycle, Star};
use plimsoll_provider::Delta;
use plimsoll_store::{INTERRUPTED, Workspace};

use crate::rig::{Rig, answer, ask, choices, plain_settings, rig, rig_with};

const SHORT: [(&str, &str); 1] = [("PLIMSOLL_LEASE_SECONDS", "1")];

/// A node whose provider says two words and then nothing for ever.
async fn silent() -> Rig {
    let script = vec![Ok(Delta::Text("two words".to_owned()))];
    rig_with(10_000, vec![script], plain_settings(&SHORT), true).await
}

/// A node that lives renews: however often another looks, its send goes on.
#[tokio::test]
async fn tea_7_a_send_that_is_renewed_is_not_ended_by_another_node() {
    let rig = silent().await;
    let (other, clock) = rig.another_node(plain_settings(&SHORT)).await;
    let prepared = rig.prepare(&ask("question")).await.unwrap();
    let started = rig.app.begin(prepared, choices(OverBudget::Trim)).await.unwrap();
    let (pair, cancel) = (started.pair, Cancel::default());
    let stop = cancel.clone();
    let looking = async {
        for second in 1..4 {
            // Time goes on for both.
            for clock in [&rig.clock, &clock] {
                clock.set(1_800_000_000_000 + second * 900);
            }
            let until = rig.app.store().sends_in_flight().await.unwrap()[0].expires_at;
            while rig.app.store().sends_in_flight().await.unwrap()[0].expires_at == until {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert!(other.recover().await.unwrap().is_empty(), "{second}");
        }
        stop.cancel();
    };
    let mut watch = |_: &Progress| {};
    let (sent, ()) = tokio::join!(rig.app.carry_out(started, &cancel, &mut watch), looking);
    assert_eq!(sent.unwrap().answer, "two words");
    let kept = other.store().get(pair).await.unwrap().pair;
    assert_eq!(kept.lifecycle, Lifecycle::Cancelled);
}

/// A node that was away for too long finds its send ended: it stops its call, and what it brings
/// is refused.
#[tokio::test]
async fn tea_7_a_node_that_lost_its_send_stops_the_call() {
    let rig = silent().await;
    let (other, clock) = rig.another_node(plain_settings(&SHORT)).await;
    let prepared = rig.prepare(&ask("question")).await.unwrap();
    let started = rig.app.begin(prepared, choices(OverBudget::Trim)).await.unwrap();
    let (pair, cancel) = (started.pair, Cancel::default());
    let taking = async {
        while other.store().get(pair).await.unwrap().pair.assistant_text.is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let mut ended = Vec::new();
        // One that is renewed in the same moment is held for a while again.
        while ended.is_empty() {
            rig.end_leases(&clock);
            ended = other.recover().await.unwrap();
        }
        assert_eq!(ended.iter().map(|stored| stored.pair.id).collect::<Vec<_>>(), [pair]);
    };
    let mut watch = |_: &Progress| {};
    // The provider never ends by itself.
    let (sent, ()) = tokio::join!(rig.app.carry_out(started, &cancel, &mut watch), taking);
    assert!(sent.is_err() && cancel.is_cancelled());
    for app in [&rig.app, &other] {
        let kept = app.store().get(pair).await.unwrap().pair;
        assert_eq!(kept.error.unwrap().code, INTERRUPTED);
        assert_eq!(kept.assistant_text.as_deref(), Some("two words"));
        assert_eq!(kept.receipt_id, None, "nothing of the old owner is written");
    }
}

/// A view takes in what another node changed, and nothing of other workspaces.
#[tokio::test]
async fn tea_6_a_view_takes_in_what_another_node_changed() {
    let rig = rig(10_000, vec![answer("one", 10), answer("two", 10)]).await;
    let first = rig.send("first").await.pair;
    let (other, _) = rig.another_node(plain_settings(&[])).await;
    let here = Workspace::default();
    let mut view = other.workspace_view(&here, View::default()).await.unwrap();
    let shape = view.shape();
    rig.app.label(&here, &[first], Label::Star(Star::new(3).unwrap())).await.unwrap();
    view.refresh(&other).await.unwrap();
    assert_eq!(view.shape(), shape, "a label moves no row");
    let second = rig.send("second").await.pair;
    let elsewhere = Workspace::parse("else/where").unwrap();
    rig.app.open_workspace(&elsewhere).await.unwrap();
    view.refresh(&other).await.unwrap();
    let fresh = other.workspace_view(&here, View::default()).await.unwrap();
    assert_eq!(view.position(second), Some(1));
    assert_eq!(view.position(second), fresh.position(second));
    rig.app.delete(&here, &[first]).await.unwrap();
    view.refresh(&other).await.unwrap();
    assert_eq!((view.position(first), view.position(second)), (None, Some(0)));
}
