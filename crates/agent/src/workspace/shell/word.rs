//! Reads one word, with its quotes and all that a shell puts in the place of
//! something else.

use super::{MAX_DEPTH, Reader, ShellError, Word, read_into};

impl Reader<'_> {
    pub(super) fn word(&mut self) -> Result<Word, ShellError> {
        let mut word = Word::default();
        while let Some(letter) = self.peek(0) {
            match letter {
                '<' | '>' if self.peek(1) == Some('(') => {
                    self.at += 2;
                    self.list(Some(')'))?;
                    word.is_open = true;
                }
                // A list of values.
                '(' if word.text.ends_with('=') && !word.is_quoted => {
                    self.at += 1;
                    self.values()?;
                }
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.at += 1;
                    word.is_quoted = true;
                    self.single(&mut word)?;
                }
                '"' => {
                    self.at += 1;
                    word.is_quoted = true;
                    self.double(&mut word)?;
                }
                '\\' => {
                    self.at += 1;
                    word.is_quoted = true;
                    match self.peek(0) {
                        Some('\n') | None => {}
                        Some(other) => word.text.push(other),
                    }
                    self.at += 1;
                }
                '$' if self.peek(1) == Some('\'') => {
                    self.at += 2;
                    (word.is_open, word.is_quoted) = (true, true);
                    self.escaped()?;
                }
                '$' | '`' => {
                    self.expansion()?;
                    word.is_open = true;
                }
                _ => {
                    word.is_open |=
                        matches!(letter, '*' | '?' | '~') || (letter == '{' && self.is_brace_list());
                    word.text.push(letter);
                    self.at += 1;
                }
            }
        }
        Ok(word)
    }

    fn is_brace_list(&self) -> bool {
        let rest = self.letters[self.at..].iter();
        let inside: Vec<&char> = rest
            .take_while(|letter| !matches!(letter, '}' | ' ' | '\n'))
            .collect();
        inside.contains(&&',')
    }

    fn values(&mut self) -> Result<(), ShellError> {
        loop {
            match self.peek(0).ok_or(ShellError::Unclosed)? {
                ')' => {
                    self.at += 1;
                    return Ok(());
                }
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' => self.at += 1,
                '#' => self.skip_line(),
                _ => drop(self.word()?),
            }
        }
    }

    fn single(&mut self, word: &mut Word) -> Result<(), ShellError> {
        loop {
            let letter = self.peek(0).ok_or(ShellError::Unclosed)?;
            self.at += 1;
            match letter {
                '\'' => return Ok(()),
                other => word.text.push(other),
            }
        }
    }

    /// What follows `$'`: its escapes can spell anything.
    fn escaped(&mut self) -> Result<(), ShellError> {
        loop {
            let letter = self.peek(0).ok_or(ShellError::Unclosed)?;
            self.at += 1 + usize::from(letter == '\\');
            if letter == '\'' {
                return Ok(());
            }
        }
    }

    fn double(&mut self, word: &mut Word) -> Result<(), ShellError> {
        loop {
            match self.peek(0).ok_or(ShellError::Unclosed)? {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '\\' => {
                    let escaped = self.peek(1).ok_or(ShellError::Unclosed)?;
                    if !matches!(escaped, '"' | '\\' | '$' | '`' | '\n') {
                        word.text.push('\\');
                    }
                    if escaped != '\n' {
                        word.text.push(escaped);
                    }
                    self.at += 2;
                }
                '$' | '`' => {
                    self.expansion()?;
                    word.is_open = true;
                }
                other => {
                    word.text.push(other);
                    self.at += 1;
                }
            }
        }
    }

    /// What begins with `$` or a backtick.
    pub(super) fn expansion(&mut self) -> Result<(), ShellError> {
        if self.takes("$((") {
            self.arithmetic()
        } else if self.takes("$(") {
            self.list(Some(')'))
        } else if self.takes("${") {
            self.parameter()
        } else if self.takes("`") {
            self.backticks()
        } else {
            // A name follows, or a dollar that stands for itself.
            self.at += 1;
            Ok(())
        }
    }

    /// What follows `${`, up to its end.
    fn parameter(&mut self) -> Result<(), ShellError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ShellError::TooDeep);
        }
        loop {
            match self.peek(0).ok_or(ShellError::Unclosed)? {
                '}' => break,
                '\\' => self.at += 2,
                '\'' => {
                    self.at += 1;
                    self.single(&mut Word::default())?;
                }
                '"' => {
                    self.at += 1;
                    self.double(&mut Word::default())?;
                }
                '$' | '`' => self.expansion()?,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        self.depth -= 1;
        Ok(())
    }

    fn backticks(&mut self) -> Result<(), ShellError> {
        let mut inner = String::new();
        loop {
            match self.peek(0).ok_or(ShellError::Unclosed)? {
                '`' => break,
                '\\' if matches!(self.peek(1), Some('`' | '\\' | '$')) => {
                    self.at += 1;
                    inner.extend(self.peek(0));
                }
                other => inner.push(other),
            }
            self.at += 1;
        }
        self.at += 1;
        read_into(&inner, self.depth, self.script)
    }
}
