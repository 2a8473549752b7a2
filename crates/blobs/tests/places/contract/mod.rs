//! The contract: the rules that every place for blobs keeps, as tests that every place runs.
//!
//! The tests of a place implement [`Backend`] and call [`contract_tests!`]; a rule that is added
//! here reaches all of them.

pub(crate) mod bytes;
pub(crate) mod garbage;
pub(crate) mod sharing;
pub(crate) mod tokens;

use std::time::Duration;

use plimsoll_blobs::{Blob, BlobName, Blobs};

/// One place of its own, empty at first, that can be opened more than once.
pub(crate) trait Backend: Send + Sync {
    /// A handle on the workspace of this name.
    fn workspace(&self, name: &str) -> Blobs;

    /// A handle as another process has it; on an object store, one of another machine.
    fn elsewhere(&self) -> Blobs;

    /// Writes bytes under a name, as no program of ours does.
    fn write(&self, name: &str, bytes: &[u8]);

    /// Takes away a blob, as no program of ours does.
    fn lose(&self, name: &BlobName);

    /// Makes a blob older by so much.
    fn age(&self, name: &BlobName, by: Duration);

    /// A handle on the usual workspace.
    fn open(&self) -> Blobs {
        self.workspace("main")
    }
}

/// Takes bytes in.
pub(crate) fn take_in(blobs: &Blobs, name: &str, bytes: &[u8]) -> Blob {
    let mut intake = blobs.begin(name, None).unwrap();
    bytes.chunks(1 << 20).for_each(|part| intake.write(part).unwrap());
    intake.finish().unwrap()
}

/// The name of a blob that nobody has.
pub(crate) fn nobody() -> BlobName {
    BlobName::parse(&format!("{}.txt", "0".repeat(64))).unwrap()
}

/// So many bytes that are not like each other.
pub(crate) fn noise(length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(b"noise").finalize_xof().fill(&mut bytes);
    bytes
}

/// Makes one `#[test]` of each rule; the argument makes a fresh [`Backend`].
macro_rules! contract_tests {
    ($backend:expr) => {
        crate::contract::contract_tests! { @rules $backend,
            bytes {
                tea_2_bytes_come_back_as_they_were
                tea_2_large_bytes_come_back_as_they_were
                tea_2_nothing_is_there_at_first
                tea_2_many_are_kept_together_in_their_order
                blb_5_what_is_broken_off_leaves_nothing
                his_8_bytes_come_in_under_the_name_that_they_had
                rel_2_missing_and_altered_are_told_apart
                rel_2_a_torn_blob_is_put_right
                blb_3_a_thumbnail_is_drawn_and_goes_with_its_picture
            }
            garbage {
                blb_4_garbage_is_what_nobody_keeps_and_is_old
                blb_4_what_is_taken_in_again_is_no_garbage
                tea_2_foreign_names_are_no_blobs
                tea_2_what_dead_runs_left_is_swept
            }
            sharing {
                blb_1_the_same_bytes_are_kept_once_under_any_ending
                tea_2_another_process_sees_what_is_there
                tea_2_writers_at_the_same_time_lose_nothing
                tea_2_calls_may_be_made_on_any_thread
                tea_2_any_order_of_changes_gives_what_is_expected
                sec_6_workspaces_do_not_see_each_other
            }
            tokens {
                tok_4_a_token_stands_for_a_blob_by_its_path_or_its_name
                tok_4_anything_else_is_broken_for_a_reason
            }
        }
    };
    (@rules $backend:expr, $($file:ident { $($rule:ident)* })*) => {
        $(mod $file {
            use super::*;
            $(#[test]
            fn $rule() {
                crate::contract::$file::$rule(&$backend);
            })*
        })*
    };
}
pub(crate) use contract_tests;
