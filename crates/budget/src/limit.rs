//! The model limit ML and what binds it (CAT-3, CAT-4); limits of files (LIM-1).

use plimsoll_domain::Timestamp;

use crate::Model;

/// The limit that is used for prediction when nothing is known (CAT-4).
pub const ASSUMED_LIMIT: u64 = 8192;

/// Whose word a window is; the first that is known wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowSource {
    /// The user's own model file.
    User,
    /// The server that runs the model.
    Server,
    Catalog,
}

/// A smaller limit that an overflow error stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnedLimit {
    /// The limit in tokens.
    pub tokens: u64,
    /// When it was learned.
    pub learned_at: Timestamp,
}

impl LearnedLimit {
    /// What is left of a learned limit after the server told its window: a larger
    /// window clears it.
    pub fn after_server_told(self, window: u64) -> Option<Self> {
        (window <= self.tokens).then_some(self)
    }
}

/// What is known about a window beyond the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowFacts {
    pub server_window: Option<u64>,
    /// What an overflow taught.
    pub learned: Option<LearnedLimit>,
}

/// Which of the limits is the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binds {
    Window(WindowSource),
    /// The tokens a minute.
    Tpm,
    /// What the provider taught.
    Learned(Timestamp),
    /// Nothing is known; [`ASSUMED_LIMIT`] is used.
    Assumed,
    /// The caller set it.
    Given,
}

impl Binds {
    /// Whether somebody states it: the user, the server or the catalog. What is learned or
    /// assumed warns and asks, and never refuses (VAL-1, CAT-4).
    pub fn is_stated(self) -> bool {
        !matches!(self, Self::Learned(_) | Self::Assumed)
    }

    /// The word used in `models --json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Window(_) => "window",
            Self::Tpm => "tpm",
            Self::Learned(_) => "learned",
            Self::Assumed => "assumed",
            Self::Given => "given",
        }
    }
}

impl Model {
    /// The window that counts, and whose word it is: the user's own file, else what the server
    /// tells, else the catalog (CAT-3).
    pub fn window(&self, told: Option<u64>) -> Option<(u64, WindowSource)> {
        match (self.window_source, told) {
            (WindowSource::User, _) | (_, None) => {
                self.context_window.map(|tokens| (tokens, self.window_source))
            }
            (_, Some(tokens)) => Some((tokens, WindowSource::Server)),
        }
    }
}

/// ML, and why it is that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelLimit {
    /// The limit in tokens.
    pub tokens: u64,
    /// What makes it so small.
    pub binds: Binds,
}

impl ModelLimit {
    /// The limit of a model: its window, lowered by its tokens a minute and by what
    /// was learned.
    pub fn of(model: &Model, facts: WindowFacts) -> Self {
        let mut limit = match model.window(facts.server_window) {
            Some((tokens, source)) => Self { tokens, binds: Binds::Window(source) },
            None => Self { tokens: ASSUMED_LIMIT, binds: Binds::Assumed },
        };
        // What was learned never lowers what the user states, and a larger window that the
        // server tells clears it. For a window that was only assumed the provider's word counts
        // either way.
        let users_own = limit.binds == Binds::Window(WindowSource::User);
        let learned = facts.learned.filter(|_| !users_own).and_then(|known| {
            facts.server_window.map_or(Some(known), |told| known.after_server_told(told))
        });
        if let Some(learned) = learned
            && (learned.tokens < limit.tokens || limit.binds == Binds::Assumed)
        {
            limit = Self { tokens: learned.tokens, binds: Binds::Learned(learned.learned_at) };
        }
        if let Some(tpm) = model.tpm
            && tpm < limit.tokens
        {
            limit = Self { tokens: tpm, binds: Binds::Tpm };
        }
        limit
    }

    /// Why nobody should rely on it, if so: words that follow its number.
    pub fn doubt(&self) -> Option<&'static str> {
        match self.binds {
            Binds::Assumed => Some("assumed, because its window is not known"),
            Binds::Learned(_) => Some("learned from an error of the provider"),
            Binds::Window(_) | Binds::Tpm | Binds::Given => None,
        }
    }

    /// A limit that the caller states.
    pub fn given(tokens: u64) -> Self {
        Self { tokens, binds: Binds::Given }
    }
}

/// The largest files that may be attached (LIM-1); settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileLimits {
    /// Bytes of a text file, whatever the window.
    pub text: u64,
    /// Bytes of a picture.
    pub image: u64,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self { text: 100 * 1024, image: 10 * 1024 * 1024 }
    }
}

impl FileLimits {
    /// Bytes of a text file for a model with this window.
    pub fn text_for(&self, context_window: Option<u64>) -> u64 {
        match context_window {
            Some(window) => self.text.min(window.saturating_mul(4)),
            None => self.text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(window: Option<u64>, tpm: Option<u64>) -> Model {
        Model { context_window: window, tpm, ..Model::unknown("m") }
    }

    fn learned(tokens: u64) -> Option<LearnedLimit> {
        Some(LearnedLimit { tokens, learned_at: Timestamp::from_millis(5) })
    }

    #[test]
    fn cat_3_the_smallest_limit_binds() {
        let at = Timestamp::from_millis(5);
        let catalog = Binds::Window(WindowSource::Catalog);
        for (window, tpm, server, taught, tokens, binds) in [
            (Some(8192), None, None, None, 8192, catalog),
            (Some(8192), Some(6000), None, None, 6000, Binds::Tpm),
            (Some(8192), Some(60_000), None, None, 8192, catalog),
            (Some(8192), None, Some(2048), None, 2048, Binds::Window(WindowSource::Server)),
            (Some(8192), None, None, learned(4000), 4000, Binds::Learned(at)),
            (Some(8192), None, None, learned(9000), 8192, catalog),
            (None, None, None, None, ASSUMED_LIMIT, Binds::Assumed),
            (None, None, None, learned(32_768), 32_768, Binds::Learned(at)),
            (None, Some(1000), None, None, 1000, Binds::Tpm),
            (None, Some(20_000), None, learned(32_768), 20_000, Binds::Tpm),
        ] {
            let facts = WindowFacts { server_window: server, learned: taught };
            let limit = ModelLimit::of(&model(window, tpm), facts);
            assert_eq!(limit, ModelLimit { tokens, binds }, "{window:?} {tpm:?} {facts:?}");
        }
    }

    #[test]
    fn cat_3_the_users_word_wins_over_the_servers() {
        let own = Model { window_source: WindowSource::User, ..model(Some(4096), None) };
        let facts = WindowFacts { server_window: Some(512), learned: None };
        let limit = ModelLimit::of(&own, facts);
        assert_eq!(limit.tokens, 4096);
        assert_eq!(limit.binds, Binds::Window(WindowSource::User));
    }

    #[test]
    fn cat_3_what_was_learned_never_lowers_what_the_user_states() {
        let own = Model { window_source: WindowSource::User, ..model(Some(4096), None) };
        let facts = WindowFacts { server_window: None, learned: learned(10) };
        let limit = ModelLimit::of(&own, facts);
        assert_eq!((limit.tokens, limit.binds), (4096, Binds::Window(WindowSource::User)));
        // A file that states no window states nothing.
        let silent = Model { window_source: WindowSource::User, ..model(None, None) };
        assert_eq!(ModelLimit::of(&silent, facts).tokens, 10);
    }

    #[test]
    fn val_1_what_is_learned_or_assumed_is_not_stated() {
        let at = Timestamp::from_millis(5);
        assert!(!Binds::Learned(at).is_stated() && !Binds::Assumed.is_stated());
        for binds in [Binds::Window(WindowSource::Catalog), Binds::Tpm, Binds::Given] {
            assert!(binds.is_stated());
        }
    }

    #[test]
    fn cat_3_a_larger_window_clears_what_was_learned() {
        let taught = learned(4096).unwrap();
        assert_eq!(taught.after_server_told(8192), None);
        assert_eq!(taught.after_server_told(4096), Some(taught));
    }

    #[test]
    fn lim_1_file_limits_follow_the_window() {
        let limits = FileLimits::default();
        assert_eq!(limits.text_for(Some(4096)), 16 * 1024);
        assert_eq!(limits.text_for(Some(131_072)), 100 * 1024);
        assert_eq!(limits.text_for(None), 100 * 1024);
        assert_eq!(limits.text_for(Some(u64::MAX)), 100 * 1024);
        assert_eq!(limits.image, 10 * 1024 * 1024);
    }
}
