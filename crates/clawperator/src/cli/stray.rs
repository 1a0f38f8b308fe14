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

/// Something stray on a line.
#[derive(Clone, Copy)]
struct Stray<'l> {
    word: &'l str,
    spec: &'static CommandSpec,
    line: &'l Line,
}

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
    let is_stray = |word: &&str| words.iter().any(|stray| stray == word);
    if let Some(flag) = line.before_dashes().filter(is_short).find(is_stray) {
        return no_flag(flag, Some(spec));
    }
    let word = match blamed.split_once('=') {
        Some((name, _)) if blamed.starts_with("--") => name,
        _ => blamed,
    };
    let stray = Stray { word, spec, line };
    // A misspelt flag says what is missing better than the builder could.
    match missing.filter(|_| !stray.is_flag() || command::flag_of(word, None).is_some()) {
        Some(missing) => stray.missing_instead(missing),
        None => stray.unplaced(),
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

impl Stray<'_> {
    /// Whether it is written as a flag, where there can be flags.
    fn is_flag(self) -> bool {
        let name = |word: &str| word.split('=').next() == Some(self.word);
        self.word.starts_with("--") && self.line.before_dashes().any(name)
    }

    /// What is missing, with a word about what is too much.
    fn missing_instead(self, missing: Failure) -> Failure {
        let hint = missing.details.as_ref().and_then(|details| details.hint.clone());
        self.advise(missing, (first_flag(self.spec), &hint.unwrap_or_default()))
    }

    /// What has no place, where nothing is missing.
    fn unplaced(self) -> Failure {
        if self.is_flag() {
            return no_flag(self.word, Some(self.spec));
        }
        let shown = text::excerpt(self.word);
        let message = format!("there is no place for the argument \"{shown}\" here");
        // Where there is an argument, this is more likely another word of it.
        let likely = first_flag(self.spec);
        let likely =
            likely.filter(|flag| self.spec.argument.is_none() && self.line.spellings(flag).is_empty());
        let code = ErrorCode::Usage;
        self.advise(Failure::new(code, message), (likely, code.row().hint))
    }

    /// The failure with a hint at what to write instead, and with another
    /// behind that.
    fn advise(self, failure: Failure, (likely, hint): (Option<&FlagSpec>, &str)) -> Failure {
        let shown = text::excerpt(self.word);
        let name = self.spec.path();
        let meant = meant::flag(self.word, Some(self.spec));
        let (advice, suggestion) = match (likely, meant) {
            _ if command::flag_of(self.word, Some(self.spec)).is_some() => (
                format!("Nothing is a flag behind --: put {shown} before it."),
                None,
            ),
            (_, Some(meant)) if self.is_flag() => (
                format!("{name} has no flag {shown}. Did you mean {meant}?"),
                Some(meant),
            ),
            (_, None) if self.is_flag() => (format!("{name} has no flag {shown}."), None),
            (Some(flag), _) => {
                let advice = format!("Did you mean --{} \"{shown}\"?", flag.name);
                (advice, Some(format!("--{}", flag.name)))
            }
            (None, _) if self.spec.argument.is_some() => {
                ("Put an argument with spaces in quotes.".to_owned(), None)
            }
            (None, _) => (String::new(), None),
        };
        let mut failure = failure.hint(format!("{advice} {hint}").trim());
        failure.suggestion = suggestion;
        failure
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
