//! REL-1: the real binary is killed at many moments of a send, and nothing is lost.

use std::{
    io::Read,
    time::{Duration, Instant},
};

use plimsoll_domain::{Lifecycle, Timestamp};
use plimsoll_store::Workspace;
use plimsoll_testkit::scripted::{Reply, ScriptedServer};

use crate::send::{Home, posted};

/// How often the binary is killed, each time a little later.
const KILLS: u32 = 100;

#[test]
fn killed_at_any_moment_no_text_is_lost_and_no_pair_stays_in_flight() {
    let pieces: Vec<String> = (0..20).map(|n| format!("piece {n} ")).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let reply = Reply::openai(&pieces, 9, 20).paced(Duration::from_millis(15));
    let server = ScriptedServer::answering(move |request| match request.method.as_str() {
        "POST" => reply.clone(),
        _ => Reply::model_missing("test"),
    })
    .unwrap();
    let home = Home::new(&server, 100_000);
    let data = home.path().join("data");
    let start = |question: &str| {
        let mut child = home.command(&["send", question]).start();
        let stdout = child.stdout.take().unwrap();
        (child, stdout)
    };
    // How long a send takes here until its first words, on this machine at this hour.
    let began = Instant::now();
    let (mut child, mut stdout) = start("how long does it take");
    stdout.read_exact(&mut [0]).unwrap();
    let until_text = began.elapsed();
    child.wait().unwrap();
    for kill in 0..KILLS {
        let (mut child, mut stdout) = start(&format!("question {kill}"));
        if kill < KILLS / 2 {
            // On the way to the provider.
            std::thread::sleep(until_text * kill / (KILLS / 2));
        } else {
            // Amid the answer.
            stdout.read_exact(&mut [0]).unwrap();
            std::thread::sleep(Duration::from_millis(8) * (kill - KILLS / 2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // A new start recovers what the killed ones left behind.
    let next = home.command(&["receipts"]).run();
    assert_eq!(next.code, 0, "{}", next.stderr);

    let asked = posted(&server);
    assert!(asked.len() > 20, "only {} sends reached the provider", asked.len());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let store = crate::store::open(&data, Timestamp::from_millis(0)).await;
        let rows = store.rows(&Workspace::default()).await.unwrap();
        assert!(rows.iter().all(|row| row.lifecycle != Lifecycle::Sending), "SND-6");
        let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
        let kept = store.get_many(&ids).await.unwrap();
        for body in &asked {
            let known = |text: &str| body.contains(&format!("\"{text}\""));
            assert!(
                kept.iter().any(|stored| known(&stored.pair.user_text)),
                "a text reached the provider and is not on the disk: {body}"
            );
        }
        let whole: String = pieces.concat();
        let mut partial = 0;
        for stored in &kept {
            let text = stored.pair.assistant_text.as_deref().unwrap_or_default();
            assert!(whole.starts_with(text), "an answer is torn: {text:?}");
            partial += usize::from(stored.pair.lifecycle == Lifecycle::Error && !text.is_empty());
        }
        assert!(partial > 5, "only {partial} interrupted answers kept what had arrived");
    });
}
