//! The commands of a shell script, wherever they stand: in pipes, control
//! structures, substitutions and here-documents. Pure.
//!
//! It reads words as a shell does, so a quoted word, a comment or the name of a
//! file is never taken for a command. It expands nothing: a word whose value only
//! the shell will know is marked.

mod word;

/// One command: its name and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Simple(pub(super) Vec<Word>);

/// A word without its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether the shell makes something else of it.
    pub(super) is_open: bool,
    is_quoted: bool,
}

/// All that a script runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) commands: Vec<Simple>,
    /// The functions that it defines.
    pub(super) functions: Vec<String>,
}

/// The script ends inside something, or is too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ShellError {
    #[error("a quote, a bracket or a substitution is not closed")]
    Unclosed,
    #[error("it is nested too deeply")]
    TooDeep,
}

const MAX_DEPTH: usize = 24;

/// Words in front of a command that are not its name.
const BEFORE: &[&str] = &[
    "!", "coproc", "do", "elif", "else", "if", "then", "time", "until", "while", "{",
];
/// Words that end something, behind which redirections and operators follow.
const AFTER: &[&str] = &["}", "done", "esac", "fi"];

/// Reads a script.
pub(super) fn read(text: &str) -> Result<Script, ShellError> {
    let mut script = Script::default();
    read_into(text, 0, &mut script)?;
    Ok(script)
}

fn read_into(text: &str, depth: usize, script: &mut Script) -> Result<(), ShellError> {
    let mut reader = Reader {
        letters: text.chars().collect(),
        at: 0,
        depth,
        documents: Vec::new(),
        mark: script.commands.len(),
        script,
    };
    reader.list(None)
}

/// A here-document whose body follows the line.
struct Document {
    end: String,
    is_quoted: bool,
    is_indented: bool,
}

struct Reader<'r> {
    letters: Vec<char>,
    at: usize,
    depth: usize,
    documents: Vec<Document>,
    /// How many commands were there at the begin of the line.
    mark: usize,
    script: &'r mut Script,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn takes(&mut self, text: &str) -> bool {
        let is_next = text
            .chars()
            .enumerate()
            .all(|(i, letter)| self.peek(i) == Some(letter));
        if is_next {
            self.at += text.chars().count();
        }
        is_next
    }

    /// Reads commands up to a closing bracket, or the end.
    fn list(&mut self, close: Option<char>) -> Result<(), ShellError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ShellError::TooDeep);
        }
        let mut words: Vec<Word> = Vec::new();
        while let Some(letter) = self.peek(0) {
            match letter {
                ' ' | '\t' | '\r' => self.at += 1,
                '\n' => {
                    self.at += 1;
                    self.end_command(&mut words);
                    self.mark = self.script.commands.len();
                    self.bodies()?;
                }
                '#' => self.skip_line(),
                ')' if close == Some(')') => {
                    self.at += 1;
                    self.end_command(&mut words);
                    self.depth -= 1;
                    return Ok(());
                }
                // The end of a pattern of `case`, and of others before a `|`. Where
                // it is none, no shell runs the line.
                ')' => {
                    self.at += 1;
                    words.clear();
                    self.script.commands.truncate(self.mark);
                }
                '(' => self.bracket(&mut words)?,
                '&' if self.peek(1) == Some('>') => {
                    self.at += 1;
                    self.redirect()?;
                }
                ';' | '&' | '|' => {
                    self.end_command(&mut words);
                    if self.takes(";;") {
                        self.mark = self.script.commands.len();
                    } else {
                        self.at += 1;
                    }
                }
                '<' | '>' if self.peek(1) != Some('(') => self.redirect()?,
                _ => self.next_word(&mut words)?,
            }
        }
        self.end_command(&mut words);
        self.depth -= 1;
        match close {
            None => Ok(()),
            Some(_) => Err(ShellError::Unclosed),
        }
    }

    fn next_word(&mut self, words: &mut Vec<Word>) -> Result<(), ShellError> {
        let word = self.word()?;
        // The number of a file that is redirected.
        let is_number = !word.text.is_empty() && word.text.bytes().all(|b| b.is_ascii_digit());
        if is_number && !word.is_quoted && matches!(self.peek(0), Some('<' | '>')) {
            return Ok(());
        }
        let is_test = word.text == "[[" && !word.is_quoted && bare(words).is_empty();
        words.push(word);
        if is_test {
            self.condition()?;
        }
        Ok(())
    }

    /// What follows `[[`, up to its end: operators there are no ends of commands.
    fn condition(&mut self) -> Result<(), ShellError> {
        while let Some(letter) = self.peek(0) {
            match letter {
                ' ' | '\t' | '\n' | '&' | '|' | '(' | ')' | '<' | '>' | ';' => self.at += 1,
                _ => {
                    if self.word()?.text == "]]" {
                        return Ok(());
                    }
                }
            }
        }
        Err(ShellError::Unclosed)
    }

    /// A subshell, arithmetic, or the brackets of a function.
    fn bracket(&mut self, words: &mut Vec<Word>) -> Result<(), ShellError> {
        if self.takes("((") {
            return self.arithmetic();
        }
        self.at += 1;
        let after = self.letters[self.at..].iter().position(|letter| *letter != ' ');
        let is_function = after.is_some_and(|blanks| self.peek(blanks) == Some(')'));
        match (bare(words).last(), is_function) {
            (Some(name), true) => {
                self.script.functions.push(name.text.clone());
                self.at += after.unwrap_or(0) + 1;
                words.clear();
                Ok(())
            }
            _ => {
                self.end_command(words);
                self.list(Some(')'))
            }
        }
    }

    /// What follows `((`, up to its end.
    fn arithmetic(&mut self) -> Result<(), ShellError> {
        let mut open = 2;
        while open > 0 {
            match self.peek(0).ok_or(ShellError::Unclosed)? {
                '(' => open += 1,
                ')' => open -= 1,
                '$' | '`' => {
                    self.expansion()?;
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|letter| letter != '\n') {
            self.at += 1;
        }
    }

    /// A redirection and its target.
    fn redirect(&mut self) -> Result<(), ShellError> {
        let is_text = self.takes("<<<");
        let is_indented = !is_text && self.takes("<<-");
        let is_document = is_indented || (!is_text && self.takes("<<"));
        while !is_text && !is_document && matches!(self.peek(0), Some('<' | '>' | '&' | '|')) {
            self.at += 1;
        }
        while matches!(self.peek(0), Some(' ' | '\t')) {
            self.at += 1;
        }
        if matches!(self.peek(0), None | Some('\n' | ';' | ')' | '|' | '&')) {
            return Ok(());
        }
        let target = self.word()?;
        if is_document {
            self.documents.push(Document {
                end: target.text,
                is_quoted: target.is_quoted,
                is_indented,
            });
        }
        Ok(())
    }

    /// The bodies of the here-documents of the line before.
    fn bodies(&mut self) -> Result<(), ShellError> {
        for document in std::mem::take(&mut self.documents) {
            let start = self.at;
            let mut end = self.at;
            loop {
                if self.at >= self.letters.len() {
                    end = self.at;
                    break;
                }
                let line_at = self.at;
                self.skip_line();
                let line: String = self.letters[line_at..self.at].iter().collect();
                self.at += 1;
                let line = match document.is_indented {
                    true => line.trim_start_matches('\t'),
                    false => &line,
                };
                if line == document.end {
                    break;
                }
                end = self.at;
            }
            let body: Vec<char> = self.letters[start..end.min(self.letters.len())].to_vec();
            if !document.is_quoted {
                self.inside(body)?;
            }
        }
        Ok(())
    }

    /// The substitutions in a text that is otherwise only a text.
    fn inside(&mut self, text: Vec<char>) -> Result<(), ShellError> {
        let (letters, at) = (
            std::mem::replace(&mut self.letters, text),
            std::mem::take(&mut self.at),
        );
        while let Some(letter) = self.peek(0) {
            match letter {
                '\\' => self.at += 2,
                '$' | '`' => self.expansion()?,
                _ => self.at += 1,
            }
        }
        (self.letters, self.at) = (letters, at);
        Ok(())
    }

    /// Keeps a command, if the words are one.
    fn end_command(&mut self, words: &mut Vec<Word>) {
        let all = std::mem::take(words);
        let mut rest = bare(&all);
        let first = rest
            .first()
            .filter(|word| !word.is_quoted)
            .map_or("", |word| word.text.as_str());
        match first {
            "for" | "select" | "case" => return,
            "function" => {
                self.script
                    .functions
                    .extend(rest.get(1).map(|name| name.text.clone()));
                rest = bare(rest.get(2..).unwrap_or_default());
            }
            _ => {}
        }
        if !rest.is_empty() {
            self.script.commands.push(Simple(rest.to_vec()));
        }
    }
}

/// The words without what may stand in front of a command's name.
fn bare(words: &[Word]) -> &[Word] {
    let is_before = |word: &&Word| {
        let text = word.text.as_str();
        !word.is_quoted && (BEFORE.contains(&text) || AFTER.contains(&text)) || is_assignment(word)
    };
    &words[words.iter().take_while(is_before).count()..]
}

/// Whether a word gives a variable a value.
pub(super) fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else {
        return false;
    };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split('[').next().unwrap_or(name);
    let mut letters = name.chars();
    letters
        .next()
        .is_some_and(|first| first == '_' || first.is_ascii_alphabetic())
        && letters.all(|letter| letter == '_' || letter.is_ascii_alphanumeric())
}
