//! One line of the phone's log, taken apart. Pure.
//!
//! The log is asked for as `-v threadtime`, which names the process and the thread: the lines of
//! one thread are in the order it wrote them, whatever others write in between.

/// One line of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'l> {
    pub(super) pid: u32,
    pub(super) thread: u32,
    pub(super) level: char,
    pub(super) tag: &'l str,
    pub(super) text: &'l str,
}

/// Who wrote a line; the next piece of something has the same writer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogWriter {
    pid: u32,
    thread: u32,
    level: char,
    tag: String,
}

impl<'l> Record<'l> {
    /// Reads `01-31 09:41:00.123  1234  1240 I Tag     : text`; none for the
    /// lines that the log itself puts in between.
    pub(super) fn parse(line: &'l str) -> Option<Self> {
        let (date, rest) = line.split_once(' ')?;
        let (time, rest) = rest.split_once(' ')?;
        let digits = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit());
        if !(date.contains('-') && digits(date) && time.contains(':') && digits(time)) {
            return None;
        }
        let (pid, rest) = number(rest)?;
        let (thread, rest) = number(rest)?;
        let (level, rest) = rest.trim_start().split_once(' ')?;
        let mut letters = level.chars();
        let level = letters.next().filter(char::is_ascii_uppercase)?;
        if letters.next().is_some() {
            return None;
        }
        // A line without text may have lost the space behind the colon.
        let (tag, text) = rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|tag| (tag, "")))?;
        Some(Self { pid, thread, level, tag: tag.trim_end(), text })
    }

    pub(super) fn writer(&self) -> LogWriter {
        LogWriter { pid: self.pid, thread: self.thread, level: self.level, tag: self.tag.to_owned() }
    }
}

impl LogWriter {
    /// Tells whether a line is by the same writer.
    pub(super) fn wrote(&self, record: &Record<'_>) -> bool {
        self.is_thread_of(record) && self.level == record.level && self.tag == record.tag
    }

    /// Tells whether a line is by the same thread, whatever it calls itself.
    pub(super) fn is_thread_of(&self, record: &Record<'_>) -> bool {
        (self.pid, self.thread) == (record.pid, record.thread)
    }
}

fn number(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.trim_start().split_once(' ')?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_are_taken_apart_and_dividers_are_none() {
        let line = "01-31 09:41:00.123  1234 12401 I Tag     :  two  spaces: kept ";
        assert_eq!(
            Record::parse(line),
            Some(Record { pid: 1234, thread: 12_401, level: 'I', tag: "Tag", text: " two  spaces: kept " })
        );
        for (line, text) in [
            ("01-31 09:41:00.123     1     1 D A: ", ""),
            ("01-31 09:41:00.123     1     1 D A:", ""),
            ("01-31 09:41:00.123     1     1 D A b: x", "x"),
        ] {
            assert_eq!(Record::parse(line).unwrap().text, text, "{line}");
        }
        for line in [
            "",
            "--------- beginning of main",
            "logcat: Unexpected EOF!",
            "read: unexpected EOF!",
            "01-31 09:41:00.123 x 1 D A: x",
            "01-31 09:41:00.123 1 1 DD A: x",
            "01-31 09:41:00.123 1 1 D no colon",
        ] {
            assert_eq!(Record::parse(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_survived(line in "(?s).{0,120}") {
            let _ = Record::parse(&line);
        }
    }
}
