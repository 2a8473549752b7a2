//! How numbers of tokens are written (EST-8).

/// `1234567` as `1,234,567`.
pub fn commas(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 file`, `1,234 files`: things whose plural takes an s.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", commas(count), if count == 1 { "" } else { "s" })
}

/// `~1,234 tokens`.
pub fn tokens_phrase(tokens: u64) -> String {
    format!("~{} tokens", commas(tokens))
}

/// The last line of a budgeted answer (MBG-1), with the line break before it.
pub fn token_footer(tokens: u64) -> String {
    format!("\n📏 {}", tokens_phrase(tokens))
}

/// `~2.5K / 4K tokens`: a load against its window, without the `~` where it was
/// counted exactly.
pub fn compact_load(tokens: u64, window: u64, exact: bool) -> String {
    let kilo = kilo_for(window);
    let mark = if exact { "" } else { "~" };
    format!("{mark}{} / {} tokens", compact(tokens, kilo), compact(window, kilo))
}

/// Tokens on their own, in the units of a window: `54K`.
pub fn compact_tokens(tokens: u64, window: u64) -> String {
    compact(tokens, kilo_for(window))
}

/// A window on its own, such as `4K` or `1M`.
pub fn compact_size(window: u64) -> String {
    compact(window, kilo_for(window))
}

/// K is 1000 for windows that are a multiple of it, then 1024 for those of 1024, else 1000:
/// people call 128,000 tokens 128K, and 131,072 as well.
fn kilo_for(window: u64) -> u64 {
    let binary = !window.is_multiple_of(1000) && window.is_multiple_of(1024);
    if binary { 1024 } else { 1000 }
}

fn compact(number: u64, kilo: u64) -> String {
    if number < kilo {
        return number.to_string();
    }
    // Numbers that would read "1000K" or "1024K" step up to the next unit.
    let kilos = scaled(number, kilo);
    if kilos.tenths < kilo * 10 {
        return kilos.print('K');
    }
    scaled(number, kilo * kilo).print('M')
}

/// What something cost: cents where there are many, else what is left of one.
pub fn dollars(cost: f64) -> String {
    if cost >= 1.0 { format!("${cost:.2}") } else { format!("${cost:.4}") }
}

/// What something costs at most, never less than it does: `≤ $0.13`, or `free`.
pub fn dollars_at_most(cost: f64) -> String {
    if cost <= 0.0 {
        return "free".to_owned();
    }
    let (parts, digits) = if cost >= 0.1 { (100.0, 2) } else { (10_000.0, 4) };
    // A sum such as 0.1 + 0.03 is a little more than it should be.
    let up = (cost * parts - 1e-6).ceil().max(1.0) / parts;
    format!("≤ ${up:.digits$}")
}

struct Tenths {
    tenths: u64,
}

/// The number in units, to the nearest tenth below ten and to the nearest whole above.
fn scaled(number: u64, unit: u64) -> Tenths {
    let tenths = rounded(u128::from(number) * 10, unit);
    if tenths < 100 {
        Tenths { tenths }
    } else {
        Tenths { tenths: rounded(number.into(), unit) * 10 }
    }
}

fn rounded(number: u128, unit: u64) -> u64 {
    let unit = u128::from(unit.max(1));
    u64::try_from((number + unit / 2) / unit).unwrap_or(u64::MAX / 10)
}

impl Tenths {
    fn print(&self, suffix: char) -> String {
        match (self.tenths / 10, self.tenths % 10) {
            (whole, 0) => format!("{whole}{suffix}"),
            (whole, tenth) => format!("{whole}.{tenth}{suffix}"),
        }
    }
}

/// `512 B`, `1.2 MB`: units of 1024, one decimal above the byte.
pub fn size_words(bytes: u64) -> String {
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut unit = 1024;
    for name in ["KB", "MB"] {
        // What would read 1024.0 steps up to the next unit.
        let tenths = tenths_of(bytes, unit);
        if tenths < 10_240 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        unit *= 1024;
    }
    let tenths = tenths_of(bytes, unit);
    format!("{}.{} GB", tenths / 10, tenths % 10)
}

fn tenths_of(bytes: u64, unit: u64) -> u128 {
    (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MBG-1: the footer counts in thousands with commas.
    #[test]
    fn thousands_have_commas() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1234, "1,234"),
            (1_234_567, "1,234,567"),
            (100_000, "100,000"),
        ] {
            assert_eq!(commas(number), text);
        }
        assert_eq!(commas(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(token_footer(1234), "\n📏 ~1,234 tokens");
    }

    #[test]
    fn est_8_compact_loads() {
        for (tokens, window, text) in [
            (2560, 4096, "~2.5K / 4K tokens"),
            (512, 4096, "~512 / 4K tokens"),
            (1024, 4096, "~1K / 4K tokens"),
            (0, 131_072, "~0 / 128K tokens"),
            (10_240, 131_072, "~10K / 128K tokens"),
            (10_200, 131_072, "~10K / 128K tokens"),
            (2500, 200_000, "~2.5K / 200K tokens"),
            (9_949, 200_000, "~9.9K / 200K tokens"),
            (9_960, 200_000, "~10K / 200K tokens"),
            (12_700, 200_000, "~13K / 200K tokens"),
            // 128,000 is a multiple of both, and people call it 128K.
            (2560, 128_000, "~2.6K / 128K tokens"),
            (999_700, 1_000_000, "~1M / 1M tokens"),
            (1_500_000, 1_048_576, "~1.4M / 1M tokens"),
        ] {
            assert_eq!(compact_load(tokens, window, false), text);
            assert_eq!(compact_load(tokens, window, true), text[1..]);
        }
    }

    #[test]
    fn sizes_stand_alone() {
        for (window, text) in [
            (4096, "4K"),
            (8191, "8.2K"),
            (32_768, "32K"),
            (128_000, "128K"),
            (131_072, "128K"),
            (200_000, "200K"),
            (1_048_576, "1M"),
            (1_050_000, "1.1M"),
        ] {
            assert_eq!(compact_size(window), text);
        }
    }

    #[test]
    fn extremes_do_not_panic() {
        for number in [0, 1, 1023, 1024, u64::MAX - 1, u64::MAX] {
            for window in [0, 1, 1024, u64::MAX, u64::MAX - 1023] {
                assert!(!compact_load(number, window, false).is_empty());
            }
        }
    }

    #[test]
    fn fil_3_sizes_have_one_decimal() {
        for (bytes, words) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KB"),
            (1_258_291, "1.2 MB"),
            (1_048_575, "1.0 MB"),
            (1 << 30, "1.0 GB"),
            ((1 << 30) - 1, "1.0 GB"),
            (5 << 40, "5120.0 GB"),
            (u64::MAX, "17179869184.0 GB"),
        ] {
            assert_eq!(size_words(bytes), words);
        }
    }

    #[test]
    fn ui_18_what_something_costs_at_most_is_never_said_too_low() {
        for (cost, text) in [
            (0.0, "free"),
            (0.000001, "≤ $0.0001"),
            (0.00214, "≤ $0.0022"),
            (0.1, "≤ $0.10"),
            (0.13, "≤ $0.13"),
            (0.1 + 0.03, "≤ $0.13"),
            (0.1301, "≤ $0.14"),
            (12.341, "≤ $12.35"),
        ] {
            assert_eq!(dollars_at_most(cost), text, "{cost}");
        }
        assert_eq!([dollars(0.0021), dollars(12.345)], ["$0.0021", "$12.35"]);
    }
}
