//! Settings and the model catalog: from flags, environment and files to values that
//! were checked.
//!
//! One schema ([`SETTINGS`]) drives defaults, validation and documentation. This
//! crate reads texts that it is given: it does not open files, and it does not know
//! what a setting is used for.

mod address;
mod catalog_file;
mod edit;
mod edit_models;
mod groups;
mod openid;
mod places;
mod schema;
mod settings;
mod team;

pub use address::without_password;
pub use catalog_file::{CatalogError, merge_catalog, shipped_catalog};
pub use edit::edit_settings;
pub use edit_models::edit_model;
pub use groups::{SERVER_SETTINGS, SETTING_GROUPS, SettingGroup, TEAM_GROUP};
pub use openid::{OpenIdClaim, OpenIdSettings};
pub use schema::{Kind, SETTINGS, SettingSpec};
pub use settings::{Settings, SettingsError, Source, Sources};
