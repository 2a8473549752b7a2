//! The store in SQL. It does not decide what is kept or promised: `store` does.
