//! What `logcat` is asked for. Pure: words in, options out.

use crate::phone::log::{Buffer, LogClock, LogEntry, LogFormat, LogStyle};
use crate::phone::{format_time, log_time};
use regex::{Regex, RegexBuilder};
use std::time::Duration;

const MAX_PATTERN: usize = 1 << 20;

pub(super) const USAGE: &str = "Usage: logcat [OPTION...] [TAG:LEVEL...]
  -B              prints entries as they are, not as text
  -b BUFFER,...   main, system, crash, events, radio, all or default
  -c              clears the log
  -d              prints what is there and ends
  -D              prints a line between buffers
  -e PATTERN      prints only messages with this in them
  -f FILE         writes to a file
  -g              prints how large the buffers are
  -m COUNT        ends after so many messages
  -s              prints nothing that no filter asks for
  -t COUNT|TIME   prints the last messages and ends
  -T COUNT|TIME   prints the last messages and goes on
  -v FORMAT       brief, long, process, raw, tag, thread, threadtime, time;
                  epoch, monotonic, nsec, uid, usec, year, zone
  --pid=PID       prints only messages of this process
";

const LEVELS: &str = "VDIWEFS";

/// A word of `-v`, and the detail that it changes.
type StyleWord = (&'static str, fn(&mut LogStyle));

/// Words of `-v` that change a detail.
const DETAILS: &[StyleWord] = &[
    // Nothing here has colours, descriptions or letters that cannot be printed,
    // and the phone's zone is UTC.
    ("color", |_| ()),
    ("descriptive", |_| ()),
    ("epoch", |style| style.clock = LogClock::Epoch),
    ("monotonic", |style| style.clock = LogClock::Monotonic),
    ("nsec", |style| style.digits = 9),
    ("printable", |_| ()),
    ("uid", |style| style.uid = true),
    ("usec", |style| style.digits = 6),
    ("UTC", |_| ()),
    ("year", |style| style.clock = LogClock::Year),
    ("zone", |style| style.zone = true),
];

/// What is to be done.
pub(super) enum LogcatCommand {
    Log(Box<LogcatOptions>),
    Clear(Vec<Buffer>),
    Sizes(Vec<Buffer>),
    Help,
    Nothing,
}

/// Where printing begins.
pub(super) enum StartAt {
    All,
    Last(usize),
    Since(Since),
}

/// A time as it is written.
pub(super) enum Since {
    /// `MM-DD hh:mm:ss.mmm`, the year may stand before it.
    Date(String),
    Seconds(Duration),
}

impl Since {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds).ok().map(Self::Seconds);
        }
        let known = |letter: char| letter.is_ascii_digit() || "- :.".contains(letter);
        let date = text.contains(':') && text.contains('-') && text.chars().all(known);
        date.then(|| Self::Date(text.to_owned()))
    }

    /// Tells whether a line is not older.
    pub(super) fn is_before(&self, entry: &LogEntry) -> bool {
        match self {
            Self::Seconds(seconds) => entry.time >= *seconds,
            Self::Date(text) => {
                // The year is only compared where it was written.
                let full = match text.find('-') {
                    Some(4) => format_time(entry.time, "%Y-%m-%d %H:%M:%S%.3f"),
                    _ => log_time(entry.time),
                };
                full.as_str() >= text.as_str()
            }
        }
    }
}

pub(super) struct LogcatOptions {
    pub(super) style: LogStyle,
    /// Entries as they are, not as text.
    pub(super) binary: bool,
    pub(super) begin: StartAt,
    pub(super) ends: bool,
    pub(super) dividers: bool,
    pub(super) most: Option<usize>,
    pub(super) file: Option<String>,
    buffers: Vec<Buffer>,
    pattern: Option<Regex>,
    pid: Option<u32>,
    filters: Vec<(String, char)>,
    otherwise: char,
}

impl LogcatOptions {
    /// Reads the words; the filters of the environment count where none are
    /// named.
    pub(super) fn parse(words: &[String], usual: &str) -> Result<LogcatCommand, String> {
        let mut parser = OptionParser {
            options: Self {
                style: LogStyle {
                    format: LogFormat::Threadtime,
                    clock: LogClock::Date,
                    digits: 3,
                    zone: false,
                    uid: false,
                },
                binary: false,
                begin: StartAt::All,
                ends: false,
                dividers: false,
                most: None,
                file: None,
                buffers: Vec::new(),
                pattern: None,
                pid: None,
                filters: Vec::new(),
                otherwise: 'V',
            },
            act: Mode::Print,
        };
        parser.words(words)?;
        let OptionParser { mut options, act } = parser;
        if options.buffers.is_empty() {
            options.buffers = vec![Buffer::Main, Buffer::System, Buffer::Crash];
        }
        if options.filters.is_empty() && options.otherwise == 'V' {
            for filter in usual.split_whitespace() {
                options.filter(filter)?;
            }
        }
        Ok(match act {
            Mode::Print => LogcatCommand::Log(Box::new(options)),
            Mode::Clear => LogcatCommand::Clear(options.buffers),
            Mode::Sizes => LogcatCommand::Sizes(options.buffers),
            Mode::Help => LogcatCommand::Help,
            Mode::Nothing => LogcatCommand::Nothing,
        })
    }

    /// Tells whether a line is printed.
    pub(super) fn wants(&self, entry: &LogEntry) -> bool {
        let filter = self.filters.iter().rev().find(|filter| filter.0 == entry.tag);
        let level = filter.map_or(self.otherwise, |filter| filter.1);
        let rank = |level: char| LEVELS.find(level).unwrap_or(0);
        self.buffers.contains(&entry.buffer)
            && level != 'S'
            && rank(entry.level) >= rank(level)
            && self.pid.is_none_or(|pid| pid == entry.pid)
            && self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(&entry.text))
    }

    fn filter(&mut self, word: &str) -> Result<(), String> {
        let (tag, level) = word.rsplit_once(':').unwrap_or((word, "V"));
        let letter = level.chars().next().map_or('V', |letter| letter.to_ascii_uppercase());
        let letter = if letter == '*' { 'V' } else { letter };
        if !LEVELS.contains(letter) || level.chars().count() > 1 || tag.is_empty() {
            return Err(format!("Invalid filter expression '{word}'"));
        }
        if tag == "*" {
            self.otherwise = letter;
        } else {
            self.filters.push((tag.to_owned(), letter));
        }
        Ok(())
    }

    fn buffers(&mut self, names: &str) -> Result<(), String> {
        for name in names.split(',') {
            match name {
                "all" => self.buffers.extend(Buffer::ALL),
                "default" => self.buffers.extend([Buffer::Main, Buffer::System, Buffer::Crash]),
                name => {
                    let buffer = Buffer::from_word(name);
                    self.buffers.push(buffer.ok_or_else(|| format!("Unknown buffer '{name}'"))?);
                }
            }
        }
        Ok(())
    }
}

enum Mode {
    Print,
    Clear,
    Sizes,
    Help,
    Nothing,
}

struct OptionParser {
    options: LogcatOptions,
    act: Mode,
}

/// Long options and the short ones they stand for.
const LONG: &[(&str, &str)] = &[
    ("--buffer", "-b"),
    ("--buffer-size", "-g"),
    ("--clear", "-c"),
    ("--dividers", "-D"),
    ("--file", "-f"),
    ("--format", "-v"),
    ("--help", "-h"),
    ("--max-count", "-m"),
    ("--pid", "--pid"),
    ("--regex", "-e"),
    ("--rotate-count", "-n"),
    ("--rotate-kbytes", "-r"),
];

/// Short options with a value.
const VALUED: &str = "befGmnrtTvp";

impl OptionParser {
    fn words(&mut self, words: &[String]) -> Result<(), String> {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.starts_with('-') || word == "-" {
                self.options.filter(word)?;
                continue;
            }
            let (name, value) = split(word)?;
            let takes = name == "--pid" || name.len() == 2 && VALUED.contains(&name[1..]);
            let value = match value {
                Some(value) => value,
                None if takes => words.next().cloned().ok_or_else(|| {
                    format!("option requires an argument -- {}", name.trim_start_matches('-'))
                })?,
                None => String::new(),
            };
            if takes {
                self.valued(&name, &value)?;
            } else {
                // Several letters may stand behind one dash.
                let letters = if word.starts_with("--") { &name[1..] } else { &word[1..] };
                letters.chars().try_for_each(|letter| self.flag(letter))?;
            }
        }
        Ok(())
    }

    fn flag(&mut self, letter: char) -> Result<(), String> {
        match letter {
            'd' => self.options.ends = true,
            'D' => self.options.dividers = true,
            's' => self.options.otherwise = 'S',
            'c' => self.act = Mode::Clear,
            'g' => self.act = Mode::Sizes,
            'h' => self.act = Mode::Help,
            'B' => self.options.binary = true,
            'L' | 'K' | 'P' => {}
            'S' => self.act = Mode::Nothing,
            other => return Err(format!("unrecognized option '{other}'")),
        }
        Ok(())
    }

    fn valued(&mut self, name: &str, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        let bad = |what: &str| format!("Invalid {what} '{value}'");
        match name {
            "-b" => options.buffers(value)?,
            "-e" => {
                let built = RegexBuilder::new(value).size_limit(MAX_PATTERN).build();
                options.pattern = Some(built.map_err(|_| bad("pattern"))?);
            }
            "-f" => options.file = Some(value.to_owned()),
            "-m" => options.most = Some(value.parse().map_err(|_| bad("count"))?),
            "-G" => self.act = Mode::Nothing,
            "-t" | "-T" => {
                options.ends |= name == "-t";
                options.begin = match (value.parse(), Since::parse(value)) {
                    (Ok(count), _) => StartAt::Last(count),
                    (Err(_), Some(since)) => StartAt::Since(since),
                    (Err(_), None) => return Err(bad("time or count")),
                };
            }
            "-v" => {
                for word in value.split(',') {
                    if let Some((_, change)) = DETAILS.iter().find(|row| row.0 == word) {
                        change(&mut options.style);
                        continue;
                    }
                    let format = LogFormat::from_word(word);
                    options.style.format =
                        format.ok_or_else(|| format!("Invalid parameter \"{word}\" to -v"))?;
                }
            }
            "--pid" => options.pid = Some(value.parse().map_err(|_| bad("pid"))?),
            // Files are not rotated and lines not pruned here.
            _ => {}
        }
        Ok(())
    }
}

/// An option's short name, and the value that is in the same word.
fn split(word: &str) -> Result<(String, Option<String>), String> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (long, None),
        };
        if matches!(name, "print" | "wrap" | "last" | "statistics") {
            return Ok(("-K".to_owned(), None));
        }
        let row = LONG.iter().find(|row| row.0[2..] == *name);
        let row = row.ok_or_else(|| format!("unrecognized option '{word}'"))?;
        return Ok((row.1.to_owned(), value));
    }
    let mut letters = word.chars().skip(1);
    let first = letters.next().unwrap_or('-');
    let rest: String = letters.collect();
    let value = (VALUED.contains(first) && !rest.is_empty()).then_some(rest);
    Ok((format!("-{first}"), value))
}
