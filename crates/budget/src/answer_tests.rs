use plimsoll_tokens::{Tokenizer, bytes4, commas};
use proptest::prelude::*;

use super::*;

fn piece(text: &str, place: usize) -> Piece {
    Piece {
        text: text.to_owned(),
        place,
        heading: None,
        full_text: format!("mem_get_observation id={place}"),
        lines_from: None,
    }
}

fn spec<'a>(pieces: &'a [Piece], max_tokens: Option<u64>) -> AnswerSpec<'a> {
    AnswerSpec {
        head: "",
        intro: "",
        pieces,
        total: pieces.len(),
        uncounted: false,
        noun: "observations",
        others: "prompts or sessions",
        footers: true,
        summary_hint: None,
        next_call: None,
        shortened: false,
        more: MORE,
        max_tokens,
        counter: Estimator::Bytes4,
    }
}

#[test]
fn mbg_4_without_a_budget_everything_and_the_footer() {
    let pieces = [piece("#1 first", 0), piece("#2 second", 1)];
    let answer = spec(&pieces, None).build();
    assert_eq!(answer.text, "#1 first\n#2 second\n📏 ~8 tokens");
    assert_eq!(answer.estimated_tokens, bytes4(&answer.text));
    assert_eq!((answer.shown, answer.total, answer.cut), (2, 2, false));
}

#[test]
fn mbg_3_the_first_piece_that_does_not_fit_ends_the_list() {
    let long = "word ".repeat(60);
    let pieces = [piece("#1 short", 0), piece(&long, 1), piece("#3 short", 2)];
    let answer = spec(&pieces, Some(70)).build();
    assert_eq!(
        answer.text,
        "#1 short\n⚡ Budget: ~35/70 tokens used. 1 of 3 observations shown. Increase max_tokens \
         or use detail_level=summary for more.\n📏 ~35 tokens",
        "#3 would fit, but a prefix of the order of worth is shown"
    );
    assert_eq!(answer.estimated_tokens, bytes4(&answer.text));
}

#[test]
fn mbg_5_one_huge_piece_is_cut_at_a_word_and_says_so() {
    let pieces = [piece(&"harbour ".repeat(500), 42)];
    let answer = spec(&pieces, Some(100)).build();
    assert!(answer.cut && answer.shown == 1);
    assert!(answer.estimated_tokens <= 100);
    let head = "harbour harbour harbour";
    assert!(answer.text.starts_with(head), "{}", answer.text);
    assert!(answer.text.contains("harbour [… cut, full text: mem_get_observation id=42]\n"));
    assert!(answer.text.contains("1 of 1 observations shown"));
}

#[test]
fn mbg_3_worth_decides_what_is_shown_and_place_decides_where() {
    let pieces = [piece("focus", 1), piece("before", 0), piece("after", 2)];
    let answer = spec(&pieces, None).build();
    assert!(answer.text.starts_with("before\nfocus\nafter\n"), "{}", answer.text);
}

#[test]
fn headings_stand_once_above_their_pieces() {
    let under = |text: &str, place, heading: &str| Piece {
        heading: Some(heading.to_owned()),
        ..piece(text, place)
    };
    let pieces = [under("a", 0, "## One"), under("b", 1, "## One"), under("c", 2, "## Two")];
    let answer = AnswerSpec { intro: "Found 3.", ..spec(&pieces, None) }.build();
    assert!(answer.text.starts_with("Found 3.\n## One\na\nb\n## Two\nc\n📏"), "{}", answer.text);
}

#[test]
fn mbg_4_navigation_goes_first_then_the_summary_hint_never_the_footers() {
    let pieces: Vec<Piece> = (0..200).map(|at| piece(&format!("#{at} a title"), at)).collect();
    let at = |max| {
        let answer = AnswerSpec {
            summary_hint: Some("💡 Use detail_level: standard or full for more detail."),
            // Shorter than the summary hint, so it would often fit where that does not.
            next_call: Some("Next."),
            more: MORE,
            ..spec(&pieces, Some(max))
        }
        .build();
        assert!(answer.estimated_tokens <= max);
        assert!(answer.text.contains("⚡ Budget") && answer.text.contains("📏"));
        let order: Vec<&str> = ["⚡", "💡", "📊", "📏"]
            .into_iter()
            .filter(|mark| answer.text.contains(*mark))
            .collect();
        let places: Vec<usize> =
            order.iter().map(|mark| answer.text.find(*mark).unwrap()).collect();
        assert!(places.is_sorted(), "the tail has an order");
        order.concat()
    };
    let seen: std::collections::HashSet<String> = (64..160).map(at).collect();
    assert!(seen.contains("⚡📏"), "{seen:?}");
    assert!(!seen.contains("⚡📊📏"), "navigation is given up first: {seen:?}");
}

#[test]
fn mbg_5_only_items_are_counted() {
    let pieces = [piece("a session", 0), piece("#1 a note", 1), piece(&"b".repeat(900), 2)];
    let answer = spec(&pieces, Some(70)).build_counting(|worth| worth > 0);
    assert_eq!((answer.shown, answer.pieces), (1, 2));
    let spec = AnswerSpec { total: 2, ..spec(&pieces, Some(70)) };
    let answer = spec.build_counting(|worth| worth > 0);
    assert!(answer.text.contains("1 of 2 observations shown"), "{}", answer.text);
}

#[test]
fn mbg_3_an_intro_is_given_up_before_a_piece_is_cut() {
    let pieces = [piece(&"a".repeat(40), 0), piece(&"b".repeat(900), 1)];
    let intro = "i".repeat(150);
    let answer = AnswerSpec { intro: &intro, ..spec(&pieces, Some(64)) }.build();
    assert_eq!((answer.shown, answer.cut), (1, false), "{}", answer.text);
    assert!(answer.text.starts_with(&format!("{}\n⚡", "a".repeat(40))), "{}", answer.text);
}

#[test]
fn below_64_the_shortest_true_answer() {
    let pieces = [piece(&"word ".repeat(90), 7), piece("b", 8)];
    let answer = spec(&pieces, Some(3)).build();
    assert_eq!((answer.shown, answer.total), (0, 2));
    assert!(answer.text.contains("0 of 2 observations shown"));
    assert_eq!(answer.estimated_tokens, bytes4(&answer.text), "the footer is still true");
}

#[test]
fn mbg_5_budgets_as_clients_send_them() {
    assert_eq!(parse_max_tokens("500"), Ok(500));
    assert_eq!(parse_max_tokens(" 500 "), Ok(500));
    for bad in ["0", "-5", "2.5", "many", "", "99999999999999999999999"] {
        assert_eq!(parse_max_tokens(bad), Err(InvalidBudget(bad.to_owned())), "{bad:?}");
    }
}

#[test]
fn mbg_9_a_line_that_finds_no_room_leaves_the_footer() {
    let pieces: Vec<Piece> = (0..30).map(|at| piece(&format!("#{at} a title"), at)).collect();
    let intro = "Found the best 30 of 90. None has all words; these have some.";
    let whole = AnswerSpec { intro, total: 90, ..spec(&pieces, None) };
    let full = whole.build();
    assert!(full.text.starts_with(intro) && !full.text.contains("⚡"), "{}", full.text);
    let fits = AnswerSpec { max_tokens: Some(full.estimated_tokens), ..whole.clone() }.build();
    assert_eq!(fits.text, full.text);
    let less = AnswerSpec { max_tokens: Some(full.estimated_tokens - 1), ..whole }.build();
    assert!(less.text.contains("⚡ Budget") && less.text.contains(" of 90 observations shown."));
}

#[test]
fn mbg_9_where_only_others_find_no_room_the_footer_says_so() {
    let pieces = [piece("#1 a note", 0), piece("#2 a note", 1), piece(&"p".repeat(900), 2)];
    let spec = AnswerSpec { total: 2, ..spec(&pieces, Some(70)) };
    let answer = spec.build_counting(|worth| worth < 2);
    assert!(
        answer.text.contains(" 2 of 2 observations shown. 1 prompts or sessions left out. Inc"),
        "{}",
        answer.text
    );
}

#[test]
fn mbg_9_what_was_not_counted_to_its_end_has_a_plus() {
    let pieces = [piece("#1 a note", 0)];
    let next_call = Some("Raise limit.");
    let answer =
        AnswerSpec { total: 10_000, uncounted: true, next_call, ..spec(&pieces, None) }.build();
    assert!(answer.text.contains("\n📊 Showing 1 of 10,000+. Raise limit."), "{}", answer.text);
}

#[test]
fn mbg_9_without_footers_a_mark_says_what_is_missing() {
    let pieces: Vec<Piece> = (0..90).map(|at| piece(&format!("#{at} a title"), at)).collect();
    let plain = |max| AnswerSpec {
        footers: false,
        summary_hint: Some("hint"),
        next_call: Some("next"),
        more: "raise max_tokens for more",
        ..spec(&pieces, max)
    };
    let whole = plain(None).build();
    assert!(whole.text.ends_with("#89 a title"), "{}", whole.text);
    for max in 64..300 {
        let answer = plain(Some(max)).build();
        assert!(bytes4(&answer.text) <= max && answer.estimated_tokens == bytes4(&answer.text));
        let shown = answer.shown;
        let mark =
            format!("\n[… cut, {shown} of 90 observations shown; raise max_tokens for more]");
        assert_eq!(answer.text.ends_with(&mark), shown < 90, "{}", answer.text);
    }
}

#[test]
fn mbg_9_a_cut_text_says_from_which_line_to_go_on() {
    let text = format!("#42 Title\n{}", "a line of words\n".repeat(400));
    let pieces = [Piece { lines_from: Some(10), ..piece(&text, 42) }];
    let answer = spec(&pieces, Some(200)).build();
    let (shown, rest) = answer.text.split_once(" [… cut, ").unwrap();
    let line = shown.lines().count() - usize::from(!shown.ends_with("a line of words"));
    assert!(
        rest.starts_with(&format!("full text: mem_get_observation id=42 from={line}]")),
        "{line}: {rest}"
    );
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let text = prop_oneof!["[a-z é語]{0,40}", "([a-z]{1,9} ){0,90}", "[a-z]{0,300}"];
    let heading = prop::option::of("## [A-C]");
    prop::collection::vec((text, 0usize..20, heading), 0..30).prop_map(|parts| {
        let piece = |(worth, (text, place, heading)): (usize, (String, usize, Option<String>))| {
            Piece { heading, ..piece(&format!("{text}⟨{worth}⟩"), place) }
        };
        parts.into_iter().enumerate().map(piece).collect()
    })
}

proptest! {
    /// MBG-6: within the budget, counts true, a prefix of the order of worth.
    #[test]
    fn an_answer_obeys_its_budget(
        pieces in pieces(),
        max_tokens in 64u64..600,
        more in 0usize..1_000_000,
        intro in "[a-z ]{0,200}",
        exact in any::<bool>(),
    ) {
        let counter = if exact { Estimator::Exact(Tokenizer::O200k) } else { Estimator::Bytes4 };
        let spec = AnswerSpec {
            intro: &intro,
            total: pieces.len() + more,
            summary_hint: Some("💡 Use detail_level: standard or full for more detail."),
            next_call: Some("Call mem_search with a larger limit."),
            more: MORE,
            counter,
            ..spec(&pieces, Some(max_tokens))
        };
        let answer = spec.build();
        let truth = counter.count(&answer.text);
        prop_assert!(truth <= max_tokens, "{truth} > {max_tokens}: {}", answer.text);
        if !exact {
            prop_assert_eq!(answer.estimated_tokens, truth);
        }
        let stated = token_footer(answer.estimated_tokens);
        prop_assert!(answer.text.ends_with(&stated));
        prop_assert!(answer.shown <= pieces.len());
        // Every piece has a name of its own, so what is shown and where can be seen.
        let place = |at: usize| answer.text.find(&format!("⟨{at}⟩"));
        let mut seen: Vec<(usize, usize, usize)> = Vec::new();
        for (worth, piece) in pieces.iter().enumerate() {
            let whole = answer.text.contains(&piece.text);
            match worth.cmp(&answer.shown) {
                std::cmp::Ordering::Less if worth == 0 && answer.cut => {
                    prop_assert!(!whole, "what is called cut is cut");
                }
                std::cmp::Ordering::Less => {
                    prop_assert!(whole, "every shown piece is whole");
                    seen.push((piece.place, worth, place(worth).unwrap_or(usize::MAX)));
                }
                _ => prop_assert_eq!(place(worth), None, "the rest is not shown"),
            }
        }
        seen.sort();
        prop_assert!(seen.is_sorted_by_key(|(_, _, at)| *at), "in display order");
        // Whatever is missing of the whole answer, be it a hint, leaves the footer (MBG-9).
        let whole = AnswerSpec { max_tokens: None, ..spec.clone() }.build();
        let left_out = whole.estimated_tokens > max_tokens;
        prop_assert_eq!(answer.text.contains("⚡ Budget"), left_out);
        prop_assert_eq!(answer.text == whole.text, !left_out);
        if left_out {
            let total = commas(spec.total as u64);
            let counts = format!("{} of {total} observations shown", answer.shown);
            prop_assert!(answer.text.contains(&counts));
        }
    }
}
