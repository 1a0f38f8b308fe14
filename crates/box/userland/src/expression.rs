//! Compiled regular expressions, kept because the same command lines come again
//! and again and compiling takes far longer than matching a short text.

use regex::bytes::{Regex, RegexBuilder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many are kept; when there are more, all are dropped.
const MAX_KEPT: usize = 128;
const MAX_KEPT_LENGTH: usize = 1024;
const MAX_COMPILED: usize = 1 << 20;

static KEPT: Mutex<BTreeMap<RegexKey, Arc<Regex>>> = Mutex::new(BTreeMap::new());

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RegexKey {
    expression: String,
    ignore_case: bool,
}

/// Compiles an expression, bounded in size. It is shared, not cloned: a clone of it would begin
/// without the states that matching has found.
///
/// # Errors
/// It is no expression, or too large.
pub(crate) fn compile(expression: &str, ignore_case: bool) -> Result<Arc<Regex>, regex::Error> {
    let key = RegexKey { expression: expression.to_owned(), ignore_case };
    if let Some(regex) = with_cache(|kept| kept.get(&key).cloned()) {
        return Ok(regex);
    }
    let regex =
        RegexBuilder::new(expression).case_insensitive(ignore_case).size_limit(MAX_COMPILED).build()?;
    let regex = Arc::new(regex);
    if expression.len() <= MAX_KEPT_LENGTH {
        with_cache(|kept| {
            if kept.len() >= MAX_KEPT {
                kept.clear();
            }
            kept.insert(key, Arc::clone(&regex));
        });
    }
    Ok(regex)
}

fn with_cache<T>(use_it: impl FnOnce(&mut BTreeMap<RegexKey, Arc<Regex>>) -> T) -> T {
    use_it(&mut KEPT.lock().unwrap_or_else(PoisonError::into_inner))
}
