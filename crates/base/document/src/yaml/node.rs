//! A YAML text as one flat list of nodes with their positions.
//!
//! A node is followed by the nodes inside it. Aliases and merge keys are already what they stand
//! for; what a word without quotes means is up to who wants it.

use crate::position::Position;
use crate::read::without_mark;
use crate::read_yaml::refusal;
use crate::report::Problem;
use crate::text;
use granit_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The most nodes of a YAML document, aliases counted where they are used.
const MAX_NODES: usize = 100_000;
/// The most bytes of their texts.
const MAX_TEXT: usize = 64 << 20;
/// The deepest nesting of a YAML document.
const MAX_DEPTH: usize = 100;

/// What the names of YAML's own tags begin with, once `!!` is resolved.
const CORE: &str = "tag:yaml.org,2002:";
const MERGE: &str = "<<";
const UNKNOWN_ANCHOR: &str = "no anchor of this name stands before it";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A text without quotes.
    Plain,
    /// A text with quotes, or in lines of its own.
    Quoted,
    List,
    /// Keys and values in turn.
    Map,
    /// A tag, such as `!name`; inside is the value that has it.
    Tag,
}

#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    /// The text, or the name of the tag.
    pub(super) text: Cow<'a, str>,
    pub(super) shape: Shape,
    /// Where it is used.
    pub(super) at: Position,
    /// How many nodes are inside it.
    size: usize,
}

impl Node<'_> {
    fn new(shape: Shape, at: Position) -> Self {
        Self { text: Cow::Borrowed(""), shape, at, size: 0 }
    }
}

/// A node, what is inside it, and its tag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'n> {
    pub(super) node: &'n Node<'n>,
    tag: Option<&'n Node<'n>>,
    inside: &'n [Node<'n>],
}

/// Values one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values<'n>(pub(super) &'n [Node<'n>]);

impl<'n> Iterator for Values<'n> {
    type Item = Value<'n>;

    fn next(&mut self) -> Option<Value<'n>> {
        let (mut node, rest) = self.0.split_first()?;
        let (mut inside, rest) = rest.split_at_checked(node.size)?;
        self.0 = rest;
        let tag = (node.shape == Shape::Tag).then_some(node);
        if tag.is_some() {
            (node, inside) = inside.split_first()?;
        }
        Some(Value { node, tag, inside })
    }
}

impl<'n> Value<'n> {
    pub(super) fn inside(self) -> Values<'n> {
        Values(self.inside)
    }

    /// The text, if the value is one.
    pub(super) fn name(self) -> Option<&'n str> {
        matches!(self.node.shape, Shape::Plain | Shape::Quoted).then_some(&*self.node.text)
    }

    /// The tag, and the value without it.
    pub(super) fn split_tag(self) -> Option<(Value<'n>, Value<'n>)> {
        let tag = Value { node: self.tag?, tag: None, inside: &[] };
        Some((tag, Value { tag: None, ..self }))
    }

    fn is_merge(self) -> bool {
        self.node.shape == Shape::Plain && self.node.text == MERGE
    }

    /// The keys and values of a map; nothing of all else.
    fn entries(self) -> impl Iterator<Item = (Value<'n>, Value<'n>)> {
        let inside = if self.node.shape == Shape::Map { self.inside } else { &[] };
        let mut values = Values(inside);
        std::iter::from_fn(move || Some((values.next()?, values.next()?)))
    }
}

/// Reads one YAML document; one without anything in it is an empty text.
pub(super) fn read(text: &str) -> Result<Vec<Node<'_>>, Box<Problem>> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(without_mark(text)) {
        let (event, span) =
            event.map_err(|error| refusal(position(*error.marker()), error.kind().to_string()))?;
        reader.take(event, position(span.start))?;
    }
    check_depth(&reader.nodes)?;
    if !reader.has_merge_keys {
        return Ok(reader.nodes);
    }
    let mut nodes = Vec::with_capacity(reader.nodes.len());
    Values(&reader.nodes).try_for_each(|value| merge(value, &mut nodes))?;
    Ok(nodes)
}

fn position(marker: Marker) -> Position {
    Position { line: marker.line() as u64, column: marker.col() as u64 + 1 }
}

/// A list or a map that is not at its end.
struct OpenNode {
    index: usize,
    anchor: usize,
}

#[derive(Default)]
struct Reader<'a> {
    nodes: Vec<Node<'a>>,
    text_bytes: usize,
    open: Vec<OpenNode>,
    /// The index of the node of each anchor, its tag included.
    anchors: BTreeMap<usize, usize>,
    has_merge_keys: bool,
}

impl<'a> Reader<'a> {
    fn take(&mut self, event: Event<'a>, at: Position) -> Result<(), Box<Problem>> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let shape = if style == ScalarStyle::Plain { Shape::Plain } else { Shape::Quoted };
                let index = self.begin(tag.as_deref(), Node { text, ..Node::new(shape, at) })?;
                self.end(&OpenNode { index, anchor })
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.open(anchor, tag.as_deref(), Node::new(Shape::List, at))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.open(anchor, tag.as_deref(), Node::new(Shape::Map, at))
            }
            Event::SequenceEnd | Event::MappingEnd => self.open.pop().map_or(Ok(()), |open| self.end(&open)),
            Event::Alias(anchor) => self.repeat(anchor, at),
            Event::UnresolvedAlias(_) => Err(refusal(at, UNKNOWN_ANCHOR.to_owned())),
            Event::StreamEnd if self.nodes.is_empty() => self.push(Node::new(Shape::Plain, at)),
            _ => Ok(()),
        }
    }

    fn open(&mut self, anchor: usize, tag: Option<&Tag>, node: Node<'a>) -> Result<(), Box<Problem>> {
        let index = self.begin(tag, node)?;
        self.open.push(OpenNode { index, anchor });
        Ok(())
    }

    /// Adds a node after its tag and says where it is.
    fn begin(&mut self, tag: Option<&Tag>, mut node: Node<'a>) -> Result<usize, Box<Problem>> {
        if self.open.is_empty() && !self.nodes.is_empty() {
            return Err(refusal(node.at, "a second document begins here; write only one".to_owned()));
        }
        match tag.map(|tag| (tag.handle(), tag.suffix())) {
            Some((CORE, "str") | ("", "!")) if node.shape == Shape::Plain => node.shape = Shape::Quoted,
            Some((CORE, "bool" | "float" | "int" | "null")) if node.shape == Shape::Quoted => {
                node.shape = Shape::Plain;
            }
            Some((CORE, "binary")) => {
                return Err(refusal(node.at, "the tag !!binary is not known here".to_owned()));
            }
            Some(("!", name)) => {
                let text = Cow::Owned(name.to_owned());
                self.push(Node { text, ..Node::new(Shape::Tag, node.at) })?;
            }
            Some(_) | None => {}
        }
        self.has_merge_keys |= node.shape == Shape::Plain && node.text == MERGE;
        self.push(node)?;
        Ok(self.nodes.len() - 1)
    }

    fn push(&mut self, node: Node<'a>) -> Result<(), Box<Problem>> {
        self.text_bytes += node.text.len();
        if self.nodes.len() == MAX_NODES || self.text_bytes > MAX_TEXT {
            let message = format!("more than {MAX_NODES} values or {MAX_TEXT} bytes of text");
            return Err(refusal(node.at, message));
        }
        self.nodes.push(node);
        Ok(())
    }

    fn end(&mut self, open: &OpenNode) -> Result<(), Box<Problem>> {
        let first = close(&mut self.nodes, open.index);
        if open.anchor > 0 {
            self.anchors.insert(open.anchor, first);
        }
        check_keys(&self.nodes[open.index..])
    }

    /// Writes the node of an anchor once more. An anchor is not known inside its own node.
    fn repeat(&mut self, anchor: usize, at: Position) -> Result<(), Box<Problem>> {
        let first = self.anchors.get(&anchor).copied();
        let first = first.ok_or_else(|| refusal(at, UNKNOWN_ANCHOR.to_owned()))?;
        for index in first..=first + self.nodes[first].size {
            self.push(Node { at, ..self.nodes[index].clone() })?;
        }
        Ok(())
    }
}

/// Tells a node, and the tag before it, what is inside it. Returns the index of the first of them.
fn close(nodes: &mut [Node<'_>], index: usize) -> usize {
    let size = nodes.len() - index - 1;
    nodes[index].size = size;
    match index.checked_sub(1) {
        Some(tag) if nodes[tag].shape == Shape::Tag => {
            nodes[tag].size = size + 1;
            tag
        }
        Some(_) | None => index,
    }
}

fn check_keys(map: &[Node<'_>]) -> Result<(), Box<Problem>> {
    let mut known = BTreeSet::new();
    for (key, _) in Values(map).flat_map(Value::entries) {
        if !key.is_merge() && key.name().is_some_and(|name| !known.insert(name)) {
            let message = format!("the key stands twice: {}", text::visible(&text::excerpt(&key.node.text)));
            return Err(refusal(key.node.at, message));
        }
    }
    Ok(())
}

fn check_depth(nodes: &[Node<'_>]) -> Result<(), Box<Problem>> {
    let mut ends: Vec<usize> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        while ends.pop_if(|end| *end <= index).is_some() {}
        if matches!(node.shape, Shape::List | Shape::Map) {
            ends.push(index + 1 + node.size);
        }
        if ends.len() > MAX_DEPTH {
            return Err(refusal(node.at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
    }
    Ok(())
}

/// Copies a value with the entries that its merge keys (`<<`) name.
fn merge(value: Value<'_>, nodes: &mut Vec<Node<'_>>) -> Result<(), Box<Problem>> {
    let copy = |node: &Node<'_>| Node { text: Cow::Owned(node.text.to_string()), ..*node };
    nodes.extend(value.tag.map(copy));
    let index = nodes.len();
    nodes.push(copy(value.node));
    if value.node.shape == Shape::Map {
        let mut entries = Vec::new();
        merge_entries(value, &mut BTreeSet::new(), &mut entries)?;
        entries.into_iter().try_for_each(|value| merge(value, nodes))?;
    } else {
        value.inside().try_for_each(|value| merge(value, nodes))?;
    }
    close(nodes, index);
    Ok(())
}

/// Collects the keys and values of a map in turn: its own, and what they do not hide of the others.
fn merge_entries<'n>(
    map: Value<'n>,
    known: &mut BTreeSet<&'n str>,
    found: &mut Vec<Value<'n>>,
) -> Result<(), Box<Problem>> {
    let (merged, own): (Vec<_>, Vec<_>) = map.entries().partition(|(key, _)| key.is_merge());
    for (key, value) in own {
        if key.name().is_none_or(|name| known.insert(name)) {
            found.extend([key, value]);
        }
    }
    for (_, value) in merged {
        let is_list = value.node.shape == Shape::List;
        let maps = if is_list { value.inside().collect() } else { vec![value] };
        for map in maps {
            if map.node.shape != Shape::Map {
                let message = "the key << takes a map or a list of maps";
                return Err(refusal(map.node.at, message.to_owned()));
            }
            merge_entries(map, known, found)?;
        }
    }
    Ok(())
}
