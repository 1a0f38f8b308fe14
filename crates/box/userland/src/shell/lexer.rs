//! Text to tokens: words with their quoting, operators, here-documents.

use super::parser::{ParseError, Parser};
use super::tree::{ShellWord, WordPart};
use crate::toybox::escape::{Escapes, unescape};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ShellToken {
    Word(ShellWord),
    Operator(&'static str),
    /// A number right before `<` or `>`.
    Number(u32),
    Newline,
    End,
}

/// Longest first, so that the first that fits is the right one.
const OPERATORS: &[&str] = &[
    "<<-", "<<<", "&>>", "&&", "||", ";;", ";&", ";|", "|&", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "|",
    "&", ";", "<", ">", "(", ")",
];

/// What makes a pattern of the parentheses that follow.
const GROUPS: [char; 5] = ['@', '*', '+', '?', '!'];

/// Which characters end a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordEnd {
    Blank,
    /// The brace that closes `${`; quoting is as outside.
    Brace,
    /// `/` or the closing brace.
    SlashOrBrace,
    /// `:` or the closing brace.
    ColonOrBrace,
    /// The bracket that closes an index.
    Bracket,
    Quote,
    /// The brace that closes `${` inside double quotes.
    QuotedBrace,
    /// The end of the text: a here-document or an arithmetic expression.
    End,
}

impl WordEnd {
    /// Whether this is inside double quotes, where blanks do not split.
    pub(super) fn is_quoted(self) -> bool {
        matches!(self, Self::Quote | Self::QuotedBrace | Self::End)
    }

    fn ends_at(self, next: char) -> bool {
        match self {
            Self::Blank => matches!(next, ' ' | '\t' | '\r' | '\n' | '|' | '&' | ';' | '<' | '>' | '(' | ')'),
            Self::Brace | Self::QuotedBrace => next == '}',
            Self::SlashOrBrace => matches!(next, '/' | '}'),
            Self::ColonOrBrace => matches!(next, ':' | '}'),
            Self::Bracket => next == ']',
            Self::Quote => next == '"',
            Self::End => false,
        }
    }
}

impl Parser<'_> {
    pub(super) fn peek_char(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    pub(super) fn take_char(&mut self) -> Option<char> {
        let next = self.peek_char()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn take_if(&mut self, prefix: &str) -> bool {
        let fits = self.text[self.at..].starts_with(prefix);
        if fits {
            self.at += prefix.len();
        }
        fits
    }

    /// Reads one token from the text.
    pub(super) fn lex(&mut self) -> Result<ShellToken, ParseError> {
        loop {
            match self.peek_char() {
                Some(' ' | '\t' | '\r') => self.at += 1,
                Some('\\') if self.text[self.at..].starts_with("\\\n") => self.at += 2,
                Some('#') => {
                    self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
                }
                _ => break,
            }
        }
        self.start = self.at;
        let Some(first) = self.peek_char() else {
            return Ok(ShellToken::End);
        };
        if first == '}' && self.inside {
            self.at += 1;
            return Ok(ShellToken::Word(vec![WordPart::Plain("}".to_owned())]));
        }
        if first == '\n' {
            self.at += 1;
            self.read_here_documents()?;
            return Ok(ShellToken::Newline);
        }
        let rest = &self.text[self.at..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if (1..4).contains(&digits) && rest[digits..].starts_with(['<', '>']) {
            self.at += digits;
            return Ok(ShellToken::Number(rest[..digits].parse().unwrap_or(0)));
        }
        if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            self.at += operator.len();
            return Ok(ShellToken::Operator(operator));
        }
        self.word(WordEnd::Blank).map(ShellToken::Word)
    }

    /// Reads parts up to where the word ends; the end itself is left.
    pub(super) fn word(&mut self, until: WordEnd) -> Result<ShellWord, ParseError> {
        let mut word = ShellWord::new();
        let mut plain = String::new();
        // Parentheses of patterns such as `@(a|b)` that are open.
        let mut open = 0usize;
        loop {
            let Some(next) = self.peek_char() else {
                if open == 0 && matches!(until, WordEnd::Blank | WordEnd::End) {
                    break;
                }
                return Err(ParseError::Incomplete);
            };
            let opens = next == '(' && !until.is_quoted() && (open > 0 || plain.ends_with(GROUPS));
            if until.ends_at(next) && open == 0 && !opens {
                break;
            }
            open = open + usize::from(opens) - usize::from(next == ')' && open > 0);
            match next {
                '\\' => self.backslash(until, &mut plain, &mut word)?,
                '\'' if !until.is_quoted() => {
                    self.at += 1;
                    let end = self.text[self.at..].find('\'').ok_or(ParseError::Incomplete)?;
                    flush(&mut plain, &mut word);
                    word.push(WordPart::Quoted(self.text[self.at..self.at + end].to_owned()));
                    self.at += end + 1;
                }
                '"' if until != WordEnd::End => {
                    self.at += 1;
                    flush(&mut plain, &mut word);
                    let inner = self.deeper(|parser| parser.word(WordEnd::Quote))?;
                    self.at += 1;
                    word.push(WordPart::Double(inner));
                }
                '$' if !until.is_quoted() && self.text[self.at..].starts_with("$'") => {
                    self.at += 2;
                    flush(&mut plain, &mut word);
                    word.push(WordPart::Quoted(self.c_string()?));
                }
                // A text to be translated, which it never is.
                '$' if until == WordEnd::Blank && self.text[self.at..].starts_with("$\"") => self.at += 1,
                '$' => {
                    self.at += 1;
                    match self.deeper(|parser| parser.dollar(until))? {
                        Some(part) => {
                            flush(&mut plain, &mut word);
                            word.push(part);
                        }
                        None => plain.push('$'),
                    }
                }
                '`' => {
                    self.at += 1;
                    flush(&mut plain, &mut word);
                    word.push(self.deeper(|parser| parser.backticks(until))?);
                }
                _ => {
                    self.at += next.len_utf8();
                    plain.push(next);
                }
            }
        }
        flush(&mut plain, &mut word);
        Ok(word)
    }

    fn backslash(
        &mut self,
        until: WordEnd,
        plain: &mut String,
        word: &mut ShellWord,
    ) -> Result<(), ParseError> {
        self.at += 1;
        let Some(next) = self.take_char() else {
            if until != WordEnd::Blank {
                plain.push('\\');
            }
            return Ok(());
        };
        if next == '\n' {
            return Ok(());
        }
        let special = match until {
            WordEnd::End => "$`\\",
            WordEnd::Quote => "$`\\\"",
            WordEnd::QuotedBrace => "$`\\\"}",
            WordEnd::Blank
            | WordEnd::Brace
            | WordEnd::SlashOrBrace
            | WordEnd::ColonOrBrace
            | WordEnd::Bracket => "",
        };
        if special.is_empty() || special.contains(next) {
            flush(plain, word);
            word.push(WordPart::Quoted(next.to_string()));
        } else {
            plain.push('\\');
            plain.push(next);
        }
        Ok(())
    }

    /// The text in `$'...'`.
    fn c_string(&mut self) -> Result<String, ParseError> {
        let mut text = String::new();
        loop {
            match self.take_char().ok_or(ParseError::Incomplete)? {
                '\'' => break,
                '\\' => {
                    text.push('\\');
                    text.push(self.take_char().ok_or(ParseError::Incomplete)?);
                }
                next => text.push(next),
            }
        }
        Ok(String::from_utf8_lossy(&unescape(&text, Escapes::Quoted).0).into_owned())
    }
}

pub(super) fn flush(plain: &mut String, word: &mut ShellWord) {
    if !plain.is_empty() {
        word.push(WordPart::Plain(std::mem::take(plain)));
    }
}
