//! Finding a model by the name that somebody uses for it (CAT-2).

use crate::{Binds, Model, ModelLimit, WindowFacts};

/// What may stand right after a model's id in a longer name. A dot is not among
/// them: `gpt-4.1` is not a kind of `gpt-4`.
const SEPARATORS: [char; 5] = ['-', ':', '/', '@', '_'];

/// All known models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    models: Vec<Model>,
}

/// How a model was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The name is its id.
    Id,
    /// The name is one of its aliases.
    Alias,
    /// The name starts with its id or alias, and a separator follows.
    Prefix,
}

impl Catalog {
    /// A catalog of these models. Of two with the same id the later one wins, in
    /// the place of the earlier.
    pub fn new(models: impl IntoIterator<Item = Model>) -> Self {
        let mut catalog = Self::default();
        for model in models {
            catalog.put(model);
        }
        catalog
    }

    /// Adds a model, or replaces the one with its id.
    pub fn put(&mut self, model: Model) {
        let same = |known: &&mut Model| known.id.eq_ignore_ascii_case(&model.id);
        match self.models.iter_mut().find(same) {
            Some(known) => *known = model,
            None => self.models.push(model),
        }
    }

    /// The models, in the order of the files.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The model that a name means, and how it was found. Case does not matter.
    pub fn find(&self, name: &str) -> Option<(&Model, Found)> {
        let name = name.trim();
        let by_id = self.models.iter().find(|model| model.id.eq_ignore_ascii_case(name));
        if let Some(model) = by_id {
            return Some((model, Found::Id));
        }
        let by_alias = self
            .models
            .iter()
            .find(|model| model.aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name)));
        if let Some(model) = by_alias {
            return Some((model, Found::Alias));
        }
        self.longest_prefix(name).map(|model| (model, Found::Prefix))
    }

    fn longest_prefix(&self, name: &str) -> Option<&Model> {
        let names = |model: &Model| -> Option<usize> {
            std::iter::once(&model.id)
                .chain(&model.aliases)
                .filter(|known| is_prefix_at_separator(known, name))
                .map(String::len)
                .max()
        };
        let mut best: Option<(usize, &Model)> = None;
        for model in &self.models {
            if let Some(length) = names(model)
                && best.is_none_or(|(longest, _)| length > longest)
            {
                best = Some((length, model));
            }
        }
        best.map(|(_, model)| model)
    }

    /// The model that a name means; one of which nothing is known if it means none.
    pub fn model(&self, name: &str) -> Model {
        self.find(name).map_or_else(|| Model::unknown(name), |(model, _)| model.clone())
    }

    /// All models with their limits, as far as the catalog knows them.
    pub fn with_limits(&self) -> impl Iterator<Item = (&Model, ModelLimit)> {
        self.models.iter().map(|model| (model, ModelLimit::of(model, WindowFacts::default())))
    }
}

/// So many models are offered at most.
const OFFERED_MODELS: usize = 5;

/// The models that hold so many tokens, the smallest limit first, without the one in use. A
/// model whose window nobody knows is not offered (VAL-1).
pub fn larger_models<'a>(
    models: impl IntoIterator<Item = (&'a Model, ModelLimit)>,
    tokens: u64,
    in_use: &str,
) -> Vec<String> {
    let fits = |(model, limit): &(&Model, ModelLimit)| {
        model.enabled
            && model.id != in_use
            && limit.binds != Binds::Assumed
            && limit.tokens >= tokens
    };
    let mut fitting: Vec<(&Model, ModelLimit)> = models.into_iter().filter(fits).collect();
    fitting.sort_by_key(|(_, limit)| limit.tokens);
    fitting.iter().take(OFFERED_MODELS).map(|(model, _)| model.id.clone()).collect()
}

/// Whether a name means the model that is known by another: it is that, or that with more behind
/// a separator (CAT-2).
pub fn means_model(name: &str, known: &str) -> bool {
    name.eq_ignore_ascii_case(known) || is_prefix_at_separator(known, name)
}

fn is_prefix_at_separator(known: &str, name: &str) -> bool {
    let Some((head, tail)) = name.split_at_checked(known.len()) else { return false };
    !known.is_empty() && head.eq_ignore_ascii_case(known) && tail.starts_with(SEPARATORS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog() -> Catalog {
        let model = |id: &str, window: u64, aliases: &[&str]| Model {
            context_window: Some(window),
            aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            ..Model::unknown(id)
        };
        Catalog::new([
            model("phi-3-mini-4k", 4096, &[]),
            model("phi-3-mini-128k", 131_072, &[]),
            model("gpt-4", 8192, &["openai/gpt-4"]),
            model("gpt-4o", 128_000, &["chatgpt"]),
            model("gpt-4o-mini", 128_000, &[]),
        ])
    }

    #[test]
    fn cat_2_look_up() {
        let catalog = catalog();
        for (name, expected) in [
            ("gpt-4o", Some(("gpt-4o", Found::Id))),
            ("GPT-4o", Some(("gpt-4o", Found::Id))),
            (" gpt-4o ", Some(("gpt-4o", Found::Id))),
            ("chatgpt", Some(("gpt-4o", Found::Alias))),
            ("openai/gpt-4:free", Some(("gpt-4", Found::Prefix))),
            ("phi-3-mini-4k-instruct-generic-cpu:1", Some(("phi-3-mini-4k", Found::Prefix))),
            ("gpt-4o-mini-2024-07-18", Some(("gpt-4o-mini", Found::Prefix))),
            ("gpt-4-turbo", Some(("gpt-4", Found::Prefix))),
            ("gpt-4.1", None),
            ("gpt-4ofoo", None),
            ("phi", None),
            ("phi-3-mini", None),
            ("my-gpt-4o", None),
            ("", None),
            ("日本語", None),
        ] {
            let found = catalog.find(name).map(|(model, how)| (model.id.as_str(), how));
            assert_eq!(found, expected, "{name:?}");
        }
    }

    #[test]
    fn a_later_model_replaces_an_earlier_one() {
        let mut catalog = catalog();
        let count = catalog.models().len();
        catalog.put(Model { context_window: Some(7), ..Model::unknown("GPT-4O") });
        assert_eq!(catalog.models().len(), count);
        assert_eq!(catalog.find("gpt-4o").and_then(|(model, _)| model.context_window), Some(7));
    }

    #[test]
    fn larger_models_are_named_smallest_first() {
        let catalog = catalog();
        let models = || catalog.with_limits();
        let ids = larger_models(models(), 100_000, "gpt-4");
        assert_eq!(ids, ["gpt-4o", "gpt-4o-mini", "phi-3-mini-128k"]);
        assert_eq!(larger_models(models(), 100_000, "gpt-4o"), ["gpt-4o-mini", "phi-3-mini-128k"]);
    }
}
