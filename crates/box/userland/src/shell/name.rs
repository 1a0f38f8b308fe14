//! What names mean: aliases, and what `command -v`, `whence` and `type` say.

use super::options::quoted;
use super::parser::Aliases;
use super::{Flow, Shell, is_builtin, is_special};
use std::sync::Arc;

/// Aliases that there are from the start.
const ALIASES: &[(&str, &str)] = &[
    ("autoload", r"\\builtin typeset -fu"),
    ("functions", r"\\builtin typeset -f"),
    ("hash", r"\\builtin alias -t"),
    ("history", r"\\builtin fc -l"),
    ("integer", r"\\builtin typeset -i"),
    ("local", r"\\builtin typeset"),
    ("login", r"\\builtin exec login"),
    ("nameref", r"\\builtin typeset -n"),
    ("nohup", "nohup "),
    ("r", r"\\builtin fc -e -"),
    ("type", r"\\builtin whence -v"),
];

/// Words that the grammar keeps for itself.
pub(super) const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while", "{", "}",
];

pub(super) fn aliases() -> Aliases {
    ALIASES.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// What a name means as a command.
enum Meaning<'a> {
    Reserved,
    Alias(&'a str),
    Function,
    Builtin,
    Program(String),
}

impl Shell {
    /// The options at the beginning of a builtin's words, and what follows; an unknown one is an error.
    pub(super) fn split_options<'a>(
        known: &str,
        words: &'a [String],
    ) -> Result<(String, &'a [String]), String> {
        let (mut given, mut rest) = (String::new(), words);
        while let [option, more @ ..] = rest
            && let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty())
        {
            rest = more;
            if letters == "-" {
                break;
            }
            if let Some(letter) = letters.chars().find(|letter| !known.contains(*letter)) {
                return Err(format!("-{letter}: unknown option"));
            }
            given.push_str(letters);
        }
        Ok((given, rest))
    }

    pub(super) async fn alias(&mut self, words: &[String]) -> Flow {
        let (options, words) = match Self::split_options("drptUx", words) {
            Ok(split) => split,
            Err(problem) => return self.refuse_use("alias", &problem, 1).await,
        };
        // Places of programs are not kept, and nothing is exported.
        if options.contains(['t', 'x', 'd']) {
            return self.conclude(0);
        }
        let lead = if options.contains('p') { "alias " } else { "" };
        let line = |(name, value): (&String, &String)| format!("{lead}{name}={}\n", quoted(value));
        if words.is_empty() {
            let text: String = self.aliases.iter().map(line).collect();
            return self.say(&text).await;
        }
        let (mut text, mut code) = (String::new(), 0);
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                let found = self.aliases.get_key_value(word);
                code |= u8::from(found.is_none());
                text.push_str(&found.map_or_else(|| format!("{word} alias not found\n"), line));
                continue;
            };
            let valid = |next: char| next.is_ascii_alphanumeric() || "_-.:@%!+,".contains(next);
            if name.is_empty() || name.starts_with(['-', '+']) || !name.chars().all(valid) {
                return self.refuse_use("alias", &format!("{name}: invalid alias name"), 1).await;
            }
            Arc::make_mut(&mut self.aliases).insert(name.to_owned(), value.to_owned());
        }
        let flow = self.say(&text).await;
        self.status = self.status.max(code);
        flow
    }

    pub(super) async fn unalias(&mut self, words: &[String]) -> Flow {
        match Self::split_options("adt", words) {
            Ok((options, words)) => {
                let aliases = Arc::make_mut(&mut self.aliases);
                if options.contains('a') {
                    aliases.clear();
                }
                let missing = words.iter().filter(|word| aliases.remove(*word).is_none()).count();
                self.conclude(u8::from(missing > 0))
            }
            Err(problem) => self.refuse_use("unalias", &problem, 1).await,
        }
    }

    fn meaning(&self, name: &str, only_programs: bool) -> Option<Meaning<'_>> {
        let program = || self.call_with(Vec::new(), self.streams.clone()).which(name).map(Meaning::Program);
        if only_programs {
            return program();
        }
        if RESERVED.contains(&name) {
            return Some(Meaning::Reserved);
        }
        if let Some(value) = self.aliases.get(name) {
            return Some(Meaning::Alias(value));
        }
        if self.functions.contains_key(name) {
            return Some(Meaning::Function);
        }
        if is_builtin(name) { Some(Meaning::Builtin) } else { program() }
    }

    /// `whence [-pv]`, also as `type` and as `command -v` and `-V`.
    pub(super) async fn whence(&mut self, kind: &str, words: &[String]) -> Flow {
        let (options, words) = match Self::split_options(if kind == "whence" { "pv" } else { "pvV" }, words) {
            Ok(split) => split,
            Err(problem) => return self.refuse_use(kind, &problem, 1).await,
        };
        let full = options.contains(if kind == "whence" { 'v' } else { 'V' });
        let (mut text, mut code) = (String::new(), 0);
        for name in words {
            let meaning = self.meaning(name, kind == "whence" && options.contains('p'));
            code |= u8::from(meaning.is_none());
            text.push_str(&match meaning {
                None if full => format!("{name} not found\n"),
                None => String::new(),
                Some(Meaning::Reserved) if full => format!("{name} is a reserved word\n"),
                Some(Meaning::Alias(value)) if full => format!("{name} is an alias for {}\n", quoted(value)),
                Some(Meaning::Alias(value)) if kind == "command" => {
                    format!("alias {name}={}\n", quoted(value))
                }
                Some(Meaning::Alias(value)) => format!("{}\n", quoted(value)),
                Some(Meaning::Function) if full => format!("{name} is a function\n"),
                Some(Meaning::Builtin) if full && is_special(name) => {
                    format!("{name} is a special shell builtin\n")
                }
                Some(Meaning::Builtin) if full => format!("{name} is a shell builtin\n"),
                Some(Meaning::Program(place)) if full && name.contains('/') => format!("{name} is {place}\n"),
                Some(Meaning::Program(place)) if full => format!("{name} is a tracked alias for {place}\n"),
                Some(Meaning::Program(place)) => format!("{place}\n"),
                Some(Meaning::Reserved | Meaning::Function | Meaning::Builtin) => format!("{name}\n"),
            });
        }
        let flow = self.say(&text).await;
        self.status = self.status.max(code);
        flow
    }
}
