//! Where the values of a document are in its text.

use crate::limits::Limits;
use crate::position::Position;
use crate::read::{ReadError, without_mark};
use crate::report::{Problem, Problems};
use crate::tree::{Document, Value};

/// Where a value and its key are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The key; of a value without one, the value itself.
    pub key: Position,
    pub value: Position,
}

impl<'a> Document<'a> {
    /// Reads one JSON document and where its values are.
    ///
    /// # Errors
    /// Any [`ReadError`]; nothing is read past a bound.
    pub fn read_with_places(bytes: &'a [u8], limits: Limits) -> Result<Self, ReadError> {
        let mut document = Self::read(bytes, limits)?;
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        document.places = json_places(without_mark(text));
        debug_assert_eq!(document.places.len(), document.cells.len());
        Ok(document)
    }

    /// Where a value is, if the document was read with its places.
    pub fn place(&self, value: Value<'_>) -> Option<Place> {
        self.places.get(value.index()).copied()
    }

    /// Where the value at a path is. If there is none, its nearest ancestor.
    pub fn locate(&self, path: &str) -> Option<Place> {
        self.place(self.nearest(path))
    }

    /// The value at a path, or its nearest ancestor.
    fn nearest(&self, path: &str) -> Value<'_> {
        let mut value = self.root();
        let mut rest = path;
        while !rest.is_empty() {
            let Some((child, after)) = step_into(value, rest) else {
                break;
            };
            (value, rest) = (child, after);
        }
        value
    }

    /// Where a problem is: at the first key that does not belong there, else at
    /// the value that its path names.
    fn place_of<T>(&self, problem: &Problem<T>) -> Option<Position> {
        let value = self.nearest(&problem.path);
        let mut keys = problem.invalid_keys.iter();
        let child = keys.find_map(|key| value.get(key));
        match child {
            Some(child) => self.place(child).map(|place| place.key),
            None => self.place(value).map(|place| place.value),
        }
    }
}

impl<T> Problems<T> {
    /// Gives every problem that has no position the one of its path.
    pub fn locate_in(&mut self, document: &Document<'_>) {
        for problem in &mut self.listed {
            if problem.position.is_none() {
                problem.position = document.place_of(problem);
            }
        }
    }
}

/// The child that the first part of a path names, and the rest of the path. A
/// key may have dots in it.
fn step_into<'d, 'p>(value: Value<'d>, path: &'p str) -> Option<(Value<'d>, &'p str)> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    if let Some(child) = value.get(first) {
        return Some((child, rest));
    }
    let index: Option<usize> = first.parse().ok();
    let mut children = value.children();
    match (index, children.next()) {
        (Some(0), Some(child)) if child.key().is_empty() => Some((child, rest)),
        (Some(index), Some(child)) if child.key().is_empty() => Some((children.nth(index - 1)?, rest)),
        _ => value.children().find_map(|child| {
            let rest = path.strip_prefix(child.key())?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix('.')? };
            (!child.key().is_empty()).then_some((child, rest))
        }),
    }
}

/// The place of each value of a JSON text that was read already, in order.
fn json_places(text: &str) -> Vec<Place> {
    let mut places = Vec::new();
    let mut objects: Vec<bool> = Vec::new();
    let mut wants_key = false;
    let mut key = None;
    let mut letters = Letters::new(text);
    while let Some((letter, at)) = letters.next() {
        let is_key = wants_key && letter == '"';
        match letter {
            ' ' | '\t' | '\n' | '\r' | ':' => continue,
            ',' => {
                wants_key = objects.last() == Some(&true);
                continue;
            }
            '}' | ']' => {
                objects.pop();
                wants_key = false;
                continue;
            }
            '"' => letters.skip_text(),
            '{' | '[' => {
                objects.push(letter == '{');
                wants_key = letter == '{';
            }
            _ => letters.skip_word(),
        }
        if is_key {
            key = Some(at);
            wants_key = false;
        } else {
            let key = key.take().unwrap_or(at);
            places.push(Place { key, value: at });
        }
    }
    places
}

/// The characters of a text with their positions.
struct Letters<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    at: Position,
}

impl<'t> Letters<'t> {
    fn new(text: &'t str) -> Self {
        let at = Position { line: 1, column: 1 };
        Self { rest: text.chars().peekable(), at }
    }

    fn next(&mut self) -> Option<(char, Position)> {
        let letter = self.rest.next()?;
        let at = self.at;
        self.at = match letter {
            '\n' => Position { line: at.line + 1, column: 1 },
            _ => Position { column: at.column + 1, ..at },
        };
        Some((letter, at))
    }

    /// Skips what is left of a text, its closing quote included.
    fn skip_text(&mut self) {
        while let Some((letter, _)) = self.next() {
            match letter {
                '"' => return,
                '\\' => {
                    self.next();
                }
                _ => {}
            }
        }
    }

    /// Skips what is left of a number or a word.
    fn skip_word(&mut self) {
        let ends = |letter: &char| matches!(letter, ' ' | '\t' | '\n' | '\r' | ',' | ']' | '}');
        while self.rest.peek().is_some_and(|letter| !ends(letter)) {
            self.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { bytes: 1 << 20, depth: 32, keys: 256 };

    #[test]
    fn each_value_of_a_json_text_has_its_place() {
        let text = "{\n  \"a\": [1, {\"b.c\": \"x\\\"y\"}],\n  \"ä\": null, \"d\": true}";
        let document = Document::read_with_places(text.as_bytes(), LIMITS).unwrap();
        for (path, key, value) in [
            ("", (1, 1), (1, 1)),
            ("a", (2, 3), (2, 8)),
            ("a.0", (2, 9), (2, 9)),
            ("a.1.b.c", (2, 13), (2, 20)),
            // What is not there is at what it would be in.
            ("a.1.z", (2, 12), (2, 12)),
            ("a.7", (2, 3), (2, 8)),
            ("ä", (3, 3), (3, 8)),
            ("d", (3, 14), (3, 19)),
        ] {
            let place = document.locate(path).unwrap();
            let found = |at: Position| (at.line, at.column);
            assert_eq!((found(place.key), found(place.value)), (key, value), "{path}");
        }
    }
}
