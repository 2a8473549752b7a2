//! Where the requests for a model go, and how they are weighed. Found once, and kept for a while:
//! clients ask often.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use plimsoll_budget::{Model, ModelLimit};
use plimsoll_domain::Protocol;
use plimsoll_gateway::{Problem, Scale};
use plimsoll_tokens::{Basis, Calibration, Correction, Estimator, ImagePricing, RawTokens};

use super::Gateway;
use crate::{Connection, NoProvider, Payer};

/// A route is found anew after so long: a server may serve other models by then.
const KEPT: Duration = Duration::from_secs(30);
/// No more are kept; names are the clients' to choose.
const MOST: usize = 1000;

/// What was weighed here, and how many tokens the provider counted.
pub(super) type Counted = (RawTokens, u64);

/// Who answers for a name.
pub(super) struct Route {
    pub(super) model: Model,
    pub(super) connection: Connection,
    pub(super) limit: ModelLimit,
    pub(super) scale: Scale,
    learned: SharedLearned,
    /// Whether another name was asked for than the one that the provider knows.
    pub(super) renamed: bool,
    found: Instant,
    /// The configuration that it was found with.
    generation: u64,
}

/// What the provider's reports taught about our weights.
struct Learned {
    reports: Calibration,
    /// What follows from them; it is asked for by every call, and changes seldom.
    correction: Correction,
    basis: Basis,
}

type SharedLearned = Arc<Mutex<Learned>>;

impl Learned {
    fn of(reports: Calibration) -> Self {
        Self { correction: reports.correction(), basis: Basis::of_reports(&reports), reports }
    }
}

impl Route {
    pub(super) fn learned(&self) -> (Correction, Basis) {
        let learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        (learned.correction, learned.basis)
    }

    pub(super) fn reports(&self) -> Calibration {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner).reports.clone()
    }

    /// Learns from what was weighed and what the provider counted.
    pub(super) fn learn(&self, told: &[Counted]) {
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reports = std::mem::take(&mut learned.reports);
        told.iter().for_each(|(raw, reported)| reports.observe(*raw, *reported));
        *learned = Learned::of(reports);
    }

    /// Whether the provider takes requests of a protocol as they are.
    pub(super) fn takes(&self, protocol: Protocol) -> bool {
        self.connection.provider.relays() && self.model.speaks(protocol)
    }

    pub(super) fn base_url(&self) -> &str {
        self.connection.provider.base_url()
    }

    /// The name under which reports are kept: requests of clients are weighed in another way than
    /// those of the workbench.
    pub(super) fn reports_name(&self) -> String {
        format!("{} by clients", self.model.id)
    }
}

/// The name that was asked for, and the key of the store that goes along (TEA-10).
type Asked = (String, Option<String>);

/// The routes that are known, each by what was asked for.
#[derive(Default)]
pub(super) struct Routes {
    known: Mutex<HashMap<Asked, Arc<Route>>>,
    /// Held while one is looked for, so that many who ask at once look once.
    looking: Mutex<HashMap<Asked, Arc<tokio::sync::Mutex<()>>>>,
    /// What was learned of each model, by its server and its name: several names may lead to it.
    learned: Mutex<HashMap<(String, String), SharedLearned>>,
}

impl Routes {
    fn turn(&self, asked: &Asked) -> Arc<tokio::sync::Mutex<()>> {
        let mut looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner);
        if looking.len() >= MOST {
            looking.clear();
        }
        Arc::clone(looking.entry(asked.clone()).or_default())
    }
}

fn unknown(asked: &str, no: &NoProvider) -> Problem {
    Problem::NoSuchModel(format!("The model '{asked}' cannot be asked here: {no}; {}", no.hint))
}

impl Gateway {
    /// Where requests for a name go that somebody makes. Which key goes along is asked each time:
    /// another one counts at once, whichever node was told.
    pub(super) async fn route(
        &self,
        name: &str,
        payer: Option<&Payer>,
    ) -> Result<Arc<Route>, Problem> {
        let key = self.app.providers.kept_key(&self.model_of(name), payer).await;
        let asked: Asked = (name.to_owned(), key.map_err(|no| unknown(name, &no))?);
        if let Some(route) = self.known_route(&asked) {
            return Ok(route);
        }
        let turn = self.routes.turn(&asked);
        let _turn = turn.lock().await;
        if let Some(route) = self.known_route(&asked) {
            return Ok(route);
        }
        let route = Arc::new(self.find_route(&asked, payer).await?);
        let mut known = self.routes.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Keys are not held for longer than they are used.
        known.retain(|_, route| route.found.elapsed() < KEPT);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(asked, Arc::clone(&route));
        Ok(route)
    }

    fn known_route(&self, asked: &Asked) -> Option<Arc<Route>> {
        let known = self.routes.known.lock().unwrap_or_else(PoisonError::into_inner);
        let route = known.get(asked)?;
        let current = route.generation == self.app.generation() && route.found.elapsed() < KEPT;
        current.then(|| Arc::clone(route))
    }

    /// The model that a name means here (GWY-2).
    pub fn model_of(&self, asked: &str) -> Model {
        let settings = self.app.settings();
        // Who names none gets the usual one.
        let asked = if asked.is_empty() { settings.default_model() } else { asked };
        self.app.model(settings.gateway_alias(asked).unwrap_or(asked))
    }

    async fn find_route(
        &self,
        (asked, _): &Asked,
        payer: Option<&Payer>,
    ) -> Result<Route, Problem> {
        let generation = self.app.generation();
        let model = self.model_of(asked);
        let connection = self.app.providers.reach(&model, payer).await;
        let connection = connection.map_err(|no| unknown(asked, &no))?;
        let failed = |error: crate::AppError| Problem::Upstream(error.to_string());
        let limit = self.app.limit(&model, Some(&connection)).await.map_err(failed)?;
        let scale = Scale {
            // Fast enough for every call (GWY-6), whatever the workbench weighs with.
            estimator: Estimator::Fast,
            message_overhead: model.message_overhead,
            pictures: model.image_pricing.unwrap_or(ImagePricing::OpenAi),
        };
        let name = format!("{} by clients", model.id);
        let base_url = connection.provider.base_url().to_owned();
        let kept = self.app.calibration_at(&base_url, &name).await.map_err(failed)?;
        let mut all = self.routes.learned.lock().unwrap_or_else(PoisonError::into_inner);
        let learned = all.entry((base_url, name));
        let learned =
            Arc::clone(learned.or_insert_with(|| Arc::new(Mutex::new(Learned::of(kept)))));
        drop(all);
        Ok(Route {
            renamed: connection.model != *asked,
            model,
            connection,
            limit,
            scale,
            learned,
            found: Instant::now(),
            generation,
        })
    }
}
