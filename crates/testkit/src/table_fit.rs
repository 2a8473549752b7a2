//! Fitting the table of the `fast` estimator from texts and their true tokens.

use plimsoll_tokens::PairTable;

/// The probability of a boundary where a pair of bytes was never seen. It is the
/// share of boundaries in ordinary text.
const PRIOR: f64 = 0.3;

/// How many sightings the prior is worth: enough to tame a pair seen once.
const PRIOR_WEIGHT: f64 = 1.0;

/// How many sightings of a pair with what follows it are worth what is known of the pair.
const PAIR_WEIGHT: f64 = 20.0;

/// What each text counts for, whatever its size: as many bytes. The goal is a small error of
/// each file, not of the sum, and a few large ones must not have the say.
const TEXT_WEIGHT: f64 = 10_000.0;

/// Sightings of pairs of bytes with what follows them, and of the token boundaries between.
pub struct TableFit {
    seen: Vec<f64>,
    boundaries: Vec<f64>,
}

impl Default for TableFit {
    fn default() -> Self {
        Self { seen: vec![0.0; PairTable::SIZE], boundaries: vec![0.0; PairTable::SIZE] }
    }
}

impl TableFit {
    /// Learns from one text, cut into tokens of these byte lengths.
    pub fn add(&mut self, text: &str, token_lengths: &[usize]) {
        let weight = TEXT_WEIGHT / text.len().max(1) as f64;
        let bytes = text.as_bytes();
        let mut lengths = token_lengths.iter();
        let mut next_boundary = 0;
        let mut prev = 0;
        for (at, byte) in bytes.iter().enumerate() {
            let cell = PairTable::place(prev, *byte, bytes.get(at + 1).copied());
            self.seen[cell] += weight;
            if at == next_boundary {
                self.boundaries[cell] += weight;
                next_boundary += lengths.next().copied().unwrap_or(usize::MAX / 2);
            }
            prev = *byte;
        }
    }

    /// The table in its file form. Where a pair was seldom seen before this kind of byte, it is
    /// what it is before all of them.
    pub fn finish(&self) -> Vec<u8> {
        const PAIRS: usize = 256 * 256;
        let sum = |cells: &[f64], pair: usize| cells[pair..].iter().step_by(PAIRS).sum::<f64>();
        let of_pair: Vec<f64> = (0..PAIRS)
            .map(|pair| {
                let (boundaries, seen) = (sum(&self.boundaries, pair), sum(&self.seen, pair));
                (boundaries + PRIOR * PRIOR_WEIGHT) / (seen + PRIOR_WEIGHT)
            })
            .collect();
        let cells = self.seen.iter().zip(&self.boundaries).enumerate();
        cells
            .map(|(cell, (seen, boundaries))| {
                let known = of_pair[cell % PAIRS];
                let share = (boundaries + known * PAIR_WEIGHT) / (seen + PAIR_WEIGHT);
                (share * 255.0).round() as u8
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_tokens::Tokenizer;

    use super::*;

    #[test]
    fn a_fitted_table_knows_the_text_it_was_fitted_on() {
        let text = "Ships carry goods. Ships carry people, too; and a mark on the hull says how \
                    deep she may be loaded in summer, in winter and in fresh water.\n"
            .repeat(20);
        let mut fit = TableFit::default();
        fit.add(&text, &Tokenizer::O200k.token_lengths(&text));
        let table = PairTable::from_file_bytes(&fit.finish()).unwrap();
        let exact = Tokenizer::O200k.count(&text) as f64;
        let off = (table.count(&text) as f64 / exact - 1.0).abs();
        assert!(off < 0.02, "off by {off}");
    }

    #[test]
    fn an_unseen_pair_has_the_prior() {
        let table = TableFit::default().finish();
        assert!(table.iter().all(|cell| *cell == 77));
    }
}
