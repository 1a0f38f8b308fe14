//! Reads a command line: words in, typed arguments of one command out.

use super::args::{Args, GivenFlag};
use super::commands;
use super::flags;
use super::line::{InfoPage, Line, flag_name, resolve};
use super::mistake::Mistake;
use super::output::Format;
use super::spec::{Command, CommandSpec, FlagPlace, Often, Takes, ValueKind};
use clawperator_contract::{Failure, LookAfter};
use std::ffi::{OsStr, OsString};
use std::iter::Peekable;

/// What a command line asks for.
#[derive(Debug)]
pub(crate) enum LineRequest {
    Page(InfoPage),
    Command(Args),
}

/// Reads the words after the program's name.
pub(crate) fn parse(words: &[OsString]) -> Result<LineRequest, Failure> {
    let line = Line::read(words);
    if let Some(page) = line.page_asked_for() {
        return Ok(LineRequest::Page(page));
    }
    let spec = line.command()?;
    let read = ArgsReader::new(spec).read(&line)?;
    Ok(LineRequest::Command(read))
}

/// Reads the words of one command.
struct ArgsReader {
    args: Args,
    first: Option<Mistake>,
    /// Whether a mistake is there that nothing else comes before.
    is_fatal: bool,
}

/// The words that are still to be read.
type Words<'l> = Peekable<std::vec::IntoIter<(&'l OsString, WordSide)>>;

/// On which side of the command a word stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordSide {
    Before,
    After,
}

impl ArgsReader {
    fn new(spec: &'static CommandSpec) -> Self {
        let args = Args {
            spec,
            arguments: Vec::new(),
            flags: Vec::new(),
            unexpected: None,
            format: Format::Compact,
            looks: LookAfter::default(),
        };
        Self { args, first: None, is_fatal: false }
    }

    fn read(mut self, line: &Line<'_>) -> Result<Args, Mistake> {
        let named_at = line.naming.last().copied().unwrap_or_default();
        let side = |at: usize| {
            if at < named_at { WordSide::Before } else { WordSide::After }
        };
        let words = line.words.iter().enumerate().filter(|(at, _)| !line.naming.contains(at));
        let words: Vec<_> = words.map(|(at, word)| (word, side(at))).collect();
        let mut words: Words<'_> = words.into_iter().peekable();
        while let Some((word, side)) = words.next() {
            if word == "--" {
                words.by_ref().for_each(|(word, _)| self.argument(word));
            } else if self.is_rest(word) {
                self.argument(word);
            } else if let Some((name, value)) = flag_name(word) {
                let flag = self.flag(&name, value, &mut words);
                flag.into_iter().for_each(|flag| self.keep(flag, side));
            } else if self.is_full() && is_short_flag(word) {
                self.unknown_flag(word.to_string_lossy().into_owned(), true);
            } else {
                self.argument(word);
            }
        }
        let is_flat = matches!(self.args.spec.command, Command::Flat(_));
        match self.first.take() {
            Some(first) if self.is_fatal || !is_flat => return Err(first),
            Some(_) | None => {}
        }
        self.args.format = format_of(&self.args)?;
        Ok(self.args)
    }

    /// Notes a mistake; a fatal one is reported before the command is asked.
    fn note(&mut self, mistake: &Mistake, is_fatal: bool) {
        self.first.get_or_insert_with(|| mistake.clone());
        self.is_fatal |= is_fatal;
    }

    /// Reads a flag of the command and its values.
    fn flag(&mut self, name: &str, joined: Option<&OsStr>, words: &mut Words<'_>) -> Option<GivenFlag> {
        let next = words.peek().map(|(word, _)| word.as_os_str());
        let own = resolve(self.args.spec, name, joined.or(next));
        let foreign = || commands::every_flag().find(|flag| flag.is_named(name, None));
        let typed = format!("--{name}");
        let Some(flag) = own.or_else(foreign) else {
            self.unknown_flag(typed, true);
            return None;
        };
        let mut values: Vec<OsString> = joined.into_iter().map(OsStr::to_owned).collect();
        while values.len() < flag.takes.count() {
            match words.next_if(|(word, _)| self.is_value(word)) {
                Some((value, _)) => values.push(value.clone()),
                None => break,
            }
        }
        if own.is_none() {
            self.unknown_flag(typed, flag.takes == Takes::Nothing);
            return None;
        }
        if flag.value == ValueKind::Text && values.iter().any(|value| value.to_str().is_none()) {
            self.note(&Mistake::NotUtf8, true);
            return None;
        }
        Some(GivenFlag { flag, name: typed, values, mistake: None })
    }

    /// What is wrong with a flag by itself.
    fn mistake_of(&self, given: &GivenFlag, side: WordSide) -> Option<Mistake> {
        let (flag, name) = (given.flag, given.name.clone());
        let is_own_name = || flag.names().any(|own| name.strip_prefix("--") == Some(own));
        if given.values.len() > flag.takes.count() {
            Some(Mistake::TakesNoValue { name })
        } else if side == WordSide::Before && flag.place == FlagPlace::Command && is_own_name() {
            let command = self.args.spec;
            Some(Mistake::FlagBeforeCommand { name, command })
        } else if given.values.len() < flag.takes.least() {
            Some(Mistake::MissingValue { flag, name })
        } else {
            None
        }
    }

    /// Keeps a flag, beside what was given of it before.
    fn keep(&mut self, mut given: GivenFlag, side: WordSide) {
        given.mistake = self.mistake_of(&given, side);
        let known = self.args.flags.iter().position(|known| known.flag.name == given.flag.name);
        if let Some(at) = known {
            let mut before = self.args.flags.remove(at);
            match given.flag.takes {
                Takes::Several(_) => {
                    before.values.append(&mut given.values);
                    given.values = before.values;
                }
                Takes::One(_) | Takes::Maybe(_) | Takes::Two(..) if given.flag.place != FlagPlace::Global => {
                    let mut names = vec![before.name];
                    names.extend(Some(given.name.clone()).filter(|name| !names.contains(name)));
                    given.mistake = Some(Mistake::Repeated(names));
                }
                // Repeating it changes nothing, or the last one counts.
                Takes::Nothing | Takes::One(_) | Takes::Maybe(_) | Takes::Two(..) => {}
            }
        }
        if let Some(mistake) = given.mistake.clone() {
            self.note(&mistake, mistake.is_fatal());
        }
        self.args.flags.push(given);
    }

    fn argument(&mut self, word: &OsStr) {
        let places = self.args.spec.arguments;
        let place = places.get(self.args.arguments.len()).or(places.last());
        match place.filter(|_| !self.is_full()) {
            None => {
                let unexpected = Mistake::UnexpectedArgument {
                    argument: word.to_string_lossy().into_owned(),
                    command: self.args.spec,
                };
                self.unexpected(unexpected, false);
            }
            Some(place) if place.value == ValueKind::Text && word.to_str().is_none() => {
                self.note(&Mistake::NotUtf8, true);
            }
            Some(_) => self.args.arguments.push(word.to_owned()),
        }
    }

    fn unknown_flag(&mut self, name: String, is_fatal: bool) {
        let command = Some(self.args.spec);
        self.unexpected(Mistake::UnknownFlag { name, command }, is_fatal);
    }

    fn unexpected(&mut self, mistake: Mistake, is_fatal: bool) {
        self.note(&mistake, is_fatal);
        self.args.unexpected.get_or_insert(mistake);
    }

    /// Tells whether no argument has a place any more.
    fn is_full(&self) -> bool {
        let places = self.args.spec.arguments;
        let is_open = places.last().is_some_and(|last| last.often != Often::Once);
        !is_open && self.args.arguments.len() >= places.len()
    }

    /// Tells whether a word is a part of the rest of the line: a flag of the command is not.
    fn is_rest(&self, word: &OsStr) -> bool {
        let places = self.args.spec.arguments;
        let has_rest = places.last().is_some_and(|last| last.often == Often::Rest);
        let reached = self.args.arguments.len() + 1 >= places.len();
        has_rest && reached && flag_name(word).is_some() && self.is_value(word)
    }

    /// Tells whether a word can be the value of the flag before it: a flag of the command cannot.
    fn is_value(&self, word: &OsStr) -> bool {
        let is_flag =
            || flag_name(word).is_some_and(|(name, _)| resolve(self.args.spec, &name, None).is_some());
        word != "--" && !is_flag()
    }
}

/// Tells whether a word looks like a flag with one dash. There are none, but for `-h` and `-V`.
fn is_short_flag(word: &OsStr) -> bool {
    let mut chars = word.to_str().unwrap_or_default().chars();
    chars.next() == Some('-') && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
}

/// How to print. `--json` wins.
fn format_of(args: &Args) -> Result<Format, Mistake> {
    let output = args.flags.iter().find(|given| given.flag.name == flags::OUTPUT.name);
    let word = output.and_then(|given| Some((given, given.values.first()?.to_str()?)));
    let Some((given, word)) = word.filter(|_| !args.has(&flags::JSON)) else {
        return Ok(Format::Compact);
    };
    Format::from_word(word).ok_or_else(|| {
        let typed = given.name.trim_start_matches('-');
        let by_value = args.spec.local_flags().filter(|flag| flag.aliases_by_value.contains(&typed));
        let mut words: Vec<_> = by_value.flat_map(|flag| flag.words).copied().collect();
        words.extend(Format::WORDS.iter().filter(|word| !words.contains(word)).copied().collect::<Vec<_>>());
        Mistake::NotOneOf { name: given.name.clone(), value: word.to_owned(), words }
    })
}
