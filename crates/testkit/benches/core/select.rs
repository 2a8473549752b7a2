//! Row 1: select what fits into a 128K window and write the request.

use plimsoll_budget::{Boundary, BoundaryInput, Load, LoadSums};
use plimsoll_domain::{Lifecycle, PairId, Timestamp};
use plimsoll_provider::{Endpoint, OpenAiStyle, Provider};
use plimsoll_send::{IncludedTexts, Instructions, Part, Request, WireRules, compose};
use plimsoll_testkit::history::{Random, prose};
use plimsoll_tokens::{Correction, PairTable, RawTokens};

use plimsoll_testkit::report::Table;

use crate::{Effort, peer};

const SIZES: [(usize, &str); 4] =
    [(1_000, "1k"), (10_000, "10k"), (100_000, "100k"), (1_000_000, "1M")];

pub(crate) const INPUT: BoundaryInput = BoundaryInput {
    limit: 128_000,
    allowance: 100,
    raw_prelude: RawTokens::ZERO,
    reply_reserve: 800,
    correction: Correction::NONE,
};

struct Pair {
    id: PairId,
    user: String,
    assistant: String,
    tokens: u64,
}

/// Pairs of 400 and 1,200 characters. A million of them would not fit the memory of a
/// small machine, so texts repeat; each is a copy of its own up to 100,000.
fn pairs(count: usize) -> Vec<Pair> {
    let mut random = Random::new(3);
    (0..count)
        .map(|n| {
            let (user, assistant) = (prose(&mut random, 400), prose(&mut random, 1200));
            let tokens = PairTable::shipped().count(&user) + PairTable::shipped().count(&assistant);
            Pair {
                id: PairId::new(Timestamp::from_millis(n as i64), [0; 10]),
                user,
                assistant,
                tokens,
            }
        })
        .collect()
}

fn select_and_serialise(provider: &OpenAiStyle, pairs: &[Pair]) -> usize {
    let load = |at: usize| Load::of(pairs[at].tokens + 8);
    let mut sums = LoadSums::new(pairs.len());
    let boundary = Boundary::compute(&mut sums, load, &[], &INPUT);
    let included = pairs[boundary.start..].iter().map(|pair| IncludedTexts {
        id: pair.id,
        lifecycle: Lifecycle::Complete,
        user: &pair.user,
        rendered: None,
        assistant: Some(&pair.assistant),
    });
    let new = [Part::Text("And today?".to_owned())];
    let (messages, _) = compose(&Instructions::default(), included, &new, WireRules::OPENAI);
    provider.encode(&Request::new("gpt-4o", messages)).into_body().len()
}

/// A little more than a window of 128K holds: LiteLLM's cost grows with the square.
const FOR_LITELLM: usize = 400;

pub(crate) fn run(effort: Effort, table: &mut Table) -> anyhow::Result<()> {
    let mut at_1k = 0.0;
    let provider = OpenAiStyle::new(Endpoint::new("openai", "http://nowhere.test")?)?;
    for (count, size) in SIZES {
        let pairs = pairs(count);
        let seconds = effort.measure(|| select_and_serialise(&provider, &pairs));
        if count == 1_000 {
            at_1k = seconds;
        }
        table.row("select + serialise, 128K window", size, seconds * 1e3, "ms");
        match count {
            100_000 => {
                let growth = seconds / at_1k;
                table.ratio(format!("{growth:.2} × the time of 1k"));
                table.goal("≤ 1 ms, ≤ 2 × 1k", seconds <= 1e-3 && growth <= 2.0);
                if let Some(theirs) = peer::langchain_trim(count)? {
                    let times = theirs / seconds;
                    table.row("LangChain trim_messages (peer)", size, theirs * 1e3, "ms");
                    table.ratio(format!("we are {times:.0} × faster"));
                    table.goal("≥ 100 ×", times >= 100.0);
                }
            }
            _ => {
                table.ratio(format!("{:.2} × the time of 1k", seconds / at_1k));
                table.goal("≤ 1 ms", seconds <= 1e-3);
            }
        }
    }
    if let Some(theirs) = peer::litellm_trim(FOR_LITELLM)? {
        let pairs = pairs(FOR_LITELLM);
        let ours = effort.measure(|| select_and_serialise(&provider, &pairs));
        table.row("LiteLLM trim_messages (peer)", "400", theirs * 1e3, "ms");
        table.ratio(format!("we are {:.0} × faster", theirs / ours));
    }
    Ok(())
}
