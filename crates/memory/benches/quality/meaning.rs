//! Search by meaning, where its model is there: `plimsoll memory meaning on` fetches it, and
//! `PLIMSOLL_TEST_SENTENCE_MODEL` names the data directory that has it.

use std::{path::PathBuf, sync::Arc};

use plimsoll_domain::Timestamp;
use plimsoll_embedded::SentenceModel;
use plimsoll_memory::{EmbedError, Embedder, Meaning, MeaningParts};
use plimsoll_store::Workspace;
use plimsoll_store_sql::SqlStore;

use crate::Outcome;

struct Model(SentenceModel);

impl Embedder for Model {
    fn name(&self) -> &str {
        plimsoll_embedded::SENTENCE_MODEL_ID
    }

    fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.embed(texts).map_err(|error| EmbedError(error.to_string()))
    }
}

pub(crate) async fn filled(store: &Arc<SqlStore>) -> Outcome<Option<Meaning>> {
    let home = std::env::var_os("PLIMSOLL_TEST_SENTENCE_MODEL")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let model = match SentenceModel::new(&home, 2) {
        Ok(model) => Arc::new(Model(model)),
        Err(why) => {
            eprintln!("by words alone: {why}");
            return Ok(None);
        }
    };
    let meaning = Meaning::new(MeaningParts {
        store: Arc::<SqlStore>::clone(store),
        asking: Arc::<Model>::clone(&model),
        filling: model,
    });
    meaning.fill(&Workspace::default(), Timestamp::from_millis(0), &|| true).await?;
    Ok(Some(meaning))
}
