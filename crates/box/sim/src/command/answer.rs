//! What a command says, and how it ends.

use clawperator_userland::{Call, ExitResult};

/// What a command says, and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandResult {
    pub(super) out: String,
    pub(super) err: String,
    pub(super) code: u8,
}

impl CommandResult {
    pub(super) fn ok(out: impl Into<String>) -> Self {
        Self { out: out.into(), ..Self::default() }
    }

    /// It did not, and says so where its results go.
    pub(super) fn failure(code: u8, out: impl Into<String>) -> Self {
        Self { out: out.into(), code, ..Self::default() }
    }

    /// It did not, and says so where complaints go.
    pub(super) fn wrong(code: u8, err: impl Into<String>) -> Self {
        Self { err: err.into(), code, ..Self::default() }
    }

    /// A part of Android threw this.
    pub(super) fn exception(verb: &str, what: &str) -> Self {
        let text = format!(
            "\nException occurred while executing '{verb}':\n{what}\n\tat android.os.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)\n"
        );
        Self::wrong(255, text)
    }

    pub(super) async fn give(self, call: &mut Call) -> ExitResult {
        if !self.err.is_empty() {
            call.err(&self.err).await;
        }
        if !self.out.is_empty() {
            call.out(&self.out).await?;
        }
        Ok(self.code)
    }
}

impl From<Result<String, String>> for CommandResult {
    /// A service's answer, or its complaint.
    fn from(answer: Result<String, String>) -> Self {
        answer.map_or_else(|text| Self::wrong(255, text), Self::ok)
    }
}

/// The help of a command with verbs.
pub(super) fn verb_list<'a>(title: &str, verbs: impl Iterator<Item = &'a str>) -> String {
    let mut verbs: Vec<_> = verbs.map(|verb| format!("  {verb}\n")).collect();
    verbs.sort_unstable();
    format!("{title}\n{}", verbs.concat())
}

/// The words of a command without its name, and without an option that has a
/// value and no meaning on a phone with one user and one display.
pub(super) fn words_without(call: &Call, option: &str) -> Vec<String> {
    let mut words: Vec<String> = call.args.iter().skip(1).cloned().collect();
    if let Some(at) = words.iter().position(|word| word == option) {
        words.drain(at..(at + 2).min(words.len()));
    }
    words
}

/// The words of a command, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandWords<'a> {
    rest: &'a [String],
    /// Whether `--` was seen: nothing is an option any more.
    plain: bool,
}

impl<'a> CommandWords<'a> {
    pub(super) fn new(rest: &'a [String]) -> Self {
        Self { rest, plain: false }
    }

    /// The next word, whatever it is.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Whether one of the next words is this.
    pub(super) fn has(&self, word: &str) -> bool {
        self.rest.iter().any(|it| it == word)
    }

    /// The next word, if it is an option.
    pub(super) fn option(&mut self) -> Option<&'a str> {
        let first = self.rest.first().filter(|_| !self.plain)?;
        if first == "--" {
            self.plain = true;
            self.next();
            return None;
        }
        if first.len() < 2 || !first.starts_with('-') {
            return None;
        }
        self.next()
    }

    /// The word an option must have behind it.
    pub(super) fn value(&mut self, option: &str) -> Result<&'a str, String> {
        let missing = || format!("java.lang.IllegalArgumentException: Argument expected after \"{option}\"");
        self.next().ok_or_else(missing)
    }
}
