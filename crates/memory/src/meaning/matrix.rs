//! All vectors of a workspace in memory, compared with a question one after the other.
//!
//! 100,000 vectors take 38 MB and are compared in about 4 ms on one core, so that no index
//! that is only nearly right is needed.

use std::collections::{BTreeMap, HashSet};

use super::vector::SmallVector;

/// Numbers that are multiplied side by side.
const LANES: usize = 16;

/// Vectors of notes; a note may have several.
#[derive(Debug)]
pub(super) struct Matrix {
    /// Numbers of a row. That of the first vector counts; others are left out.
    width: usize,
    /// Row after row.
    numbers: Vec<i8>,
    steps: Vec<f32>,
    /// The note of each row.
    owners: Vec<Option<u64>>,
    rows_of: BTreeMap<u64, Vec<usize>>,
    free: Vec<usize>,
    /// How many notes at most.
    most: usize,
}

impl Matrix {
    pub(super) fn new(most: usize) -> Self {
        Self {
            width: 0,
            numbers: Vec::new(),
            steps: Vec::new(),
            owners: Vec::new(),
            rows_of: BTreeMap::new(),
            free: Vec::new(),
            most,
        }
    }

    /// How many notes it has.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.rows_of.len()
    }

    /// Takes the vectors of a note in the place of those that it had. Where there are too many
    /// notes, the one with the lowest id, which is the oldest, goes.
    pub(super) fn put(&mut self, id: u64, vectors: &[SmallVector]) {
        self.remove(id);
        for vector in vectors {
            if self.width == 0 {
                self.width = vector.numbers.len();
            }
            if vector.numbers.len() != self.width || self.width == 0 {
                continue;
            }
            let row = self.free.pop().unwrap_or_else(|| {
                self.numbers.resize(self.numbers.len() + self.width, 0);
                self.steps.push(0.0);
                self.owners.push(None);
                self.owners.len() - 1
            });
            self.numbers[row * self.width..][..self.width].copy_from_slice(&vector.numbers);
            (self.steps[row], self.owners[row]) = (vector.step, Some(id));
            self.rows_of.entry(id).or_default().push(row);
        }
        if self.rows_of.len() > self.most
            && let Some(oldest) = self.rows_of.keys().next().copied()
        {
            self.remove(oldest);
        }
    }

    /// Takes the vectors of a note out.
    pub(super) fn remove(&mut self, id: u64) {
        for row in self.rows_of.remove(&id).unwrap_or_default() {
            self.owners[row] = None;
            self.free.push(row);
        }
    }

    /// How close each note is to a question.
    pub(super) fn compare(&self, question: &SmallVector) -> Ranked {
        if question.numbers.len() != self.width || self.width == 0 {
            return Ranked::default();
        }
        let wide: Vec<i16> = question.numbers.iter().map(|number| i16::from(*number)).collect();
        let rows = self.numbers.chunks_exact(self.width).zip(&self.steps).zip(&self.owners);
        let scores = rows.filter_map(|((row, step), owner)| {
            owner.map(|id| (dot(row, &wide) as f32 * step * question.step, id))
        });
        Ranked { scores: scores.collect() }
    }
}

/// The product of a row with a question. Whole numbers in lanes are what the compiler puts
/// side by side without being told the processor: half as fast as with the newest
/// instructions, which could be had only through another crate.
fn dot(row: &[i8], question: &[i16]) -> i32 {
    let mut lanes = [0i32; LANES];
    let (rows, questions) = (row.chunks_exact(LANES), question.chunks_exact(LANES));
    let product = |(number, other): (&i8, &i16)| i32::from(*number) * i32::from(*other);
    let rest: i32 = rows.remainder().iter().zip(questions.remainder()).map(product).sum();
    for (row, question) in rows.zip(questions) {
        for lane in 0..LANES {
            lanes[lane] += i32::from(row[lane]) * i32::from(question[lane]);
        }
    }
    lanes.iter().sum::<i32>() + rest
}

/// Notes by how close they are.
#[derive(Debug, Default)]
pub(super) struct Ranked {
    /// One for each vector.
    scores: Vec<(f32, u64)>,
}

impl Ranked {
    /// Leaves only these notes.
    pub(super) fn keep(&mut self, ids: &HashSet<u64>) {
        self.scores.retain(|(_, id)| ids.contains(id));
    }

    /// The closest notes, each once with its best vector; of two that are as close, the newer
    /// comes first.
    pub(super) fn closest(&mut self, count: usize) -> Vec<(u64, f32)> {
        let order = |a: &(f32, u64), b: &(f32, u64)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        let mut rows = count;
        loop {
            let some = rows.min(self.scores.len());
            if some < self.scores.len() {
                self.scores.select_nth_unstable_by(some, order);
            }
            let mut best = self.scores[..some].to_vec();
            best.sort_unstable_by(order);
            let mut seen = HashSet::new();
            best.retain(|(_, id)| seen.insert(*id));
            if best.len() >= count || some == self.scores.len() {
                best.truncate(count);
                return best.into_iter().map(|(score, id)| (id, score)).collect();
            }
            rows = rows.saturating_mul(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    fn small(numbers: &[i8]) -> SmallVector {
        SmallVector { step: 0.5, numbers: numbers.to_vec() }
    }

    #[test]
    fn mem_10_a_note_counts_with_its_closest_vector() {
        let mut matrix = Matrix::new(10);
        matrix.put(1, &[small(&[1, 0]), small(&[9, 0])]);
        matrix.put(2, &[small(&[5, 5])]);
        matrix.put(3, &[small(&[0, 7]), small(&[5, 1])]);
        let found = matrix.compare(&small(&[2, 0])).closest(9);
        assert_eq!(found, [(1, 4.5), (3, 2.5), (2, 2.5)]);
        assert_eq!(matrix.compare(&small(&[2, 0])).closest(1), [(1, 4.5)]);
        // Another text, and a note that is gone.
        matrix.put(1, &[small(&[1, 0])]);
        matrix.remove(3);
        assert_eq!(matrix.compare(&small(&[2, 0])).closest(9), [(2, 2.5), (1, 0.5)]);
    }

    #[test]
    fn vectors_of_another_length_are_left_out() {
        let mut matrix = Matrix::new(10);
        matrix.put(1, &[small(&[1, 0])]);
        matrix.put(2, &[small(&[1, 0, 0])]);
        assert_eq!(matrix.len(), 1);
        assert_eq!(matrix.compare(&small(&[1, 0, 0])).closest(9), []);
        assert_eq!(Matrix::new(1).compare(&small(&[])).closest(9), []);
    }

    #[test]
    fn mem_10_beyond_the_bound_the_newest_stay() {
        let mut matrix = Matrix::new(3);
        for id in [5, 1, 4, 2, 3] {
            matrix.put(id, &[small(&[1])]);
        }
        let ids: Vec<u64> =
            matrix.compare(&small(&[1])).closest(9).iter().map(|one| one.0).collect();
        assert_eq!(ids, [5, 4, 3]);
    }

    proptest! {
        /// Against the plainest way, after any changes.
        #[test]
        fn mem_10_the_closest_are_those_of_a_plain_search(
            changes in proptest::collection::vec(
                (0u64..12, proptest::collection::vec(proptest::collection::vec(any::<i8>(), 19), 0..3)),
                0..40,
            ),
            question in proptest::collection::vec(any::<i8>(), 19),
            count in 0usize..9,
        ) {
            let mut matrix = Matrix::new(100);
            let mut plain: HashMap<u64, Vec<Vec<i8>>> = HashMap::new();
            for (id, vectors) in changes {
                let small: Vec<_> = vectors.iter().map(|numbers| small(numbers)).collect();
                matrix.put(id, &small);
                plain.insert(id, vectors);
            }
            let score = |numbers: &Vec<i8>| -> i32 {
                numbers.iter().zip(&question).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
            };
            let mut expected: Vec<(i32, u64)> = plain
                .iter()
                .filter_map(|(id, vectors)| vectors.iter().map(score).max().map(|best| (best, *id)))
                .collect();
            expected.sort_by(|a, b| b.cmp(a));
            let expected: Vec<(u64, f32)> =
                expected.into_iter().take(count).map(|(best, id)| (id, best as f32 * 0.25)).collect();
            let mut ranked = matrix.compare(&small(&question));
            prop_assert_eq!(ranked.closest(count), expected);
        }
    }
}
