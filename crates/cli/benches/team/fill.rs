//! Many workspaces: one is written through the store, the others are copies of it, made by the
//! database, since two million pairs would take hours one by one.

use plimsoll_domain::{Lifecycle, MessagePair, PairId};
use plimsoll_store::{Pairs, Topics, Workspace};
use plimsoll_store_sql::{OpenOptions, PostgresStore};
use plimsoll_testkit::{
    history::{Random, prose},
    pairs::{at, pair, topic},
};
use serde_json::json;

use crate::{
    Effort, Outcome,
    cluster::{Cluster, name},
};

/// Numbers of texts and notes of a workspace begin behind those of the one before.
const NUMBERS: usize = 10_000;

/// The first workspace.
pub(crate) fn template(cluster: &Cluster, effort: Effort) -> Outcome {
    let node = cluster.node()?;
    // Who looks at a workspace for the first time makes it.
    node.ask("GET", &format!("/api/state?workspace={}", name(0)), "")?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = PostgresStore::open(&cluster.store, OpenOptions::default(), at(0)).await?;
        let workspace = Workspace::parse(&name(0))?;
        store.put_topic(&workspace, &topic()).await?;
        let pairs: Vec<_> = (0..effort.pairs as u64).map(numbered).collect();
        for some in pairs.chunks(500) {
            store.insert_many(&workspace, some).await?;
        }
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    let path = format!("/api/memory?workspace={}", name(0));
    for number in 0..effort.notes as u64 {
        let mut words = Random::new(number + 1_000_000);
        let note = json!({
            "title": format!("Note {number} on {}", prose(&mut words, 20)),
            "content": prose(&mut words, 400),
            "project": "load",
        });
        node.ask("POST", &path, &note.to_string())?;
    }
    Ok(())
}

/// An answered pair of 320 characters, a minute behind the one before.
fn numbered(number: u64) -> MessagePair {
    let created_at = at(i64::try_from(number).unwrap_or(0) * 60_000);
    let mut random = [0; 10];
    random[..8].copy_from_slice(&number.to_be_bytes());
    let mut words = Random::new(number);
    MessagePair {
        id: PairId::new(created_at, random),
        created_at,
        user_text: prose(&mut words, 80),
        assistant_text: Some(prose(&mut words, 240)),
        lifecycle: Lifecycle::Complete,
        ..pair(1)
    }
}

/// Copies of it, from a number to another one.
pub(crate) fn up_to(cluster: &Cluster, from: usize, to: usize) -> Outcome {
    if to <= from {
        return Ok(());
    }
    let indexes = ["history_search_words", "memory_search_words"];
    let made = indexes.map(|index| {
        cluster.sql(&format!("SELECT indexdef FROM pg_indexes WHERE indexname = '{index}'"))
    });
    // An index over all words is made faster than it is kept up to date.
    for index in indexes {
        cluster.sql(&format!("DROP INDEX {index}"))?;
    }
    for table in TABLES {
        cluster.sql(&copy(cluster, table, from, to - 1)?)?;
    }
    for index in made {
        cluster.sql(&index?)?;
    }
    for sequence in
        ["number_of_searched_pairs", "number_of_search_places", "number_of_observations"]
    {
        cluster.sql(&format!("SELECT setval('{sequence}', {})", to * NUMBERS))?;
    }
    cluster.sql("VACUUM ANALYZE")?;
    Ok(())
}

/// A table, which of its rows are copied, and what is another value in a copy.
struct Copied {
    table: &'static str,
    only: &'static str,
    other: &'static [(&'static str, &'static str)],
}

/// Of the copy with the number `w`.
const WORKSPACE: &str = "'load/w' || w";
const PAIR: &str = "left({column}, 32) || lpad(to_hex(w), 4, '0')";
const TOPIC: &str = "left({column}, 28) || lpad(to_hex(w), 8, '0')";
const NUMBER: &str = "{column} + w * {numbers}";
const TAGS: &str = "replace(tags, U&'\\E000x' || place, U&'\\E000x' || place + w * {numbers})";
const OWN: &str = "workspace = 'load/w0'";

/// In an order in which each refers to those before it alone.
const TABLES: &[Copied] = &[
    Copied { table: "workspaces", only: "scope = 'load/w0'", other: &[("scope", WORKSPACE)] },
    Copied {
        table: "topics",
        only: OWN,
        other: &[("id", TOPIC), ("workspace", WORKSPACE), ("parent_id", TOPIC)],
    },
    Copied {
        table: "pairs",
        only: OWN,
        other: &[("id", PAIR), ("workspace", WORKSPACE), ("topic_id", TOPIC)],
    },
    Copied {
        table: "pair_texts",
        only: "pair_id IN (SELECT id FROM pairs WHERE workspace = 'load/w0')",
        other: &[("pair_id", PAIR)],
    },
    Copied {
        table: "search_docs",
        only: "doc < {numbers}",
        other: &[("doc", NUMBER), ("pair_id", PAIR)],
    },
    Copied {
        table: "search_places",
        only: OWN,
        other: &[("place", NUMBER), ("workspace", WORKSPACE)],
    },
    Copied { table: "search_vocabulary", only: "place < {numbers}", other: &[("place", NUMBER)] },
    Copied {
        table: "history_search_texts",
        only: "doc < {numbers}",
        other: &[("doc", NUMBER), ("place", NUMBER), ("tags", TAGS)],
    },
    Copied { table: "memory_sessions", only: OWN, other: &[("workspace", WORKSPACE)] },
    Copied {
        table: "memory_observations",
        only: OWN,
        other: &[("id", NUMBER), ("workspace", WORKSPACE)],
    },
    Copied {
        table: "memory_search_texts",
        only: "doc < {numbers}",
        other: &[("doc", "{column} + 2 * w * {numbers}"), ("place", NUMBER), ("tags", TAGS)],
    },
];

/// The statement that makes the copies, without what the database makes by itself: triggers, and
/// columns that are made of others.
fn copy(cluster: &Cluster, copied: &Copied, from: usize, to: usize) -> Outcome<String> {
    let Copied { table, only, other } = copied;
    let columns = cluster.sql(&format!(
        "SELECT column_name FROM information_schema.columns WHERE table_name = '{table}'
         AND table_schema = 'public' AND is_generated = 'NEVER' ORDER BY ordinal_position"
    ))?;
    let numbers = |sql: &str| sql.replace("{numbers}", &NUMBERS.to_string());
    let values: Vec<String> = columns
        .lines()
        .map(|column| match other.iter().find(|(name, _)| name == &column) {
            Some((_, value)) => numbers(&value.replace("{column}", column)),
            None => column.to_owned(),
        })
        .collect();
    let columns: Vec<&str> = columns.lines().collect();
    Ok(format!(
        "SET session_replication_role = replica;
         INSERT INTO {table} ({}) SELECT {} FROM {table}, generate_series({from}, {to}) AS copies (w)
         WHERE {}",
        columns.join(", "),
        values.join(", "),
        numbers(only),
    ))
}
