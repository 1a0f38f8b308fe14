//! From words to fields: parameters, substitutions, splitting, patterns.

use super::arithmetic::evaluate;
use super::field::{ShellField, ShellFields};
use super::token::{self, is_name};
use super::tree::{CommandBody, InsideResult, List, Operation, RedirectKind, ShellWord, Subscript, WordPart};
use super::{Flow, Shell, ShellFault};
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
        let declares = token::declares(words);
        let words: Vec<_> = words.iter().map(|word| self.braces(word)).collect();
        for word in words.iter().flat_map(|words| words.iter()) {
            if declares && token::assignment(word).is_some() {
                // The value of `export x=$y` is not split.
                all.push(self.text(word).await?);
                continue;
            }
            let mut fields = ShellFields::split_at(self.variable("IFS").unwrap_or(" \t\n"));
            self.parts(word, Quoting::Bare, &mut fields).await?;
            size += fields.size;
            for field in fields.finish() {
                self.place(&field, &mut all);
            }
            if all.len() > limits::MAX_WORDS || size > 2 * limits::MAX_SUBSTITUTION {
                return Err(ShellFault("argument list too long".to_owned(), 1));
            }
        }
        Ok(all)
    }

    fn place(&self, field: &ShellField, all: &mut Vec<String>) {
        let found = match field.special() {
            Some(pattern) if !self.options.is_on("noglob") => self.glob(&pattern),
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
                    WordPart::Plain(text) if at == 0 && !quoted && text.contains('~') => {
                        let name = text.find("=~").filter(|at| is_name(&text[..*at])).map_or(0, |at| at + 1);
                        out.text(&text[..name], false);
                        let rest = self.home(&text[name..], out);
                        out.text(&text[name + rest..], false);
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
                    WordPart::Inside(list, result) => {
                        let text = Box::pin(self.inside(list, *result)).await?;
                        emit(&text, quoted, out);
                    }
                    WordPart::Arithmetic(inner) => {
                        let text = self.text(inner).await?;
                        let value = self.evaluate(&text)?;
                        emit(&value.to_string(), quoted, out);
                    }
                }
                if out.size > limits::MAX_SUBSTITUTION {
                    return Err(ShellFault("word too long".to_owned(), 1));
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
        let end = text.find('/').unwrap_or(text.len());
        let home = match text[..end].strip_prefix('~') {
            Some("") => self.variable("HOME"),
            Some("+") => Some(self.cwd.as_str()),
            Some("-") => self.variable("OLDPWD"),
            // Every user of a phone has the same.
            Some(user) if is_name(user) => self.machine.user_id(user).map(|_| "/"),
            Some(_) | None => None,
        };
        home.map_or(0, |home| {
            out.text(home, true);
            end
        })
    }

    pub(super) fn evaluate(&mut self, text: &str) -> Result<i64, ShellFault> {
        let element = |name: &str| match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
            Some((name, index)) => self.element(name, index.parse::<i64>().ok()? as u32),
            None => self.value(name),
        };
        let (value, set) = evaluate(text, &element).map_err(|problem| ShellFault(problem, 1))?;
        for (name, value) in set {
            match name.strip_suffix(']').and_then(|name| name.split_once('[')) {
                Some((name, index)) => {
                    let index = index.parse::<i64>().unwrap_or(0) as u32;
                    self.set_element(name, index, value.to_string())?;
                }
                None => self.assign(&name, value.to_string())?,
            }
        }
        Ok(value)
    }

    /// Computes each expression; the last one is the answer.
    pub(super) async fn compute(&mut self, words: &[String]) -> Result<Flow, ShellFault> {
        let mut value = 0;
        for word in words {
            match self.evaluate(word) {
                Ok(found) => value = found,
                Err(ShellFault(what, _)) => {
                    self.complain(&what).await;
                    return Ok(self.conclude(2));
                }
            }
        }
        Ok(self.conclude(u8::from(value == 0)))
    }

    /// What a list gives that runs in the shell itself.
    async fn inside(&mut self, list: &List, result: InsideResult) -> Result<String, ShellFault> {
        let status = self.status;
        let collector = Output::collector(limits::MAX_SUBSTITUTION);
        let reply = self.variables.get("REPLY").cloned();
        let outer = self.streams.stdout.clone();
        if result == InsideResult::Output {
            self.streams.stdout = collector.clone();
        }
        self.list(list).await;
        self.streams.stdout = outer;
        self.substituted = Some(std::mem::replace(&mut self.status, status));
        if result == InsideResult::Output {
            return Ok(without_end(collector.collected()));
        }
        let text = self.variable("REPLY").unwrap_or_default().to_owned();
        self.put_back("REPLY".to_owned(), reply);
        Ok(text)
    }

    /// What a list of commands writes, without the newlines at its end.
    async fn capture(&mut self, list: &List) -> Result<String, ShellFault> {
        let collector = Output::collector(limits::MAX_SUBSTITUTION);
        let mut inner = self.subshell();
        inner.streams.stdout = collector.clone();
        if let Some(file) = file_of(list) {
            let path = self.text(file).await?;
            let call = self.call_with(Vec::new(), self.streams.clone());
            return Ok(match call.open_path(&path) {
                Ok(input) => without_end(input.read_all().await),
                Err(error) => {
                    self.complain(&format!("{path}: can't open $(<...) file: {error}")).await;
                    self.substituted = Some(1);
                    String::new()
                }
            });
        }
        inner.list(list).await;
        inner.run_exit_trap().await;
        self.substituted = Some(inner.status);
        drop(inner);
        Ok(without_end(collector.collected()))
    }
}

/// The file of `$(<file)`.
fn file_of(list: &List) -> Option<&ShellWord> {
    let [item] = list.0.as_slice() else { return None };
    let [only] = item.chain.first.stages.as_slice() else { return None };
    let [redirect] = only.redirects.as_slice() else { return None };
    let CommandBody::Simple { assignments, words } = &only.body else { return None };
    let reads = redirect.kind == RedirectKind::Read && assignments.is_empty() && words.is_empty();
    (reads && item.chain.rest.is_empty()).then_some(&redirect.target)
}

/// What commands wrote, as text without the newlines at its end.
fn without_end(mut bytes: Vec<u8>) -> String {
    bytes.retain(|byte| *byte != 0);
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    text.trim_end_matches('\n').to_owned()
}

pub(super) fn emit(text: &str, quoted: bool, out: &mut ShellFields) {
    if quoted {
        out.text(text, true);
    } else {
        out.split(text);
    }
}
