//! Reads YAML texts into a [`Document`] with the places of its values.
//!
//! A document is data and nothing else: anchors, aliases, tags and keys that are no texts are
//! refused, so the size of what is read is bounded by the size of the text.

use crate::limits::Limits;
use crate::number::Number;
use crate::place::Place;
use crate::position::Position;
use crate::read::without_mark;
use crate::report::Problem;
use crate::tree::{Content, Document};
use granit_parser::{Event, Marker, Parser, ScalarStyle};
use std::borrow::Cow;

/// A YAML text that is a part of a file.
#[derive(Clone, Copy, Debug)]
pub struct YamlPart<'a> {
    pub text: &'a str,
    /// The line of the file on which it begins, from 1.
    pub first_line: u64,
}

impl<'a> Document<'a> {
    /// Reads one YAML document.
    ///
    /// # Errors
    /// The first problem: what comes after it cannot be told apart from its consequences.
    pub fn read_yaml(part: YamlPart<'a>, limits: Limits) -> Result<Self, Box<Problem>> {
        let mut document = Document::with_capacity(part.text.len() / 16 + 8);
        read_into(&mut document, part, &limits)?;
        Ok(document)
    }

    /// Reads several YAML texts into one document: `front`, which must be an
    /// object, and under `key` of it the list of `items`. An item that cannot
    /// be read is null; its problem is returned beside the document.
    ///
    /// # Errors
    /// What is wrong with `front`.
    pub fn read_yaml_list(
        front: YamlPart<'a>,
        key: &'static str,
        items: &[YamlPart<'a>],
        limits: Limits,
    ) -> Result<(Self, Vec<Problem>), Box<Problem>> {
        let mut document = Self::read_yaml(front, limits)?;
        let start = Position { line: front.first_line, column: 1 };
        if !matches!(document.cells[0].content, Content::Object) {
            return Err(refusal(start, "must be an object of keys and values".to_owned()));
        }
        document.drop_earlier(0, key);
        let list = document.open(Cow::Borrowed(key), Content::Array);
        let first = items.first().map_or(start, |item| Position { line: item.first_line, column: 1 });
        document.places.push(Place { key: first, value: first });
        let mut problems = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let before = document.cells.len();
            if let Err(problem) = read_into(&mut document, *item, &limits) {
                let path = format!("{key}.{index}");
                problems.push(Problem { path, ..*problem });
                document.cells.truncate(before);
                document.places.truncate(before);
                let at = Position { line: item.first_line, column: 1 };
                document.leaf(Cow::Borrowed(""), Content::Null, Place { key: at, value: at });
            }
        }
        document.close(list);
        document.close(0);
        Ok((document, problems))
    }

    fn leaf(&mut self, key: Cow<'a, str>, content: Content<'a>, place: Place) -> usize {
        self.places.push(place);
        self.open(key, content)
    }
}

pub(crate) fn refusal(at: Position, message: String) -> Box<Problem> {
    Box::new(Problem { position: Some(at), ..Problem::new(String::new(), message) })
}

/// A list or an object that is being read.
struct OpenValue<'a> {
    index: usize,
    is_object: bool,
    /// The key whose value comes next.
    key: Option<(Cow<'a, str>, Position)>,
    keys: usize,
}

struct YamlReader<'r, 'a> {
    document: &'r mut Document<'a>,
    limits: &'r Limits,
    open: Vec<OpenValue<'a>>,
    first_line: u64,
    root: usize,
}

/// Reads one YAML text onto the end of a document.
fn read_into<'a>(
    document: &mut Document<'a>,
    part: YamlPart<'a>,
    limits: &Limits,
) -> Result<(), Box<Problem>> {
    let root = document.cells.len();
    let mut reader = YamlReader { document, limits, open: Vec::new(), first_line: part.first_line, root };
    let text = without_mark(part.text);
    if text.len() > limits.bytes {
        let message = format!("is larger than {} bytes", limits.bytes);
        return Err(refusal(reader.start(), message));
    }
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let message = format!("is not valid YAML: {}", error.kind());
            refusal(reader.position(*error.marker()), message)
        })?;
        reader.take(event, span.start)?;
    }
    if reader.document.cells.len() == root {
        let at = reader.start();
        reader.document.leaf(Cow::Borrowed(""), Content::Null, Place { key: at, value: at });
    }
    Ok(())
}

impl<'a> YamlReader<'_, 'a> {
    fn start(&self) -> Position {
        Position { line: self.first_line, column: 1 }
    }

    fn position(&self, marker: Marker) -> Position {
        Position { line: marker.line() as u64 + self.first_line - 1, column: marker.col() as u64 + 1 }
    }

    fn take(&mut self, event: Event<'a>, start: Marker) -> Result<(), Box<Problem>> {
        let at = self.position(start);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                Self::refuse_extras(anchor, tag.is_some(), at)?;
                self.scalar(text, style, at)
            }
            Event::SequenceStart(_, anchor, tag) => {
                Self::refuse_extras(anchor, tag.is_some(), at)?;
                self.begin(Content::Array, at)
            }
            Event::MappingStart(_, anchor, tag) => {
                Self::refuse_extras(anchor, tag.is_some(), at)?;
                self.begin(Content::Object, at)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    self.document.close(open.index);
                }
                Ok(())
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) | Event::Anchor(..) => {
                Err(refusal(at, "has an alias (*name); write the value out instead".to_owned()))
            }
            Event::DocumentStart(..) if self.document.cells.len() > self.root => {
                Err(refusal(at, "has more than one YAML document".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn refuse_extras(anchor: usize, has_tag: bool, at: Position) -> Result<(), Box<Problem>> {
        let what = match (anchor, has_tag) {
            (0, false) => return Ok(()),
            (0, true) => "has a tag (!name); write the plain value",
            (_, _) => "has an anchor (&name); write the value where it is used",
        };
        Err(refusal(at, what.to_owned()))
    }

    fn scalar(&mut self, text: Cow<'a, str>, style: ScalarStyle, at: Position) -> Result<(), Box<Problem>> {
        if let Some(open) = self.open.last_mut().filter(|open| open.is_object && open.key.is_none()) {
            open.keys += 1;
            let (index, keys) = (open.index, open.keys);
            if keys > self.limits.keys {
                let message = format!("has an object with more than {} keys", self.limits.keys);
                return Err(refusal(at, message));
            }
            self.document.drop_earlier(index, &text);
            open.key = Some((text, at));
            return Ok(());
        }
        let content = match style {
            ScalarStyle::Plain => plain(text),
            _ => Content::Text(text),
        };
        let (key, key_at) = self.key(at);
        let place = Place { key: key_at, value: at };
        self.document.leaf(key, content, place);
        Ok(())
    }

    /// The key of the value that comes next.
    fn key(&mut self, at: Position) -> (Cow<'a, str>, Position) {
        let key = self.open.last_mut().and_then(|open| open.key.take());
        key.unwrap_or((Cow::Borrowed(""), at))
    }

    fn begin(&mut self, content: Content<'a>, at: Position) -> Result<(), Box<Problem>> {
        if self.open.last().is_some_and(|open| open.is_object && open.key.is_none()) {
            return Err(refusal(at, "has a key that is not a text".to_owned()));
        }
        if self.open.len() == self.limits.depth {
            let message = format!("is nested deeper than {} levels", self.limits.depth);
            return Err(refusal(at, message));
        }
        let is_object = matches!(content, Content::Object);
        let (key, key_at) = self.key(at);
        let place = Place { key: key_at, value: at };
        let index = self.document.leaf(key, content, place);
        self.open.push(OpenValue { index, is_object, key: None, keys: 0 });
        Ok(())
    }
}

/// What a word without quotes means: nothing, a truth value, a decimal number, or a text.
fn plain(text: Cow<'_, str>) -> Content<'_> {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Content::Null,
        "true" | "True" | "TRUE" => Content::Bool(true),
        "false" | "False" | "FALSE" => Content::Bool(false),
        word => match number(word) {
            Some(number) => Content::Number(number),
            None => Content::Text(text),
        },
    }
}

/// Rust reads the numbers of YAML's core schema, and words such as `inf`.
fn number(word: &str) -> Option<Number> {
    let begins = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.');
    let fits = |c: char| begins(c) || matches!(c, 'e' | 'E');
    if !word.starts_with(begins) || !word.chars().all(fits) {
        return None;
    }
    word.parse().ok().and_then(Number::new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Kind;

    const LIMITS: Limits = Limits { bytes: 1 << 16, depth: 8, keys: 16 };

    fn part(text: &str) -> YamlPart<'_> {
        YamlPart { text, first_line: 1 }
    }

    #[test]
    fn a_yaml_text_and_its_json_are_the_same_document() {
        let yaml = "a: 1\nb:\n  - x\n  - \"2\"\n  - {c: true, d: ~}\ne: 1.2.0\nf: -1.5e1\n";
        let json = br#"{"a":1,"b":["x","2",{"c":true,"d":null}],"e":"1.2.0","f":-15}"#;
        let read = Document::read_yaml(part(yaml), LIMITS).unwrap();
        assert!(read.root() == Document::read(json, LIMITS).unwrap().root());
        let place = read.locate("b.2.c").unwrap();
        assert_eq!(place.key, Position { line: 5, column: 6 });
        assert_eq!(place.value, Position { line: 5, column: 9 });
    }

    #[test]
    fn what_is_not_plain_data_is_refused_where_it_is() {
        let deep = format!("{}1", "- ".repeat(9));
        let wide: String = (0..17).map(|key| format!("k{key}: 0\n")).collect();
        for (text, line, message) in [
            ("a: &x 1\nb: *x\n", 1, "has an anchor"),
            ("a: 1\nb: !thing 2\n", 2, "has a tag"),
            ("? [a]\n: 1\n", 1, "has a key that is not a text"),
            ("a: 1\n---\nb: 2\n", 2, "has more than one"),
            ("a: [1\nb: 2\n", 2, "is not valid YAML"),
            ("a: 1\n b: 2\n", 2, "is not valid YAML"),
            (&deep, 1, "is nested deeper"),
            (&wide, 17, "has an object with more than 16 keys"),
        ] {
            let problem = Document::read_yaml(part(text), LIMITS).unwrap_err();
            assert!(problem.message.contains(message), "{text}: {}", problem.message);
            assert_eq!(problem.position.unwrap().line, line, "{text}");
        }
    }

    #[test]
    fn several_texts_become_one_document() {
        let front = part("a: 1\n");
        let items = [YamlPart { text: "b: 2", first_line: 10 }, YamlPart { text: "b: [", first_line: 20 }];
        let (document, problems) = Document::read_yaml_list(front, "steps", &items, LIMITS).unwrap();
        assert_eq!(document.locate("steps.0.b").unwrap().value.line, 10);
        assert_eq!(document.root().get("steps").unwrap().children().count(), 2);
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].path.as_str(), problems[0].position.unwrap().line), ("steps.1", 20));
        let empty = Document::read_yaml(part("# nothing\n"), LIMITS).unwrap();
        assert_eq!(empty.root().kind(), Kind::Null);
    }
}
