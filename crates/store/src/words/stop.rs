//! Words that say nothing about what a text is about.

/// Of English and German, in their folded form, in order.
const STOP_WORDS: &[&str] = &[
    "a", "aber", "about", "after", "again", "all", "als", "also", "am", "an", "and", "any", "are",
    "as", "at", "auch", "auf", "aus", "be", "because", "been", "before", "bei", "beim", "being",
    "bin", "bis", "both", "but", "by", "can", "could", "da", "damit", "dann", "das", "dass", "dem",
    "den", "denn", "der", "des", "did", "die", "dies", "diese", "diesem", "diesen", "dieser",
    "dieses", "do", "does", "doing", "don", "done", "durch", "each", "ein", "eine", "einem",
    "einen", "einer", "eines", "er", "es", "euch", "for", "from", "fuer", "fur", "get", "gets",
    "gibt", "had", "has", "hat", "have", "having", "he", "her", "here", "him", "his", "how", "i",
    "ich", "if", "ihm", "ihn", "ihr", "im", "in", "ins", "into", "is", "ist", "it", "its", "just",
    "kann", "kein", "keine", "koennen", "konnen", "ll", "man", "may", "me", "mein", "mir", "mit",
    "more", "most", "muss", "must", "my", "nach", "nicht", "no", "noch", "not", "nur", "ob",
    "oder", "of", "off", "on", "once", "only", "or", "other", "our", "out", "over", "own", "re",
    "s", "same", "schon", "sein", "she", "should", "sich", "sie", "sind", "so", "some", "such",
    "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
    "to", "too", "ueber", "um", "und", "uns", "unser", "unsere", "up", "us", "use", "used", "ve",
    "very", "vom", "von", "vor", "wann", "war", "waren", "warum", "was", "we", "wegen", "weil",
    "welche", "welchem", "welchen", "welcher", "welches", "wenn", "wer", "werden", "were", "what",
    "when", "where", "which", "while", "who", "whom", "whose", "why", "wie", "wieder", "will",
    "wir", "wird", "with", "wo", "wohin", "would", "wurde", "wurden", "you", "your", "zu", "zum",
    "zur",
];

pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("where") && is_stop_word("wird") && !is_stop_word("token"));
    }
}
