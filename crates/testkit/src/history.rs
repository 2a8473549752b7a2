//! Made-up histories of any length, the same every time.

/// A small generator of numbers; the same seed gives the same numbers.
pub struct Random(u64);

impl Random {
    /// Numbers from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// The next number (splitmix64).
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next_u64() % bound.max(1)
    }
}

const WORDS: [&str; 32] = [
    "ship",
    "harbour",
    "cargo",
    "the",
    "of",
    "and",
    "a",
    "line",
    "load",
    "water",
    "winter",
    "summer",
    "deck",
    "hull",
    "captain",
    "storm",
    "anchor",
    "sail",
    "crew",
    "tonnage",
    "is",
    "to",
    "in",
    "measure",
    "mark",
    "under",
    "over",
    "tide",
    "keel",
    "ballast",
    "insurance",
    "voyage",
];

/// Words up to about `chars` characters.
pub fn prose(random: &mut Random, chars: usize) -> String {
    let mut text = String::with_capacity(chars + 12);
    while text.len() < chars {
        text.push_str(WORDS[random.below(WORDS.len() as u64) as usize]);
        text.push(if random.below(12) == 0 { '\n' } else { ' ' });
    }
    text
}

/// The line of pair number `n` of a history: 400 characters of question and 1,200 of
/// answer, one pair a minute, with topics, models, stars and some errors.
pub fn pair_line(n: u64, random: &mut Random) -> String {
    let minutes = n;
    let (day, hour, minute) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    let (year, month, day) = (2020 + day / 336, 1 + day / 28 % 12, 1 + day % 28);
    let state = if random.below(50) == 0 { "error" } else { "complete" };
    let model = ["gpt-4o", "phi-3-mini-4k", "claude-sonnet-5"][random.below(3) as usize];
    serde_json::json!({
        "id": format!("pair-{n:08}"),
        "userText": prose(random, 400),
        "assistantText": prose(random, 1200),
        "createdAt": format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z"),
        "star": random.below(4),
        "colorFlag": if random.below(3) == 0 { "blue" } else { "grey" },
        "model": model,
        "topic": format!("/Topic {}/Part {}", random.below(20), random.below(5)),
        "lifecycleState": state,
    })
    .to_string()
}
