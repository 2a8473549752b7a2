//! Migrations from an empty store and from one that has something to lose (REL-3).
