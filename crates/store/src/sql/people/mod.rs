//! People, projects, tokens, and what a team keeps about them (TEA-9, TEA-10).

pub(crate) mod audit;
pub(crate) mod leaving;
pub(crate) mod openid;
pub(crate) mod persons;
pub(crate) mod projects;
pub(crate) mod sealed_keys;
pub(crate) mod team_use;
pub(crate) mod tokens;
