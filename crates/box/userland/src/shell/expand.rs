//! From words to fields: parameters, substitutions, splitting, patterns.

use super::arithmetic::{ArithmeticError, evaluate};
use super::field::{ShellField, ShellFields};
use super::tree::{List, Operation, ShellWord, Subscript, WordPart};
use super::{Shell, ShellFault};
use crate::limits;
use crate::pattern::Pattern;
use crate::stream::Output;
use futures_core::future::BoxFuture;

/// How the parts of a word are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quoting {
    /// In a command: plain text stays whole.
    Bare,
    /// In `${x:-...}`: plain text splits as well.
    Inner,
    Quoted,
}

impl Shell {
    /// The words of a command, fully expanded.
    pub(super) async fn fields(&mut self, words: &[ShellWord]) -> Result<Vec<String>, ShellFault> {
        let mut all = Vec::new();
        let mut size = 0;
        for word in words {
            let mut fields = ShellFields::split_at(self.variable("IFS").unwrap_or(" \t\n"));
            self.parts(word, Quoting::Bare, &mut fields).await?;
            size += fields.size;
            for field in fields.finish() {
                self.place(&field, &mut all);
            }
            if all.len() > limits::MAX_WORDS || size > 2 * limits::MAX_SUBSTITUTION {
                return Err(ShellFault("argument list too long".to_owned()));
            }
        }
        Ok(all)
    }

    fn place(&self, field: &ShellField, all: &mut Vec<String>) {
        let found = match field.special() {
            Some(pattern) if !self.options.no_patterns => self.glob(&pattern),
            _ => Vec::new(),
        };
        if found.is_empty() {
            all.push(field.text());
        } else {
            all.extend(found);
        }
    }

    /// A word as one text: no splitting, no file names.
    pub(super) async fn text(&mut self, word: &ShellWord) -> Result<String, ShellFault> {
        Ok(self.whole(word).await?.text())
    }

    pub(super) async fn pattern(&mut self, word: &ShellWord) -> Result<Pattern, ShellFault> {
        Ok(self.whole(word).await?.pattern())
    }

    async fn whole(&mut self, word: &ShellWord) -> Result<ShellField, ShellFault> {
        let mut fields = ShellFields::whole();
        self.parts(word, Quoting::Bare, &mut fields).await?;
        Ok(fields.finish().pop().unwrap_or_default())
    }

    pub(super) fn parts<'a>(
        &'a mut self,
        word: &'a [WordPart],
        quoting: Quoting,
        out: &'a mut ShellFields,
    ) -> BoxFuture<'a, Result<(), ShellFault>> {
        Box::pin(async move {
            for (at, part) in word.iter().enumerate() {
                let quoted = quoting == Quoting::Quoted;
                match part {
                    WordPart::Plain(text) if quoting == Quoting::Inner => out.split(text),
                    WordPart::Plain(text) if at == 0 && !quoted && text.starts_with('~') => {
                        let rest = self.home(text, out);
                        out.text(&text[rest..], false);
                    }
                    WordPart::Plain(text) => out.text(text, quoted),
                    WordPart::Quoted(text) => out.text(text, true),
                    WordPart::Double(inner) => {
                        if !self.is_nothing(inner) {
                            out.begin();
                        }
                        self.parts(inner, Quoting::Quoted, out).await?;
                    }
                    WordPart::Later(text) => {
                        if let Some(text) = text.get() {
                            self.parts(text, Quoting::Quoted, out).await?;
                        }
                    }
                    WordPart::Parameter(parameter) => {
                        Box::pin(self.parameter(parameter, quoting, out)).await?;
                    }
                    WordPart::Command(list) => {
                        let text = Box::pin(self.capture(list)).await?;
                        emit(&text, quoted, out);
                    }
                    WordPart::Arithmetic(inner) => {
                        let text = self.text(inner).await?;
                        let value = self.evaluate(&text)?;
                        emit(&value.to_string(), quoted, out);
                    }
                }
                if out.size > limits::MAX_SUBSTITUTION {
                    return Err(ShellFault("word too long".to_owned()));
                }
            }
            Ok(())
        })
    }

    /// Whether a quoted word is nothing but `$@` or an array without values,
    /// which is no field at all.
    fn is_nothing(&self, word: &[WordPart]) -> bool {
        let [WordPart::Parameter(parameter)] = word else {
            return false;
        };
        let plain = parameter.operation == Operation::Value;
        match &parameter.subscript {
            None => plain && parameter.name == "@" && self.positional.is_empty(),
            Some(Subscript::All('@')) => plain && self.elements(&parameter.name).is_empty(),
            Some(_) => false,
        }
    }

    /// Puts the home directory for a `~`, and gives how much of the text that was.
    fn home(&self, text: &str, out: &mut ShellFields) -> usize {
        if text == "~" || text.starts_with("~/") {
            out.text(self.variable("HOME").unwrap_or("/").trim_end_matches('/'), true);
            if text == "~" && self.variable("HOME").is_none_or(|home| home == "/") {
                out.text("/", true);
            }
            return 1;
        }
        0
    }

    pub(super) fn evaluate(&mut self, text: &str) -> Result<i64, ShellFault> {
        let found = evaluate(text, &|name| self.variable(name).map(str::to_owned));
        let (value, set) = found.map_err(|error| {
            ShellFault(match error {
                ArithmeticError::Syntax(text) => format!("{text}: syntax error in expression"),
                ArithmeticError::DivisionByZero => format!("{text}: zero divisor"),
                ArithmeticError::TooDeep => "expression nested too deep".to_owned(),
            })
        })?;
        for (name, value) in set {
            self.assign(&name, value.to_string())?;
        }
        Ok(value)
    }

    /// What a list of commands writes, without the newlines at its end.
    async fn capture(&mut self, list: &List) -> Result<String, ShellFault> {
        let collector = Output::collector(limits::MAX_SUBSTITUTION);
        let mut inner = self.subshell();
        inner.streams.stdout = collector.clone();
        inner.list(list).await;
        self.status = inner.status;
        drop(inner);
        let mut bytes = collector.collected();
        bytes.retain(|byte| *byte != 0);
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Ok(text.trim_end_matches('\n').to_owned())
    }
}

pub(super) fn emit(text: &str, quoted: bool, out: &mut ShellFields) {
    if quoted {
        out.text(text, true);
    } else {
        out.split(text);
    }
}
