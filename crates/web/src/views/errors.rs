//! How far the estimates were off, day by day, as a curve and as a table (UI-14).

use jiff::tz::TimeZone;
use maud::{Markup, html};
use plimsoll_domain::Timestamp;
use plimsoll_store::{EstimateErrors, ReceiptTotals, TotalsKey};
use plimsoll_tokens::commas;

use crate::formats::{day, percent};

/// So many days are drawn, the newest of those with something to compare.
const DAYS: usize = 30;
/// An estimate this close is what we aim at.
const GOOD: f64 = 5.0;
/// The edges stand for one of these, in percent. What is beyond stands at the edge: one wild
/// report would make a flat line of all others.
const SCALES: [f64; 4] = [10.0, 20.0, 50.0, 100.0];

/// The picture: its size, where the curve begins and ends, where zero is.
const WIDTH: f64 = 388.0;
const HEIGHT: f64 = 142.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 378.0;
const ZERO: f64 = 62.0;
/// From zero to the upper or lower edge.
const REACH: f64 = 52.0;

type Day = (Timestamp, EstimateErrors);

/// The curve of these days, the oldest first.
pub(super) fn chart(totals: &[ReceiptTotals], zone: &TimeZone) -> Markup {
    let compared = |sum: &ReceiptTotals| match sum.key {
        TotalsKey::Day(at) => Some((at, sum.errors?)),
        TotalsKey::Model(_) | TotalsKey::Topic(_) => None,
    };
    let mut days: Vec<Day> = totals.iter().filter_map(compared).collect();
    days.drain(..days.len().saturating_sub(DAYS));
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return html! { p.muted { "No provider has said yet what it read." } };
    };
    let sends = days.iter().fold(0, |sum, (_, errors)| sum + errors.sends);
    let sum: f64 = days.iter().map(|(_, errors)| errors.mean * errors.sends as f64).sum();
    let lowest = days.iter().map(|(_, errors)| errors.lowest).fold(f64::INFINITY, f64::min);
    let highest = days.iter().map(|(_, errors)| errors.highest).fold(f64::NEG_INFINITY, f64::max);
    let said = format!(
        "Mean {} over {} {} on {} {}, from {} to {}.",
        percent(sum / sends as f64),
        commas(sends),
        if sends == 1 { "send" } else { "sends" },
        days.len(),
        if days.len() == 1 { "day" } else { "days" },
        percent(lowest),
        percent(highest),
    );
    let scale = Scale::of(&days);
    let names = match days.len() {
        1 => vec![(day(first.0, zone), "middle", (LEFT + RIGHT) / 2.0)],
        _ => vec![(day(first.0, zone), "start", LEFT), (day(last.0, zone), "end", RIGHT)],
    };
    html! {
        svg.errors viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(said) {
            (scale.lines())
            (marks(&days, scale, zone))
            @for (name, anchor, x) in &names {
                text.name x=(x) y=(HEIGHT - 6.0) text-anchor=(anchor) { (name) }
            }
        }
        p { (said) }
        p.muted {
            "Above zero the estimate was too high. Line: a day's mean. Bars: its lowest to its "
            "highest. Band: ±" (GOOD) " %."
            @if lowest < -scale.0 || highest > scale.0 {
                " What is beyond ±" (scale.0) " % stands at the edge."
            }
        }
        details.numbers {
            summary { "The same as a table" }
            (table(&days, zone))
        }
    }
}

/// How many percent the edges stand for.
#[derive(Clone, Copy)]
struct Scale(f64);

impl Scale {
    /// All means are to be seen, and the spread of most days: of a dozen, the widest may be
    /// beyond.
    fn of(days: &[Day]) -> Self {
        let mean = days.iter().map(|(_, errors)| errors.mean.abs()).fold(0.0, f64::max);
        let wide = |(_, errors): &Day| errors.lowest.abs().max(errors.highest.abs());
        let mut widths: Vec<f64> = days.iter().map(wide).collect();
        widths.sort_by(f64::total_cmp);
        let most = ((widths.len().saturating_sub(1)) as f64 * 0.9).ceil() as usize;
        let largest = widths.get(most).copied().unwrap_or(0.0).max(mean);
        let last = SCALES[SCALES.len() - 1];
        Self(SCALES.into_iter().find(|scale| *scale >= largest).unwrap_or(last))
    }

    fn y(self, error: f64) -> f64 {
        ZERO - error.clamp(-self.0, self.0) / self.0 * REACH
    }

    /// The band of good estimates, and lines at zero and at the edges with their names.
    fn lines(self) -> Markup {
        let (top, bottom) = (self.y(GOOD), self.y(-GOOD));
        let marks = [(self.0, "edge"), (0.0, "zero"), (-self.0, "edge")];
        html! {
            rect.band x=(LEFT) y=(n(top)) width=(RIGHT - LEFT) height=(n(bottom - top)) {}
            @for (value, kind) in marks {
                path class=(kind) d={ "M" (LEFT) " " (n(self.y(value))) "H" (RIGHT) } {}
                text.name x=(LEFT - 8.0) y=(n(self.y(value) + 3.5)) text-anchor="end" {
                    @if value == 0.0 { "0 %" } @else { (format!("{value:+} %").replace('-', "−")) }
                }
            }
        }
    }
}

/// A bar and a point for each day, and the line through the points.
fn marks(days: &[Day], scale: Scale, zone: &TimeZone) -> Markup {
    // A day alone stands in the middle; the outer ones keep off the edges.
    let x = |at: usize| match days.len() {
        1 => (LEFT + RIGHT) / 2.0,
        count => LEFT + 6.0 + (RIGHT - LEFT - 12.0) * at as f64 / (count - 1) as f64,
    };
    let step = |(at, (_, errors)): (usize, &Day)| {
        format!("{}{} {}", if at == 0 { "M" } else { "L" }, n(x(at)), n(scale.y(errors.mean)))
    };
    let curve: String = days.iter().enumerate().map(step).collect();
    html! {
        @for (at, (_, errors)) in days.iter().enumerate() {
            // A line of no length is drawn as its round ends, which would be a second point.
            @if errors.sends > 1 {
                path.spread d={ "M" (n(x(at))) " " (n(scale.y(errors.lowest))) "V" (n(scale.y(errors.highest))) } {}
            }
        }
        path.curve d=(curve) {}
        @for (at, (start, errors)) in days.iter().enumerate() {
            circle cx=(n(x(at))) cy=(n(scale.y(errors.mean))) r="2.4" {}
            // What the mouse finds is the whole height of a day.
            @let room = (RIGHT - LEFT) / days.len() as f64;
            rect.hit x=(n(x(at) - room / 2.0)) y=(n(ZERO - REACH)) width=(n(room)) height=(2.0 * REACH) {
                title { (day(*start, zone)) ": " (words(errors)) }
            }
        }
    }
}

fn words(errors: &EstimateErrors) -> String {
    match errors.sends {
        1 => format!("{}, 1 send", percent(errors.mean)),
        sends => format!(
            "{}, from {} to {}, {} sends",
            percent(errors.mean),
            percent(errors.lowest),
            percent(errors.highest),
            commas(sends)
        ),
    }
}

fn table(days: &[Day], zone: &TimeZone) -> Markup {
    html! {
        table.mono {
            thead { tr {
                th scope="col" { "day" } th.n scope="col" { "sends" } th.n scope="col" { "mean" }
                th.n scope="col" { "lowest" } th.n scope="col" { "highest" }
            } }
            tbody {
                @for (at, errors) in days.iter().rev() {
                    tr {
                        th scope="row" { (day(*at, zone)) } td.n { (commas(errors.sends)) }
                        td.n { (percent(errors.mean)) } td.n { (percent(errors.lowest)) }
                        td.n { (percent(errors.highest)) }
                    }
                }
            }
        }
    }
}

/// A length in the picture.
fn n(length: f64) -> String {
    format!("{length:.1}")
}

#[cfg(test)]
mod tests {
    use plimsoll_domain::Usage;
    use proptest::prelude::*;

    use super::*;

    fn totals(errors: &[(u64, f64, f64, f64)]) -> Vec<ReceiptTotals> {
        let total = |(at, (sends, mean, low, high)): (i64, &(u64, f64, f64, f64))| ReceiptTotals {
            key: TotalsKey::Day(Timestamp::from_millis(at * 86_400_000)),
            sends: *sends,
            usage: Usage::default(),
            estimate: 0,
            cost: 0.0,
            errors: (*sends > 0).then_some(EstimateErrors {
                sends: *sends,
                mean: *mean,
                lowest: *low,
                highest: *high,
            }),
        };
        (0i64..).zip(errors).map(total).collect()
    }

    fn drawn(errors: &[(u64, f64, f64, f64)]) -> String {
        chart(&totals(errors), &TimeZone::UTC).into_string().replace('\u{a0}', " ")
    }

    #[test]
    fn ui_14_no_day_one_day_two_days() {
        assert!(drawn(&[]).contains("No provider has said yet"));
        assert!(drawn(&[(0, 0.0, 0.0, 0.0)]).contains("No provider has said yet"));
        let one = drawn(&[(1, -12.5, -12.5, -12.5)]);
        assert!(
            one.contains("Mean −12.5 % over 1 send on 1 day, from −12.5 % to −12.5 %."),
            "{one}"
        );
        assert!(one.contains(r#"cx="215.0" cy="94.5""#) && !one.contains("spread"), "{one}");
        let two = drawn(&[(3, 2.0, -4.0, 8.0), (1, 6.0, 6.0, 6.0)]);
        assert!(
            two.contains("Mean +3.0 % over 4 sends on 2 days, from −4.0 % to +8.0 %."),
            "{two}"
        );
        assert!(two.contains("M58.0 51.6L372.0 30.8"), "{two}");
        assert!(two.contains("M58.0 82.8V20.4") && two.matches("class=\"spread\"").count() == 1);
    }

    #[test]
    fn ui_14_a_wild_day_is_cut_at_the_edge_and_told() {
        let wild = drawn(&[(2, 400.0, -1.0, 900.0), (1, 1.0, 1.0, 1.0)]);
        assert!(wild.contains("beyond ±100 %") && wild.contains("+900.0 %"), "{wild}");
        assert!(wild.contains(r#"cy="10.0""#), "{wild}");
    }

    proptest! {
        /// Whatever was reported, the picture has its size and at most so many days.
        #[test]
        fn ui_14_the_picture_keeps_its_size(
            days in prop::collection::vec((0u64..9, -100.0..1e9f64, 0.0..1e9f64, 0.0..1e9f64), 0..80)
        ) {
            let days: Vec<_> = days.into_iter()
                .map(|(sends, mean, down, up)| (sends, mean, (mean - down).max(-100.0), mean + up))
                .collect();
            let html = drawn(&days);
            prop_assert!(html.matches("<circle").count() <= DAYS);
            for part in html.split("cy=\"").skip(1) {
                let y: f64 = part.split('"').next().unwrap().parse().unwrap();
                prop_assert!((ZERO - REACH..=ZERO + REACH).contains(&y));
            }
            prop_assert!(!html.contains("NaN") && !html.contains("inf"));
        }
    }
}
