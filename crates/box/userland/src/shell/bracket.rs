//! `[[ … ]]`: a question whose words are neither split nor fitted to files.

use super::lexer::Token;
use super::parser::{ParseError, Parser};
use super::token::{plain, unexpected};
use super::tree::{Test, Word};
use super::{Fault, Shell};
use crate::machine::BoxFuture;
use crate::toybox;

impl Parser<'_> {
    /// What follows `[[`, up to and with `]]`.
    pub(super) fn test_in_brackets(&mut self) -> Result<Test, ParseError> {
        let test = self.either()?;
        self.expect_reserved("]]")?;
        Ok(test)
    }

    fn either(&mut self) -> Result<Test, ParseError> {
        let mut test = self.both()?;
        while self.take_operator("||")? {
            test = Test::Or(Box::new(test), Box::new(self.both()?));
        }
        Ok(test)
    }

    fn both(&mut self) -> Result<Test, ParseError> {
        let mut test = self.deeper(Self::one)?;
        while self.take_operator("&&")? {
            test = Test::And(Box::new(test), Box::new(self.deeper(Self::one)?));
        }
        Ok(test)
    }

    fn one(&mut self) -> Result<Test, ParseError> {
        self.skip_newlines()?;
        if self.take_reserved("!")? {
            return Ok(Test::Not(Box::new(self.deeper(Self::one)?)));
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
                Token::Word(word) if plain(word) != Some("]]") => word.clone(),
                Token::Operator(sign @ ("<" | ">")) => vec![super::tree::Part::Quoted((*sign).to_owned())],
                _ => break,
            };
            self.token = None;
            words.push(word);
        }
        if words.is_empty() {
            return Err(unexpected(&self.take()?));
        }
        Ok(Test::Words(words))
    }
}

impl Shell {
    /// Tells whether what stands in the brackets holds.
    pub(super) fn holds<'a>(&'a mut self, test: &'a Test) -> BoxFuture<'a, Result<bool, Fault>> {
        Box::pin(async move {
            Ok(match test {
                Test::Not(test) => !self.holds(test).await?,
                Test::And(left, right) => self.holds(left).await? && self.holds(right).await?,
                Test::Or(left, right) => self.holds(left).await? || self.holds(right).await?,
                Test::Words(words) => self.question(words).await?,
            })
        })
    }

    async fn question(&mut self, words: &[Word]) -> Result<bool, Fault> {
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
        toybox::condition(&call, &texts).map_err(|problem| Fault(format!("[[: {problem}")))
    }
}
