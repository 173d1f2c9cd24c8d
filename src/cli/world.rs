//! The only file that asks the clock and the environment.

use std::ffi::OsString;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::format::time::Time;

/// One reading of the clock, in whole seconds.
pub fn now() -> Option<Time> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Time::from_unix(i64::try_from(since.as_secs()).ok()?)
}

/// True when NO_COLOR is set and not empty.
pub fn no_color() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// The value of a variable that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The whole environment, for a command that inherits it.
pub fn environment() -> Vec<(OsString, OsString)> {
    std::env::vars_os().collect()
}

/// True when `--json` or `--ndjson` stands among arguments that could not be parsed.
pub fn arguments_ask_for_json() -> bool {
    std::env::args_os().any(|arg| arg == "--json" || arg == "--ndjson")
}
