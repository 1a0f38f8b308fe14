//! Builtins that change the shell's variables, options and directory.

use super::token::is_name;
use super::{Flow, Shell};
use std::sync::Arc;

impl Shell {
    pub(super) async fn cd(&mut self, words: &[String]) -> u8 {
        let words: Vec<&String> =
            words.iter().filter(|word| !matches!(word.as_str(), "-L" | "-P" | "--")).collect();
        let target = match words.first().map(|word| word.as_str()) {
            None => self.variable("HOME").unwrap_or("/").to_owned(),
            Some("-") => self.variable("OLDPWD").unwrap_or("/").to_owned(),
            Some(path) => path.to_owned(),
        };
        let before = self.cwd.clone();
        match self.change_directory(&target) {
            Ok(()) => {
                self.set_env("OLDPWD", &before);
                0
            }
            Err(error) => {
                self.complain(&format!("cd: {target}: {error}")).await;
                2
            }
        }
    }

    pub(super) async fn declare(&mut self, kind: &str, words: &[String]) -> u8 {
        if words.is_empty() || words.iter().all(|word| word == "-p") {
            return self.show_variables(kind).await;
        }
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            let (name, value) =
                word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            if !is_name(name) {
                self.complain(&format!("{kind}: {word}: is not an identifier")).await;
                return 1;
            }
            if matches!(kind, "local" | "typeset")
                && let Some(frame) = self.hidden.last_mut()
            {
                frame.push((name.to_owned(), self.variables.get(name).cloned()));
                Arc::make_mut(&mut self.variables).insert(name.to_owned(), super::Variable::default());
            }
            if let Some(value) = value
                && let Err(fault) = self.assign(name, value.to_owned())
            {
                self.complain(&fault.0).await;
                return 1;
            }
            if value.is_none() && kind == "export" && !self.variables.contains_key(name) {
                continue;
            }
            let variable = Arc::make_mut(&mut self.variables).entry(name.to_owned()).or_default();
            variable.exported |= kind == "export";
            variable.read_only |= kind == "readonly";
        }
        0
    }

    async fn show_variables(&mut self, kind: &str) -> u8 {
        let shown = self.variables.iter().filter(|(_, variable)| match kind {
            "export" => variable.exported,
            "readonly" => variable.read_only,
            _ => true,
        });
        let lines: String =
            shown.map(|(name, variable)| format!("{kind} {name}={}\n", quoted(&variable.value))).collect();
        self.say(&lines).await;
        self.status
    }

    /// `read`: one line into variables, the last takes the rest.
    pub(super) async fn read(&mut self, words: &[String]) -> u8 {
        let raw = words.iter().any(|word| word.starts_with('-') && word.contains('r'));
        let names: Vec<String> = words.iter().filter(|word| !word.starts_with('-')).cloned().collect();
        let names = if names.is_empty() { vec!["REPLY".to_owned()] } else { names };
        let mut line = String::new();
        let mut complete = false;
        while let Some(piece) = self.streams.stdin.read_line().await {
            line.push_str(&String::from_utf8_lossy(&piece));
            complete = line.ends_with('\n');
            if complete {
                line.pop();
            }
            if raw || !complete || !line.ends_with('\\') || line.len() > crate::limits::MAX_LINE {
                break;
            }
            line.pop();
        }
        if !raw {
            line = unescaped(&line);
        }
        let separators = self.variable("IFS").unwrap_or(" \t\n").to_owned();
        let blank = |next: char| separators.contains(next) && next.is_ascii_whitespace();
        let mut rest = line.trim_start_matches(blank);
        for (at, name) in names.iter().enumerate() {
            let end = if at + 1 == names.len() { None } else { rest.find(|next| separators.contains(next)) };
            let value = end.map_or(rest.trim_end_matches(blank), |end| &rest[..end]).to_owned();
            rest = end.map_or("", |end| {
                let after = rest[end..].trim_start_matches(blank);
                let cut = after.chars().next().filter(|next| separators.contains(*next) && !blank(*next));
                after[cut.map_or(0, char::len_utf8)..].trim_start_matches(blank)
            });
            if let Err(fault) = self.assign(name, value) {
                self.complain(&fault.0).await;
                return 2;
            }
        }
        u8::from(!complete)
    }

    pub(super) async fn set(&mut self, words: &[String]) -> Flow {
        self.status = 0;
        if words.is_empty() {
            let lines: String = self
                .variables
                .iter()
                .map(|(name, variable)| format!("{name}={}\n", quoted(&variable.value)))
                .collect();
            return self.say(&lines).await;
        }
        let mut at = 0;
        while let Some(word) = words.get(at) {
            let on = match word.chars().next() {
                _ if word == "--" => {
                    self.positional = words[at + 1..].to_vec();
                    return Flow::Next;
                }
                Some('-') if word.len() > 1 => true,
                Some('+') if word.len() > 1 => false,
                _ => {
                    self.positional = words[at..].to_vec();
                    return Flow::Next;
                }
            };
            for letter in word.chars().skip(1) {
                match letter {
                    'e' => self.options.exit_on_error = on,
                    'u' => self.options.no_unset = on,
                    'f' => self.options.no_patterns = on,
                    'o' => {
                        at += 1;
                        match words.get(at).map(String::as_str) {
                            Some("pipefail") => self.options.pipe_fail = on,
                            Some("errexit") => self.options.exit_on_error = on,
                            Some("nounset") => self.options.no_unset = on,
                            Some("noglob") => self.options.no_patterns = on,
                            _ => {}
                        }
                    }
                    // The others change what is shown, not what is done.
                    _ => {}
                }
            }
            at += 1;
        }
        Flow::Next
    }

    pub(super) async fn shift(&mut self, words: &[String]) -> u8 {
        let count = words.first().map_or(Some(1), |word| word.parse::<usize>().ok());
        match count.filter(|count| *count <= self.positional.len()) {
            Some(count) => {
                self.positional.drain(..count);
                0
            }
            None => {
                self.complain("shift: nothing to shift").await;
                1
            }
        }
    }

    pub(super) async fn umask_builtin(&mut self, words: &[String]) -> Flow {
        match words.first() {
            None => {
                let text = format!("{:04o}\n", self.umask);
                self.say(&text).await
            }
            Some(word) => {
                let mask = u32::from_str_radix(word, 8).ok().filter(|mask| *mask <= 0o777);
                self.umask = mask.unwrap_or(self.umask);
                self.status = u8::from(mask.is_none());
                Flow::Next
            }
        }
    }

    pub(super) fn unset(&mut self, words: &[String]) -> u8 {
        let functions = words.first().is_some_and(|word| word == "-f");
        for word in words.iter().filter(|word| !word.starts_with('-')) {
            if functions {
                Arc::make_mut(&mut self.functions).remove(word);
            } else {
                Arc::make_mut(&mut self.variables).remove(word);
            }
        }
        0
    }
}

/// A value that reads back as itself.
fn quoted(value: &str) -> String {
    let plain = |next: char| next.is_ascii_alphanumeric() || "_-./:,+@%".contains(next);
    if value.chars().all(plain) { value.to_owned() } else { format!("'{}'", value.replace('\'', r"'\''")) }
}

/// A line with its backslashes gone.
fn unescaped(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        text.push(if next == '\\' { rest.next().unwrap_or('\\') } else { next });
    }
    text
}
