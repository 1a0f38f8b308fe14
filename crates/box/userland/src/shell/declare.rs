//! `typeset`, `export`, `readonly` and `unset`: what variables are besides their values.

use super::options::quoted;
use super::token::is_name;
use super::{Flow, Shell, ShellFault, Variable};
use std::sync::Arc;

/// What becomes of every value of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct VariableForm {
    /// A whole number, written with this base.
    base: Option<u32>,
    unsigned: bool,
    /// `u` or `l`.
    letters: Option<char>,
    /// `L`, `R` or `Z`, and how wide.
    fit: Option<(char, usize)>,
    /// The value is the name of the variable that is meant.
    reference: bool,
}

/// Widest value that `typeset -L` and its like make.
const MAX_WIDTH: usize = 4096;

impl VariableForm {
    pub(super) fn is_number(&self) -> bool {
        self.base.is_some()
    }

    pub(super) fn is_reference(&self) -> bool {
        self.reference
    }

    pub(super) fn number(&self, value: i64) -> String {
        let value = if self.unsigned { i64::from(value as u32) } else { value };
        let base = i64::from(self.base.unwrap_or(10));
        if base == 10 {
            return self.text(value.to_string());
        }
        let (sign, mut rest) = (if value < 0 { "-" } else { "" }, value.abs());
        let mut digits = Vec::new();
        while rest > 0 || digits.is_empty() {
            digits.push(char::from_digit((rest % base) as u32, base as u32).unwrap_or('0'));
            rest /= base;
        }
        self.text(format!("{sign}{base}#{}", digits.iter().rev().collect::<String>()))
    }

    pub(super) fn text(&self, value: String) -> String {
        let value = match self.letters {
            Some('u') => value.to_uppercase(),
            Some(_) => value.to_lowercase(),
            None => value,
        };
        let Some((side, width)) = self.fit.filter(|(_, width)| *width > 0) else {
            return value;
        };
        if side == 'L' {
            let text: String = value.trim_start().chars().take(width).collect();
            return format!("{text:<width$}");
        }
        let text = value.trim_end();
        let text: String = text.chars().skip(text.chars().count().saturating_sub(width)).collect();
        if side == 'Z' { format!("{text:0>width$}") } else { format!("{text:>width$}") }
    }

    fn change(&mut self, letter: char, on: bool, number: Option<usize>) {
        let width = number.unwrap_or(0).min(MAX_WIDTH);
        match letter {
            'i' => self.base = on.then(|| number.and_then(|base| base.try_into().ok()).unwrap_or(10)),
            'U' => (self.unsigned, self.base) = (on, on.then(|| self.base.unwrap_or(10))),
            'l' | 'u' => self.letters = on.then_some(letter),
            'n' => self.reference = on,
            'L' | 'R' | 'Z' => self.fit = on.then_some((letter, width)),
            _ => {}
        }
    }
}

impl Variable {
    /// The command that makes it what it is, without name and value.
    fn command(&self) -> String {
        let form = &self.form;
        let mut text = String::from("typeset ");
        let fit = form.fit.map(|(side, width)| format!("-{side}{width} "));
        for (holds, option) in [
            (form.is_number(), "-i "),
            (self.exported, "-x "),
            (self.read_only, "-r "),
            (form.fit.is_some(), fit.as_deref().unwrap_or_default()),
            (form.letters == Some('l'), "-l "),
            (form.letters == Some('u'), "-u "),
            (form.unsigned, "-U "),
            (form.reference, "-n "),
        ] {
            text.push_str(if holds { option } else { "" });
        }
        text
    }

    fn is(&self, letter: char) -> bool {
        self.command().contains(&format!("-{letter}"))
    }
}

/// The options of `typeset` and its like: letters with what is behind them, on or off.
struct Declaration {
    changes: Vec<(char, bool, Option<usize>)>,
    words: Vec<String>,
}

impl Declaration {
    fn has(&self, letter: char) -> bool {
        self.changes.iter().any(|change| change.0 == letter)
    }

    /// Reads the options; one that there is not is an error.
    fn read(kind: &str, words: &[String]) -> Result<Self, String> {
        let known = if kind == "typeset" { "afgilnprtuxLRUZ" } else { "p" };
        let mut read = Self { changes: Vec::new(), words: words.to_vec() };
        while let Some(word) = read.words.first().filter(|word| word.starts_with(['-', '+'])).cloned() {
            if word.len() < 2 {
                break;
            }
            read.words.remove(0);
            let mut rest = &word[1..];
            while let Some(letter) = rest.chars().next().filter(|_| word != "--") {
                if !known.contains(letter) {
                    return Err(format!("{}{letter}: unknown option", &word[..1]));
                }
                rest = &rest[letter.len_utf8()..];
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let mut number = rest[..digits].parse().ok();
                rest = &rest[digits..];
                if "iLRZ".contains(letter) && number.is_none() && rest.is_empty() {
                    number = read.words.first().and_then(|word| word.parse().ok());
                    read.words.drain(..usize::from(number.is_some()));
                }
                read.changes.push((letter, word.starts_with('-'), number));
            }
            if word == "--" {
                break;
            }
        }
        Ok(read)
    }
}

impl Shell {
    pub(super) async fn declare(&mut self, kind: &str, words: &[String]) -> Flow {
        let mut given = match Declaration::read(kind, words) {
            Ok(given) => given,
            Err(problem) => return self.refuse_use(kind, &problem, 1).await,
        };
        if given.has('f') {
            let known = given.words.iter().any(|word| self.functions.contains_key(word));
            if known {
                return self.refuse_use(kind, "-f: not supported", 1).await;
            }
            return self.conclude(u8::from(!given.words.is_empty() && !given.has('u')));
        }
        if given.words.is_empty() || given.has('p') {
            return self.show_variables(kind, &given).await;
        }
        match kind {
            "export" => given.changes.push(('x', true, None)),
            "readonly" => given.changes.push(('r', true, None)),
            _ => {}
        }
        for word in &given.words {
            let (name, value) =
                word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
            let (plain, index) =
                name.split_once('[').map_or((name, None), |(name, index)| (name, Some(index)));
            if !is_name(plain) {
                return self.refuse_use(kind, &format!("{word}: is not an identifier"), 1).await;
            }
            if kind == "typeset" && !given.has('g') {
                self.hide(plain);
            }
            let value = value.map(str::to_owned);
            let done = match index.and_then(|index| index.trim_end_matches(']').parse().ok()) {
                Some(index) => self.set_element(plain, index, value.unwrap_or_default()),
                None => self.declare_one(&given, plain, value),
            };
            if let Err(ShellFault(what, code)) = done {
                return self.refuse_use(kind, &what, code).await;
            }
        }
        self.conclude(0)
    }

    /// Keeps what a name means outside of the function that runs.
    fn hide(&mut self, name: &str) {
        if let Some(frame) = self.hidden.last_mut()
            && !frame.iter().any(|(hidden, _)| hidden == name)
        {
            frame.push((name.to_owned(), self.variables.get(name).cloned()));
            Arc::make_mut(&mut self.variables).remove(name);
        }
    }

    fn declare_one(
        &mut self,
        given: &Declaration,
        name: &str,
        value: Option<String>,
    ) -> Result<(), ShellFault> {
        let is_new = !self.variables.contains_key(name);
        let variable = Arc::make_mut(&mut self.variables).entry(name.to_owned()).or_default();
        variable.headless |= is_new;
        for (letter, on, number) in &given.changes {
            match letter {
                'x' => variable.exported = *on,
                letter => variable.form.change(*letter, *on, *number),
            }
        }
        if let Some((side, 0)) = variable.form.fit {
            let width = value.as_ref().unwrap_or(&variable.value).chars().count();
            variable.form.fit = Some((side, width));
        }
        let reshaped = !variable.headless && given.changes.iter().any(|change| "iLRZluUn".contains(change.0));
        let old = Some(variable.value.clone()).filter(|_| reshaped);
        if variable.form.reference {
            variable.value = value.or(old).unwrap_or_default();
            variable.headless = false;
        } else if let Some(value) = value.or(old) {
            self.assign(name, value)?;
        }
        let variable = Arc::make_mut(&mut self.variables).entry(name.to_owned()).or_default();
        variable.read_only |= given.has('r');
        Ok(())
    }

    async fn show_variables(&mut self, kind: &str, given: &Declaration) -> Flow {
        let as_command = |name: &str, value: &str, variable: &Variable| {
            let command = if kind == "typeset" { variable.command() } else { format!("{kind} ") };
            if variable.headless {
                format!("{command}{name}\n")
            } else {
                format!("{command}{name}={}\n", quoted(value))
            }
        };
        let fits = |variable: &Variable| match kind {
            "export" => variable.exported,
            "readonly" => variable.read_only,
            _ => given.changes.iter().all(|change| change.0 == 'p' || variable.is(change.0)),
        };
        let text = if given.has('p') && !given.words.is_empty() {
            let mut text = String::new();
            for word in &given.words {
                let name = self.target(word).to_owned();
                let Some(variable) = self.variables.get(&name) else { continue };
                if !variable.more.is_empty() {
                    text.push_str(&format!("set -A {name}\n"));
                }
                text.push_str(&self.rows(&name, variable, as_command));
            }
            text
        } else if given.has('p') {
            self.listed(fits, as_command)
        } else if kind != "typeset" || given.changes.iter().any(|change| !change.1) {
            self.listed(fits, |name, _, _| format!("{name}\n"))
        } else if given.changes.is_empty() {
            self.listed(fits, |name, _, variable| format!("{}{name}\n", variable.command()))
        } else {
            self.listed(fits, |name, value, _| format!("{name}={}\n", quoted(value)))
        };
        self.say(&text).await
    }

    /// A line for each value of each variable that fits.
    pub(super) fn listed(
        &self,
        fits: impl Fn(&Variable) -> bool,
        line: impl Fn(&str, &str, &Variable) -> String,
    ) -> String {
        let all = self.variables.iter().filter(|(_, variable)| fits(variable));
        all.map(|(name, variable)| self.rows(name, variable, &line)).collect()
    }

    fn rows(
        &self,
        name: &str,
        variable: &Variable,
        line: impl Fn(&str, &str, &Variable) -> String,
    ) -> String {
        if variable.more.is_empty() {
            return line(name, &variable.value, variable);
        }
        let elements = self.elements(name).into_iter();
        elements.map(|(index, value)| line(&format!("{name}[{index}]"), &value, variable)).collect()
    }

    pub(super) async fn unset(&mut self, words: &[String]) -> Flow {
        let mut words = words;
        let mut functions = false;
        while let [option, rest @ ..] = words
            && let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty())
        {
            words = rest;
            functions |= letters.contains('f');
            if let Some(letter) = letters.chars().find(|letter| !"fv-".contains(*letter)) {
                return self.refuse_use("unset", &format!("-{letter}: unknown option"), 1).await;
            }
        }
        let mut code = 0;
        for word in words {
            if functions {
                Arc::make_mut(&mut self.functions).remove(word);
                continue;
            }
            let (name, index) =
                word.split_once('[').map_or((word.as_str(), None), |(name, index)| (name, Some(index)));
            let name = self.target(name).to_owned();
            let locked = self.variables.get(&name).is_some_and(|variable| variable.read_only);
            if locked || name.starts_with(|first: char| first.is_ascii_digit()) {
                let name = if locked { name.as_str() } else { "" };
                self.complain(&format!("read-only: {name}")).await;
                code = 1;
                continue;
            }
            let index = index.map(|index| self.evaluate(index.trim_end_matches(']')));
            let variables = Arc::make_mut(&mut self.variables);
            match index {
                None => drop(variables.remove(&name)),
                Some(Err(fault)) => return self.flow(Err(fault)).await,
                Some(Ok(index)) => {
                    if let Some(variable) = variables.get_mut(&name) {
                        variable.more.remove(&(index as u32));
                        variable.headless |= index == 0;
                    }
                }
            }
        }
        self.conclude(code)
    }
}
