//! What `set` turns on and off, and how commands are shown as they run.

use super::token::is_name;
use super::{Flow, Shell};

/// Every option: its name, its letter, and whether it is on from the start.
const OPTIONS: &[(&str, char, bool)] = &[
    ("allexport", 'a', false),
    ("asis", ' ', false),
    ("bgnice", ' ', false),
    ("braceexpand", ' ', true),
    ("emacs", ' ', true),
    ("errexit", 'e', false),
    ("gmacs", ' ', false),
    ("ignoreeof", ' ', false),
    ("inherit-xtrace", ' ', true),
    ("interactive", 'i', false),
    ("keyword", 'k', false),
    ("login", 'l', false),
    ("markdirs", 'X', false),
    ("monitor", 'm', false),
    ("noclobber", 'C', false),
    ("noexec", 'n', false),
    ("noglob", 'f', false),
    ("nohup", ' ', true),
    ("nolog", ' ', false),
    ("notify", 'b', false),
    ("nounset", 'u', false),
    ("physical", ' ', false),
    ("pipefail", ' ', false),
    ("posix", ' ', false),
    ("privileged", 'p', false),
    ("restricted", 'r', false),
    ("sh", ' ', false),
    ("stdin", 's', false),
    ("trackall", 'h', true),
    ("utf8-mode", 'U', false),
    ("verbose", 'v', false),
    ("vi", ' ', false),
    ("vi-esccomplete", ' ', false),
    ("vi-tabcomplete", ' ', true),
    ("viraw", ' ', false),
    ("xtrace", 'x', false),
];

/// Lines of `set -o`, which shows the options in columns.
const LINES: usize = 9;

/// Which options are on, by their place in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct ShellOptions(u64);

impl Default for ShellOptions {
    fn default() -> Self {
        let on = OPTIONS.iter().enumerate().filter(|(_, option)| option.2);
        Self(on.fold(0, |bits, (at, _)| bits | 1 << at))
    }
}

impl ShellOptions {
    pub(super) fn is_on(self, name: &str) -> bool {
        OPTIONS.iter().position(|option| option.0 == name).is_some_and(|at| self.0 >> at & 1 == 1)
    }

    fn set(&mut self, fits: impl Fn(&(&str, char, bool)) -> bool, on: bool) -> bool {
        let Some(at) = OPTIONS.iter().position(fits) else {
            return false;
        };
        self.0 = if on { self.0 | 1 << at } else { self.0 & !(1 << at) };
        let braces = OPTIONS.iter().position(|option| option.0 == "braceexpand");
        if on && OPTIONS[at].0 == "posix" {
            self.0 &= braces.map_or(u64::MAX, |at| !(1 << at));
        }
        true
    }

    /// The letters of those that are on, as `$-` tells them.
    pub(super) fn letters(self) -> String {
        let on = OPTIONS.iter().filter(|option| option.1 != ' ' && self.is_on(option.0));
        on.map(|option| option.1).chain(['c']).collect()
    }

    fn table(self) -> String {
        let mut text = String::from("Current option settings\n");
        for line in 0..LINES {
            let row =
                OPTIONS.iter().skip(line).step_by(LINES).map(|(name, ..)| {
                    format!("{name:<14} {:<3}", if self.is_on(name) { "on" } else { "off" })
                });
            text.push_str(row.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// The command that sets them like this.
    fn command(self) -> String {
        let changed = OPTIONS.iter().filter(|option| self.is_on(option.0) && !option.2);
        let changed: String = changed.map(|option| format!(" -o {}", option.0)).collect();
        let braces = if self.is_on("braceexpand") { " -o braceexpand" } else { "" };
        format!("set -o .reset{braces}{changed}\n")
    }
}

/// Where a shell has its commands from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// From the first word that is left.
    Script,
    /// From its input; the words are its arguments.
    Input,
    /// From the file that the first word names.
    File,
}

impl Shell {
    /// Takes the options that a shell is called with off its words.
    pub(crate) fn begin_with(&mut self, words: &mut Vec<String>) -> Result<Beginning, String> {
        let mut beginning = None;
        while let Some(word) =
            words.first().filter(|word| word.len() > 1 && word.starts_with(['-', '+'])).cloned()
        {
            words.remove(0);
            if word == "--" {
                break;
            }
            for letter in word.chars().skip(1) {
                let on = word.starts_with('-');
                let name = if letter == 'o' && !words.is_empty() { words.remove(0) } else { String::new() };
                let known = match letter {
                    'c' => beginning.replace(Beginning::Script).is_none() || on,
                    's' => beginning.get_or_insert(Beginning::Input) == &Beginning::Input || on,
                    'o' => self.options.set(|option| option.0 == name, on),
                    letter => self.options.set(|option| option.1 == letter, on),
                };
                if !known {
                    return Err(format!("sh: -{letter}: unknown option"));
                }
            }
        }
        match beginning {
            Some(Beginning::Script) if words.is_empty() => Err("-c: requires an argument".to_owned()),
            Some(beginning) => Ok(beginning),
            None if words.is_empty() || words[0] == "-" => Ok(Beginning::Input),
            None => Ok(Beginning::File),
        }
    }

    pub(super) async fn set(&mut self, words: &[String]) -> Flow {
        self.status = 0;
        if words.is_empty() {
            let text = self.listed(|_| true, |name, value, _| format!("{name}={}\n", quoted(value)));
            return self.say(&text).await;
        }
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let on = word.starts_with('-');
            at += 1;
            if word == "--" || word == "-" {
                if word == "--" || at < words.len() {
                    self.positional = words[at..].to_vec();
                }
                return Flow::Next;
            }
            if word.len() < 2 || !word.starts_with(['-', '+']) {
                self.positional = words[at - 1..].to_vec();
                return Flow::Next;
            }
            for letter in word.chars().skip(1) {
                let known = match (letter, words.get(at)) {
                    ('o', None) => {
                        let text = if on { self.options.table() } else { self.options.command() };
                        return self.say(&text).await;
                    }
                    ('o', Some(name)) => {
                        at += 1;
                        let known = self.options.set(|option| option.0 == name, on);
                        if !known {
                            return self.refuse_use("set", &format!("{name}: unknown option"), 1).await;
                        }
                        known
                    }
                    ('A', Some(name)) if is_name(name) => {
                        let values = words.get(at + 1..).unwrap_or_default();
                        let skip = usize::from(values.first().is_some_and(|word| word == "--"));
                        let done = self.set_elements(name, &values[skip..], on);
                        return self.concluded(done).await;
                    }
                    _ => letter != ' ' && self.options.set(|option| option.1 == letter, on),
                };
                if !known {
                    let sign = if on { '-' } else { '+' };
                    return self.refuse_use("set", &format!("{sign}{letter}: unknown option"), 1).await;
                }
            }
        }
        Flow::Next
    }

    /// Shows what is about to run, if that is asked for.
    pub(super) async fn trace(&self, text: impl FnOnce() -> String) {
        if self.options.is_on("xtrace") {
            let line = format!("{}{}\n", self.variable("PS4").unwrap_or("+ "), text());
            // The reader closed the stream and needs no message.
            let _ = self.streams.stderr.write(line).await;
        }
    }
}

/// Words that read back as themselves.
pub(super) fn quoted_words(words: &[String]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A value that reads back as itself.
pub(super) fn quoted(value: &str) -> String {
    if value.contains(|next: char| next.is_ascii_control()) {
        let shown = value.chars().map(|next| match next {
            '\n' => "\\n".to_owned(),
            '\t' => "\\t".to_owned(),
            '\r' => "\\r".to_owned(),
            '\\' | '\'' => format!("\\{next}"),
            next if next.is_ascii_control() => format!("\\{:03o}", u32::from(next)),
            next => next.to_string(),
        });
        return format!("$'{}'", shown.collect::<String>());
    }
    let special = |next: char| " \"#$&'()*;<=>?[\\]`{|}~".contains(next);
    if !value.is_empty() && !value.contains(special) {
        return value.to_owned();
    }
    let pieces: Vec<String> = value
        .split('\'')
        .map(|piece| if piece.is_empty() { String::new() } else { format!("'{piece}'") })
        .collect();
    if value.is_empty() { "''".to_owned() } else { pieces.join(r"\'") }
}
