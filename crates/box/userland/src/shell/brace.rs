//! `{a,b}` in words: several words of one.

use super::Shell;
use super::tree::{ShellWord, WordPart};
use crate::limits;
use std::borrow::Cow;

/// A word as letters of plain text and parts of other kinds.
type Letters = Vec<Result<char, WordPart>>;

impl Shell {
    /// The words that the braces of a word make; often it alone.
    pub(super) fn braces<'a>(&self, word: &'a ShellWord) -> Cow<'a, [ShellWord]> {
        let has = |part: &WordPart| matches!(part, WordPart::Plain(text) if text.contains('{'));
        if !word.iter().any(has) || !self.options.is_on("braceexpand") {
            return Cow::Borrowed(std::slice::from_ref(word));
        }
        let mut letters = Letters::new();
        for part in word {
            match part {
                WordPart::Plain(text) => letters.extend(text.chars().map(Ok)),
                part => letters.push(Err(part.clone())),
            }
        }
        let mut all = Vec::new();
        expand(letters, limits::MAX_NESTING, &mut all);
        Cow::Owned(all.into_iter().map(joined).collect())
    }
}

/// Adds the words of the first braces that have a comma, and so on.
fn expand(letters: Letters, room: usize, all: &mut Vec<Letters>) {
    if room == 0 || all.len() > limits::MAX_WORDS {
        // A command with too many words is refused.
        return all.push(letters);
    }
    for start in 0..letters.len() {
        if letters[start] != Ok('{') {
            continue;
        }
        let (mut depth, mut cuts) = (0, vec![start]);
        for (at, letter) in letters.iter().enumerate().skip(start) {
            match letter {
                Ok('{') => depth += 1,
                Ok(',') if depth == 1 => cuts.push(at),
                Ok('}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                cuts.push(at);
                break;
            }
        }
        if depth == 0 && cuts.len() > 2 {
            let end = cuts[cuts.len() - 1];
            for pair in cuts.windows(2) {
                let parts = [&letters[..start], &letters[pair[0] + 1..pair[1]], &letters[end + 1..]];
                expand(parts.concat(), room - 1, all);
            }
            return;
        }
    }
    all.push(letters);
}

fn joined(letters: Letters) -> ShellWord {
    let (mut word, mut plain) = (ShellWord::new(), String::new());
    for letter in letters {
        match letter {
            Ok(next) => plain.push(next),
            Err(part) => {
                super::lexer::flush(&mut plain, &mut word);
                word.push(part);
            }
        }
    }
    super::lexer::flush(&mut plain, &mut word);
    if word.is_empty() {
        word.push(WordPart::Quoted(String::new()));
    }
    word
}
