//! What a line has too much: arguments without a place, flags that the command
//! does not have.
//!
//! Often such a line lacks something, too: in `click Login` the selector was
//! left out, and that is more to the point than the word that is too much. So
//! the command's builder is asked first, about the line without what is stray.

use super::command::{self, CommandSpec, Run};
use super::flag::{FlagSpec, Takes};
use super::given::STRAY;
use super::named::Line;
use super::{grammar, meant, parser};
use clawperator_contract::{ErrorCode, Failure, text};
use std::ffi::OsString;

/// Says what is wrong with a line on which clap has found something stray.
pub(super) fn judge(
    blamed: &str,
    (spec, line): (&'static CommandSpec, &Line),
    arranged: Vec<OsString>,
) -> Failure {
    let (words, missing) = lenient(spec, line, arranged);
    let is_short = |word: &&str| {
        let mut chars = word.chars();
        chars.next() == Some('-') && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
    };
    let strays = || words.iter().map(String::as_str);
    if let Some(flag) = line
        .before_dashes()
        .filter(is_short)
        .find(|word| strays().any(|stray| stray == *word))
    {
        return no_flag(flag, Some(spec));
    }
    let name = blamed.split('=').next().unwrap_or_default();
    let stray = if blamed.starts_with("--") { name } else { blamed };
    // A misspelt flag says what is missing better than the builder could.
    let known = !stray.starts_with("--") || command::flag_of(stray, None).is_some();
    match missing.filter(|_| known) {
        Some(missing) => missing_instead(missing, stray, spec),
        None => unplaced(stray, (spec, line)),
    }
}

/// Reads a line that may have anything stray: the arguments without a place,
/// and what the builder misses.
fn lenient(
    spec: &'static CommandSpec,
    line: &Line,
    arranged: Vec<OsString>,
) -> (Vec<String>, Option<Failure>) {
    let Ok(matches) = grammar::lenient(spec).try_get_matches_from(arranged) else {
        return (Vec::new(), None);
    };
    let Ok(given) = parser::given(matches, line) else {
        return (Vec::new(), None);
    };
    let words = given.values(STRAY).unwrap_or_default();
    let words = words.into_iter().map(str::to_owned).collect();
    let built = match spec.run {
        Run::Flat(build) => build(&given).err(),
        Run::Exec | Run::Print(_) | Run::Act(_) => None,
    };
    let missing = [ErrorCode::MissingSelector, ErrorCode::MissingArgument];
    (words, built.filter(|failure| missing.contains(&failure.code)))
}

/// What is missing, with a word about what is too much.
fn missing_instead(missing: Failure, stray: &str, spec: &'static CommandSpec) -> Failure {
    let (aside, suggestion) = aside(stray, spec, first_flag(spec));
    let hint = missing.details.as_ref().and_then(|details| details.hint.clone());
    let hint = format!("{aside} {}", hint.unwrap_or_default());
    let mut failure = missing.hint(hint.trim());
    failure.suggestion = suggestion;
    failure
}

/// What has no place, where nothing is missing.
fn unplaced(stray: &str, (spec, line): (&'static CommandSpec, &Line)) -> Failure {
    if stray.starts_with("--") && command::flag_of(stray, Some(spec)).is_none() {
        return no_flag(stray, Some(spec));
    }
    // Where there is an argument, this is more likely another word of it.
    let likely = first_flag(spec).filter(|flag| spec.argument.is_none() && line.spellings(flag).is_empty());
    let (aside, suggestion) = aside(stray, spec, likely);
    let shown = text::excerpt(stray);
    let message = format!("there is no place for the argument \"{shown}\" here");
    let hint = format!("{aside} {}", ErrorCode::Usage.row().hint);
    let mut failure = Failure::new(ErrorCode::Usage, message).hint(hint.trim());
    failure.suggestion = suggestion;
    failure
}

/// What to say of something stray, and what to write instead.
fn aside(stray: &str, spec: &'static CommandSpec, likely: Option<&FlagSpec>) -> (String, Option<String>) {
    let shown = text::excerpt(stray);
    if command::flag_of(stray, Some(spec)).is_some() {
        return (
            format!("Nothing is a flag behind --: put {shown} before it."),
            None,
        );
    }
    if stray.starts_with("--") {
        let meant = meant::flag(stray, Some(spec));
        let or = meant.as_ref().map(|meant| format!(" Did you mean {meant}?"));
        let aside = format!("{} has no flag {shown}.{}", spec.path(), or.unwrap_or_default());
        return (aside, meant);
    }
    match likely {
        Some(flag) => {
            let aside = format!("Did you mean --{} \"{shown}\"?", flag.name);
            (aside, Some(format!("--{}", flag.name)))
        }
        None if spec.argument.is_some() => ("Put an argument with spaces in quotes.".to_owned(), None),
        None => (String::new(), None),
    }
}

/// The flag that a stray argument is most likely the value of: a command's
/// first, which names what it is about.
fn first_flag(spec: &'static CommandSpec) -> Option<&'static FlagSpec> {
    let (_, flags) = spec.flags.first()?;
    let first = flags.first()?;
    matches!(first.takes, Takes::One(_)).then_some(first)
}

/// A flag that there is not, of a command or at all.
pub(super) fn no_flag(token: &str, spec: Option<&'static CommandSpec>) -> Failure {
    let shown = text::excerpt(token);
    let words = spec.map(|spec| (spec.words)()).unwrap_or_default();
    // What is an argument here may well be a flag elsewhere.
    let word = words
        .into_iter()
        .find(|word| token.strip_prefix("--") == Some(word));
    let suggestion = word.map(str::to_owned).or_else(|| meant::flag(token, spec));
    let hint = ErrorCode::Usage.row().hint;
    let hint = match &suggestion {
        Some(meant) => format!("Did you mean {meant}? {hint}"),
        None if spec.is_some_and(|spec| spec.argument.is_some()) => {
            format!("Put -- before an argument that starts with dashes. {hint}")
        }
        None => hint.to_owned(),
    };
    let mut failure = Failure::new(ErrorCode::Usage, format!("there is no flag {shown} here")).hint(hint);
    failure.suggestion = suggestion;
    failure
}
