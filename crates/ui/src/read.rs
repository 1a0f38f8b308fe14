//! Reads a dump, and tells a phone's excuses from a screen.

use crate::bounds::Bounds;
use crate::escape::unescape;
use crate::limits::{MAX_DEPTH, MAX_DUMP_BYTES, MAX_NODES};
use crate::tree::{Flag, Node, Tree};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::fmt;

/// Why a dump gives no tree. None of these is an empty screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpError {
    /// The phone says that the screen never came to rest.
    NotIdle,
    /// The phone says that it has no window to describe.
    NullRoot,
    /// There is no hierarchy in it; this is how it starts.
    NoHierarchy(String),
    /// It ends in the middle.
    CutOff,
    /// It is not what a phone writes.
    Malformed {
        /// At which byte.
        at: u64,
        /// What is wrong there.
        reason: String,
    },
    /// It is larger than a bound allows: what, and how much is allowed.
    TooLarge(&'static str, usize),
}

impl fmt::Display for DumpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotIdle => f.write_str("the phone could not dump the screen because it never came to rest"),
            Self::NullRoot => f.write_str("the phone has no window to describe right now"),
            Self::NoHierarchy(start) => write!(f, "there is no hierarchy in {start:?}"),
            Self::CutOff => f.write_str("the dump ends in the middle"),
            Self::Malformed { at, reason } => write!(f, "the dump is malformed at byte {at}: {reason}"),
            Self::TooLarge(what, most) => write!(f, "the dump has more than {most} {what}"),
        }
    }
}

impl std::error::Error for DumpError {}

/// Reads a dump. What stands before and behind the hierarchy, such as the
/// phone's word that it has written it, does not matter.
///
/// # Errors
/// Any [`DumpError`]; a dump that is cut off gives no tree at all.
pub fn read(dump: &str) -> Result<Tree, DumpError> {
    if dump.len() > MAX_DUMP_BYTES {
        return Err(DumpError::TooLarge("bytes", MAX_DUMP_BYTES));
    }
    let start = dump.find("<hierarchy").unwrap_or(dump.len());
    // An excuse before a hierarchy means that the hierarchy is an old one.
    if let Some(excuse) = excuse(&dump[..start]) {
        return Err(excuse);
    }
    if start == dump.len() {
        return Err(DumpError::NoHierarchy(dump.trim().chars().take(80).collect()));
    }
    Reading::new(&dump[start..]).run()
}

/// What a phone says instead of a dump; it says so with exit code 0.
fn excuse(words: &str) -> Option<DumpError> {
    if words.contains("could not get idle state") {
        Some(DumpError::NotIdle)
    } else if words.contains("null root node") {
        Some(DumpError::NullRoot)
    } else {
        None
    }
}

struct Reading<'d> {
    dump: &'d str,
    reader: Reader<&'d [u8]>,
    tree: Tree,
    depth: usize,
}

impl<'d> Reading<'d> {
    fn new(dump: &'d str) -> Self {
        let mut reader = Reader::from_str(dump);
        // Names are compared by depth; a phone never gets them wrong.
        reader.config_mut().check_end_names = false;
        Self {
            dump,
            reader,
            tree: Tree::new(0),
            depth: 0,
        }
    }

    fn run(mut self) -> Result<Tree, DumpError> {
        loop {
            match self.reader.read_event() {
                Ok(Event::Start(tag)) if tag.name().as_ref() == "hierarchy" => {
                    self.tree.rotation = rotation(&tag);
                }
                Ok(Event::Start(tag)) => {
                    self.node(&tag)?;
                    self.depth += 1;
                }
                Ok(Event::Empty(tag)) if tag.name().as_ref() == "hierarchy" => {
                    self.tree.rotation = rotation(&tag);
                    return Ok(self.tree);
                }
                Ok(Event::Empty(tag)) => self.node(&tag)?,
                Ok(Event::End(tag)) if tag.name().as_ref() == "hierarchy" => return self.finish(),
                Ok(Event::End(_)) => {
                    self.depth = self
                        .depth
                        .checked_sub(1)
                        .ok_or_else(|| self.malformed("one end too many"))?;
                }
                // The text ends, between two tags or in the middle of one.
                Ok(Event::Eof) | Err(quick_xml::Error::Syntax(_)) => return Err(DumpError::CutOff),
                Ok(_) => {}
                Err(error) => return Err(self.malformed(&error.to_string())),
            }
        }
    }

    fn finish(self) -> Result<Tree, DumpError> {
        // A dump of several windows has several; to read one of them would be
        // to leave out the others in silence.
        let end = self.reader.buffer_position() as usize;
        if self
            .dump
            .get(end..)
            .is_some_and(|rest| rest.contains("<hierarchy"))
        {
            return Err(self.malformed("a second hierarchy"));
        }
        if self.depth == 0 {
            Ok(self.tree)
        } else {
            Err(self.malformed("an element is not closed"))
        }
    }

    fn malformed(&self, reason: &str) -> DumpError {
        DumpError::Malformed {
            at: self.reader.buffer_position(),
            reason: reason.to_owned(),
        }
    }

    fn node(&mut self, tag: &BytesStart<'_>) -> Result<(), DumpError> {
        if self.tree.len() == MAX_NODES {
            return Err(DumpError::TooLarge("elements", MAX_NODES));
        }
        if self.depth == MAX_DEPTH {
            return Err(DumpError::TooLarge("levels", MAX_DEPTH));
        }
        let mut node = Node::default();
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| self.malformed(&error.to_string()))?;
            let value = unescape(&attribute.value);
            set(&mut node, attribute.key.as_ref(), &value).map_err(|reason| self.malformed(&reason))?;
        }
        self.tree.push(self.depth, node);
        Ok(())
    }
}

fn rotation(tag: &BytesStart<'_>) -> u8 {
    let mut attributes = tag.attributes().flatten();
    let given = attributes.find(|attribute| attribute.key.as_ref() == "rotation");
    let turns = given.and_then(|attribute| attribute.value.parse::<u8>().ok());
    turns.map_or(0, |turns| turns % 4)
}

/// Sets what an attribute says. Attributes nobody knows do not matter: every
/// version of Android adds some.
pub(crate) fn set(node: &mut Node, name: &str, value: &str) -> Result<(), String> {
    let bad = || format!("{name} is {:?}", value.chars().take(40).collect::<String>());
    let text = || value.to_owned();
    match name {
        "index" => node.index = value.parse().map_err(|_| bad())?,
        "text" => node.text = text(),
        "resource-id" => node.resource_id = Some(text()),
        "class" => node.class = text(),
        "package" => node.package = text(),
        "content-desc" => node.content_desc = text(),
        "bounds" => node.bounds = Bounds::parse(value).ok_or_else(bad)?,
        "visible-to-user" => node.visible_to_user = Some(value == "true"),
        "drawing-order" => node.drawing_order = Some(value.parse().map_err(|_| bad())?),
        "hint" => node.hint = Some(text()),
        "display-id" => node.display_id = Some(value.parse().map_err(|_| bad())?),
        "NAF" => node.not_accessibility_friendly = value == "true",
        _ => {
            if let Some((flag, _)) = Flag::ALL.iter().find(|(_, known)| *known == name) {
                node.flags = node.flags.with(*flag, value == "true");
            }
        }
    }
    Ok(())
}
