//! The fields a word becomes, and which of their letters were quoted.

use crate::limits;
use crate::pattern::Pattern;

/// Fields as they are built, left to right.
pub(super) struct ShellFields {
    done: Vec<ShellField>,
    open: Option<ShellField>,
    /// What separates fields; none where a word stays one.
    separators: Option<String>,
    /// How many bytes are in them all.
    pub(super) size: usize,
}

/// One field, in runs that were quoted or not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ShellField {
    runs: Vec<(String, bool)>,
}

/// The fields that a text splits into at these separators, as the shell makes them: one more than a
/// command may have at most.
pub fn split_fields(text: &str, separators: &str) -> Vec<String> {
    let mut fields = ShellFields::split_at(separators);
    fields.split(text);
    fields.finish().iter().map(ShellField::text).collect()
}

impl ShellFields {
    /// Fields that split where these characters stand.
    pub(super) fn split_at(separators: &str) -> Self {
        Self { done: Vec::new(), open: None, separators: Some(separators.to_owned()), size: 0 }
    }

    /// One field, whatever is in it.
    pub(super) fn whole() -> Self {
        Self { done: Vec::new(), open: None, separators: None, size: 0 }
    }

    /// Makes sure there is a field, even an empty one.
    pub(super) fn begin(&mut self) {
        self.open.get_or_insert_default();
    }

    pub(super) fn end(&mut self) {
        if self.separators.is_some() {
            self.done.extend(self.open.take());
        } else {
            self.text(" ", true);
        }
    }

    pub(super) fn text(&mut self, text: &str, quoted: bool) {
        self.size += text.len();
        let field = self.open.get_or_insert_default();
        match field.runs.last_mut() {
            Some((run, before)) if *before == quoted => run.push_str(text),
            _ => field.runs.push((text.to_owned(), quoted)),
        }
    }

    /// Adds a part of what an expansion gave: no parenthesis of it makes a pattern.
    fn expanded(&mut self, text: &str) {
        for piece in text.split_inclusive('(') {
            let plain = piece.strip_suffix('(');
            self.text(plain.unwrap_or(piece), false);
            if plain.is_some() {
                self.text("(", true);
            }
        }
        if text.is_empty() {
            self.begin();
        }
    }

    /// Adds what an expansion gave, which splits.
    pub(super) fn split(&mut self, text: &str) {
        let Some(separators) = self.separators.clone() else {
            return self.expanded(text);
        };
        let blank = |next: char| separators.contains(next) && matches!(next, ' ' | '\t' | '\n');
        let other = |next: char| separators.contains(next) && !blank(next);
        let mut rest = text;
        if rest.starts_with(blank) {
            self.done.extend(self.open.take());
            rest = rest.trim_start_matches(blank);
        }
        while !rest.is_empty() {
            let end = rest.find(|next| separators.contains(next)).unwrap_or(rest.len());
            if end > 0 {
                self.expanded(&rest[..end]);
            } else {
                self.begin();
            }
            rest = &rest[end..];
            if rest.is_empty() {
                return;
            }
            self.done.extend(self.open.take());
            if self.done.len() > limits::MAX_WORDS {
                // The command is refused for having too many.
                return;
            }
            rest = rest.trim_start_matches(blank);
            // One separator that is not a blank ends one field, with the blanks around it.
            if let Some(next) = rest.chars().next().filter(|next| other(*next)) {
                rest = rest[next.len_utf8()..].trim_start_matches(blank);
            }
        }
    }

    pub(super) fn finish(mut self) -> Vec<ShellField> {
        self.done.extend(self.open);
        self.done
    }
}

impl ShellField {
    pub(super) fn text(&self) -> String {
        self.runs.iter().map(|(run, _)| run.as_str()).collect()
    }

    /// The field as a pattern, if it has anything of one.
    pub(super) fn special(&self) -> Option<Pattern> {
        let special = self.runs.iter().any(|(run, quoted)| !quoted && Pattern::is_special(run));
        special.then(|| self.pattern())
    }

    pub(super) fn pattern(&self) -> Pattern {
        let mut pattern = Pattern::default();
        for (run, quoted) in &self.runs {
            if *quoted {
                pattern.push_quoted(run);
            } else {
                pattern.0.push_str(run);
            }
        }
        pattern
    }
}
