//! The table that a benchmark prints, and the JSON beside it.

use std::io::Write;

use serde_json::json;

/// One line of the table.
struct Row {
    what: String,
    size: String,
    value: f64,
    unit: &'static str,
    /// What it is compared with in this run, and how.
    ratio: String,
    /// The goal of the spec, and whether it is met.
    goal: Option<(String, bool)>,
}

/// What a benchmark found.
#[derive(Default)]
pub struct Table {
    rows: Vec<Row>,
}

impl Table {
    /// Adds a row.
    pub fn row(&mut self, what: &str, size: &str, value: f64, unit: &'static str) -> &mut Self {
        self.rows.push(Row {
            what: what.to_owned(),
            size: size.to_owned(),
            value,
            unit,
            ratio: String::new(),
            goal: None,
        });
        self
    }

    /// A comparison for the last row.
    pub fn ratio(&mut self, ratio: String) -> &mut Self {
        if let Some(row) = self.rows.last_mut() {
            row.ratio = ratio;
        }
        self
    }

    /// A goal for the last row.
    pub fn goal(&mut self, goal: &str, met: bool) -> &mut Self {
        if let Some(row) = self.rows.last_mut() {
            row.goal = Some((goal.to_owned(), met));
        }
        self
    }

    /// Prints the table and writes it to `target/bench/<name>.json`.
    pub fn print_and_save(&self, name: &str) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        writeln!(out, "| what | size | value | ratio in this run | goal | met |")?;
        writeln!(out, "|---|---|---|---|---|---|")?;
        for row in &self.rows {
            let (goal, met) = match &row.goal {
                Some((goal, true)) => (goal.as_str(), "yes"),
                Some((goal, false)) => (goal.as_str(), "NO"),
                None => ("", ""),
            };
            let value = format!("{:.3} {}", row.value, row.unit);
            writeln!(
                out,
                "| {} | {} | {value} | {} | {goal} | {met} |",
                row.what, row.size, row.ratio
            )?;
        }
        let rows: Vec<_> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "what": row.what, "size": row.size, "value": row.value, "unit": row.unit,
                    "ratio": row.ratio,
                    "goal": row.goal.as_ref().map(|(goal, _)| goal),
                    "met": row.goal.as_ref().map(|(_, met)| met),
                })
            })
            .collect();
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench");
        std::fs::create_dir_all(dir)?;
        std::fs::write(format!("{dir}/{name}.json"), serde_json::to_string_pretty(&rows)?)?;
        writeln!(out, "\nThe same as JSON: target/bench/{name}.json")?;
        Ok(())
    }
}
