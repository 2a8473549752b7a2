use crate::run::plimsoll;

#[test]
fn every_shell_gets_completions_for_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = plimsoll(["completions", shell]).run();
        assert_eq!(ran.code, 0, "{shell}: {}", ran.stderr);
        for word in ["receipts", "over-budget", "completions"] {
            assert!(ran.stdout.contains(word), "{shell} does not know {word}");
        }
    }
    assert_eq!(plimsoll(["completions", "tcsh"]).run().code, 2);
}

#[test]
fn there_is_a_page_for_man_and_one_for_each_command() {
    let all = plimsoll(["man"]).run();
    assert!(all.stdout.contains(".TH plimsoll 1"), "{}", all.stdout);
    assert!(all.stdout.contains("plimsoll\\-receipts(1)"), "{}", all.stdout);
    let send = plimsoll(["man", "send"]).run();
    assert!(send.stdout.contains("plimsoll\\-send \\- Send one message"), "{}", send.stdout);
    plimsoll(["man", "sail"]).run().refused(2, "there is no command sail");
}
