//! What begins with `$` or a backtick: parameters, substitutions, arithmetic.

use super::lexer::WordEnd;
use super::parser::{ParseError, Parser};
use super::tree::{InsideResult, Operation, Parameter, Place, ShellWord, Subscript, WordPart};
use std::sync::Arc;

impl Parser<'_> {
    /// Reads what follows a `$`; none where it is only a dollar sign.
    pub(super) fn dollar(&mut self, until: WordEnd) -> Result<Option<WordPart>, ParseError> {
        let Some(next) = self.peek_char() else {
            return Ok(None);
        };
        if next == '(' {
            if let Some(expression) = self.arithmetic_text("((") {
                return self
                    .nested_text(&expression, WordEnd::End)
                    .map(|word| Some(WordPart::Arithmetic(word)));
            }
            self.at += 1;
            let list = self.substitution()?;
            return Ok(Some(WordPart::Command(Arc::new(list))));
        }
        if next == '{' {
            self.at += 1;
            if let Some(result) = self.inside_result() {
                let outer = std::mem::replace(&mut self.inside, true);
                let list = self.list()?;
                self.expect_reserved("}")?;
                self.inside = outer;
                return Ok(Some(WordPart::Inside(Arc::new(list), result)));
            }
            let start = self.at;
            return self
                .braced(until)
                .or_else(|error| match error {
                    ParseError::Unexpected(_) => self.bad_substitution(start),
                    error => Err(error),
                })
                .map(Some);
        }
        if let Some(name) = self.parameter_name(false) {
            return Ok(Some(WordPart::Parameter(Parameter {
                name,
                subscript: None,
                operation: Operation::Value,
            })));
        }
        Ok(None)
    }

    /// The text between the opening and its `))`, if it is closed that way.
    pub(super) fn arithmetic_text(&mut self, opening: &str) -> Option<String> {
        let rest = self.text[self.at..].strip_prefix(opening)?;
        let mut open = 0usize;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if rest[at + 1..].starts_with(')') => {
                    self.at += opening.len() + at + 2;
                    return Some(rest[..at].to_owned());
                }
                b')' => return None,
                _ => {}
            }
        }
        None
    }

    pub(super) fn nested_text(&mut self, text: &str, until: WordEnd) -> Result<ShellWord, ParseError> {
        let mut inner = Parser::new(text);
        inner.depth = self.depth;
        inner.deeper(|parser| parser.word(until))
    }

    /// The text between backticks: a script with its own escapes.
    pub(super) fn backticks(&mut self, until: WordEnd) -> Result<WordPart, ParseError> {
        let mut script = String::new();
        loop {
            match self.take_char().ok_or(ParseError::Incomplete)? {
                '`' => break,
                '\\' => {
                    let next = self.take_char().ok_or(ParseError::Incomplete)?;
                    let quote = until == WordEnd::Quote && next == '"';
                    if !matches!(next, '`' | '\\' | '$') && !quote {
                        script.push('\\');
                    }
                    script.push(next);
                }
                next => script.push(next),
            }
        }
        let mut inner = Parser::new(&script);
        inner.depth = self.depth;
        inner.script().map(|list| WordPart::Command(Arc::new(list)))
    }

    /// A parameter's name; without braces a number has one digit.
    fn parameter_name(&mut self, braced: bool) -> Option<String> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let length = if first.is_ascii_digit() && braced {
            rest.bytes().take_while(u8::is_ascii_digit).count()
        } else if first.is_ascii_alphabetic() || first == '_' {
            rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
        } else if first.is_ascii_digit() || "@*#?-$!".contains(first) {
            1
        } else {
            return None;
        };
        self.at += length;
        Some(rest[..length].to_owned())
    }

    /// What comes of `${ ...;}` or `${|...;}`, if it is one.
    fn inside_result(&mut self) -> Option<InsideResult> {
        let next = self.peek_char()?;
        self.at += usize::from(next == '|');
        match next {
            '|' => Some(InsideResult::Reply),
            ' ' | '\t' | '\n' => Some(InsideResult::Output),
            _ => None,
        }
    }

    /// An unknown form is reported when the word is used.
    fn bad_substitution(&mut self, start: usize) -> Result<WordPart, ParseError> {
        let rest = &self.text[start..];
        let end = rest.find('}').ok_or(ParseError::Incomplete)?;
        (self.at, self.token) = (start + end + 1, None);
        let operation = Operation::Bad(rest[..end].to_owned());
        Ok(WordPart::Parameter(Parameter { name: String::new(), subscript: None, operation }))
    }

    /// The rest of `${...}`, the closing brace included.
    fn braced(&mut self, until: WordEnd) -> Result<WordPart, ParseError> {
        let rest = &self.text[self.at..];
        if rest.starts_with('#') && !rest.starts_with("#}") {
            self.at += 1;
            return self.measured(Operation::Length);
        }
        let is_name = |first: char| first.is_ascii_alphabetic() || first == '_';
        if rest.strip_prefix('!').is_some_and(|rest| rest.starts_with(is_name)) {
            self.at += 1;
            return self.measured(Operation::Keys);
        }
        let Some(name) = self.parameter_name(true) else {
            return Err(if rest.is_empty() { ParseError::Incomplete } else { self.unexpected() });
        };
        let subscript = self.subscript()?;
        let inside = if until.is_quoted() { WordEnd::QuotedBrace } else { WordEnd::Brace };
        let operation = self.operation(inside)?;
        self.close()?;
        Ok(WordPart::Parameter(Parameter { name, subscript, operation }))
    }

    /// The rest of `${#name}` or `${!name[@]}`.
    fn measured(&mut self, operation: Operation) -> Result<WordPart, ParseError> {
        let name = self.parameter_name(true).ok_or_else(|| self.unexpected())?;
        let subscript = self.subscript()?;
        self.close()?;
        Ok(WordPart::Parameter(Parameter { name, subscript, operation }))
    }

    /// `[index]`, `[@]` or `[*]`, if it is there.
    fn subscript(&mut self) -> Result<Option<Subscript>, ParseError> {
        if !self.take_if("[") {
            return Ok(None);
        }
        for all in ['@', '*'] {
            if self.take_if(&format!("{all}]")) {
                return Ok(Some(Subscript::All(all)));
            }
        }
        let index = self.word(WordEnd::Bracket)?;
        self.at += 1;
        Ok(Some(Subscript::At(index)))
    }

    fn operation(&mut self, inside: WordEnd) -> Result<Operation, ParseError> {
        let colon = self.text[self.at..].starts_with(':');
        let rest = &self.text[self.at + usize::from(colon)..];
        let kind = rest.chars().next();
        match kind {
            Some(kind @ ('-' | '=' | '?' | '+')) => {
                self.at += 1 + usize::from(colon);
                let word = self.word(inside)?;
                Ok(Operation::Default { kind, colon, word })
            }
            _ if colon => {
                self.at += 1;
                let offset = self.word(WordEnd::ColonOrBrace)?;
                let length = if self.take_if(":") { Some(self.word(WordEnd::Brace)?) } else { None };
                Ok(Operation::Slice { offset, length })
            }
            Some(kind @ ('#' | '%')) => {
                self.at += 1;
                let longest = self.take_if(&kind.to_string());
                // A pattern is read as outside of quotes even inside of them.
                let pattern = self.word(WordEnd::Brace)?;
                Ok(Operation::Trim { kind, longest, pattern })
            }
            Some('/') => {
                self.at += 1;
                let places = [("/", Place::All), ("#", Place::Start), ("%", Place::End)];
                let place = places.into_iter().find(|(sign, _)| self.take_if(sign));
                let place = place.map_or(Place::First, |(_, place)| place);
                let pattern = self.word(WordEnd::SlashOrBrace)?;
                let with = if self.take_if("/") { self.word(WordEnd::Brace)? } else { ShellWord::new() };
                Ok(Operation::Replace { place, pattern, with })
            }
            Some('@') if self.take_if("@Q") => Ok(Operation::Quote),
            Some('}') => Ok(Operation::Value),
            None => Err(ParseError::Incomplete),
            Some(_) => Err(self.unexpected()),
        }
    }

    fn close(&mut self) -> Result<(), ParseError> {
        if self.take_if("}") {
            return Ok(());
        }
        Err(if self.peek_char().is_none() { ParseError::Incomplete } else { self.unexpected() })
    }

    fn unexpected(&self) -> ParseError {
        self.peek_char().map_or(ParseError::Incomplete, |next| ParseError::Unexpected(next.to_string()))
    }
}
