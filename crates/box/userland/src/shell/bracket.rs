//! `[[ … ]]`: a question whose words are neither split nor fitted to files.

use super::lexer::ShellToken;
use super::parser::{ParseError, Parser};
use super::token::{plain, unexpected};
use super::tree::{ShellTest, ShellWord};
use super::{Shell, ShellFault};
use crate::toybox;
use futures_core::future::BoxFuture;

impl Parser<'_> {
    /// What follows `[[`, up to and with `]]`.
    pub(super) fn test_in_brackets(&mut self) -> Result<ShellTest, ParseError> {
        let test = self.either()?;
        self.expect_reserved("]]")?;
        Ok(test)
    }

    fn either(&mut self) -> Result<ShellTest, ParseError> {
        let mut test = self.both()?;
        while self.take_operator("||")? {
            test = ShellTest::Or(Box::new(test), Box::new(self.both()?));
        }
        Ok(test)
    }

    fn both(&mut self) -> Result<ShellTest, ParseError> {
        let mut test = self.deeper(Self::one)?;
        while self.take_operator("&&")? {
            test = ShellTest::And(Box::new(test), Box::new(self.deeper(Self::one)?));
        }
        Ok(test)
    }

    fn one(&mut self) -> Result<ShellTest, ParseError> {
        self.skip_newlines()?;
        if self.take_reserved("!")? {
            return Ok(ShellTest::Not(Box::new(self.deeper(Self::one)?)));
        }
        if self.take_operator("(")? {
            let test = self.deeper(Self::either)?;
            self.expect_operator(")")?;
            return Ok(test);
        }
        let mut words = Vec::new();
        loop {
            self.skip_newlines()?;
            let word = match self.peek()? {
                ShellToken::Word(word) if plain(word) != Some("]]") => word.clone(),
                ShellToken::Operator(sign @ ("<" | ">")) => {
                    vec![super::tree::WordPart::Quoted((*sign).to_owned())]
                }
                _ => break,
            };
            self.token = None;
            words.push(word);
        }
        if words.is_empty() {
            return Err(unexpected(&self.take()?));
        }
        Ok(ShellTest::Words(words))
    }
}

impl Shell {
    /// Tells whether what stands in the brackets holds.
    pub(super) fn holds<'a>(&'a mut self, test: &'a ShellTest) -> BoxFuture<'a, Result<bool, ShellFault>> {
        Box::pin(async move {
            Ok(match test {
                ShellTest::Not(test) => !self.holds(test).await?,
                ShellTest::And(left, right) => self.holds(left).await? && self.holds(right).await?,
                ShellTest::Or(left, right) => self.holds(left).await? || self.holds(right).await?,
                ShellTest::Words(words) => self.question(words).await?,
            })
        })
    }

    async fn question(&mut self, words: &[ShellWord]) -> Result<bool, ShellFault> {
        if let [left, operator, right] = words
            && let Some(operator @ ("=" | "==" | "!=")) = plain(operator)
        {
            let text = self.text(left).await?;
            let fits = self.pattern(right).await?.fits(&text)?;
            return Ok(fits == (operator != "!="));
        }
        let mut texts = Vec::new();
        for word in words {
            texts.push(self.text(word).await?);
        }
        let call = self.call_with(vec!["[[".to_owned()], self.streams.clone());
        let texts = self.answered(texts)?;
        toybox::condition(&call, &texts).map_err(|problem| ShellFault(format!("[[: {problem}"), 1))
    }

    /// The words with what only the shell knows: numbers where `-eq` and its like compare expressions,
    /// and whether a variable (`-v`) or an option (`-o`) is set.
    pub(super) fn answered(&mut self, mut words: Vec<String>) -> Result<Vec<String>, ShellFault> {
        let compares = |word: &String| matches!(word.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge");
        let begins = |before: &String| matches!(before.as_str(), "[" | "test" | "!" | "(" | "-a" | "-o");
        for at in 0..words.len().saturating_sub(1) {
            let is_set = match words[at].as_str() {
                _ if at > 0 && !begins(&words[at - 1]) => continue,
                "-v" => self.value(&words[at + 1]).is_some(),
                "-o" if words[at + 1] != "]" => self.options.is_on(&words[at + 1]),
                _ => continue,
            };
            words[at] = "-n".to_owned();
            words[at + 1] = if is_set { "set".to_owned() } else { String::new() };
        }
        for at in 1..words.len().saturating_sub(1) {
            if compares(&words[at]) {
                words[at - 1] = self.evaluate(&words[at - 1].clone())?.to_string();
                words[at + 1] = self.evaluate(&words[at + 1].clone())?.to_string();
            }
        }
        Ok(words)
    }
}
