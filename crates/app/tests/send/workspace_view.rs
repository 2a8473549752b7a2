//! The view: what is visible, where the line is, and when it is drawn again (BND-4).

use plimsoll_app::{
    App, AppError, Cancel, Draft, Inclusion, Label, NewTopic, SeenDigest, SendChoices, View,
    WorkspaceView,
};
use plimsoll_domain::{ColorFlag, PairId, Star};
use plimsoll_provider::Delta;
use plimsoll_store::{Edit, Workspace};

use crate::rig::{Rig, answer, plain_settings, rig, rig_with, view};

const HERE: fn() -> Workspace = Workspace::default;

async fn workspace_view(rig: &Rig, filter: &str) -> WorkspaceView {
    rig.app.workspace_view(&HERE(), view(filter)).await.unwrap()
}

/// Draws the line if it must be, and says how often it was drawn since `before`.
async fn drawn(workspace_view: &mut WorkspaceView, app: &App, before: &mut u64) -> u64 {
    workspace_view.boundary(app).await.unwrap();
    let times = workspace_view.recomputations() - *before;
    *before = workspace_view.recomputations();
    times
}

async fn three_sent() -> (Rig, Vec<PairId>) {
    let scripts = (0..9).map(|n| answer(&format!("answer {n}"), 9)).collect();
    let rig = rig(60, scripts).await;
    let mut ids = Vec::new();
    for text in ["one", "two", "three"] {
        ids.push(rig.send(text).await.pair);
    }
    (rig, ids)
}

/// However many pieces it came in: they are nothing to a view.
#[tokio::test]
async fn a_long_answer_is_taken_in_like_a_short_one() {
    let pieces = (0..5000).map(|_| Ok(Delta::Text("hull ".to_owned()))).collect();
    let rig = rig(60, vec![answer("short", 9), pieces]).await;
    rig.send("one").await;
    let mut workspace_view = workspace_view(&rig, "").await;
    let before = workspace_view.shape();
    rig.send("two").await;
    workspace_view.refresh(&rig.app).await.unwrap();
    assert_eq!(workspace_view.visible_ids().len(), 2);
    assert_eq!(workspace_view.shape(), before, "nothing was loaded again");
}

#[tokio::test]
async fn bnd_4_the_line_is_drawn_again_only_on_its_triggers() {
    let (rig, ids) = three_sent().await;
    let app = &rig.app;
    let mut workspace_view = workspace_view(&rig, "s<3").await;
    let mut before = 0;
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "the first time");
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 0, "nothing happened");
    for n in 0..50 {
        let draft = Draft { text: "x".repeat(n), ..Draft::default() };
        workspace_view.plan(app, &draft).await.unwrap();
    }
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 0, "keystrokes");
    app.label(&HERE(), &ids, Label::Flag(ColorFlag::Blue)).await.unwrap();
    assert_eq!(
        drawn(&mut workspace_view, app, &mut before).await,
        0,
        "a label that the filter ignores"
    );
    app.label(&HERE(), &ids[..1], Label::Star(Star::new(3).unwrap())).await.unwrap();
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "a label that hides a pair");
    let edit = Edit { user_text: Some("a much longer text".into()), ..Edit::default() };
    app.edit(&HERE(), ids[2], &edit).await.unwrap();
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "an edit");
    rig.send("four").await;
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "a pair added and answered");
    app.delete(&HERE(), &ids[1..2]).await.unwrap();
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "a pair deleted");
    app.configure((*app.settings()).clone(), (*app.catalog()).clone());
    assert_eq!(
        drawn(&mut workspace_view, app, &mut before).await,
        0,
        "settings that changed nothing"
    );
    let other = plain_settings(&[("PLIMSOLL_USER_REQUEST_ALLOWANCE", "11")]);
    app.configure(other, (*app.catalog()).clone());
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "another allowance");
    let errors = [("PLIMSOLL_USER_REQUEST_ALLOWANCE", "11"), ("PLIMSOLL_SEND_ERROR_PAIRS", "on")];
    app.configure(plain_settings(&errors), (*app.catalog()).clone());
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "pairs in error count");
    workspace_view.choose(app, view("s<2")).await.unwrap();
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "a filter executed");
    let new = NewTopic {
        path: "/General".into(),
        system_message: Some("Be short.".into()),
        default_model: None,
    };
    app.add_topic(&HERE(), &new).await.unwrap();
    assert_eq!(drawn(&mut workspace_view, app, &mut before).await, 1, "a prelude");
}

#[tokio::test]
async fn a_view_that_lived_through_everything_equals_a_fresh_one() {
    let filters = ["", "s<2", "c'answer'", "b | k>9", "o2", "!o", "r2"];
    for (n, filter) in filters.iter().enumerate() {
        let (rig, ids) = three_sent().await;
        let app = &rig.app;
        let mut old = workspace_view(&rig, filter).await;
        old.boundary(app).await.unwrap();
        let edit = Edit { assistant_text: Some("no more".into()), ..Edit::default() };
        app.edit(&HERE(), ids[n % 3], &edit).await.unwrap();
        old.boundary(app).await.unwrap();
        rig.send("a new one, and a long one").await;
        app.label(&HERE(), &ids[..2], Label::Flag(ColorFlag::Blue)).await.unwrap();
        app.label(&HERE(), &ids[1..], Label::Star(Star::new(2).unwrap())).await.unwrap();
        old.boundary(app).await.unwrap();
        app.delete(&HERE(), &ids[..1]).await.unwrap();
        let mut fresh = workspace_view(&rig, filter).await;
        let both = (old.boundary(app).await.unwrap(), fresh.boundary(app).await.unwrap());
        assert_eq!(both.0, both.1, "{filter:?}");
        let shown = old.shown(app, 0..99).await.unwrap();
        assert_eq!(shown, fresh.shown(app, 0..99).await.unwrap(), "{filter:?}");
        assert_eq!(old.visible_ids(), fresh.visible_ids());
        let aboard = shown.iter().filter(|pair| pair.place == Inclusion::Included).count();
        assert_eq!(aboard, both.0.included, "{filter:?}");
    }
}

#[tokio::test]
async fn flt_4_the_last_good_filter_stays_in_force() {
    let (rig, _) = three_sent().await;
    let mut workspace_view = workspace_view(&rig, "r2").await;
    let wrong = workspace_view.choose(&rig.app, view("s9")).await;
    assert!(matches!(wrong, Err(AppError::Filter { .. })));
    let lost = View { topic: Some("/Nowhere".into()), ..view("r1") };
    assert!(matches!(workspace_view.choose(&rig.app, lost).await, Err(AppError::UnknownTopic(_))));
    assert_eq!(workspace_view.boundary(&rig.app).await.unwrap().visible, 2);
    assert_eq!(workspace_view.view(), &view("r2"));
}

#[tokio::test]
async fn bnd_6_a_stepped_line_rests_over_many_sends_also_in_a_new_run() {
    let settings = plain_settings(&[("PLIMSOLL_BOUNDARY_STEP", "on")]);
    let scripts = (0..40).map(|_| answer("12345", 9)).collect();
    let rig = rig_with(200, scripts, settings, false).await;
    let mut firsts = Vec::new();
    for _ in 0..40 {
        // Each send opens a view of its own, as a new run of the program does.
        let sent = rig.send("67890").await;
        let attempt = sent.receipt.last().unwrap();
        firsts.push(attempt.selection.first().map(|pair| pair.id));
    }
    firsts.dedup();
    assert!(firsts.len() < 12, "the oldest pair sent changed {} times in 40 sends", firsts.len());
}

#[tokio::test]
async fn what_another_handle_wrote_is_seen() {
    let (rig, ids) = three_sent().await;
    let mut workspace_view = workspace_view(&rig, "").await;
    assert_eq!(workspace_view.boundary(&rig.app).await.unwrap().visible, 3);
    let other = rig.another_handle().await;
    other.delete(&ids[..1]).await.unwrap();
    assert_eq!(workspace_view.boundary(&rig.app).await.unwrap().visible, 2);
}

/// An age goes by while somebody looks: what was shown is what is sent, and after the send the
/// filter shows what it means then (promise 1).
#[tokio::test]
async fn pay_6_an_age_that_passes_between_look_and_send_changes_nothing_until_it_is_sent() {
    const MINUTE: i64 = 60_000;
    let rig = rig(400, (0..9).map(|n| answer(&format!("answer {n}"), 9)).collect()).await;
    let (app, start) = (&rig.app, app_now(&rig));
    rig.send("old").await;
    rig.clock.set(start + 30 * MINUTE);
    rig.send("young").await;
    let mut workspace_view = workspace_view(&rig, "d<1h").await;
    for (minutes, text, goes) in [
        (61, "third", vec!["old", "answer 0", "young", "answer 1", "third"]),
        // Two hours later nothing of it is that young; the view was last drawn with a send.
        (180, "fourth", vec!["young", "answer 1", "third", "answer 2", "fourth"]),
        (181, "fifth", vec!["fourth", "answer 3", "fifth"]),
    ] {
        let draft = Draft { text: text.to_owned(), ..Draft::default() };
        let seen = workspace_view.planned_and_seen(app, &draft).await.unwrap().1;
        rig.clock.set(start + minutes * MINUTE);
        let prepared = workspace_view.prepare(app, &draft).await.unwrap();
        assert_eq!(prepared.seen.digest(), seen.digest(), "{text}: shown and prepared");
        let seen = Some(SeenDigest(seen.digest().to_string()));
        let choices = SendChoices { seen, ..SendChoices::default() };
        app.send(prepared, choices, &Cancel::default(), &mut |_| {}).await.unwrap();
        assert_eq!(rig.sent(rig.calls() - 1), goes, "{text}");
        workspace_view.boundary(app).await.unwrap();
    }
    assert_eq!(workspace_view.visible_ids().len(), 2, "the fourth and the fifth");
}

fn app_now(rig: &Rig) -> i64 {
    rig.app.clock().now().millis()
}
