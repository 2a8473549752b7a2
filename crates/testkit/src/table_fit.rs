//! Fitting the table of the `fast` estimator from texts and their true tokens.

/// The probability of a boundary where a pair of bytes was never seen. It is the
/// share of boundaries in ordinary text.
const PRIOR: f64 = 0.3;

/// How many sightings the prior is worth: enough to tame a pair seen once.
const PRIOR_WEIGHT: f64 = 1.0;

/// Counts of byte pairs, and of the token boundaries between them.
pub struct TableFit {
    seen: Vec<u64>,
    boundaries: Vec<u64>,
}

impl Default for TableFit {
    fn default() -> Self {
        Self { seen: vec![0; 256 * 256], boundaries: vec![0; 256 * 256] }
    }
}

impl TableFit {
    /// Learns from one text, cut into tokens of these byte lengths.
    pub fn add(&mut self, text: &str, token_lengths: &[usize]) {
        let mut lengths = token_lengths.iter();
        let mut next_boundary = 0;
        let mut prev = 0usize;
        for (at, byte) in text.bytes().enumerate() {
            let cell = 256 * prev + usize::from(byte);
            self.seen[cell] += 1;
            if at == next_boundary {
                self.boundaries[cell] += 1;
                next_boundary += lengths.next().copied().unwrap_or(usize::MAX / 2);
            }
            prev = usize::from(byte);
        }
    }

    /// The table in its file form: row `prev`, column `byte`, probability in 255ths.
    pub fn finish(&self) -> Vec<u8> {
        let cells = self.seen.iter().zip(&self.boundaries);
        cells
            .map(|(seen, boundaries)| {
                let share =
                    (*boundaries as f64 + PRIOR * PRIOR_WEIGHT) / (*seen as f64 + PRIOR_WEIGHT);
                (share * 255.0).round() as u8
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_tokens::{PairTable, Tokenizer};

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
