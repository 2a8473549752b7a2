//! Prints a made-up history: `sample N`.

use std::io::{BufWriter, Write};

use plimsoll_testkit::history::{Random, pair_line};

fn main() -> anyhow::Result<()> {
    let count: u64 = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 1000,
    };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut random = Random::new(1);
    for n in 0..count {
        writeln!(out, "{}", pair_line(n, &mut random))?;
    }
    out.flush()?;
    Ok(())
}
