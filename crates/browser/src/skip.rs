//! Tests that cannot run here say so.

use std::{io::Write, thread};

use crate::{Error, Result};

/// With this variable set, what is missing is an error and not a reason to skip.
const NO_SKIPS: &str = "PLIMSOLL_NO_SKIPS";

/// Nothing where something is missing, with a loud word on standard error, which the
/// test harness does not keep back; every other error stays one. With
/// `PLIMSOLL_NO_SKIPS` set, so does this.
///
/// ```no_run
/// # use plimsoll_browser::{Browser, Options, Result, or_skip};
/// # fn test() -> Result<()> {
/// let Some(browser) = or_skip(Browser::launch(Options::default()))? else { return Ok(()) };
/// # Ok(())
/// # }
/// ```
pub fn or_skip<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(missing @ Error::Missing { .. }) if !no_skips() => {
            let test = thread::current();
            let test = test.name().unwrap_or("a test");
            let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {missing}");
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// An empty value is as good as none.
fn no_skips() -> bool {
    std::env::var_os(NO_SKIPS).is_some_and(|value| !value.is_empty())
}
