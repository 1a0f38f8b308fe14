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
    ("nsec", |style| style.more_digits = 6),
    ("printable", |_| ()),
    ("uid", |style| style.uid = true),
    ("usec", |style| style.more_digits = 3),
    ("UTC", |_| ()),
    ("year", |style| style.clock = LogClock::Year),
    ("zone", |style| style.zone = true),
];

/// What is to be done.
#[derive(Default)]
pub(super) enum LogcatAct {
    #[default]
    Print,
    Clear,
    Sizes,
    Help,
    Nothing,
}

/// Where printing begins.
#[derive(Default)]
pub(super) enum StartAt {
    #[default]
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

#[derive(Default)]
pub(super) struct LogcatOptions {
    pub(super) act: LogcatAct,
    pub(super) style: LogStyle,
    /// Entries as they are, not as text.
    pub(super) binary: bool,
    pub(super) begin: StartAt,
    pub(super) ends: bool,
    pub(super) dividers: bool,
    pub(super) most: Option<usize>,
    pub(super) file: Option<String>,
    pub(super) buffers: Vec<Buffer>,
    pattern: Option<Regex>,
    pid: Option<u32>,
    filters: Vec<(String, char)>,
    /// The level of what no filter names; all of it if there is none.
    otherwise: Option<char>,
}

impl LogcatOptions {
    /// Reads the words; the filters of the environment count where none are named.
    pub(super) fn parse(words: &[String], usual: &str) -> Result<Self, String> {
        let mut options = Self::default();
        options.words(words)?;
        if options.buffers.is_empty() {
            options.buffers = vec![Buffer::Main, Buffer::System, Buffer::Crash];
        }
        if options.filters.is_empty() && options.otherwise.unwrap_or('V') == 'V' {
            for filter in usual.split_whitespace() {
                options.filter(filter)?;
            }
        }
        Ok(options)
    }

    /// Tells whether a line is printed.
    pub(super) fn wants(&self, entry: &LogEntry) -> bool {
        let filter = self.filters.iter().rev().find(|filter| filter.0 == entry.tag);
        let level = filter.map_or(self.otherwise.unwrap_or('V'), |filter| filter.1);
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
            self.otherwise = Some(letter);
        } else {
            self.filters.push((tag.to_owned(), letter));
        }
        Ok(())
    }

    fn add_buffers(&mut self, names: &str) -> Result<(), String> {
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

impl LogcatOptions {
    fn words(&mut self, words: &[String]) -> Result<(), String> {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if !word.starts_with('-') || word == "-" {
                self.filter(word)?;
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
            'd' => self.ends = true,
            'D' => self.dividers = true,
            's' => self.otherwise = Some('S'),
            'c' => self.act = LogcatAct::Clear,
            'g' => self.act = LogcatAct::Sizes,
            'h' => self.act = LogcatAct::Help,
            'B' => self.binary = true,
            'L' | 'K' | 'P' => {}
            'S' => self.act = LogcatAct::Nothing,
            other => return Err(format!("unrecognized option '{other}'")),
        }
        Ok(())
    }

    fn valued(&mut self, name: &str, value: &str) -> Result<(), String> {
        let bad = |what: &str| format!("Invalid {what} '{value}'");
        match name {
            "-b" => self.add_buffers(value)?,
            "-e" => {
                let built = RegexBuilder::new(value).size_limit(MAX_PATTERN).build();
                self.pattern = Some(built.map_err(|_| bad("pattern"))?);
            }
            "-f" => self.file = Some(value.to_owned()),
            "-m" => self.most = Some(value.parse().map_err(|_| bad("count"))?),
            "-G" => self.act = LogcatAct::Nothing,
            "-t" | "-T" => {
                self.ends |= name == "-t";
                self.begin = match (value.parse(), Since::parse(value)) {
                    (Ok(count), _) => StartAt::Last(count),
                    (Err(_), Some(since)) => StartAt::Since(since),
                    (Err(_), None) => return Err(bad("time or count")),
                };
            }
            "-v" => {
                for word in value.split(',') {
                    if let Some((_, change)) = DETAILS.iter().find(|row| row.0 == word) {
                        change(&mut self.style);
                        continue;
                    }
                    let format = LogFormat::from_word(word);
                    self.style.format =
                        format.ok_or_else(|| format!("Invalid parameter \"{word}\" to -v"))?;
                }
            }
            "--pid" => self.pid = Some(value.parse().map_err(|_| bad("pid"))?),
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
