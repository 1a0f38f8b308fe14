//! What single texts of a recipe must look like.

use crate::recipe::limits::MAX_RECIPE_ID;
use clawperator_document::text;

/// What a text must look like, and the words for it.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) fits: fn(&str) -> bool,
    pub(super) words: &'static str,
}

const fn form(fits: fn(&str) -> bool, words: &'static str) -> Form {
    Form { fits, words }
}

pub(super) const RECIPE_ID: Form = form(is_recipe_id, "letters, digits, \".\", \"_\" and \"-\"");
pub(super) const SEMVER: Form = form(is_semver, "a version such as 1.2.0");
pub(super) const PACKAGE: Form = form(is_package, "a package id such as com.example.app");
pub(super) const TEXT: Form = form(|_| true, "");

fn is_recipe_id(id: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !text::exceeds(id, MAX_RECIPE_ID)
        && id.starts_with(|c: char| c.is_ascii_alphanumeric())
        && id.chars().all(fits)
}

/// Android's rule for package ids.
fn is_package(id: &str) -> bool {
    let fits = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    !text::exceeds(id, MAX_RECIPE_ID) && id.contains('.') && id.split('.').all(fits)
}

fn is_semver(version: &str) -> bool {
    let is_tail = |tail: &str| {
        let fits =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        tail.split('.').all(fits)
    };
    let (version, build) = version.split_once('+').map_or((version, None), |(v, b)| (v, Some(b)));
    let (core, pre) = version.split_once('-').map_or((version, None), |(v, p)| (v, Some(p)));
    let is_number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        digits && part.len() <= 9 && (part == "0" || !part.starts_with('0'))
    };
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && pre.is_none_or(is_tail)
        && build.is_none_or(is_tail)
}

/// Whether a text is an ISO 8601 date, or a point in time.
pub(super) fn is_date(text: &str) -> bool {
    text.parse::<jiff::civil::Date>().is_ok() || text.parse::<jiff::Timestamp>().is_ok()
}
