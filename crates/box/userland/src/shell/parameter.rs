//! `$name` and `${name...}`: values and what is done with them.

use super::expand::{Quoting, emit};
use super::field::ShellFields;
use super::tree::{Operation, Parameter, ShellWord, Subscript};
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
        if let Some((values, sign)) = self.every(parameter) {
            match operation {
                Operation::Value | Operation::Keys if quoted && sign == '*' => {
                    out.text(&values.join(&self.separator()), true);
                }
                Operation::Value | Operation::Keys => all(&values, quoted, out),
                Operation::Length => emit(&values.len().to_string(), quoted, out),
                _ => return Err(ShellFault(format!("{name}[{sign}]: bad substitution"))),
            }
            return Ok(());
        }
        let value = match &parameter.subscript {
            Some(Subscript::At(index)) => {
                let index = self.index(index).await?;
                self.element(name, index).map(str::to_owned)
            }
            _ => self.value(name),
        };
        if value.is_none() && self.options.no_unset && !matches!(operation, Operation::Default { .. }) {
            return Err(ShellFault(format!("{name}: parameter not set")));
        }
        let text = match operation {
            Operation::Value => value.unwrap_or_default(),
            Operation::Keys => name.to_owned(),
            Operation::Length => value.unwrap_or_default().chars().count().to_string(),
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
            Operation::Trim { kind, longest, pattern } => {
                let pattern = self.pattern(pattern).await?;
                let value = value.unwrap_or_default();
                let trimmed = match kind {
                    '#' => pattern.trim_start(&value, *longest)?,
                    _ => pattern.trim_end(&value, *longest)?,
                };
                trimmed.to_owned()
            }
            Operation::Replace { all, pattern, with } => {
                let pattern = self.pattern(pattern).await?;
                let with = self.text(with).await?;
                pattern.replace(&value.unwrap_or_default(), *all, &with)?
            }
            Operation::Slice { offset, length } => {
                self.slice(&value.unwrap_or_default(), offset, length.as_ref()).await?
            }
        };
        emit(&text, quoted, out);
        Ok(())
    }

    /// What `=` and `?` do where there is no value.
    async fn missing(&mut self, name: &str, kind: char, word: &ShellWord) -> Result<String, ShellFault> {
        let text = self.text(word).await?;
        if kind == '=' {
            self.assign(name, text.clone())?;
            return Ok(text);
        }
        let text = if text.is_empty() { "parameter null or not set".to_owned() } else { text };
        Err(ShellFault(format!("{name}: {text}")))
    }

    async fn slice(
        &mut self,
        value: &str,
        offset: &ShellWord,
        length: Option<&ShellWord>,
    ) -> Result<String, ShellFault> {
        let offset = self.text(offset).await?;
        let offset = self.evaluate(&offset)?;
        let count = i64::try_from(value.chars().count()).unwrap_or(i64::MAX);
        let start = if offset < 0 { count.saturating_add(offset).max(0) } else { offset };
        let mut taken = count;
        if let Some(length) = length {
            let length = self.text(length).await?;
            taken = self.evaluate(&length)?;
            if taken < 0 {
                taken = count.saturating_add(taken).saturating_sub(start);
            }
        }
        let bound = |number: i64| usize::try_from(number.max(0)).unwrap_or(usize::MAX);
        Ok(value.chars().skip(bound(start)).take(bound(taken)).collect())
    }

    /// The values of `$@` and its like, and the sign that asks for them. Only
    /// what all values can do is done with them.
    fn every(&self, parameter: &Parameter) -> Option<(Vec<String>, char)> {
        let keys = parameter.operation == Operation::Keys;
        if let Some(Subscript::All(sign)) = parameter.subscript {
            let elements = self.elements(&parameter.name).into_iter();
            let values =
                elements.map(|(index, value)| if keys { index.to_string() } else { value.to_owned() });
            return Some((values.collect(), sign));
        }
        let sign = match parameter.name.as_str() {
            "@" => '@',
            "*" => '*',
            _ => return None,
        };
        let whole = matches!(parameter.operation, Operation::Value | Operation::Length);
        (whole && parameter.subscript.is_none()).then(|| (self.positional.clone(), sign))
    }

    /// What stands between the values of `"$*"`.
    fn separator(&self) -> String {
        self.variable("IFS").map_or(" ".to_owned(), |ifs| ifs.chars().take(1).collect())
    }

    /// The value of a parameter of any kind.
    fn value(&self, name: &str) -> Option<String> {
        if let Ok(number) = name.parse::<usize>() {
            return match number {
                0 => Some(self.name.clone()),
                number => self.positional.get(number - 1).cloned(),
            };
        }
        match name {
            "?" => Some(self.status.to_string()),
            "$" => Some(self.pid.to_string()),
            "#" => Some(self.positional.len().to_string()),
            "!" => self.jobs.last().map(|job| job.pid.to_string()),
            "-" => Some(if self.options.exit_on_error { "e".to_owned() } else { String::new() }),
            "@" | "*" => (!self.positional.is_empty()).then(|| self.positional.join(" ")),
            "PWD" => Some(self.cwd.clone()),
            "RANDOM" => Some("4".to_owned()),
            "PPID" => Some("1".to_owned()),
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
