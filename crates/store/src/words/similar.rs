//! Which known words an unknown one may be meant for.

/// How many wrong letters a word may have: none in short ones.
pub fn allowed(letters: usize) -> usize {
    match letters {
        0..=3 => 0,
        4..=5 => 1,
        _ => 2,
    }
}

/// How many letters two words differ by, swapped neighbours counted once; none if more than is
/// allowed.
pub fn distance(typed: &str, known: &str) -> Option<usize> {
    let (letters, others) = (typed.chars().count(), known.chars().count());
    let allowed = allowed(letters.min(others));
    if letters.abs_diff(others) > allowed {
        return None;
    }
    let distance = strsim::osa_distance(typed, known);
    // Few people mistake the first letter, and none with another one.
    let begins_so = typed.chars().next() == known.chars().next();
    (distance <= allowed && (begins_so || distance <= 1)).then_some(distance)
}

/// Letters at the beginning or the end of which at least one must be as it was typed: a wrong
/// letter stands in one of them at most, so that the known words can be looked up.
pub fn sure_letters(letters: usize) -> usize {
    if letters <= 5 { 2 } else { 3 }
}

/// A word from its last letter to its first.
pub fn backwards(word: &str) -> String {
    word.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_letter_is_near_and_another_word_is_not() {
        assert_eq!(distance("recieve", "receive"), Some(1));
        assert_eq!(distance("databse", "database"), Some(1));
        assert_eq!(distance("migratoin", "migration"), Some(1));
        assert_eq!(distance("cat", "car"), None, "short words are other words");
        assert_eq!(distance("keel", "mast"), None);
        assert_eq!(distance("authentification", "authentication"), Some(2));
    }
}
