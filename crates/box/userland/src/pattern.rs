//! Shell patterns, matched in linear time by way of regular expressions.

use crate::expression;
use crate::limits;
use regex::bytes::Regex;
use std::sync::Arc;

/// Longest pattern times longest text that is matched at all.
const MAX_WORK: usize = 1 << 31;

/// A pattern is too long for this text, or by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// A pattern as text in which a backslash takes a character's meaning away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Pattern(pub(crate) String);

impl Pattern {
    /// Adds text in which nothing has a meaning.
    pub(crate) fn push_quoted(&mut self, text: &str) {
        for next in text.chars() {
            if matches!(next, '*' | '?' | '[' | ']' | '\\' | '-' | '!' | '(' | '|' | ')') {
                self.0.push('\\');
            }
            self.0.push(next);
        }
    }

    /// Whether it is more than plain text.
    pub(crate) fn is_special(text: &str) -> bool {
        text.contains(['*', '?', '[', '('])
    }

    pub(crate) fn fits(&self, text: &str) -> Result<bool, TooLong> {
        if !self.0.contains(['*', '?', '[', '(', '\\']) {
            return Ok(self.0 == text);
        }
        if let Some(negation) = Negation::find(&self.0) {
            return negation.fits(text);
        }
        let regex = self.regex(text, Greed::Greedy, |inside| format!(r"\A{inside}\z"))?;
        Ok(regex.is_some_and(|regex| regex.is_match(text.as_bytes())))
    }

    /// The text without what the pattern fits at its beginning.
    pub(crate) fn trim_start<'a>(&self, text: &'a str, longest: bool) -> Result<&'a str, TooLong> {
        Ok(self.cut_start(text, longest)?.unwrap_or(text))
    }

    /// The same; none where it fits nothing.
    pub(crate) fn cut_start<'a>(&self, text: &'a str, longest: bool) -> Result<Option<&'a str>, TooLong> {
        let greed = if longest { Greed::Greedy } else { Greed::Lazy };
        let found = self
            .regex(text, greed, |inside| format!(r"\A{inside}"))?
            .and_then(|regex| regex.find(text.as_bytes()).map(|found| found.end()));
        Ok(found.map(|end| &text[end..]))
    }

    /// The text without what the pattern fits at its end.
    pub(crate) fn trim_end<'a>(&self, text: &'a str, longest: bool) -> Result<&'a str, TooLong> {
        Ok(self.cut_end(text, longest)?.unwrap_or(text))
    }

    /// The same; none where it fits nothing.
    pub(crate) fn cut_end<'a>(&self, text: &'a str, longest: bool) -> Result<Option<&'a str>, TooLong> {
        // The longest prefix leaves the shortest match.
        let before = if longest { "(.*?)" } else { "(.*)" };
        let found = self
            .regex(text, Greed::Greedy, |inside| format!(r"\A{before}(?:{inside})\z"))?
            .and_then(|regex| regex.captures(text.as_bytes())?.get(1).map(|before| before.end()));
        Ok(found.map(|end| &text[..end]))
    }

    /// The text with what the pattern fits replaced.
    pub(crate) fn replace(&self, text: &str, all: bool, with: &str) -> Result<String, TooLong> {
        let Some(regex) = self.regex(text, Greed::Greedy, |inside| inside)? else {
            return Ok(text.to_owned());
        };
        let mut changed = String::new();
        let mut end = 0;
        for found in regex.find_iter(text.as_bytes()).take(if all { usize::MAX } else { 1 }) {
            changed.push_str(&text[end..found.start()]);
            if changed.len() > limits::MAX_SUBSTITUTION {
                return Err(TooLong);
            }
            changed.push_str(with);
            end = found.end();
        }
        Ok(changed + &text[end..])
    }

    /// The expression for this pattern with what `whole` puts around it, unless matching this text
    /// would take too long; none where the pattern means nothing, such as `[z-a]`, and so fits nothing.
    fn regex(
        &self,
        subject: &str,
        greed: Greed,
        whole: impl FnOnce(String) -> String,
    ) -> Result<Option<Arc<Regex>>, TooLong> {
        if self.0.len().saturating_mul(subject.len()) > MAX_WORK {
            return Err(TooLong);
        }
        let text: Vec<char> = self.0.chars().collect();
        let mut at = 0;
        let mut built = String::new();
        while at < text.len() {
            built.push_str(&translate(&text, &mut at, (greed, 0)));
            if at < text.len() {
                // A parenthesis or a bar that belongs to no group.
                literal(text[at], &mut built);
                at += 1;
            }
        }
        match expression::compile(&format!("(?s){}", whole(built)), false) {
            Ok(regex) => Ok(Some(regex)),
            Err(regex::Error::CompiledTooBig(_)) => Err(TooLong),
            Err(_) => Ok(None),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Greed {
    Greedy,
    Lazy,
}

/// The expression for a pattern, up to the end of the group that it is in.
fn translate(text: &[char], at: &mut usize, (greed, depth): (Greed, usize)) -> String {
    let mut built = String::new();
    while let Some(next) = text.get(*at) {
        if matches!(next, ')' | '|') {
            return built;
        }
        *at += 1;
        match next {
            '@' | '?' | '*' | '+' if text.get(*at) == Some(&'(') && depth < limits::MAX_NESTING => {
                let mut alternatives = Vec::new();
                while matches!(text.get(*at), Some('(' | '|')) {
                    *at += 1;
                    alternatives.push(translate(text, at, (greed, depth + 1)));
                }
                // The parenthesis that closes; words have as many of them as of the others.
                *at += usize::from(*at < text.len());
                let sign = if *next == '@' { String::new() } else { next.to_string() };
                let lazy = if greed == Greed::Lazy && *next != '@' { "?" } else { "" };
                built.push_str(&format!("(?:{}){sign}{lazy}", alternatives.join("|")));
            }
            '*' => built.push_str(if greed == Greed::Lazy { ".*?" } else { ".*" }),
            '?' => built.push('.'),
            '[' => match class(&text[*at..]) {
                Some((class, length)) => {
                    built.push_str(&class);
                    *at += length;
                }
                None => built.push_str(r"\["),
            },
            '\\' => {
                literal(*text.get(*at).unwrap_or(&'\\'), &mut built);
                *at += 1;
            }
            next => literal(*next, &mut built),
        }
    }
    built
}

/// A pattern around a `!(...)`, which no regular expression can say.
struct Negation {
    before: Pattern,
    not: Pattern,
    after: Pattern,
}

/// Longest text that is asked for what it is not: every part of it is looked at.
const MAX_NEGATED: usize = 512;

impl Negation {
    fn find(pattern: &str) -> Option<Self> {
        let bytes = pattern.as_bytes();
        let mut depth = 0usize;
        let (mut start, mut at) = (None, 0);
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => at += 1,
                b'!' if bytes.get(at + 1) == Some(&b'(') && start.is_none() => (start, depth) = (Some(at), 0),
                b'(' if start.is_some() => depth += 1,
                b')' if depth == 1 && start.is_some() => {
                    let start = start?;
                    return Some(Self {
                        before: Pattern(pattern[..start].to_owned()),
                        not: Pattern(format!("@{}", &pattern[start + 1..=at])),
                        after: Pattern(pattern[at + 1..].to_owned()),
                    });
                }
                b')' if start.is_some() => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn fits(&self, text: &str) -> Result<bool, TooLong> {
        if text.len() > MAX_NEGATED {
            return Err(TooLong);
        }
        let ends: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for start in &ends {
            if !self.before.fits(&text[..*start])? {
                continue;
            }
            for end in ends.iter().filter(|end| *end >= start) {
                if self.after.fits(&text[*end..])? && !self.not.fits(&text[*start..*end])? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}

fn literal(next: char, built: &mut String) {
    built.push_str(&regex::escape(next.encode_utf8(&mut [0; 4])));
}

/// A bracket expression, given what follows its `[`: as a class, and how long it was.
fn class(text: &[char]) -> Option<(String, usize)> {
    let mut built = String::from("[");
    let mut at = 0;
    if text.first() == Some(&'!') {
        built.push('^');
        at = 1;
    }
    let start = at;
    loop {
        let next = *text.get(at)?;
        at += 1;
        match next {
            ']' if at > start + 1 => break,
            '[' if text.get(at) == Some(&':') => {
                let name: String =
                    text[at + 1..].iter().take_while(|next| next.is_ascii_lowercase()).collect();
                at += 1 + name.len();
                if name.is_empty() || text.get(at..at + 2) != Some(&[':', ']']) {
                    return None;
                }
                at += 2;
                built.push_str(&format!("[:{name}:]"));
            }
            '-' if at > start + 1 && text.get(at).is_some_and(|next| *next != ']') => built.push('-'),
            '\\' => {
                built.push_str(&regex::escape(text.get(at)?.encode_utf8(&mut [0; 4])));
                at += 1;
            }
            next if next.is_alphanumeric() => built.push(next),
            next => {
                built.push_str(&format!(r"\x{{{:x}}}", u32::from(next)));
            }
        }
    }
    built.push(']');
    Some((built, at))
}
