//! TEA-10: how long the books of a team are kept.

use plimsoll_app::{AT_THE_TERMINAL, Audited};
use plimsoll_domain::Timestamp;
use plimsoll_store::{PersonUse, UseBy};

use crate::rig::{plain_settings, rig_with};

const DAY: i64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn tea_10_the_log_and_what_was_used_are_kept_as_long_as_the_settings_say() {
    let kept = [("PLIMSOLL_AUDIT_KEEP_DAYS", "30"), ("PLIMSOLL_USAGE_KEEP_DAYS", "60")];
    let rig = rig_with(100, Vec::new(), plain_settings(&kept), false).await;
    let (app, store) = (&rig.app, rig.app.store());
    let start = Timestamp::from_millis(0);
    let used = PersonUse {
        person: "ann".to_owned(),
        project: "sea".to_owned(),
        at: Timestamp::from_millis(DAY),
        tokens: 7,
        cost: 0.5,
    };
    rig.clock.set(DAY);
    app.note_audit(AT_THE_TERMINAL, Audited::UserAdded, "ann").await.unwrap();
    store.count_use(&[used]).await.unwrap();
    let entries = async || store.audit_since(start, 9).await.unwrap().len();
    let sums = async || store.team_use_since(start, UseBy::Person).await.unwrap().len();
    rig.clock.set(29 * DAY);
    assert_eq!(app.tidy_team().await.unwrap(), 0);
    assert_eq!((entries().await, sums().await), (1, 1));
    rig.clock.set(32 * DAY);
    assert_eq!(app.tidy_team().await.unwrap(), 1);
    assert_eq!((entries().await, sums().await), (0, 1));
    rig.clock.set(63 * DAY);
    assert_eq!(app.tidy_team().await.unwrap(), 1);
    assert_eq!((entries().await, sums().await), (0, 0));
}

/// One person on one machine has no log of it (TEA-11).
#[tokio::test]
async fn tea_10_what_is_done_at_the_terminal_is_noted_where_there_is_a_team() {
    let rig = rig_with(100, Vec::new(), plain_settings(&[]), false).await;
    let start = Timestamp::from_millis(0);
    let note = async || {
        rig.app.note_at_terminal(Audited::Exported, "sea/main").await.unwrap();
        rig.app.store().audit_since(start, 9).await.unwrap().len()
    };
    assert_eq!(note().await, 0);
    let ann = plimsoll_store::Person {
        name: "ann".to_owned(),
        created_at: start,
        admin: false,
        email: None,
        subject: None,
        limits: plimsoll_store::MonthlyLimits::default(),
    };
    rig.app.store().add_person(&ann).await.unwrap();
    assert_eq!(note().await, 1);
}
