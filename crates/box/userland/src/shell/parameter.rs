//! `$name` and `${name...}`: values and what is done with them.

use super::expand::{Quoting, emit};
use super::field::ShellFields;
use super::options::quoted as as_word;
use super::tree::{Operation, Parameter, Place, ShellWord, Subscript};
use super::{Shell, ShellFault};

impl Shell {
    pub(super) async fn parameter(
        &mut self,
        parameter: &Parameter,
        quoting: Quoting,
        out: &mut ShellFields,
    ) -> Result<(), ShellFault> {
        let (name, operation) = (parameter.name.as_str(), &parameter.operation);
        let quoted = quoting == Quoting::Quoted;
        let every = self.every(parameter);
        if let Some((values, sign)) =
            every.as_ref().filter(|_| !matches!(operation, Operation::Default { .. }))
        {
            match operation {
                Operation::Value | Operation::Keys if quoted && *sign == '*' => {
                    out.text(&values.join(&self.separator()), true);
                }
                Operation::Value | Operation::Keys => all(values, quoted, out),
                Operation::Length => emit(&values.len().to_string(), quoted, out),
                _ => return Err(ShellFault(format!("${{{name}[{sign}]}}: bad substitution"), 1)),
            }
            return Ok(());
        }
        let value = match &parameter.subscript {
            Some(Subscript::At(index)) => {
                let index = self.index(index).await?;
                self.element(name, index)
            }
            // Where something stands for no values, they count as one.
            _ => every.map_or_else(
                || self.value(name),
                |(values, _)| (!values.is_empty()).then(|| values.join(" ")),
            ),
        };
        let told = matches!(operation, Operation::Default { .. } | Operation::Bad(_) | Operation::Keys);
        if value.is_none() && self.options.is_on("nounset") && !told {
            return Err(ShellFault(format!("{name}: parameter not set"), 1));
        }
        let text = match operation {
            Operation::Value => value.unwrap_or_default(),
            Operation::Keys => self.target(name).to_owned(),
            Operation::Bad(text) => return Err(ShellFault(format!("${{{text}}}: bad substitution"), 1)),
            Operation::Quote => value.map_or(String::new(), |value| as_word(&value)),
            // Without a locale a letter is a byte.
            Operation::Length => value.unwrap_or_default().len().to_string(),
            Operation::Default { kind, colon, word } => {
                let usable = value.filter(|value| !(*colon && value.is_empty()));
                match (*kind, usable) {
                    ('+', None) => String::new(),
                    (kind @ ('=' | '?'), None) => self.missing(name, kind, word).await?,
                    ('+', Some(_)) | (_, None) => {
                        let inner = if quoted { Quoting::Quoted } else { Quoting::Inner };
                        return self.parts(word, inner, out).await;
                    }
                    (_, Some(value)) => value,
                }
            }
            _ => self.changed(operation, value.unwrap_or_default()).await?,
        };
        emit(&text, quoted, out);
        Ok(())
    }

    /// What becomes of a value that is cut or replaced.
    async fn changed(&mut self, operation: &Operation, value: String) -> Result<String, ShellFault> {
        Ok(match operation {
            Operation::Trim { kind, longest, pattern } => {
                let pattern = self.pattern(pattern).await?;
                let trimmed = match kind {
                    '#' => pattern.trim_start(&value, *longest)?,
                    _ => pattern.trim_end(&value, *longest)?,
                };
                trimmed.to_owned()
            }
            Operation::Replace { place, pattern, with } => {
                let pattern = self.pattern(pattern).await?;
                let with = self.text(with).await?;
                match place {
                    Place::First | Place::All => pattern.replace(&value, *place == Place::All, &with)?,
                    Place::Start => {
                        pattern.cut_start(&value, true)?.map_or(value.clone(), |rest| format!("{with}{rest}"))
                    }
                    Place::End => {
                        pattern.cut_end(&value, true)?.map_or(value.clone(), |rest| format!("{rest}{with}"))
                    }
                }
            }
            Operation::Slice { offset, length } => self.slice(&value, offset, length.as_ref()).await?,
            _ => value,
        })
    }

    /// What `=` and `?` do where there is no value.
    async fn missing(&mut self, name: &str, kind: char, word: &ShellWord) -> Result<String, ShellFault> {
        let text = self.text(word).await?;
        if kind == '=' {
            self.assign(name, text.clone())?;
            return Ok(text);
        }
        let text = if text.is_empty() { "parameter null or not set".to_owned() } else { text };
        Err(ShellFault(format!("{name}: {text}"), 1))
    }

    async fn slice(
        &mut self,
        value: &str,
        offset: &ShellWord,
        length: Option<&ShellWord>,
    ) -> Result<String, ShellFault> {
        let offset = self.text(offset).await?;
        let offset = self.evaluate(&offset)?;
        let count = i64::try_from(value.len()).unwrap_or(i64::MAX);
        let start = if offset < 0 { count.saturating_add(offset).max(0) } else { offset };
        let mut taken = count;
        if let Some(length) = length {
            let length = self.text(length).await?;
            taken = self.evaluate(&length)?;
            if taken < 0 {
                taken = count;
            }
        }
        let start = usize::try_from(start.clamp(0, count)).unwrap_or(0);
        let taken = usize::try_from(taken.max(0)).unwrap_or(0).min(value.len() - start);
        // A part of a letter is no text.
        let part = value.get(start..start + taken).map(str::to_owned);
        part.ok_or_else(|| ShellFault(format!("${{{start}:{taken}}}: bad substitution"), 1))
    }

    /// The values of `$@` and its like, and the sign that asks for them. Only
    /// what all values can do is done with them.
    fn every(&self, parameter: &Parameter) -> Option<(Vec<String>, char)> {
        let keys = parameter.operation == Operation::Keys;
        if let Some(Subscript::All(sign)) = parameter.subscript {
            let elements = self.elements(&parameter.name).into_iter();
            let values = elements.map(|(index, value)| if keys { index.to_string() } else { value });
            return Some((values.collect(), sign));
        }
        let sign = parameter.name.chars().next().filter(|sign| matches!(sign, '@' | '*'))?;
        Some((self.positional.clone(), sign))
    }

    /// What stands between the values of `"$*"`.
    fn separator(&self) -> String {
        self.variable("IFS").map_or(" ".to_owned(), |ifs| ifs.chars().take(1).collect())
    }

    /// The value of a parameter of any kind.
    pub(super) fn value(&self, name: &str) -> Option<String> {
        if let Ok(number) = name.parse::<usize>() {
            return match number {
                0 => Some(self.name.clone()),
                number => self.positional.get(number - 1).cloned(),
            };
        }
        match name {
            "?" => Some(self.status.to_string()),
            "#" => Some(self.positional.len().to_string()),
            "!" => self.last_job.map(|pid| pid.to_string()),
            "-" => Some(self.options.letters()),
            "@" | "*" => (!self.positional.is_empty()).then(|| self.positional.join(" ")),
            "PWD" => Some(self.cwd.clone()),
            "RANDOM" => Some("4".to_owned()),
            "PPID" => Some("1".to_owned()),
            "LINENO" => Some("0".to_owned()),
            "SECONDS" => Some(self.machine.now().saturating_sub(self.started).as_secs().to_string()),
            "EPOCHREALTIME" => Some(format!("{:.6}", self.machine.now().as_secs_f64())),
            "$" | "BASHPID" | "PGRP" => Some(self.pid.to_string()),
            "KSHUID" | "KSHEGID" | "KSHGID" | "USER_ID" => Some(self.identity.uid.to_string()),
            "PIPESTATUS" => self.pipe_status.first().map(u8::to_string),
            name => self.variable(name).map(str::to_owned),
        }
    }
}

/// `$@`, and `$*` without quotes.
fn all(values: &[String], quoted: bool, out: &mut ShellFields) {
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            out.end();
        }
        emit(value, quoted, out);
    }
}
