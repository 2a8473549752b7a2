//! The store in SQLite: the contract, and what only a file can suffer.

mod contract;
