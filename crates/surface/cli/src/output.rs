//! Renders answers: compact JSON for programs, text for people.

use super::people::{self, Colour};
use clawperator_contract::{ErrorCode, Failure, words};
use clawperator_private as private;
use serde::Serialize;
use std::ffi::OsString;
use std::path::Path;

/// What standard output is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// None: a file, a pipe, another program.
    Absent,
    /// A terminal that can show nothing but text.
    Dumb,
    /// Any other terminal, and how many characters fit in a line as far as is known.
    Wide(u64),
}

words! {
    /// How to print.
    #[derive(Default)]
    pub Format {
        #[default]
        Compact = "json",
        /// Text for people; indented JSON where the answer is a document.
        Pretty = "pretty",
        /// The few words that an agent needs, within a budget.
        Agent = "agent",
    }
}

impl Format {
    /// The format a command line seems to ask for that could not be parsed.
    pub(crate) fn guess(args: &[OsString]) -> Option<Self> {
        let before_dashes = args.iter().take_while(|token| *token != "--");
        let words: Vec<_> = before_dashes.filter_map(|token| token.to_str()).collect();
        if words.contains(&"--json") {
            return Some(Self::Compact);
        }
        let apart = words.windows(2).filter_map(|pair| match pair {
            ["--output" | "--format", word] => Self::from_word(word),
            _ => None,
        });
        let joined = words.iter().filter_map(|word| {
            let word = word.strip_prefix("--output=").or(word.strip_prefix("--format="));
            Self::from_word(word?)
        });
        apart.chain(joined).next()
    }
}

/// Renders an answer, with a line end.
pub(crate) fn render(value: &impl Serialize, format: Format, colour: Colour) -> String {
    match (format, serde_json::to_value(value)) {
        (Format::Pretty, Ok(value)) => people::page(&value, colour),
        (Format::Agent, Ok(value)) => within(people::page(&value, Colour::Never)),
        (Format::Compact, _) | (_, Err(_)) => json(value, format),
    }
}

/// Renders a document that is JSON in every format, with a line end.
pub(crate) fn json(value: &impl Serialize, format: Format) -> String {
    // Not through a `Value`, which spells large numbers in its own way.
    let text = match format {
        Format::Compact | Format::Agent => serde_json::to_string(value),
        Format::Pretty => serde_json::to_string_pretty(value),
    };
    // Our own types have string keys and finite numbers: they always serialise.
    // Should one ever not, the reader must not take silence for an answer.
    let mut text = text.unwrap_or_else(|error| {
        serde_json::json!(Failure::new(ErrorCode::InternalError, format!("cannot write the answer: {error}")))
            .to_string()
    });
    text.push('\n');
    text
}

/// How long an answer to an agent may be, in bytes, where no budget of a view
/// holds: some 1,000 tokens.
const MAX_FOR_AGENTS: usize = 4_000;

/// A text for an agent, cut at the end of a line if it is too long.
pub(super) fn within(mut text: String) -> String {
    if text.len() <= MAX_FOR_AGENTS {
        return text;
    }
    let fits = text.floor_char_boundary(MAX_FOR_AGENTS);
    let end = text[..fits].rfind('\n').unwrap_or(fits);
    let left = text[end..].trim().lines().count();
    text.truncate(end);
    let lines = if left == 1 { "line" } else { "lines" };
    format!("{text}\n(left out: {left} {lines}; --output json prints all)\n")
}

/// Writes a file, or leaves the old one untouched.
pub(super) fn write_file(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    // It shows what was on a screen, so only its owner may read it.
    private::save(file, bytes).map_err(|error| {
        let message = if file.as_os_str().is_empty() {
            "cannot write a file without a name".to_owned()
        } else {
            format!("cannot write {}: {error}", file.display())
        };
        Failure::of(ErrorCode::FileWriteFailed, message)
    })
}
