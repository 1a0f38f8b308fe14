//! Secrets that are known, and texts without them.

use crate::field::DOTS;
use crate::letters::{Letter, letters, plain};
use crate::parts::{COMPARED, SHORTEST, is_word, parts};
use crate::redaction::mask;
use serde_json::Value;
use std::fmt;

/// Texts that must not be shown.
#[derive(Clone, Default)]
pub struct Secrets(Vec<SecretForms>);

#[derive(Clone)]
struct SecretForms {
    /// How it may be written in a text.
    forms: Vec<String>,
    /// Its letters that count, however a text writes them.
    letters: Vec<char>,
    mask: String,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({})", self.0.len())
    }
}

impl Secrets {
    /// Remembers a secret, unless it is too short to be searched for.
    pub fn add(&mut self, text: &str) {
        if text.chars().count() >= SHORTEST {
            self.add_read(text);
        }
    }

    /// Remembers what an element said, however short: lists and trees have that
    /// in quotes. Every line is a secret of its own: an app may show one alone.
    pub fn add_read(&mut self, text: &str) {
        let lines = text.lines().filter(|line| *line != text);
        lines.for_each(|line| self.add(line));
        let known = |secret: &SecretForms| secret.forms.iter().any(|form| form == text);
        if !self.0.iter().any(known) {
            self.0.push(SecretForms {
                forms: forms(text),
                letters: letters(text).iter().map(|it| it.letter).collect(),
                mask: mask(text),
            });
        }
    }

    /// Whether no secret is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text contains a secret, or a part that gives one away.
    pub fn are_in(&self, text: &str) -> bool {
        !self.find_secrets(text).is_empty()
    }

    /// The letters of every secret that is in a text as a whole.
    pub fn letters_in(&self, text: &str) -> impl Iterator<Item = String> {
        let all = plain(text);
        let known = self.0.iter().map(|secret| secret.letters.iter().collect());
        known.filter(move |letters: &String| all.contains(letters))
    }

    /// Remembers all that another one knows, so that a text is read once: the dots
    /// of one secret would break another that overlaps it.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The text with every secret masked, however it is written: with other
    /// capitals, spaces, dashes or widths, or only its beginning or end. Where one
    /// contains another, or two overlap, nothing of either is left.
    pub fn hide(&self, text: &str) -> String {
        self.replaced(text, |hidden, _| hidden.mask.to_string())
    }

    /// The text with a dot for every letter of a secret, as phones show it. It
    /// stays as long as it was.
    pub fn dots(&self, text: &str) -> String {
        self.replaced(text, |_, secret| secret.chars().map(|_| DOTS[0]).collect())
    }

    /// The parts of a text that must be hidden, in any order.
    fn find_secrets(&self, text: &str) -> Vec<MaskedSpan<'_>> {
        let mut found: Vec<MaskedSpan<'_>> = Vec::new();
        if self.0.is_empty() {
            return found;
        }
        let all = letters(text);
        for secret in &self.0 {
            for form in &secret.forms {
                let length = form.chars().count();
                let places = occurrences(text, form).map(|from| (from, from + form.len()));
                let places = places.filter(|(from, to)| match length {
                    ..SHORTEST => is_quoted(text, *from, *to),
                    SHORTEST => is_word(text, *from, *to),
                    _ => true,
                });
                found.extend(places.map(|(from, to)| MaskedSpan {
                    from,
                    to,
                    mask: secret.mask.as_str().into(),
                }));
            }
            secret.find_letters(text, &all, &mut found);
        }
        found
    }

    /// The text with something else in place of every secret.
    fn replaced(&self, text: &str, shown_as: impl Fn(&MaskedSpan<'_>, &str) -> String) -> String {
        let mut found = self.find_secrets(text);
        // Of those that begin together the longest is first.
        found.sort_by(|one, other| (one.from, other.to).cmp(&(other.from, one.to)));
        let mut merged: Vec<MaskedSpan<'_>> = Vec::new();
        for hidden in found {
            match merged.last_mut() {
                Some(last) if hidden.from < last.to => {
                    if hidden.to > last.to {
                        last.to = hidden.to;
                        last.mask = mask(&text[last.from..hidden.to]).into();
                    }
                }
                _ => merged.push(hidden),
            }
        }
        let (mut shown, mut end) = (String::with_capacity(text.len()), 0);
        for hidden in merged {
            shown.push_str(&text[end..hidden.from]);
            shown.push_str(&shown_as(&hidden, &text[hidden.from..hidden.to]));
            end = hidden.to;
        }
        shown.push_str(&text[end..]);
        shown
    }

    /// Masks every secret in every string of a JSON value.
    pub fn hide_in_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hide(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_in_json(item)),
            Value::Object(entries) => entries.values_mut().for_each(|entry| self.hide_in_json(entry)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

impl SecretForms {
    /// Finds it by its letters: all of them, or its beginning or end.
    fn find_letters<'s>(&'s self, text: &str, all: &[Letter], found: &mut Vec<MaskedSpan<'s>>) {
        let known = &self.letters[..];
        let agree = |at: usize| {
            let ahead = all[at..].iter().zip(known).take(COMPARED);
            let behind = all[..=at].iter().rev().zip(known.iter().rev()).take(COMPARED);
            let same = |(one, letter): &(&Letter, &char)| one.letter == **letter;
            (ahead.take_while(same).count(), behind.take_while(same).count())
        };
        found.extend(parts(text, all, known.len(), agree).map(|part| {
            let (from, to) = (all[part.start].from, all[part.end - 1].to);
            let mask = if part.len() == known.len() {
                self.mask.as_str().into()
            } else {
                mask(&text[from..to]).into()
            };
            MaskedSpan { from, to, mask }
        }));
    }
}

/// A part of a text that is masked.
struct MaskedSpan<'m> {
    from: usize,
    to: usize,
    mask: std::borrow::Cow<'m, str>,
}

/// Whether a part of a text is all of it, or all that stands between two quotes.
fn is_quoted(text: &str, from: usize, to: usize) -> bool {
    let (before, after) = (&text[..from], text[to..].trim_start_matches('\\'));
    (before.is_empty() && after.is_empty()) || (before.ends_with('"') && after.starts_with('"'))
}

/// How a text is written in other texts: as it is, and as JSON and Rust's
/// quotes write it. Each form once.
pub(crate) fn forms(text: &str) -> Vec<String> {
    let quoted = Value::from(text).to_string();
    let inside = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let mut forms =
        vec![text.to_owned(), inside.unwrap_or_default().to_owned(), text.escape_debug().to_string()];
    forms.retain(|form| !form.is_empty());
    forms.sort();
    forms.dedup();
    forms
}

/// Where a text begins in another, overlapping itself or not.
fn occurrences<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut from = 0;
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(wanted)?;
        from = at + step;
        Some(at)
    })
}
