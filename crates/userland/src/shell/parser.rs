//! Tokens to a tree, by recursive descent, with a bound on the depth.

use super::lexer::{Token, Until};
use super::tree::{Body, Chain, Command, Item, Join, List, Part, Pipeline, Redirect, RedirectKind, Word};
use crate::limits;
use std::fmt;
use std::sync::Arc;

/// Why a script is not one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParseError {
    /// Something stands where it must not.
    Unexpected(String),
    /// The text ends before the command does.
    Incomplete,
    TooDeep,
    TooLong,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected(what) => write!(out, "syntax error: unexpected '{what}'"),
            Self::Incomplete => out.write_str("syntax error: unexpected 'EOF'"),
            Self::TooDeep => out.write_str("syntax error: nested too deep"),
            Self::TooLong => out.write_str("syntax error: script too long"),
        }
    }
}

pub(crate) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    token: Option<Token>,
    /// Here-documents whose text begins after the next newline: delimiter, whether
    /// it was quoted, whether tabs go, and where the text belongs.
    here: Vec<Here>,
    /// Texts of here-documents, taken up by their redirections when a command is done.
    texts: Vec<Option<Word>>,
}

struct Here {
    delimiter: String,
    quoted: bool,
    tabs: bool,
    slot: usize,
}

/// Reads a whole script.
pub(crate) fn parse(text: &str) -> Result<List, ParseError> {
    if text.len() > limits::MAX_SCRIPT {
        return Err(ParseError::TooLong);
    }
    Parser::new(text).script()
}

/// Words that end a list where a command could begin.
const ENDS: &[&str] = &["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, token: None, here: Vec::new(), texts: Vec::new() }
    }

    pub(super) fn script(mut self) -> Result<List, ParseError> {
        let mut list = self.list()?;
        match self.peek()? {
            Token::End => {}
            token => return Err(unexpected(&token.clone())),
        }
        self.read_here_documents()?;
        fill(&mut list, &mut self.texts);
        Ok(list)
    }

    /// The list of a `$(`, up to and with its parenthesis.
    pub(super) fn substitution(&mut self) -> Result<List, ParseError> {
        // A substitution's own here-documents are its own business.
        let (here, texts) = (std::mem::take(&mut self.here), std::mem::take(&mut self.texts));
        let mut list = self.list()?;
        self.expect_operator(")")?;
        fill(&mut list, &mut self.texts);
        (self.here, self.texts) = (here, texts);
        Ok(list)
    }

    /// Goes one level down, unless that is too deep.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        if self.depth >= limits::MAX_DEPTH {
            return Err(ParseError::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn peek(&mut self) -> Result<&Token, ParseError> {
        if self.token.is_none() {
            let token = self.lex()?;
            self.token = Some(token);
        }
        Ok(self.token.as_ref().unwrap_or(&Token::End))
    }

    fn take(&mut self) -> Result<Token, ParseError> {
        self.peek()?;
        Ok(self.token.take().unwrap_or(Token::End))
    }

    fn take_operator(&mut self, wanted: &str) -> Result<bool, ParseError> {
        let fits = matches!(self.peek()?, Token::Operator(found) if *found == wanted);
        if fits {
            self.token = None;
        }
        Ok(fits)
    }

    fn expect_operator(&mut self, wanted: &str) -> Result<(), ParseError> {
        if self.take_operator(wanted)? { Ok(()) } else { Err(unexpected(&self.take()?)) }
    }

    fn peek_reserved(&mut self) -> Result<Option<String>, ParseError> {
        Ok(match self.peek()? {
            Token::Word(word) => plain(word).map(str::to_owned),
            Token::Operator(_) | Token::Number(_) | Token::Newline | Token::End => None,
        })
    }

    fn take_reserved(&mut self, wanted: &str) -> Result<bool, ParseError> {
        let fits = matches!(self.peek()?, Token::Word(word) if plain(word) == Some(wanted));
        if fits {
            self.token = None;
        }
        Ok(fits)
    }

    fn expect_reserved(&mut self, wanted: &str) -> Result<(), ParseError> {
        if self.take_reserved(wanted)? { Ok(()) } else { Err(unexpected(&self.take()?)) }
    }

    fn skip_newlines(&mut self) -> Result<(), ParseError> {
        while *self.peek()? == Token::Newline {
            self.token = None;
        }
        Ok(())
    }

    fn list(&mut self) -> Result<List, ParseError> {
        self.deeper(|parser| {
            let mut list = List::default();
            loop {
                parser.skip_newlines()?;
                let ended = match parser.peek()? {
                    Token::End | Token::Operator(")" | ";;") => true,
                    Token::Word(word) => plain(word).is_some_and(|word| ENDS.contains(&word)),
                    Token::Operator(_) | Token::Number(_) | Token::Newline => false,
                };
                if ended {
                    return Ok(list);
                }
                let chain = Arc::new(parser.chain()?);
                let background = parser.take_operator("&")?;
                list.0.push(Item { chain, background });
                if !background && !parser.take_operator(";")? && *parser.peek()? != Token::Newline {
                    return Ok(list);
                }
            }
        })
    }

    /// A list that must have something in it.
    fn body(&mut self) -> Result<List, ParseError> {
        let list = self.list()?;
        if list.0.is_empty() { Err(unexpected(&self.take()?)) } else { Ok(list) }
    }

    fn chain(&mut self) -> Result<Chain, ParseError> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let join = if self.take_operator("&&")? {
                Join::And
            } else if self.take_operator("||")? {
                Join::Or
            } else {
                return Ok(Chain { first, rest });
            };
            self.skip_newlines()?;
            rest.push((join, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, ParseError> {
        let mut negated = false;
        while self.take_reserved("!")? {
            negated = !negated;
        }
        let mut stages = vec![self.command()?];
        while self.take_operator("|")? {
            self.skip_newlines()?;
            stages.push(self.command()?);
        }
        Ok(Pipeline { negated, stages })
    }

    fn command(&mut self) -> Result<Command, ParseError> {
        let Some(body) = self.deeper(Self::compound)? else { return self.simple() };
        let mut redirects = Vec::new();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
        }
        Ok(Command { body, redirects })
    }

    /// A command that begins with a word or sign of its own.
    fn compound(&mut self) -> Result<Option<Body>, ParseError> {
        if *self.peek()? == Token::Operator("(") {
            // The text stands right behind the first parenthesis.
            if let Some(expression) = self.arithmetic_text("(") {
                self.token = None;
                return self.nested_text(&expression, Until::End).map(|word| Some(Body::Arithmetic(word)));
            }
            self.token = None;
            let list = self.body()?;
            self.expect_operator(")")?;
            return Ok(Some(Body::Subshell(list)));
        }
        let Some(word) = self.peek_reserved()? else { return Ok(None) };
        let body = match word.as_str() {
            "{" => {
                self.token = None;
                let list = self.body()?;
                self.expect_reserved("}")?;
                Body::Group(list)
            }
            "if" => self.branches()?,
            "while" | "until" => {
                self.token = None;
                let condition = self.body()?;
                Body::Loop { until: word == "until", condition, body: self.do_group()? }
            }
            "for" => self.for_loop()?,
            "case" => self.case()?,
            "function" => {
                self.token = None;
                let Token::Word(name) = self.take()? else { return Err(ParseError::Unexpected(word)) };
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

    fn branches(&mut self) -> Result<Body, ParseError> {
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
            return Ok(Body::If { branches, otherwise });
        }
    }

    fn do_group(&mut self) -> Result<List, ParseError> {
        self.skip_newlines()?;
        self.expect_reserved("do")?;
        let list = self.body()?;
        self.expect_reserved("done")?;
        Ok(list)
    }

    fn for_loop(&mut self) -> Result<Body, ParseError> {
        self.token = None;
        let token = self.take()?;
        let Token::Word(word) = &token else { return Err(unexpected(&token)) };
        let name = plain(word).filter(|name| is_name(name)).ok_or_else(|| unexpected(&token))?.to_owned();
        self.skip_newlines()?;
        let mut words = None;
        if self.take_reserved("in")? {
            let mut list = Vec::new();
            while let Token::Word(_) = self.peek()? {
                if let Token::Word(word) = self.take()? {
                    list.push(word);
                }
            }
            words = Some(list);
        }
        self.take_operator(";")?;
        Ok(Body::For { name, words, body: self.do_group()? })
    }

    fn case(&mut self) -> Result<Body, ParseError> {
        self.token = None;
        let token = self.take()?;
        let Token::Word(word) = token else { return Err(unexpected(&token)) };
        self.skip_newlines()?;
        self.expect_reserved("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_reserved("esac")? {
                return Ok(Body::Case { word, arms });
            }
            self.take_operator("(")?;
            let mut patterns = Vec::new();
            loop {
                let token = self.take()?;
                let Token::Word(pattern) = token else { return Err(unexpected(&token)) };
                patterns.push(pattern);
                if !self.take_operator("|")? {
                    break;
                }
            }
            self.expect_operator(")")?;
            arms.push((patterns, self.list()?));
            if !self.take_operator(";;")? {
                self.skip_newlines()?;
                self.expect_reserved("esac")?;
                return Ok(Body::Case { word, arms });
            }
        }
    }

    fn function(&mut self, name: String) -> Result<Body, ParseError> {
        self.skip_newlines()?;
        let body = self.deeper(Self::command)?;
        match body.body {
            Body::Simple { .. } => Err(ParseError::Unexpected(name)),
            _ => Ok(Body::Function { name, body: Arc::new(body) }),
        }
    }

    fn simple(&mut self) -> Result<Command, ParseError> {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let Token::Word(_) = self.peek()? else { break };
            let Token::Word(word) = self.take()? else { break };
            if words.is_empty()
                && let Some(assignment) = assignment(&word)
            {
                assignments.push(assignment);
                continue;
            }
            words.push(word);
            if words.len() == 1 && assignments.is_empty() && redirects.is_empty() && self.take_operator("(")? {
                let name = words.first().and_then(|word| plain(word)).unwrap_or("(").to_owned();
                self.expect_operator(")")?;
                let body = self.function(name)?;
                return Ok(Command { body, redirects });
            }
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(unexpected(&self.take()?));
        }
        Ok(Command { body: Body::Simple { assignments, words }, redirects })
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, ParseError> {
        let number = match self.peek()? {
            Token::Number(number) => Some(*number),
            _ => None,
        };
        if number.is_some() {
            self.token = None;
        }
        let Token::Operator(operator) = *self.peek()? else { return Ok(None) };
        let (kind, usual) = match operator {
            "<" => (RedirectKind::Read, 0),
            ">" | ">|" => (RedirectKind::Write, 1),
            ">>" => (RedirectKind::Append, 1),
            "<>" => (RedirectKind::ReadWrite, 0),
            "<&" => (RedirectKind::Duplicate, 0),
            ">&" => (RedirectKind::Duplicate, 1),
            "&>" => (RedirectKind::Both, 1),
            "<<" | "<<-" => (RedirectKind::Here, 0),
            _ => return Ok(None),
        };
        self.token = None;
        let token = self.take()?;
        let Token::Word(mut target) = token else { return Err(unexpected(&token)) };
        if kind == RedirectKind::Here {
            let slot = self.texts.len();
            self.texts.push(None);
            let quoted = !matches!(target.as_slice(), [Part::Plain(_)]);
            self.here.push(Here { delimiter: spelled(&target), quoted, tabs: operator == "<<-", slot });
            target = vec![Part::Plain(slot.to_string())];
        }
        Ok(Some(Redirect { descriptor: number.unwrap_or(usual), kind, target }))
    }

    /// Reads the texts of the here-documents that wait for this line's end.
    pub(super) fn read_here_documents(&mut self) -> Result<(), ParseError> {
        for here in std::mem::take(&mut self.here) {
            let mut text = String::new();
            loop {
                if self.at >= self.text.len() {
                    return Err(ParseError::Incomplete);
                }
                let rest = &self.text[self.at..];
                let line = rest.split_inclusive('\n').next().unwrap_or(rest);
                self.at += line.len();
                let line = if here.tabs { line.trim_start_matches('\t') } else { line };
                if line.trim_end_matches('\n') == here.delimiter {
                    break;
                }
                text.push_str(line);
            }
            let word = if here.quoted { vec![Part::Quoted(text)] } else { self.nested_text(&text, Until::End)? };
            if let Some(slot) = self.texts.get_mut(here.slot) {
                *slot = Some(word);
            }
        }
        Ok(())
    }
}
