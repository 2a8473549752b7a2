//! The contract. not yet
