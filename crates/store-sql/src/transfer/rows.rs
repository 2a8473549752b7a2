//! Rows of any table: read in parts, written, and told in few words.

use plimsoll_store::{
    StoreResult,
    engine::{Db, NamedCells, Value, first},
};

use super::tables::{Table, UNFINISHED};

/// So many rows are read and written together.
pub(super) const AT_ONCE: usize = if cfg!(test) { 40 } else { 300 };

/// The most values of one statement, which every database takes.
const MOST_VALUES: usize = 30_000;

pub(super) fn count(db: &mut dyn Db, table: &Table) -> StoreResult<u64> {
    let sql = format!("SELECT COUNT(*) FROM {}", table.name);
    Ok(first(db, &sql, &[], |row| row.count(0))?.unwrap_or(0))
}

/// The next rows behind the last, or behind so many where the table has no key.
pub(super) fn next(
    db: &mut dyn Db,
    table: &Table,
    last: Option<&NamedCells>,
    behind: u64,
) -> StoreResult<Vec<NamedCells>> {
    let name = table.name;
    if table.key.is_empty() {
        let sql = format!("SELECT * FROM {name} ORDER BY 1, 2, 3 LIMIT {AT_ONCE} OFFSET {behind}");
        return db.named(&sql, &[]);
    }
    let key = table.key.join(", ");
    let Some(last) = last else {
        return db.named(&format!("SELECT * FROM {name} ORDER BY {key} LIMIT {AT_ONCE}"), &[]);
    };
    let values: Vec<Value<'_>> = table.key.iter().map(|column| cell(last, column)).collect();
    let places: Vec<String> = (1..=values.len()).map(|place| format!("${place}")).collect();
    let sql = format!(
        "SELECT * FROM {name} WHERE ({key}) > ({}) ORDER BY {key} LIMIT {AT_ONCE}",
        places.join(", ")
    );
    db.named(&sql, &values)
}

/// Writes rows. A column that refers to rows of the same table waits for all of them.
pub(super) fn put(db: &mut dyn Db, table: &Table, rows: &[NamedCells]) -> StoreResult<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    for rows in rows.chunks((MOST_VALUES / names.len().max(1)).max(1)) {
        let mut sql = format!("INSERT INTO {} ({}) VALUES ", table.name, names.join(", "));
        let mut values = Vec::with_capacity(rows.len() * names.len());
        for (place, row) in rows.iter().enumerate() {
            sql.push_str(if place == 0 { "(" } else { ", (" });
            for (place, name) in names.iter().enumerate() {
                values.push(match table.own == Some(*name) {
                    true => Value::Null,
                    false => cell(row, name),
                });
                sql.push_str(if place == 0 { "$" } else { ", $" });
                sql.push_str(&values.len().to_string());
            }
            sql.push(')');
        }
        db.run(&sql, &values)?;
    }
    Ok(())
}

/// Writes what had waited.
pub(super) fn put_own(db: &mut dyn Db, table: &Table, rows: &[NamedCells]) -> StoreResult<()> {
    let (Some(own), [key]) = (table.own, table.key) else { return Ok(()) };
    let sql = format!("UPDATE {} SET {own} = $1 WHERE {key} = $2", table.name);
    for row in rows {
        match cell(row, own) {
            Value::Null => {}
            value => drop(db.run(&sql, &[value, cell(row, key)])?),
        }
    }
    Ok(())
}

/// Adds rows to a digest. Columns have another order in another database.
pub(super) fn digest(hasher: &mut blake3::Hasher, rows: &[NamedCells]) {
    for row in rows {
        let mut cells: Vec<&(String, Value<'static>)> = row.iter().collect();
        cells.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, value) in cells {
            hasher.update(name.as_bytes());
            let (kind, bytes): (u8, std::borrow::Cow<'_, [u8]>) = match value {
                Value::Null => (0, [].as_slice().into()),
                Value::Int(value) => (1, value.to_be_bytes().to_vec().into()),
                Value::Real(value) => (2, value.to_bits().to_be_bytes().to_vec().into()),
                Value::Text(text) => (3, text.as_bytes().into()),
                Value::Bytes(bytes) => (4, bytes.as_ref().into()),
            };
            hasher.update(&[kind]).update(&bytes.len().to_be_bytes()).update(&bytes);
        }
    }
}

/// The mark of an unfinished move belongs to a place, and is not moved.
pub(super) fn is_mark(row: &NamedCells) -> bool {
    matches!(cell(row, "name"), Value::Text(name) if name == UNFINISHED)
}

fn cell<'r>(row: &'r NamedCells, name: &str) -> Value<'r> {
    match row.iter().find(|(column, _)| column == name) {
        None | Some((_, Value::Null)) => Value::Null,
        Some((_, Value::Int(value))) => Value::Int(*value),
        Some((_, Value::Real(value))) => Value::Real(*value),
        Some((_, Value::Text(text))) => Value::Text(text.as_ref().into()),
        Some((_, Value::Bytes(bytes))) => Value::Bytes(bytes.as_ref().into()),
    }
}
