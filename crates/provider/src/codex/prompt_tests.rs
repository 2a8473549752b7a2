use std::path::PathBuf;

use proptest::prelude::*;

use plimsoll_send::Part;

use super::*;

fn picture(path: &str, mime: &str) -> Part {
    let (bytes, path) = (path.as_bytes().into(), PathBuf::from(path));
    Part::File(FilePart { file: None, mime: mime.to_owned(), bytes, path, remote: None })
}

fn history() -> Vec<Message> {
    let mut first = Message::new(Role::User, "What is in <<context:image:/a/hull.png>>>?");
    first.push(picture("/a/hull.png", "image/png"));
    let mut last = Message::new(Role::User, "And \"here\"?\n<<context:image:/b/Wal 2.jpg>>>\n");
    last.parts.extend([
        picture("/b/Wal 2.jpg", "image/jpeg"),
        picture("/b/paper.pdf", "application/pdf"),
        picture("/b/one,two.webp", "image/webp"),
        picture("", "image/svg+xml"),
    ]);
    vec![
        Message::new(Role::System, "Answer in one sentence."),
        first,
        Message::new(Role::Assistant, "A mark on the hull.\u{1F6A2}"),
        last,
    ]
}

fn called(model: &str, messages: Vec<Message>) -> Invocation {
    Invocation::of(&Request::new(model, messages))
}

#[test]
fn dlv_5_a_message_without_history_is_the_prompt_alone() {
    let alone = called("codex", vec![Message::new(Role::User, " Hello\n")]);
    assert_eq!(alone.stdin, " Hello\n");
    let usual = ["exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "--", "-"];
    assert_eq!(alone.arguments, usual.map(OsString::from));
    assert!(alone.copies.is_empty());
}

#[test]
fn dlv_5_history_is_a_transcript_and_the_new_message_stays_as_it_is() {
    insta::assert_snapshot!("transcript", called("codex", history()).stdin);
}

#[test]
fn dlv_3_pictures_go_by_path_in_the_order_of_their_tokens() {
    let call = called("gpt-6-codex", history());
    let shown: Vec<_> = call.arguments.iter().map(|one| one.to_string_lossy()).collect();
    insta::assert_snapshot!("arguments", shown.join("\n"));
    // A path that Codex would cut at its comma, or none at all: the bytes are put beside it.
    let names: Vec<_> = call.copies.iter().map(|(name, data)| (name.as_str(), &**data)).collect();
    assert_eq!(names, [("image-3.webp", &b"/b/one,two.webp"[..]), ("image-4.bin", &b""[..])]);
}

#[test]
fn pay_5_the_view_of_the_request_is_the_call_itself() {
    let call = called("codex", history());
    let shown = call.described(Path::new("/usr/bin/codex"));
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["program"], "/usr/bin/codex");
    assert_eq!(shown["stdin"], call.stdin);
    let arguments: Vec<_> =
        shown["arguments"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(arguments, call.arguments.iter().map(|a| a.to_str().unwrap()).collect::<Vec<_>>());
}

proptest! {
    /// DLV-5: whatever stands before it, the prompt ends with the new message, and every
    /// message is in it as it is, in order.
    #[test]
    fn every_message_is_in_the_prompt_as_it_is(
        texts in prop::collection::vec((0_u8..3, any::<String>()), 1..8)
    ) {
        let role = |n: &u8| [Role::System, Role::User, Role::Assistant][usize::from(*n)];
        let messages: Vec<Message> =
            texts.iter().map(|(n, text)| Message::new(role(n), text.clone())).collect();
        let prompt = prompt(&messages);
        prop_assert!(prompt.ends_with(&messages[messages.len() - 1].text()));
        let mut rest = prompt.as_str();
        for message in &messages {
            let at = rest.find(&message.text());
            prop_assert!(at.is_some());
            rest = &rest[at.unwrap_or_default() + message.text().len()..];
        }
    }

    /// Codex takes what is behind a comma for another picture.
    #[test]
    fn no_argument_of_a_picture_holds_a_comma(paths in prop::collection::vec("[a,/.]{0,12}", 0..5)) {
        let mut message = Message::new(Role::User, "x");
        message.parts.extend(paths.iter().map(|path| picture(path, "image/png")));
        let call = called("codex", vec![message]);
        let count = call.arguments.iter().filter(|one| *one == "--image").count();
        prop_assert_eq!(count, paths.len());
        prop_assert!(call.arguments.iter().all(|one| !one.to_string_lossy().contains(',')));
    }
}
