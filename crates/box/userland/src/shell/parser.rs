//! Tokens to a tree, by recursive descent, with a bound on the depth.

use super::lexer::{ShellToken, WordEnd};
use super::name::RESERVED;
use super::token::{assignment, plain, spelled, unexpected};
use super::tree::{
    AssignedValue, Assignment, CommandBody, CommandChain, ItemEnd, Join, List, ListItem, Pipeline, Redirect,
    RedirectKind, ShellCommand, ShellWord, WordPart,
};
use crate::limits;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

/// Why a script is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ParseError {
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    /// The text ends before the command does.
    #[error("syntax error: unexpected 'EOF'")]
    Incomplete,
    #[error("syntax error: nested too deep")]
    TooDeep,
    #[error("syntax error: script too long")]
    TooLong,
}

pub(crate) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    /// Where the last token began.
    pub(super) start: usize,
    pub(super) depth: usize,
    pub(super) token: Option<ShellToken>,
    /// In `${ ...;}`, where a brace is a word whatever follows it.
    pub(super) inside: bool,
    /// Here-documents whose text begins after the next newline.
    here: Vec<Here>,
    pub(super) aliases: Arc<Aliases>,
    /// What aliases stand for: read before the rest of the text.
    waiting: VecDeque<ShellToken>,
}

pub(super) type Aliases = BTreeMap<String, String>;

struct Here {
    delimiter: String,
    quoted: bool,
    /// Tabs at the beginning of a line go.
    tabs: bool,
    text: Arc<OnceLock<ShellWord>>,
}

pub(super) fn parse(text: &str, aliases: &Arc<Aliases>) -> Result<List, ParseError> {
    let mut parser = Parser::new(text);
    parser.aliases = aliases.clone();
    parser.script()
}

/// Words that end a list where a command could begin.
pub(super) const ENDS: &[&str] = &["then", "else", "elif", "fi", "do", "done", "esac", "}"];

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            start: 0,
            depth: 0,
            token: None,
            inside: false,
            here: Vec::new(),
            aliases: Arc::default(),
            waiting: VecDeque::new(),
        }
    }

    /// The next line with a command; none at the end. The lines before it have run, so it is read
    /// with the aliases that they made.
    pub(super) fn line(&mut self) -> Result<Option<List>, ParseError> {
        if self.text.len() > limits::MAX_SCRIPT {
            return Err(ParseError::TooLong);
        }
        self.skip_newlines()?;
        let list = self.list_until(|token| *token == ShellToken::Newline)?;
        match self.peek()? {
            ShellToken::Newline => {}
            ShellToken::End => self.read_here_documents()?,
            _ => return Err(unexpected(&self.take()?)),
        }
        Ok(Some(list).filter(|list| !list.0.is_empty()))
    }

    pub(super) fn script(mut self) -> Result<List, ParseError> {
        if self.text.len() > limits::MAX_SCRIPT {
            return Err(ParseError::TooLong);
        }
        let list = self.list()?;
        match self.take()? {
            ShellToken::End => {}
            token => return Err(unexpected(&token)),
        }
        self.read_here_documents()?;
        Ok(list)
    }

    /// The list of a `$(`, up to and with its parenthesis.
    pub(super) fn substitution(&mut self) -> Result<List, ParseError> {
        // A newline in here reads the here-documents that began in here.
        let outer = std::mem::take(&mut self.here);
        let inside = std::mem::take(&mut self.inside);
        let list = self.list()?;
        self.expect_operator(")")?;
        self.inside = inside;
        self.here.splice(0..0, outer);
        Ok(list)
    }

    /// Goes one level down, unless that is too deep.
    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth >= limits::MAX_NESTING {
            return Err(ParseError::TooDeep);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    pub(super) fn peek(&mut self) -> Result<&ShellToken, ParseError> {
        if self.token.is_none() {
            let token = match self.waiting.pop_front() {
                Some(token) => token,
                None => self.lex()?,
            };
            self.token = Some(token);
        }
        Ok(self.token.as_ref().unwrap_or(&ShellToken::End))
    }

    pub(super) fn take(&mut self) -> Result<ShellToken, ParseError> {
        self.peek()?;
        Ok(self.token.take().unwrap_or(ShellToken::End))
    }

    pub(super) fn take_word(&mut self) -> Result<ShellWord, ParseError> {
        match self.take()? {
            ShellToken::Word(word) => Ok(word),
            token => Err(unexpected(&token)),
        }
    }

    pub(super) fn take_operator(&mut self, wanted: &str) -> Result<bool, ParseError> {
        let fits = matches!(self.peek()?, ShellToken::Operator(found) if *found == wanted);
        if fits {
            self.token = None;
        }
        Ok(fits)
    }

    pub(super) fn expect_operator(&mut self, wanted: &str) -> Result<(), ParseError> {
        if self.take_operator(wanted)? { Ok(()) } else { Err(unexpected(&self.take()?)) }
    }

    pub(super) fn peek_reserved(&mut self) -> Result<Option<String>, ParseError> {
        Ok(match self.peek()? {
            ShellToken::Word(word) => plain(word).map(str::to_owned),
            ShellToken::Operator(_) | ShellToken::Number(_) | ShellToken::Newline | ShellToken::End => None,
        })
    }

    pub(super) fn take_reserved(&mut self, wanted: &str) -> Result<bool, ParseError> {
        let fits = matches!(self.peek()?, ShellToken::Word(word) if plain(word) == Some(wanted));
        if fits {
            self.token = None;
        }
        Ok(fits)
    }

    pub(super) fn expect_reserved(&mut self, wanted: &str) -> Result<(), ParseError> {
        if self.take_reserved(wanted)? { Ok(()) } else { Err(unexpected(&self.take()?)) }
    }

    pub(super) fn skip_newlines(&mut self) -> Result<(), ParseError> {
        while *self.peek()? == ShellToken::Newline {
            self.token = None;
        }
        Ok(())
    }

    pub(super) fn list(&mut self) -> Result<List, ParseError> {
        self.list_until(|_| false)
    }

    fn list_until(&mut self, stop: fn(&ShellToken) -> bool) -> Result<List, ParseError> {
        self.deeper(|parser| {
            let mut list = List::default();
            loop {
                if !stop(parser.peek()?) {
                    parser.skip_newlines()?;
                }
                let ended = match parser.peek()? {
                    ShellToken::End | ShellToken::Operator(")" | ";;" | ";&" | ";|") => true,
                    ShellToken::Word(word) => plain(word).is_some_and(|word| ENDS.contains(&word)),
                    token => stop(token),
                };
                if ended {
                    return Ok(list);
                }
                let start = parser.start;
                let chain = Arc::new(parser.chain()?);
                let end = if parser.take_operator("&")? {
                    let text = parser.text.get(start..parser.start).unwrap_or_default();
                    ItemEnd::Background(text.trim_end().to_owned())
                } else if parser.take_operator("|&")? {
                    ItemEnd::Coprocess
                } else {
                    ItemEnd::Wait
                };
                let waits = end == ItemEnd::Wait;
                list.0.push(ListItem { chain, end });
                if waits && !parser.take_operator(";")? && *parser.peek()? != ShellToken::Newline {
                    return Ok(list);
                }
            }
        })
    }

    /// Puts what an alias stands for in its place, where a command begins.
    fn replace_aliases(&mut self) -> Result<(), ParseError> {
        let mut seen: Vec<String> = Vec::new();
        while let Some(name) = self.peek_reserved()?.filter(|name| !seen.contains(name)) {
            let defined = self.waiting.is_empty()
                && self.text[self.at..].trim_start_matches([' ', '\t']).starts_with('(');
            let kept = defined || RESERVED.contains(&name.as_str());
            let Some(value) = self.aliases.get(&name).filter(|_| !kept) else { break };
            let mut inner = Parser::new(value);
            let mut tokens = Vec::new();
            loop {
                match inner.lex()? {
                    ShellToken::End => break,
                    token => tokens.push(token),
                }
            }
            self.token = None;
            tokens.into_iter().rev().for_each(|token| self.waiting.push_front(token));
            seen.push(name);
        }
        Ok(())
    }

    /// A list that must have something in it.
    pub(super) fn body(&mut self) -> Result<List, ParseError> {
        let list = self.list()?;
        if list.0.is_empty() { Err(unexpected(&self.take()?)) } else { Ok(list) }
    }

    fn chain(&mut self) -> Result<CommandChain, ParseError> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let join = if self.take_operator("&&")? {
                Join::And
            } else if self.take_operator("||")? {
                Join::Or
            } else {
                return Ok(CommandChain { first, rest });
            };
            self.skip_newlines()?;
            rest.push((join, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, ParseError> {
        let timed = self.take_reserved("time")?;
        let mut negated = false;
        while self.take_reserved("!")? {
            negated = !negated;
        }
        let ends = matches!(self.peek()?, ShellToken::End | ShellToken::Newline | ShellToken::Operator(";"));
        if timed && ends {
            return Ok(Pipeline { negated, timed, stages: Vec::new() });
        }
        let mut stages = vec![self.command()?];
        while self.take_operator("|")? {
            self.skip_newlines()?;
            stages.push(self.command()?);
        }
        Ok(Pipeline { negated, timed, stages })
    }

    pub(super) fn command(&mut self) -> Result<ShellCommand, ParseError> {
        self.replace_aliases()?;
        let Some(body) = self.deeper(Self::compound)? else {
            return self.simple();
        };
        let mut redirects = Vec::new();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
        }
        Ok(ShellCommand { body, redirects })
    }

    fn simple(&mut self) -> Result<ShellCommand, ParseError> {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let ShellToken::Word(_) = self.peek()? else { break };
            let word = self.take_word()?;
            if words.is_empty()
                && let Some(mut assignment) = assignment(&word)
            {
                self.list_of_values(&mut assignment)?;
                assignments.push(assignment);
                self.replace_aliases()?;
                continue;
            }
            words.push(word);
            if words.len() == 1
                && assignments.is_empty()
                && redirects.is_empty()
                && self.take_operator("(")?
            {
                let name = words.first().and_then(|word| plain(word)).unwrap_or("(").to_owned();
                self.expect_operator(")")?;
                let body = self.function(name)?;
                return Ok(ShellCommand { body, redirects });
            }
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(unexpected(&self.take()?));
        }
        Ok(ShellCommand { body: CommandBody::Simple { assignments, words }, redirects })
    }

    /// The values of `name=(one two)`: the parenthesis stands right behind.
    fn list_of_values(&mut self, assignment: &mut Assignment) -> Result<(), ParseError> {
        let empty = assignment.index.is_none() && assignment.value == AssignedValue::Text(ShellWord::new());
        if !empty || !self.take_if("(") {
            return Ok(());
        }
        let mut words = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.take_operator(")")? {
                assignment.value = AssignedValue::List(words);
                return Ok(());
            }
            words.push(self.take_word()?);
        }
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, ParseError> {
        let mut number = None;
        if let ShellToken::Number(found) = *self.peek()? {
            (number, self.token) = (Some(found), None);
        }
        let ShellToken::Operator(operator) = *self.peek()? else {
            return Ok(None);
        };
        let (kind, usual) = match operator {
            "<" => (RedirectKind::Read, 0),
            ">|" => (RedirectKind::Replace, 1),
            ">" => (RedirectKind::Write, 1),
            ">>" => (RedirectKind::Append, 1),
            "<>" => (RedirectKind::ReadWrite, 0),
            "<&" => (RedirectKind::Duplicate, 0),
            ">&" => (RedirectKind::Duplicate, 1),
            "&>" | "&>>" => (RedirectKind::Both, 1),
            "<<" | "<<-" | "<<<" => (RedirectKind::Here, 0),
            _ => return Ok(None),
        };
        self.token = None;
        let mut target = self.take_word()?;
        if operator == "<<<" {
            target.push(WordPart::Quoted("\n".to_owned()));
        } else if kind == RedirectKind::Here {
            let text = Arc::new(OnceLock::new());
            let quoted = !matches!(target.as_slice(), [WordPart::Plain(_)]);
            self.here.push(Here {
                delimiter: spelled(&target),
                quoted,
                tabs: operator == "<<-",
                text: text.clone(),
            });
            target = vec![WordPart::Later(text)];
        }
        Ok(Some(Redirect { descriptor: number.unwrap_or(usual), sign: operator, kind, target }))
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
            let word = if here.quoted {
                vec![WordPart::Quoted(text)]
            } else {
                self.nested_text(&text, WordEnd::End)?
            };
            // Each text is read once, so it was not set before.
            let _ = here.text.set(word);
        }
        Ok(())
    }
}
