//! `plimsoll memory meaning`: search by meaning, on and off (MEM-10).

use std::{path::Path, sync::Arc};

use clap::{Args, Subcommand};
use plimsoll_app::App;
use plimsoll_domain::Timestamp;
use plimsoll_embedded::{
    SENTENCE_MODEL_ID, fetch_sentence_model, locate_sentence_model, remove_sentence_model,
    sentence_model_megabytes,
};
use plimsoll_memory::MOST_NOTES_BY_MEANING;
use plimsoll_provider::Timeouts;
use plimsoll_store::VectorCounts;
use plimsoll_tokens::commas;
use serde_json::json;

use crate::{
    args::Location, commands::settings, embedded::with_bar, failure::Failure, meaning,
    output::Output,
};

/// What `meaning` should do
#[derive(Args, Debug)]
#[command(after_help = "A question in English then also finds notes that say the same in other\n\
    words. The model (all-MiniLM-L6-v2) computes in this program; no note leaves the machine.")]
pub(crate) struct MeaningArgs {
    #[command(subcommand)]
    command: Option<MeaningCommand>,
}

#[derive(Subcommand, Clone, Copy, Debug)]
enum MeaningCommand {
    /// Fetch the model, once, and give all notes their vectors
    On,
    /// Search by words alone; the model and the vectors go, unless --keep
    Off {
        /// Keep the model and the vectors on this disk
        #[arg(long)]
        keep: bool,
    },
    /// Whether it is on, and how many notes have vectors
    Status,
}

/// Where the command works.
pub(super) struct Place<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) data_dir: &'a Path,
    pub(super) location: &'a Location,
}

pub(super) async fn run(
    args: &MeaningArgs,
    place: &Place<'_>,
    json: bool,
    output: &mut Output,
) -> Result<u8, Failure> {
    match args.command.unwrap_or(MeaningCommand::Status) {
        MeaningCommand::On => switch_on(place).await?,
        MeaningCommand::Off { keep } => {
            switch_off(place, keep).await?;
            return Ok(0);
        }
        MeaningCommand::Status => {}
    }
    let on =
        matches!(args.command, Some(MeaningCommand::On)) || place.app.settings().memory_meaning();
    tell(place, on, json, output).await
}

async fn switch_on(place: &Place<'_>) -> Result<(), Failure> {
    let settings = place.app.settings();
    let timeouts: Timeouts = crate::providers::timeouts(&settings);
    let fetched = tokio::task::block_in_place(|| {
        with_bar(timeouts, |web, told| fetch_sentence_model(place.data_dir, Some(web), told))
    });
    fetched.map_err(|error| Failure::failed(error.to_string()))?;
    let failed = |error: &dyn std::fmt::Display| Failure::failed(error.to_string());
    let meaning = meaning::open(place.app, place.data_dir).map_err(|error| failed(&error))?;
    settings::change("memoryMeaning", Some("on"))?;
    let all = Timestamp::from_millis(0);
    let filled = meaning.fill(&place.location.workspace, all, &|| true).await;
    filled.map(drop).map_err(|error| failed(&error))
}

async fn switch_off(place: &Place<'_>, keep: bool) -> Result<(), Failure> {
    settings::change("memoryMeaning", None)?;
    if keep {
        return Ok(());
    }
    place
        .app
        .store()
        .forget_vectors(&place.location.workspace)
        .await
        .map_err(|error| Failure::failed(format!("the vectors could not be removed: {error}")))?;
    remove_sentence_model(place.data_dir).map(drop).map_err(|error| {
        Failure::failed(format!("the model could not be removed: {error}"))
            .hint("it is in models/ of the data directory")
    })
}

async fn tell(place: &Place<'_>, on: bool, json: bool, output: &mut Output) -> Result<u8, Failure> {
    let there = locate_sentence_model(place.data_dir);
    let counts = match meaning::open(place.app, place.data_dir) {
        Ok(meaning) => {
            let counts = meaning.counts(&place.location.workspace).await;
            counts.map_err(|error| Failure::failed(error.to_string()))?
        }
        Err(_) => VectorCounts::default(),
    };
    if json {
        output.json(&json!({
            "on": on, "model": SENTENCE_MODEL_ID, "modelOnDisk": there.is_ok(),
            "notes": counts.notes, "notesWithVectors": counts.with_vectors,
            "searchedAtMost": MOST_NOTES_BY_MEANING,
        }))?;
        return Ok(0);
    }
    let mut text = format!("Search by meaning is {}.\n", if on { "on" } else { "off" });
    match there {
        Ok(_) => {
            text += &format!(
                "The model {SENTENCE_MODEL_ID} is on this disk; {} of {} notes have vectors.\n",
                commas(counts.with_vectors),
                commas(counts.notes)
            );
        }
        Err(_) => {
            text += &format!(
                "`plimsoll memory meaning on` fetches the model ({} MB).\n",
                sentence_model_megabytes()
            );
        }
    }
    if counts.with_vectors < counts.notes && on {
        text += "The others are found by their words; `plimsoll serve` and `plimsoll mcp` go on \
                 while they run.\n";
    }
    if counts.notes > MOST_NOTES_BY_MEANING as u64 {
        let most = commas(MOST_NOTES_BY_MEANING as u64);
        text += &format!("Only the newest {most} notes are searched by meaning.\n");
    }
    output.text(&text)?;
    Ok(0)
}
