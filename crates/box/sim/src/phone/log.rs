//! The phone's log: what `logcat` reads.

use super::clock::format_time;
use clawperator_document::words;
use std::collections::VecDeque;
use std::time::Duration;

/// The most lines and bytes that are kept.
const MAX_LINES: usize = 4_000;
const MAX_BYTES: usize = 512 << 10;
/// The longest message; a longer one is cut into several.
pub const MAX_MESSAGE: usize = 4_000;

words! {
    /// A part of the log.
    pub Buffer {
        Main = "main",
        System = "system",
        Crash = "crash",
        Events = "events",
        Radio = "radio",
    }
}

/// A line that an app writes into the log.
#[derive(Clone, Copy, Debug)]
pub struct AppLine<'a> {
    pub level: char,
    pub tag: &'a str,
    pub text: &'a str,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Its number; the first line has 0.
    pub number: u64,
    /// When, since the Unix epoch.
    pub time: Duration,
    pub buffer: Buffer,
    pub pid: u32,
    /// V, D, I, W, E or F.
    pub level: char,
    pub tag: String,
    pub text: String,
}

/// The log.
#[derive(Clone, Debug, Default)]
pub struct PhoneLog {
    entries: VecDeque<LogEntry>,
    bytes: usize,
    next: u64,
}

/// A message before it has a time and a number.
#[derive(Clone, Copy, Debug)]
pub struct LogMessage<'a> {
    pub buffer: Buffer,
    pub pid: u32,
    pub level: char,
    pub tag: &'a str,
    pub text: &'a str,
}

impl PhoneLog {
    /// Adds a line; the oldest make room for it.
    pub fn add(&mut self, time: Duration, said: LogMessage<'_>) {
        let mut rest = said.text;
        loop {
            let end = rest.floor_char_boundary(MAX_MESSAGE.min(rest.len()));
            let (text, more) = rest.split_at(end);
            self.bytes += text.len() + said.tag.len();
            self.entries.push_back(LogEntry {
                number: self.next,
                time,
                buffer: said.buffer,
                pid: said.pid,
                level: said.level,
                tag: said.tag.to_owned(),
                text: text.to_owned(),
            });
            self.next += 1;
            if more.is_empty() {
                break;
            }
            rest = more;
        }
        while self.entries.len() > MAX_LINES || self.bytes > MAX_BYTES {
            let Some(gone) = self.entries.pop_front() else {
                break;
            };
            self.bytes -= gone.text.len() + gone.tag.len();
        }
    }

    /// Forgets some parts.
    pub fn clear(&mut self, buffers: &[Buffer]) {
        self.entries.retain(|entry| !buffers.contains(&entry.buffer));
        self.bytes = self.entries.iter().map(|entry| entry.text.len() + entry.tag.len()).sum();
    }

    /// The lines from a number on.
    pub fn since(&self, number: u64) -> impl Iterator<Item = &LogEntry> {
        let first = self.entries.partition_point(|entry| entry.number < number);
        self.entries.range(first..)
    }

    /// The number of the next line.
    pub fn next(&self) -> u64 {
        self.next
    }
}

words! {
    /// How lines are printed.
    #[derive(Default)]
    pub LogFormat {
        Brief = "brief",
        Process = "process",
        Tag = "tag",
        Thread = "thread",
        Raw = "raw",
        Time = "time",
        #[default]
        Threadtime = "threadtime",
        Long = "long",
    }
}

/// Which time stands before a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogClock {
    #[default]
    Date,
    Year,
    Epoch,
    Monotonic,
}

/// How lines are printed, in every detail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogStyle {
    pub format: LogFormat,
    pub clock: LogClock,
    /// How many digits of a second there are beyond three.
    pub more_digits: usize,
    pub zone: bool,
    pub uid: bool,
}

/// What is not in a line but is printed with it.
#[derive(Clone, Copy, Debug)]
pub struct LogContext {
    /// When the phone was booted, since the Unix epoch.
    pub booted: Duration,
    /// The user of the line's process.
    pub uid: u32,
}

/// The levels by their number in a binary entry; the first is 2.
const LEVELS: &str = "VDIWEF";

impl LogEntry {
    /// The lines as `logcat` prints them.
    pub fn print(&self, style: LogStyle, context: LogContext) -> String {
        let Self { pid, level, tag, text, .. } = self;
        let time = self.time_text(style, context);
        let uid = if style.uid { format!("{:>5}:", context.uid) } else { String::new() };
        let column = uid.replace(':', " ");
        let before = match style.format {
            LogFormat::Brief => format!("{level}/{tag:<8}({uid}{pid:>5}): "),
            LogFormat::Process => format!("{level}({uid}{pid:>5}) "),
            LogFormat::Tag => format!("{level}/{tag:<8}: "),
            LogFormat::Thread => format!("{level}({uid}{pid:>5}:{pid:>5}) "),
            LogFormat::Raw => String::new(),
            LogFormat::Time => format!("{time} {level}/{tag:<8}({uid}{pid:>5}): "),
            LogFormat::Threadtime => format!("{time} {column}{pid:>5} {pid:>5} {level} {tag:<8}: "),
            LogFormat::Long => {
                return format!("[ {time} {column}{pid:>5}:{pid:>5} {level}/{tag:<8} ]\n{text}\n\n");
            }
        };
        let mut out = String::new();
        for line in text.split('\n') {
            out.push_str(&before);
            out.push_str(line);
            out.push('\n');
        }
        out
    }

    fn time_text(&self, style: LogStyle, context: LogContext) -> String {
        let nanos = format!("{:09}", self.time.subsec_nanos());
        let since = |time: Duration, width: usize| {
            let nanos = format!("{:09}", time.subsec_nanos());
            format!("{:>width$}.{}", time.as_secs(), &nanos[..3 + style.more_digits])
        };
        let text = match style.clock {
            LogClock::Epoch => since(self.time, 19),
            LogClock::Monotonic => since(self.time.saturating_sub(context.booted), 6),
            LogClock::Date => format_time(self.time, "%m-%d %H:%M:%S.") + &nanos[..3 + style.more_digits],
            LogClock::Year => format_time(self.time, "%Y-%m-%d %H:%M:%S.") + &nanos[..3 + style.more_digits],
        };
        if style.zone { text + " +0000" } else { text }
    }

    /// The entry as the log's own socket gives it: a header, then level, tag and message.
    pub fn binary(&self, context: LogContext) -> Vec<u8> {
        const HEADER: u16 = 28;
        let level = LEVELS.find(self.level).map_or(4, |at| at as u8 + 2);
        let payload = [&[level][..], self.tag.as_bytes(), b"\0", self.text.as_bytes(), b"\0"].concat();
        // A message has at most `MAX_MESSAGE` bytes, and a tag is short.
        let length = u16::try_from(payload.len()).unwrap_or(u16::MAX);
        let mut entry = [length.to_le_bytes(), HEADER.to_le_bytes()].concat();
        for number in [
            self.pid,
            self.pid,
            self.time.as_secs() as u32,
            self.time.subsec_nanos(),
            self.buffer as u32,
            context.uid,
        ] {
            entry.extend(number.to_le_bytes());
        }
        entry.extend(&payload[..usize::from(length)]);
        entry
    }
}
