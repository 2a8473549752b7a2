//! Clarifying: eight dimensions, weighted, until enough is clear (SDD-2).

use plimsoll_domain::Timestamp;
use serde_json::Value;

use crate::{
    Done, Notebook, SpecsError, Stage,
    document::{body, check, one_line, optional},
    files::LONGEST_FILE,
    state::{State, day},
};

/// One thing that should be clear before a design.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    /// Its name in `dimension_scores`.
    pub name: &'static str,
    /// What it counts.
    pub weight: u32,
    /// What to ask.
    pub question: &'static str,
}

/// The dimensions.
pub const DIMENSIONS: [Dimension; 8] = [
    dimension("target_users", 8, "Who uses it, how often, and what do they know already?"),
    dimension("core_functionality", 10, "What must it do, and how does one see that it does?"),
    dimension("data_model", 7, "What is kept, how does it hang together, and who owns it?"),
    dimension("integrations", 6, "What does it speak to, and what if that does not answer?"),
    dimension("edge_cases", 8, "What happens with nothing, too much, the wrong and the late?"),
    dimension("security", 7, "Who may do what, and what must never leak?"),
    dimension("scale_performance", 5, "How many, how much and how fast, today and in a year?"),
    dimension("scope_boundaries", 9, "What is it not, and what comes later?"),
];

const fn dimension(name: &'static str, weight: u32, question: &'static str) -> Dimension {
    Dimension { name, weight, question }
}

/// What `sdd_clarify` takes. With neither, it asks.
#[derive(Clone, Debug, Default)]
pub struct Clarify {
    /// The answers to the questions.
    pub answers: Option<String>,
    /// How clear each dimension is, from 0 to 100: `target_users: 80, …` or a JSON object.
    pub dimension_scores: Option<String>,
}

impl Clarify {
    /// Whether it only wants the questions, and changes nothing.
    pub fn only_asks(&self) -> bool {
        given(&self.answers).is_none() && given(&self.dimension_scores).is_none()
    }
}

impl Notebook {
    /// `sdd_clarify`.
    pub fn clarify(&self, args: &Clarify, now: Timestamp) -> Result<Done, SpecsError> {
        let _held = self.files.hold_existing()?;
        let state = State::at(&self.files, Stage::Clarify)?;
        let scores = given(&args.dimension_scores).map(scores).transpose()?;
        let answers = given(&args.answers);
        if answers.is_none() && scores.is_none() {
            return Ok(Done { text: questions(&state), remember: None });
        }
        check(&[optional("answers", "Answers", &args.answers)])?;
        let text = self.next_round(&state, answers, scores.as_ref(), now)?;
        let Some(scores) = scores else {
            self.files.write(Stage::Clarify.file(), &text)?;
            let text = "Saved the answers in sdd/clarifications.md. Now score each dimension from \
                        0 to 100 with dimension_scores."
                .to_owned();
            return Ok(Done { text, remember: None });
        };
        let (clarity, needed) = (clarity(&scores), state.mode.needed_clarity());
        if clarity >= needed {
            let title = format!("Clarifications: {}", one_line(&state.name));
            let mut done = self.complete(state, &title, &text, now)?;
            done.text = format!("Clarity {clarity} of 100, {needed} needed. {}", done.text);
            return Ok(done);
        }
        self.files.write(Stage::Clarify.file(), &text)?;
        let mut text =
            format!("Clarity {clarity} of 100, but {needed} is needed. Ask about what is unclear:");
        let unclear = DIMENSIONS.iter().zip(&scores).filter(|(_, score)| **score < needed);
        for (dimension, score) in unclear {
            text.push_str(&format!("\n- {} ({score}): {}", dimension.name, dimension.question));
        }
        text.push_str("\nThen call sdd_clarify with answers and new dimension_scores.");
        Ok(Done { text, remember: None })
    }

    /// The file with another round at its end.
    fn next_round(
        &self,
        state: &State,
        answers: Option<&str>,
        scores: Option<&[u32; 8]>,
        now: Timestamp,
    ) -> Result<String, SpecsError> {
        let mut text = self.files.read(Stage::Clarify.file())?.unwrap_or_default();
        if text.trim().is_empty() {
            text = format!("# Clarifications: {}\n", one_line(&state.name));
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        let round = text.lines().filter(|line| line.starts_with("## Round ")).count() + 1;
        text.push_str(&format!("\n## Round {round}, {}\n", day(now)));
        if let Some(answers) = answers {
            text.push_str(&format!("\n{}\n", body(answers)));
        }
        if let Some(scores) = scores {
            text.push_str("\n| dimension | weight | score |\n|---|---|---|\n");
            for (dimension, score) in DIMENSIONS.iter().zip(scores) {
                let Dimension { name, weight, .. } = dimension;
                text.push_str(&format!("| {name} | {weight} | {score} |\n"));
            }
            text.push_str(&format!("\nClarity: {} of 100\n", clarity(scores)));
        }
        // What is too long is the file with all its rounds; these answers are within theirs.
        if text.len() as u64 > LONGEST_FILE {
            let file = format!("sdd/{}", Stage::Clarify.file());
            return Err(SpecsError::Full { file, bytes: text.len(), limit: LONGEST_FILE });
        }
        Ok(text)
    }
}

fn given(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

fn questions(state: &State) -> String {
    let needed = state.mode.needed_clarity();
    let mut text = String::from("Ask the user, or answer from the documents so far:");
    for Dimension { name, weight, question } in DIMENSIONS {
        text.push_str(&format!("\n- {name} (weight {weight}): {question}"));
    }
    text.push_str(&format!(
        "\nThen call sdd_clarify with answers and dimension_scores (0 to 100 each, such as \
         target_users: 80, …). A weighted {needed} of 100 ends this stage."
    ));
    text
}

/// The weighted mean, rounded down: what is nearly enough is not.
fn clarity(scores: &[u32; 8]) -> u32 {
    let weights: u32 = DIMENSIONS.iter().map(|dimension| dimension.weight).sum();
    let sum: u32 = DIMENSIONS.iter().zip(scores).map(|(one, score)| one.weight * score).sum();
    sum / weights
}

/// Reads the scores: all eight, each from 0 to 100.
fn scores(text: &str) -> Result<[u32; 8], SpecsError> {
    let bad = |problem: String| Err(SpecsError::Scores(problem));
    let mut found: [Option<u32>; 8] = [None; 8];
    for (name, score) in pairs(text)? {
        let short: String = name.chars().take(40).collect();
        let Some(at) = DIMENSIONS.iter().position(|one| one.name.eq_ignore_ascii_case(&name))
        else {
            return bad(format!("\"{short}\" is no dimension; they are {}", names(|_| true)));
        };
        match score.parse::<u32>() {
            Ok(score) if score <= 100 => found[at] = Some(score),
            _ => {
                let score: String = score.chars().take(20).collect();
                return bad(format!("{short} is a whole number from 0 to 100, not \"{score}\""));
            }
        }
    }
    if found.contains(&None) {
        let missing = names(|at| found[at].is_none());
        return bad(format!("these have no score: {missing}"));
    }
    Ok(found.map(Option::unwrap_or_default))
}

fn names(which: impl Fn(usize) -> bool) -> String {
    let names: Vec<&str> = DIMENSIONS
        .iter()
        .enumerate()
        .filter(|(at, _)| which(*at))
        .map(|(_, dimension)| dimension.name)
        .collect();
    names.join(", ")
}

/// Names and scores, from a JSON object or from `name: score` lines.
fn pairs(text: &str) -> Result<Vec<(String, String)>, SpecsError> {
    let too_long = || SpecsError::Scores("too long for eight scores".to_owned());
    if text.len() > 4_000 {
        return Err(too_long());
    }
    if text.starts_with('{') {
        let object: serde_json::Map<String, Value> =
            serde_json::from_str(text).map_err(|error| SpecsError::Scores(error.to_string()))?;
        let plain = |value: Value| match value {
            Value::String(text) => text.trim().to_owned(),
            other => other.to_string(),
        };
        return Ok(object.into_iter().map(|(name, value)| (name, plain(value))).collect());
    }
    let parts = text.split([',', '\n', ';']).map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let part = part.trim_start_matches(['-', '*', ' ']);
            let (name, score) = part.split_once([':', '=']).ok_or_else(|| {
                let short: String = part.chars().take(40).collect();
                SpecsError::Scores(format!("\"{short}\" is not of the form target_users: 80"))
            })?;
            Ok((name.trim().to_owned(), score.trim().to_owned()))
        })
        .collect()
}

#[cfg(test)]
#[path = "clarify_tests.rs"]
mod tests;
