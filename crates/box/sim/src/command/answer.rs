//! What a command says, and how it ends.

use clawperator_userland::{Call, ExitResult};

/// What a command says, and how it ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CommandResult {
    pub(super) out: String,
    pub(super) err: String,
    pub(super) code: u8,
}

/// What a command prints if all is well, or how it ends otherwise.
pub(super) type Answer = Result<String, CommandResult>;

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

    /// The same with one more place of the stack.
    pub(super) fn thrown(verb: &str, what: &str) -> Self {
        let mut answer = Self::exception(verb, what);
        answer.err.push_str("\tat android.os.Binder.onTransact(Binder.java:1173)\n");
        answer
    }

    /// The command says `name: what`.
    pub(super) fn complaint(call: &Call, what: &str) -> Self {
        Self::wrong(1, format!("{}: {what}\n", call.name()))
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

impl From<Answer> for CommandResult {
    fn from(answer: Answer) -> Self {
        answer.map_or_else(|answer| answer, Self::ok)
    }
}

impl From<String> for CommandResult {
    /// A service's complaint.
    fn from(complaint: String) -> Self {
        Self::wrong(255, complaint)
    }
}

/// An argument is not what it should be, as Android throws it.
pub(super) fn illegal(what: &str) -> String {
    format!("java.lang.IllegalArgumentException: {what}")
}

/// A text that is no number, as Android throws it.
pub(super) fn no_number(text: &str) -> String {
    format!("java.lang.NumberFormatException: For input string: \"{text}\"")
}

/// Tells whether an option stands in a list with spaces.
pub(super) fn is_in(list: &str, option: &str) -> bool {
    list.split(' ').any(|known| known == option)
}

/// The help of a command with verbs.
pub(super) fn verb_list<'a>(title: &str, verbs: impl Iterator<Item = &'a str>) -> String {
    let mut verbs: Vec<_> = verbs.map(|verb| format!("  {verb}\n")).collect();
    verbs.sort_unstable();
    format!("{title}\n{}", verbs.concat())
}

/// The words of a command without its name.
pub(super) fn words(call: &Call) -> Vec<&str> {
    call.args.iter().skip(1).map(String::as_str).collect()
}

/// The same without an option that has a value and no meaning on a phone with
/// one user and one display.
pub(super) fn words_without<'c>(call: &'c Call, option: &str) -> Vec<&'c str> {
    let mut words = words(call);
    if let Some(at) = words.iter().position(|word| *word == option) {
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
        self.next().ok_or_else(|| illegal(&format!("Argument expected after \"{option}\"")))
    }
}
