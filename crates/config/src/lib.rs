//! Settings and the model catalog: from flags, environment and files to values that
//! were checked.
//!
//! One schema ([`SETTINGS`]) drives defaults, validation and documentation. This
//! crate reads texts that it is given; which files they come from is the caller's
//! business, and so is everything that settings mean.

mod catalog_file;
mod schema;
mod settings;

pub use catalog_file::{CatalogError, merge_catalog, shipped_catalog};
pub use schema::{Kind, SETTINGS, SettingSpec};
pub use settings::{Settings, SettingsError, Source, Sources};
