//! The contract: the rules that every backend keeps, as tests that every backend runs.
//!
//! The tests of a backend have this folder as a module, implement [`Backend`] and call
//! [`contract_tests!`]; a rule that is added here reaches all of them.

pub(crate) mod archive;
pub(crate) mod books;
pub(crate) mod changes;
pub(crate) mod conversations;
pub(crate) mod edits;
pub(crate) mod estimates;
pub(crate) mod files;
pub(crate) mod gateway;
pub(crate) mod leases;
pub(crate) mod memory;
pub(crate) mod memory_care;
pub(crate) mod memory_projects;
pub(crate) mod memory_search;
pub(crate) mod memory_vectors;
pub(crate) mod notes;
pub(crate) mod openid;
pub(crate) mod pairs;
pub(crate) mod people;
pub(crate) mod purge;
pub(crate) mod search;
pub(crate) mod sends;
pub(crate) mod summaries;
pub(crate) mod topics;
pub(crate) mod undo;
pub(crate) mod upkeep;

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use plimsoll_domain::{MessagePair, PairId};
use plimsoll_store::{HeldSend, Store, Workspace};
pub(crate) use plimsoll_testkit::pairs::{answered, at, pair, pair_id, topic};

/// One store of its own, empty at first, that can be opened more than once.
#[async_trait]
pub(crate) trait Backend: Send + Sync {
    /// A handle on the store. Two handles are as two processes.
    async fn open(&self) -> Arc<dyn Store>;

    /// A directory for this test alone.
    fn scratch(&self) -> PathBuf;
}

/// Makes one `#[tokio::test]` of each rule; the argument makes a fresh [`Backend`], if it can.
macro_rules! contract_tests {
    ($backend:expr) => {
        crate::contract::contract_tests! { @rules $backend,
            pairs {
                a_pair_comes_back_as_it_was_written
                an_unknown_pair_is_not_found
                an_id_is_used_once
                history_has_one_order
                rows_tell_all_but_the_texts
                many_are_written_all_or_none
                labels_change_in_bulk
                a_pair_moves_only_within_its_workspace
                workspaces_do_not_see_each_other
            }
            summaries {
                his_11_a_summary_takes_the_place_of_its_pairs
                his_11_without_the_summary_uses_are_as_before
                his_11_a_summary_of_what_changed_is_out_of_date
                his_12_a_comparison_is_begun_as_one
            }
            conversations {
                one_send_a_conversation
                a_draft_for_each_conversation
                sizes_follow_the_texts
                parts_of_the_list_hold_each_once
                titles_are_found_by_their_words
                a_conversation_goes_and_comes_back_whole
                a_conversation_takes_its_draft_and_its_values_along
            }
            sends {
                a_send_is_written_down_before_it_starts
                one_send_a_workspace
                an_idle_pair_can_be_claimed
                partial_text_is_kept_until_the_end
                a_send_ends_once
                only_an_owner_makes_a_pair_sending
                cancelling_keeps_what_arrived
                sends_of_the_dead_are_interrupted
                sends_of_the_living_are_left_alone
            }
            leases {
                tea_7_what_is_written_for_a_send_names_it
                tea_7_a_send_that_is_renewed_is_left_alone
                tea_7_who_stops_renewing_is_ended_and_refused
                tea_7_a_pair_that_is_sent_again_is_another_send
            }
            changes {
                tea_6_changes_are_numbered_in_order_and_told_to_others
                tea_6_each_workspace_counts_for_itself
                tea_6_what_fails_leaves_no_change
                tea_6_every_write_that_pages_hear_of_is_told
                tea_6_text_that_others_receive_is_read_as_it_grows
                tea_6_old_changes_are_forgotten_and_said_to_be
                tea_6_many_workspaces_are_asked_for_at_once
            }
            edits {
                an_edit_keeps_the_original
                an_edit_that_changes_nothing_leaves_no_mark
                an_edit_updates_what_is_attached
                a_pair_in_flight_is_not_edited
                regenerating_keeps_the_earlier_answer
                a_swap_brings_everything_back
                a_failed_regeneration_can_be_swapped_back
            }
            purge {
                a_deleted_pair_is_gone_everywhere
                requests_that_quoted_a_deleted_pair_are_purged
                a_deleted_pair_does_not_come_back_through_its_send
                a_pair_in_flight_is_not_deleted
            }
            undo {
                rec_5_a_deletion_is_one_step_and_comes_back_whole
                rec_5_what_was_deleted_outlives_a_restart_and_is_then_purged
                rec_5_a_request_comes_back_only_with_all_that_it_quotes
                rec_5_a_file_comes_back_with_its_tokens
                rec_5_a_topic_comes_back_with_its_pairs
                rec_5_filters_come_back_where_their_name_is_free
                rec_5_snippets_come_back_where_their_name_is_free
                rec_5_notes_come_back_and_are_purged
                rec_5_nothing_in_flight_is_put_aside
                rec_5_what_was_said_of_a_deleted_pair_goes_with_it
            }
            topics {
                topics_come_back_parents_first
                the_tree_keeps_its_rules
                a_topic_goes_only_when_empty
            }
            archive {
                a_pair_is_taken_out_and_brought_in_whole
                a_batch_may_be_brought_again
                his_8_a_token_without_a_file_gets_the_one_that_is_brought
                a_batch_is_brought_in_all_or_none
            }
            estimates {
                a_new_pair_is_stale
                every_change_of_text_makes_estimates_stale
                an_estimate_of_an_old_text_is_dropped
                stamps_stand_beside_each_other
            }
            files {
                a_file_comes_back_as_it_was_written
                bytes_find_the_newest_file
                a_file_is_listed_when_it_is_sent_or_added
                files_are_listed_by_conversation_and_pin
                what_a_tool_made_stays_unless_the_send_is_cancelled
                words_are_kept_once
                copies_at_providers_are_replaced
                a_pair_keeps_what_its_tokens_stand_for
                a_delivery_changes_and_estimates_are_stale
                a_deleted_file_leaves_its_tokens_broken
                a_draft_keeps_its_attachments
                tool_calls_go_with_their_answer
            }
            search {
                words_are_found_in_both_texts
                better_hits_come_first
                marks_show_what_was_found
                any_query_is_safe
                what_changed_is_found_as_it_is_now
                each_word_of_a_long_text_is_counted
            }
            books {
                receipts_come_back_newest_first
                receipts_are_narrowed
                totals_add_up
                a_snapshot_replaces_the_one_before
            }
            gateway {
                gwy_9_calls_come_back_as_they_were_written
                gwy_15_a_client_has_counters
                gwy_15_keys_have_names
            }
            people {
                tea_9_a_person_has_a_project_of_their_own
                tea_9_roles_join_people_and_projects
                tea_9_tokens_and_sign_ins_end
                tea_10_the_audit_log_is_kept_for_a_time
                tea_10_use_is_counted_by_person_and_project
                tea_10_the_nearest_key_serves
                tea_10_a_person_goes_with_all_that_is_theirs
                tea_10_a_person_is_handed_over
                tea_10_a_name_that_used_something_is_not_given_again
            }
            openid {
                tea_9_a_name_at_the_provider_opens_one_account_once
                tea_9_an_attempt_to_sign_in_is_for_one_browser_once
            }
            notes {
                reports_are_kept_by_place_and_model
                the_largest_prompt_is_kept
                what_was_learned_of_a_model_is_forgotten_everywhere
                limits_are_learned_by_place_and_model
                usage_is_told_since_a_time
                saved_filters_have_names
                ui_23_snippets_have_names
                the_last_hundred_queries_are_kept
                drafts_belong_to_a_workspace
                single_values_come_and_go
            }
            memory {
                sessions_come_and_end
                a_topic_key_revises_in_place
                one_of_two_writers_is_too_late
                the_same_note_is_kept_once
                deleted_notes_show_nowhere
                types_and_projects_are_counted
                neighbours_are_of_the_same_session
                relations_join_notes
                old_notes_become_a_summary
                the_memory_is_taken_out_and_brought_in_whole
                notes_of_one_key_are_brought_together
            }
            memory_care {
                mem_12_a_deleted_note_is_brought_back
                mem_15_notes_supersede_one_another
                mem_15_notes_expire
                mem_15_anchors_and_authors_are_kept
                mem_16_what_waits_is_apart
                mem_16_what_is_refused_can_be_brought_back
            }
            memory_projects {
                a_summary_keeps_what_it_had
                a_session_belongs_to_one_project
                projects_are_read_apart
            }
            memory_vectors {
                mem_10_vectors_are_kept_until_the_text_is_another
                mem_10_vectors_go_with_their_note
                mem_10_vectors_are_read_in_the_order_of_change
                mem_10_vectors_of_a_text_that_changed_meanwhile_are_not_kept
                mem_10_ids_are_narrowed_by_a_filter
            }
            memory_search {
                what_people_mean_is_found
                odd_texts_break_no_search
                old_notes_are_found_by_their_titles
                notes_are_found_by_their_words
                notes_without_spaces_are_found
                better_notes_come_first
                any_word_is_the_second_choice
                a_search_is_narrowed
                common_words_are_found
                prompts_do_not_push_notes_out
                marks_show_what_was_found_in_notes
                any_query_of_the_memory_is_safe
                notes_are_found_as_they_are_now
            }
            upkeep {
                the_default_workspace_is_there
                a_second_handle_sees_what_the_first_wrote
                changes_by_others_are_noticed
                a_backup_is_a_store
                a_sound_store_has_no_findings
            }
        }
    };
    (@rules $backend:expr, $($file:ident { $($rule:ident)* })*) => {
        $(mod $file {
            use super::*;
            $(#[tokio::test]
            async fn $rule() {
                // One that cannot be had here says so itself.
                if let Some(backend) = $backend {
                    crate::contract::$file::$rule(&backend).await;
                }
            })*
        })*
    };
}
pub(crate) use contract_tests;

/// What people and programs type that means something to some search engine, and nothing
/// but its words here. Columns and tables of ours are among it.
pub(crate) const ODD_QUERIES: [&str; 28] = [
    "",
    " ",
    "\"",
    "\"\"",
    "*",
    "AND",
    "NOT near",
    "a OR",
    "NEAR(a b)",
    "user_text:x",
    "title:x",
    "(",
    "^a",
    "-x",
    "a;DROP TABLE pairs",
    "%",
    "'",
    "\\",
    "\u{0}",
    "\u{1}x\u{2}",
    "🚢",
    "{a b}:c",
    "$1",
    "\u{e000}w",
    "語*",
    "\"語",
    "a\u{301}",
    "?!",
];

/// A handle on a store that has the topic of these tests, and its workspace.
pub(crate) async fn ready(backend: &impl Backend) -> (Arc<dyn Store>, Workspace) {
    let store = backend.open().await;
    let workspace = Workspace::default();
    store.put_topic(&workspace, &topic()).await.unwrap();
    (store, workspace)
}

/// Writes pairs down, in any order.
pub(crate) async fn filled(store: &Arc<dyn Store>, workspace: &Workspace, pairs: &[MessagePair]) {
    store.insert_many(workspace, pairs).await.unwrap();
}

/// The send of a pair, whoever holds it; of a pair at rest, what nobody holds.
pub(crate) async fn held(store: &Arc<dyn Store>, pair: PairId) -> HeldSend {
    let sends = store.sends_in_flight().await.unwrap();
    let found = sends.iter().find(|send| send.pair == pair);
    HeldSend { pair, epoch: found.map_or(0, |send| send.epoch) }
}
