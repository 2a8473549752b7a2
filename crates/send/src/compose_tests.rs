use plimsoll_domain::Timestamp;
use proptest::prelude::*;

use super::*;

fn id(n: u8) -> PairId {
    PairId::new(Timestamp::from_millis(i64::from(n)), [n; 10])
}

fn pair<'a>(n: u8, user: &'a str, assistant: Option<&'a str>) -> IncludedTexts<'a> {
    let lifecycle = Lifecycle::Complete;
    IncludedTexts { id: id(n), lifecycle, user, rendered: None, assistant }
}

fn composed<'a>(
    instructions: &Instructions<'a>,
    pairs: impl IntoIterator<Item = IncludedTexts<'a>>,
    new: &str,
    rules: WireRules,
) -> (Vec<Message>, String) {
    compose(instructions, pairs, &[Part::Text(new.to_owned())], rules)
}

/// The messages, one a line.
fn told((messages, _): (Vec<Message>, String)) -> String {
    messages.iter().map(|one| format!("{}: {:?}\n", one.role.name(), one.text())).collect()
}

const SHIPS: [(&str, Option<&str>); 2] = [
    ("What is a load line?", Some("A mark on the hull.")),
    ("Who fought for it?", Some("Samuel Plimsoll, in \"Our Seamen\".\nIt took years.")),
];

fn ships<'a>() -> Vec<IncludedTexts<'a>> {
    let pairs = SHIPS.iter().zip(1u8..);
    pairs.map(|((user, assistant), n)| pair(n, user, *assistant)).collect()
}

const NEW: &str = "And today?";
const SYSTEM: &str = "Answer in one sentence.";
const FILES: &str = "- hull.jpg (1.2 MB, 5 min ago) [user]\n  file_id: file-1";

#[test]
fn history_then_the_new_message() {
    let payload = composed(&Instructions::default(), ships(), NEW, WireRules::OPENAI);
    insta::assert_snapshot!("history", told(payload));
}

#[test]
fn nothing_aboard_sends_the_message_alone() {
    let payload = composed(&Instructions::default(), [], NEW, WireRules::OPENAI);
    insta::assert_snapshot!("message_alone", told(payload));
}

#[test]
fn pay_3_what_never_changes_goes_first_and_files_go_last() {
    let prelude = Instructions { system: Some(SYSTEM), files: Some(FILES) };
    let payload = composed(&prelude, ships(), NEW, WireRules::OPENAI);
    insta::assert_snapshot!("prelude_late_system", told(payload));
}

#[test]
fn pay_3_without_a_late_system_message_files_head_the_new_one() {
    let prelude = Instructions { system: Some(SYSTEM), files: Some(FILES) };
    let payload = composed(&prelude, ships(), NEW, WireRules::STRICT);
    insta::assert_snapshot!("prelude_files_in_message", told(payload));
}

#[test]
fn pay_2_blank_texts_are_not_emitted_and_errors_send_their_question() {
    let pairs = vec![
        pair(1, " \n", Some("An answer without a question.")),
        pair(2, "A question.", Some("  ")),
        IncludedTexts {
            lifecycle: Lifecycle::Error,
            ..pair(3, "A question that failed.", Some("Half an ans"))
        },
        IncludedTexts { lifecycle: Lifecycle::Cancelled, ..pair(4, "Stop.", Some("I was say")) },
    ];
    let kept = composed(&Instructions::default(), pairs.clone(), NEW, WireRules::OPENAI);
    insta::assert_snapshot!("lone_messages_kept", told(kept));
    let merged = composed(&Instructions::default(), pairs, NEW, WireRules::STRICT);
    insta::assert_snapshot!("lone_messages_merged", told(merged));
}

#[test]
fn ovf_2_an_attempt_after_two_trims() {
    let mut pairs = ships();
    pairs.push(pair(3, "Where is it now?", Some("On every ship.")));
    let attempt =
        composed(&Instructions::default(), pairs.into_iter().skip(2), NEW, WireRules::OPENAI);
    insta::assert_snapshot!("after_two_trims", told(attempt));
}

#[test]
fn pay_4_text_goes_as_it_is_and_labels_never() {
    let text = "<b>\u{202e}quotes \" and \\ and tabs\t</b>\u{0}🚢";
    let payload =
        composed(&Instructions::default(), [pair(1, text, None)], text, WireRules::OPENAI);
    insta::assert_snapshot!("awkward_text", told(payload));
}

#[test]
fn pay_5_the_hash_is_of_the_history_alone() {
    let hash = |prelude: &Instructions<'_>, new: &str, rules| {
        let mut pairs = ships();
        pairs.push(pair(9, "A lone question.", None));
        composed(prelude, pairs, new, rules).1
    };
    let plain = hash(&Instructions::default(), NEW, WireRules::STRICT);
    let prelude = Instructions { system: Some(SYSTEM), files: Some(FILES) };
    assert_eq!(plain, hash(&prelude, "Another message.", WireRules::STRICT));
    assert_eq!(plain, hash(&prelude, NEW, WireRules::OPENAI));
}

fn histories() -> impl Strategy<Value = Vec<(String, Option<String>, Lifecycle)>> {
    let text = "(|  |[a-z\n\"]{1,12})";
    let lifecycle = prop::sample::select(Lifecycle::ALL.to_vec());
    prop::collection::vec((text, prop::option::of(text), lifecycle), 0..12)
}

proptest! {
    /// PAY-2: every emitted text is there, in order, whatever the wire wants; strict
    /// wires get turns that start with the user.
    #[test]
    fn no_text_is_lost_and_turns_are_valid(history in histories(), new in "[a-z]{1,9}", files in any::<bool>()) {
        let pairs: Vec<IncludedTexts<'_>> = history
            .iter()
            .zip(1u8..)
            .map(|((user, assistant, lifecycle), n)| IncludedTexts {
                id: id(n),
                lifecycle: *lifecycle,
                user,
                rendered: None,
                assistant: assistant.as_deref(),
            })
            .collect();
        let prelude = Instructions { system: None, files: Some(FILES).filter(|_| files) };
        for rules in [WireRules::OPENAI, WireRules::STRICT] {
            let (messages, _) = composed(&prelude, pairs.iter().copied(), &new, rules);
            let mut sent: String = messages.iter().map(Message::text).collect();
            for (user, assistant, lifecycle) in &history {
                let answer = assistant.as_ref().filter(|_| *lifecycle != Lifecycle::Error);
                for text in std::iter::once(user).chain(answer).filter(|t| !t.trim().is_empty()) {
                    let at = sent.find(text.as_str());
                    prop_assert!(at.is_some(), "{text:?} is missing");
                    sent = sent.split_off(at.unwrap_or(0) + text.len());
                }
            }
            prop_assert!(sent.ends_with(&new));
            if !rules.repeated_roles {
                let roles: Vec<Role> = messages.iter().map(|m| m.role).collect();
                prop_assert!(roles.windows(2).all(|pair| pair[0] != pair[1]));
                prop_assert_eq!(roles.first(), Some(&Role::User));
                prop_assert_eq!(roles.last(), Some(&Role::User));
            }
        }
    }
}
