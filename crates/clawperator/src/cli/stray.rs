//! What a line has too much: arguments without a place, flags that the command
//! does not have.
//!
//! Often such a line lacks something, too: in `click Login` the selector was
//! left out, and that is more to the point than the word that is too much. So
//! the command's builder is asked first, about the line without what is stray.

use super::command::{self, CommandSpec, Run};
use super::flag::Takes;
use super::given::{Given, STRAY};
use super::meant::{self, Meant};
use super::named::Line;
use super::{grammar, parser};
use clawperator_contract::{ErrorCode, Failure, text};
use std::ffi::OsString;

/// What the builder says to a line, whatever else is wrong with that.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// The arguments without a place.
    words: Vec<String>,
    pub(super) failure: Option<Failure>,
}

/// Asks the builder about a line as if each flag had a value and nothing were
/// stray.
pub(super) fn ask(spec: &'static CommandSpec, line: &Line, arranged: Vec<OsString>) -> Asked {
    let matches = grammar::lenient(spec).try_get_matches_from(arranged);
    let Some(given) = matches.ok().and_then(|matches| parser::given(matches, line).ok()) else {
        return Asked::default();
    };
    let known = (spec.words)();
    // Where only a few words have a place, any other has none either.
    let argument = given.argument();
    let argument = argument.filter(|word| !known.is_empty() && !known.contains(word));
    let stray = given.values(STRAY).unwrap_or_default();
    // A word that has its place is stray only because another took it.
    let stray = stray
        .into_iter()
        .filter(|word| argument.is_none() || !known.contains(word));
    let words = argument.into_iter().chain(stray).map(str::to_owned).collect();
    let failure = match spec.run {
        Run::Flat(build) => build(&given).err(),
        Run::Exec | Run::Print(_) | Run::Act(_) => None,
    };
    Asked {
        words,
        failure: failure.map(|failure| given.in_its_words(failure)),
    }
}

/// Something stray on a line.
#[derive(Clone, Copy)]
struct Stray<'l> {
    word: &'l str,
    /// All arguments without a place.
    words: &'l [String],
    spec: &'static CommandSpec,
    line: &'l Line,
}

/// Says what is wrong with a line on which clap has found something stray.
pub(super) fn judge(
    blamed: &str,
    (spec, line): (&'static CommandSpec, &Line),
    arranged: Vec<OsString>,
) -> Failure {
    let Asked { words, failure } = ask(spec, line, arranged);
    let is_short = |word: &&str| {
        let mut chars = word.chars();
        chars.next() == Some('-') && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
    };
    let is_stray = |word: &&str| words.iter().any(|stray| stray == word);
    if let Some(flag) = line.before_dashes().filter(is_short).find(is_stray) {
        return no_flag(flag, line);
    }
    let word = match blamed.split_once('=') {
        Some((name, _)) if blamed.starts_with("--") => name,
        _ => blamed,
    };
    let stray = Stray {
        word,
        words: &words,
        spec,
        line,
    };
    let missing = [ErrorCode::MissingSelector, ErrorCode::MissingArgument];
    let missing = failure.filter(|failure| missing.contains(&failure.code));
    // A misspelt flag says what is missing better than the builder could.
    match missing.filter(|_| !stray.is_flag() || command::flag_of(word, None).is_some()) {
        Some(missing) => stray.advise(missing, stray.likely()),
        None => stray.unplaced(),
    }
}

impl Stray<'_> {
    /// Whether it is written as a flag, where there can be flags.
    fn is_flag(self) -> bool {
        let name = |word: &str| word.split('=').next() == Some(self.word);
        self.word.starts_with("--") && self.line.before_dashes().any(name)
    }

    /// What has no place, where nothing is missing.
    fn unplaced(self) -> Failure {
        if self.is_flag() {
            return no_flag(self.word, self.line);
        }
        let shown = text::excerpt(self.word);
        let message = format!("there is no place for the argument \"{shown}\" here");
        // Where there is an argument, this is more likely another word of it.
        let likely = self.likely().filter(|_| self.spec.argument.is_none());
        let failure = Failure::new(ErrorCode::Usage, message).hint(ErrorCode::Usage.row().hint);
        self.advise(failure, likely)
    }

    /// The flag whose value it most likely is, if the line works with it.
    fn likely(self) -> Option<Meant> {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let meant = meant::value(&words, self.spec)?;
        let name = format!("--{}", meant.flag.name);
        let mut args: Vec<&str> = self.line.args.iter().filter_map(|word| word.to_str()).collect();
        for word in words {
            let at = args.iter().rposition(|arg| *arg == word)?;
            args.remove(at);
        }
        args.push(&name);
        args.extend(meant.values.iter().map(String::as_str));
        let works = understood(&args).is_some_and(|given| builds(&given));
        works.then_some(meant)
    }

    /// The failure with a hint at what to write instead in front of its own.
    fn advise(self, failure: Failure, likely: Option<Meant>) -> Failure {
        let shown = text::excerpt(self.word);
        let name = self.spec.path();
        if command::flag_of(self.word, Some(self.spec)).is_some() {
            let advice = format!("Nothing is a flag behind --: put {shown} before it.");
            return advised(failure, &advice, None);
        }
        if self.is_flag() {
            let meant = meant::flag(self.word, self.line);
            let question = meant.as_ref().map(|meant| format!(" Did you mean {meant}?"));
            let advice = format!("{name} has no flag {shown}.{}", question.unwrap_or_default());
            return advised(failure, &advice, meant);
        }
        if let Some(words) = self.in_quotes() {
            let advice = format!("Put an argument with spaces in quotes: {words}.");
            return advised(failure, &advice, None);
        }
        match likely {
            Some(meant) => {
                let (advice, name) = meant.advice();
                advised(failure, &advice, Some(name))
            }
            None => failure,
        }
    }

    /// It and the words around it in quotes, if the line works so.
    fn in_quotes(self) -> Option<String> {
        let args: Vec<&str> = self.line.args.iter().filter_map(|word| word.to_str()).collect();
        let flag = |at: usize| command::flag_of(args[at], Some(self.spec));
        let before = |at: usize| flag(at).filter(|flag| flag.takes.values() > 0 && !args[at].contains('='));
        let is_text = |at: usize| match flag(at - 1).or_else(|| before(at - 2)) {
            Some(flag) => flag.takes == Takes::One("TEXT"),
            None => self.spec.argument.is_some_and(|(name, _)| name == "TEXT"),
        };
        let places = 2..args.len();
        let mut places = places.filter(|at| args[*at] == self.word && is_text(*at));
        places.find_map(|at| {
            let run = args[at..]
                .iter()
                .take_while(|word| self.words.iter().any(|stray| stray == *word));
            let behind = at + run.count();
            let joined = args[at - 1..behind].join(" ");
            let line = [&args[..at - 1], &[&joined], &args[behind..]].concat();
            let works = understood(&line).is_some_and(|given| builds(&given));
            works.then(|| meant::quoted(&text::excerpt(&joined)))
        })
    }
}

/// A failure for want of a selector, with what the argument was probably meant
/// for: in `scroll-until About` it is no direction.
pub(super) fn argument_meant(given: &Given, failure: Failure) -> Failure {
    let known = (given.spec().words)();
    let is_known = |word: &str| known.iter().any(|known| known.eq_ignore_ascii_case(word));
    let word = given.argument().filter(|word| !is_known(word));
    let word = word.filter(|_| failure.code == ErrorCode::MissingSelector && !known.is_empty());
    match word.and_then(|word| meant::value(&[word], given.spec())) {
        Some(meant) => {
            let (advice, name) = meant.advice();
            advised(failure, &advice, Some(name))
        }
        None => failure,
    }
}

/// A failure with an advice in front of its hint, and a suggestion.
pub(super) fn advised(failure: Failure, advice: &str, suggestion: Option<String>) -> Failure {
    let hint = failure.details.as_ref().and_then(|details| details.hint.clone());
    let mut failure = failure.hint(format!("{advice} {}", hint.unwrap_or_default()).trim());
    failure.suggestion = suggestion;
    failure
}

/// What a line gives, if there is nothing wrong with the line itself.
fn understood(args: &[&str]) -> Option<Given> {
    parser::understood(args.iter().map(OsString::from).collect())
}

/// Whether what is given makes an execution that the contract takes.
fn builds(given: &Given) -> bool {
    let Run::Flat(build) = given.spec().run else {
        return false;
    };
    let payload = build(given).map(|draft| draft.written((0, 0)));
    payload.is_ok_and(|payload| clawperator_contract::accept_within(&payload, None).is_ok())
}

/// A flag that there is not, of a command or at all.
pub(super) fn no_flag(token: &str, line: &Line) -> Failure {
    let shown = text::excerpt(token);
    let words = line.spec().map(|spec| (spec.words)()).unwrap_or_default();
    // What is an argument here may well be a flag elsewhere.
    let word = words
        .into_iter()
        .find(|word| token.strip_prefix("--") == Some(word));
    let suggestion = word.map(str::to_owned).or_else(|| meant::flag(token, line));
    let failure = Failure::new(ErrorCode::Usage, format!("there is no flag {shown} here"));
    let failure = failure.hint(ErrorCode::Usage.row().hint);
    match &suggestion {
        Some(meant) => advised(failure, &format!("Did you mean {meant}?"), suggestion.clone()),
        None if is_argument(token, line) => {
            let advice = "Put -- before an argument that starts with dashes.";
            advised(failure, advice, None)
        }
        None => failure,
    }
}

/// Whether what looks like a flag would do as the argument, behind `--`.
fn is_argument(token: &str, line: &Line) -> bool {
    let args: Vec<&str> = line.args.iter().filter_map(|word| word.to_str()).collect();
    let is_it = |word: &&str| word.split('=').next() == Some(token);
    let Some(at) = args.iter().position(is_it).filter(|_| !args.contains(&"--")) else {
        return false;
    };
    let moved = [&args[..at], &args[at + 1..], &["--", args[at]]].concat();
    let given = understood(&moved);
    given.is_some_and(|given| matches!(given.spec().run, Run::Exec) || builds(&given))
}
