//! What people must be able to rely on, against the real binary and a real disk: kills,
//! damage, providers that misbehave, many clients (REL-1 to REL-8), and doors that stay shut
//! (SEC-1 to SEC-9). `PLIMSOLL_LONG=1` tries several times as much.

// A helper of a test may fail like the test itself.
#![allow(clippy::unwrap_used, clippy::panic)]

// Accounts, descriptors and memory are told as Linux does.
#[cfg(target_os = "linux")]
mod accounts;
mod canary;
#[cfg(target_os = "linux")]
mod children;
mod damage;
mod doors;
mod earlier;
#[cfg(unix)]
mod earlier_moves;
#[cfg(target_os = "linux")]
mod failing_sync;
#[cfg(target_os = "linux")]
mod full_disk;
mod growth;
mod hostile;
mod imports;
mod kills;
mod load;
mod measures;
mod misbehaviour;
mod pages;
mod power;
mod settings;
#[cfg(unix)]
mod signals;
#[cfg(target_os = "linux")]
mod slow;
mod verify;
// The harness of the API's tests; not all of it is needed here.
#[allow(dead_code)]
#[path = "../web/served.rs"]
mod served;
