//! The text of an Excel workbook, sheet by sheet: a line for each row, cells apart by tabs.

use std::{
    collections::HashMap,
    io::{Read, Seek},
    ops::ControlFlow,
};

use super::{NoText, archive::Archive, bounds::TEXT_BYTES, lasting, out::Out, xml::Piece};

const MAIN: &str = "xl/workbook.xml";
/// Texts that cells share, all together.
const SHARED_BYTES: usize = 16 << 20;
const SHARED: usize = 1_000_000;
/// More styles than this are not read.
const STYLES: usize = 100_000;
/// Empty cells in a row up to here keep their place; a wider gap is told as one.
const GAP: usize = 32;
/// A row is cut here.
const ROW_BYTES: usize = 64 << 10;

pub(super) fn read(mut archive: Archive<impl Read + Seek>) -> Result<Out, NoText> {
    let (mut sheets, mut since_1904, mut hidden) = (Vec::new(), false, 0);
    let found = archive.walk(MAIN, &mut |piece| {
        if let Piece::Start { name, marks } = piece {
            match name {
                "sheet" if sheets.len() < 1_000 => {
                    hidden += u64::from(marks.get("state").is_some_and(|state| state != "visible"));
                    sheets.push((
                        marks.get("name").unwrap_or_default(),
                        marks.prefixed("id").unwrap_or_default(),
                    ));
                }
                "workbookPr" => {
                    since_1904 = marks.get("date1904").is_some_and(|on| on == "1" || on == "true")
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    })?;
    if !found {
        return Err(lasting("it is damaged: there is no workbook in it"));
    }
    let relations = archive.relations(MAIN)?;
    let part =
        |kind: &str| relations.iter().find(|one| one.kind == kind).map(|one| one.target.clone());
    let shared =
        part("sharedStrings").map_or(Ok(Vec::new()), |part| shared(&mut archive, &part))?;
    let dates = part("styles").map_or(Ok(Vec::new()), |part| dates(&mut archive, &part))?;
    let mut out = Out::default();
    out.count(sheets.len() as u64, "sheet", "sheets");
    if hidden > 0 {
        out.missing(format!("{hidden} of the sheets are hidden in the program"));
    }
    let facts = Facts { shared, dates, since_1904 };
    for (name, id) in sheets {
        let Some(sheet) = relations.iter().find(|one| one.id == id && one.kind == "worksheet")
        else {
            continue;
        };
        if out.is_full() {
            break;
        }
        out.part("Sheet", &name);
        rows(&mut archive, &sheet.target, &facts, &mut out)?;
    }
    Ok(out)
}

/// What cells of all sheets refer to.
struct Facts {
    shared: Vec<String>,
    /// Which styles show a number as a day or a time.
    dates: Vec<bool>,
    since_1904: bool,
}

fn shared(archive: &mut Archive<impl Read + Seek>, part: &str) -> Result<Vec<String>, NoText> {
    let (mut texts, mut text, mut inside, mut bytes) = (Vec::new(), String::new(), false, 0);
    let mut spoken = false;
    archive.walk(part, &mut |piece| {
        match piece {
            Piece::Start { name: "t", .. } => inside = !spoken,
            Piece::End { name: "t" } => inside = false,
            // How a word is pronounced stands beside it.
            Piece::Start { name: "rPh", .. } => spoken = true,
            Piece::End { name: "rPh" } => spoken = false,
            Piece::Text(words) if inside => {
                bytes += words.len();
                text.push_str(words);
            }
            Piece::End { name: "si" } => {
                bytes += std::mem::size_of::<String>();
                texts.push(std::mem::take(&mut text));
            }
            _ => {}
        }
        let enough = bytes > SHARED_BYTES || texts.len() >= SHARED;
        if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(texts)
}

/// Which styles of cells show days or times.
fn dates(archive: &mut Archive<impl Read + Seek>, part: &str) -> Result<Vec<bool>, NoText> {
    let (mut own, mut styles, mut inside) = (HashMap::new(), Vec::new(), false);
    archive.walk(part, &mut |piece| {
        match piece {
            Piece::Start { name: "numFmt", marks } if own.len() < STYLES => {
                let code = marks.get("formatCode").unwrap_or_default();
                own.extend(marks.number("numFmtId", u64::MAX).map(|id| (id, is_date(&code))));
            }
            Piece::Start { name: "cellXfs", .. } => inside = true,
            Piece::End { name: "cellXfs" } => inside = false,
            Piece::Start { name: "xf", marks } if inside && styles.len() < STYLES => {
                let id = marks.number("numFmtId", u64::MAX).unwrap_or(0);
                let known = matches!(id, 14..=22 | 45..=47);
                styles.push(own.get(&id).copied().unwrap_or(known));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    Ok(styles)
}

/// Whether a format of a number is one of a day or a time: letters that stand for parts of
/// them, outside of quoted words and of colours and conditions in brackets.
fn is_date(code: &str) -> bool {
    let (mut quoted, mut bracket, mut escaped) = (false, false, false);
    for letter in code.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' | '_' | '*' => escaped = true,
            '"' => quoted = !quoted,
            '[' if !quoted => bracket = true,
            ']' if !quoted => bracket = false,
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' if !quoted && !bracket => {
                return true;
            }
            _ => {}
        }
    }
    false
}

fn rows(
    archive: &mut Archive<impl Read + Seek>,
    part: &str,
    facts: &Facts,
    out: &mut Out,
) -> Result<(), NoText> {
    let (mut row, mut column, mut kind, mut style) = (String::new(), 0usize, String::new(), 0);
    let (mut value, mut inside, mut filled) = (String::new(), false, 0usize);
    archive.walk(part, &mut |piece| {
        match piece {
            Piece::Start { name, marks } => match name {
                "row" => {
                    row.clear();
                    (column, filled) = (0, 0);
                }
                "c" => {
                    column = marks.get("r").and_then(|at| column_of(&at)).unwrap_or(column + 1);
                    kind = marks.get("t").unwrap_or_default();
                    style = marks.number("s", u64::MAX).unwrap_or(0) as usize;
                    value.clear();
                }
                "v" | "t" => inside = true,
                _ => {}
            },
            Piece::Text(text) if inside && value.len() < ROW_BYTES => value.push_str(text),
            Piece::Text(_) => {}
            Piece::End { name } => match name {
                "v" | "t" => inside = false,
                "c" if !value.is_empty() => {
                    let shown = facts.shown(&kind, style, &value);
                    let gap = column.saturating_sub(filled.max(1));
                    if row.len() < ROW_BYTES && row.len() < TEXT_BYTES {
                        row.push_str(&"\t".repeat(if gap > GAP { 1 } else { gap }));
                        row.push_str(&shown.replace(['\n', '\t', '\r'], " "));
                    }
                    filled = column;
                }
                "row" if !row.is_empty() => out.line(&row),
                _ => {}
            },
        }
        if out.is_full() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(())
}

/// The number of a column, from 1, of a cell such as `AB12`.
fn column_of(at: &str) -> Option<usize> {
    let letters = at.bytes().take_while(u8::is_ascii_alphabetic).take(4);
    let number = letters
        .fold(0usize, |sum, letter| sum * 26 + usize::from(letter.to_ascii_uppercase() - b'A' + 1));
    Some(number).filter(|number| (1..=16_384).contains(number))
}

impl Facts {
    fn shown(&self, kind: &str, style: usize, value: &str) -> String {
        let number = || value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        match kind {
            "s" => {
                let text = value.trim().parse().ok().and_then(|at: usize| self.shared.get(at));
                text.cloned().unwrap_or_default()
            }
            "b" => if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" | "inlineStr" | "e" | "d" => value.to_owned(),
            _ => match (number(), self.dates.get(style)) {
                (Some(days), Some(true)) => {
                    day(days, self.since_1904).unwrap_or_else(|| value.to_owned())
                }
                (Some(number), _) => short(number),
                (None, _) => value.to_owned(),
            },
        }
    }
}

/// A number as people see it: the last of seventeen digits is noise.
fn short(number: f64) -> String {
    let rounded = format!("{number:.14e}").parse::<f64>().unwrap_or(number);
    format!("{rounded}")
}

/// A day and time of the number of days that Excel counts; none if it is not one.
fn day(days: f64, since_1904: bool) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&days) {
        return None;
    }
    let seconds = (days.fract() * 86_400.0).round() as i64;
    let time = match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (hours, minutes, 0) => format!("{hours:02}:{minutes:02}"),
        (hours, minutes, seconds) => format!("{hours:02}:{minutes:02}:{seconds:02}"),
    };
    let whole = days.trunc() as i64;
    if whole == 0 && !since_1904 {
        return Some(time);
    }
    // Days from the first of March of the year 0; Excel believes that 1900 was a leap year.
    let from_zero = match since_1904 {
        true => whole + 695_361,
        false => whole + 693_899 + i64::from(whole < 60),
    };
    let era = from_zero.div_euclid(146_097);
    let of_era = from_zero.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let day = format!("{:04}-{month:02}-{date:02}", era * 400 + year + later);
    Some(if seconds == 0 { day } else { format!("{day} {time}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_see_them() {
        for (days, since_1904, expected) in [
            (1.0, false, "1900-01-01"),
            (59.0, false, "1900-02-28"),
            (61.0, false, "1900-03-01"),
            (45_292.0, false, "2024-01-01"),
            (45_351.5, false, "2024-02-29 12:00"),
            (43_830.0, true, "2024-01-01"),
            (0.75, false, "18:00"),
        ] {
            assert_eq!(day(days, since_1904).as_deref(), Some(expected), "{days}");
        }
        assert_eq!((day(-1.0, false), day(f64::NAN, false)), (None, None));
        assert_eq!(
            (short(0.1 + 0.2), short(1e21), short(12.0)),
            ("0.3".to_owned(), "1000000000000000000000".to_owned(), "12".to_owned())
        );
    }

    #[test]
    fn formats_of_days_are_told_from_others() {
        for (code, date) in [
            ("yyyy-mm-dd", true),
            ("[$-409]d\\-mmm", true),
            ("0.00", false),
            ("[Red]0.00\"days\"", false),
            ("General", false),
            ("#,##0 \\d", false),
        ] {
            assert_eq!(is_date(code), date, "{code}");
        }
        assert_eq!(
            (column_of("A1"), column_of("AB12"), column_of("XFD1"), column_of("12")),
            (Some(1), Some(28), Some(16_384), None)
        );
    }
}
