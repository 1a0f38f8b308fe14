//! Commands that begin with a word or sign of their own.

use super::lexer::{ShellToken, WordEnd};
use super::parser::{ENDS, ParseError, Parser};
use super::token::{is_name, plain, spelled};
use super::tree::{CaseArm, CommandBody, List};
use std::sync::Arc;

impl Parser<'_> {
    /// A command that begins with a word or sign of its own.
    pub(super) fn compound(&mut self) -> Result<Option<CommandBody>, ParseError> {
        if *self.peek()? == ShellToken::Operator("(") {
            // The text starts right after the first parenthesis.
            if let Some(expression) = self.arithmetic_text("(") {
                self.token = None;
                return self
                    .nested_text(&expression, WordEnd::End)
                    .map(|word| Some(CommandBody::Arithmetic(word)));
            }
            self.token = None;
            let list = self.list()?;
            self.expect_operator(")")?;
            return Ok(Some(CommandBody::Subshell(list)));
        }
        let Some(word) = self.peek_reserved()? else {
            return Ok(None);
        };
        let body = match word.as_str() {
            "{" => {
                self.token = None;
                let list = self.list()?;
                self.expect_reserved("}")?;
                CommandBody::Group(list)
            }
            "[[" => {
                self.token = None;
                CommandBody::Test(self.test_in_brackets()?)
            }
            "if" => self.branches()?,
            "while" | "until" => {
                self.token = None;
                let condition = self.body()?;
                CommandBody::Loop { until: word == "until", condition, body: self.do_group()? }
            }
            "for" => self.for_loop()?,
            "case" => self.case()?,
            "function" => {
                self.token = None;
                let ShellToken::Word(name) = self.take()? else {
                    return Err(ParseError::Unexpected(word));
                };
                let name = plain(&name).ok_or(ParseError::Unexpected(word))?.to_owned();
                if self.take_operator("(")? {
                    self.expect_operator(")")?;
                }
                self.function(name)?
            }
            word if ENDS.contains(&word) => return Err(ParseError::Unexpected(word.to_owned())),
            _ => return Ok(None),
        };
        Ok(Some(body))
    }

    fn branches(&mut self) -> Result<CommandBody, ParseError> {
        let mut branches = Vec::new();
        self.token = None;
        loop {
            let condition = self.body()?;
            self.expect_reserved("then")?;
            branches.push((condition, self.body()?));
            if self.take_reserved("elif")? {
                continue;
            }
            let otherwise = if self.take_reserved("else")? { Some(self.body()?) } else { None };
            self.expect_reserved("fi")?;
            return Ok(CommandBody::If { branches, otherwise });
        }
    }

    fn do_group(&mut self) -> Result<List, ParseError> {
        self.skip_newlines()?;
        self.expect_reserved("do")?;
        let list = self.list()?;
        self.expect_reserved("done")?;
        Ok(list)
    }

    fn for_loop(&mut self) -> Result<CommandBody, ParseError> {
        self.token = None;
        let word = self.take_word()?;
        let name = plain(&word).filter(|name| is_name(name)).map(str::to_owned);
        let name = name.ok_or_else(|| ParseError::Unexpected(spelled(&word)))?;
        self.skip_newlines()?;
        let mut words = None;
        if self.take_reserved("in")? {
            let mut list = Vec::new();
            while let ShellToken::Word(_) = self.peek()? {
                list.push(self.take_word()?);
            }
            words = Some(list);
        }
        self.take_operator(";")?;
        Ok(CommandBody::For { name, words, body: self.do_group()? })
    }

    fn case(&mut self) -> Result<CommandBody, ParseError> {
        self.token = None;
        let word = self.take_word()?;
        self.skip_newlines()?;
        self.expect_reserved("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_reserved("esac")? {
                return Ok(CommandBody::Case { word, arms });
            }
            self.take_operator("(")?;
            let mut patterns = Vec::new();
            loop {
                patterns.push(self.take_word()?);
                if !self.take_operator("|")? {
                    break;
                }
            }
            self.expect_operator(")")?;
            let body = self.list()?;
            let mut end = "";
            for sign in [";;", ";&", ";|"] {
                end = if self.take_operator(sign)? { sign } else { end };
            }
            arms.push(CaseArm { patterns, body, end });
            if end.is_empty() {
                self.skip_newlines()?;
                self.expect_reserved("esac")?;
                return Ok(CommandBody::Case { word, arms });
            }
        }
    }

    pub(super) fn function(&mut self, name: String) -> Result<CommandBody, ParseError> {
        self.skip_newlines()?;
        let body = self.deeper(Self::command)?;
        Ok(CommandBody::Function { name, body: Arc::new(body) })
    }
}
