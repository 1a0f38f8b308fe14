//! Reads a dump, and tells a phone's excuses from a screen.

use crate::bounds::Bounds;
use crate::escape::unescape;
use crate::limits::{MAX_DEPTH, MAX_DUMP_BYTES, MAX_NODES};
use crate::tree::{Flag, Node, Tree};
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

/// A dump being read. Its tags are taken apart here and not by an XML reader:
/// phones write what no XML reader accepts, and nothing that needs one.
struct Reading<'d> {
    dump: &'d str,
    at: usize,
    tree: Tree,
    depth: usize,
}

/// How a tag ends.
#[derive(PartialEq)]
enum Closing {
    /// Something may be inside.
    Open,
    /// Nothing is inside.
    Empty,
}

/// How many bytes an element of most phones takes, or fewer.
const USUAL_NODE: usize = 320;

impl<'d> Reading<'d> {
    fn new(dump: &'d str) -> Self {
        let mut tree = Tree::new(0);
        tree.reserve((dump.len() / USUAL_NODE).min(MAX_NODES));
        Self {
            dump,
            at: 0,
            tree,
            depth: 0,
        }
    }

    fn run(mut self) -> Result<Tree, DumpError> {
        loop {
            self.at = self.find("<", self.at)? + 1;
            match self.byte(self.at)? {
                b'/' => {
                    let name = self.at + 1;
                    self.at = self.find(">", name)?;
                    if self.dump[name..self.at].trim_end() == ROOT {
                        self.at += 1;
                        return self.finish();
                    }
                    self.depth = self
                        .depth
                        .checked_sub(1)
                        .ok_or_else(|| self.malformed("one end too many"))?;
                }
                b'!' | b'?' => self.at = self.skip()?,
                _ => {
                    if self.tag()? == Ended::Whole {
                        return Ok(self.tree);
                    }
                }
            }
        }
    }

    /// What is neither an element nor its end: comments, instructions and the
    /// like. Returns where it ends.
    fn skip(&self) -> Result<usize, DumpError> {
        let rest = &self.dump.as_bytes()[self.at..];
        let end = if rest.starts_with(b"!--") {
            "-->"
        } else if rest.starts_with(b"![CDATA[") {
            "]]>"
        } else if rest.starts_with(b"?") {
            "?>"
        } else {
            ">"
        };
        self.find(end, self.at)
    }

    /// One element's tag, from its name on.
    fn tag(&mut self) -> Result<Ended, DumpError> {
        let start = self.at;
        while !matches!(self.byte(self.at)?, b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'>') {
            self.at += 1;
        }
        if &self.dump[start..self.at] == ROOT {
            let mut rotation = 0_u8;
            let closing = self.attributes(|name, value| {
                if name == "rotation" {
                    rotation = value.parse().unwrap_or(0);
                }
                Ok(())
            })?;
            self.tree.rotation = rotation % 4;
            return Ok(if closing == Closing::Empty {
                Ended::Whole
            } else {
                Ended::Tag
            });
        }
        if self.tree.len() == MAX_NODES {
            return Err(DumpError::TooLarge("elements", MAX_NODES));
        }
        if self.depth == MAX_DEPTH {
            return Err(DumpError::TooLarge("levels", MAX_DEPTH));
        }
        let mut node = Node::default();
        let closing = self.attributes(|name, value| set(&mut node, name, value))?;
        self.tree.push(self.depth, node);
        self.depth += usize::from(closing == Closing::Open);
        Ok(Ended::Tag)
    }

    /// The attributes of a tag and its end.
    fn attributes(
        &mut self,
        mut take: impl FnMut(&str, &str) -> Result<(), String>,
    ) -> Result<Closing, DumpError> {
        loop {
            match self.byte(self.at)? {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'>' => {
                    self.at += 1;
                    return Ok(Closing::Open);
                }
                b'/' if self.byte(self.at + 1)? == b'>' => {
                    self.at += 2;
                    return Ok(Closing::Empty);
                }
                b'/' => return Err(self.malformed("a tag does not end where it should")),
                _ => {
                    let (name, raw, escaped) = self.attribute()?;
                    let taken = if escaped {
                        take(name, &unescape(raw))
                    } else {
                        take(name, raw)
                    };
                    taken.map_err(|reason| self.malformed(&reason))?;
                }
            }
        }
    }

    /// An attribute's name, its value as it is written, and whether there may
    /// be references in it.
    fn attribute(&mut self) -> Result<(&'d str, &'d str, bool), DumpError> {
        let dump = self.dump;
        let start = self.at;
        while !matches!(self.byte(self.at)?, b'=' | b' ' | b'\t' | b'\r' | b'\n' | b'>') {
            self.at += 1;
        }
        let name = &dump[start..self.at];
        if !name.bytes().all(is_of_name) {
            return Err(self.malformed("an attribute has no name"));
        }
        self.space()?;
        if self.byte(self.at)? != b'=' {
            return Err(self.malformed("an attribute has no value"));
        }
        self.at += 1;
        self.space()?;
        let quote = self.byte(self.at)?;
        if !matches!(quote, b'"' | b'\'') {
            return Err(self.malformed("an attribute's value has no quotes"));
        }
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        for byte in &dump.as_bytes()[start..] {
            if *byte == quote {
                self.at += 1;
                return Ok((name, &dump[start..self.at - 1], escaped));
            }
            escaped |= *byte == b'&';
            self.at += 1;
        }
        Err(DumpError::CutOff)
    }

    fn space(&mut self) -> Result<(), DumpError> {
        while self.byte(self.at)?.is_ascii_whitespace() {
            self.at += 1;
        }
        Ok(())
    }

    /// The byte at a place; there is always one, or the dump is cut off.
    fn byte(&self, at: usize) -> Result<u8, DumpError> {
        self.dump.as_bytes().get(at).copied().ok_or(DumpError::CutOff)
    }

    fn find(&self, what: &str, from: usize) -> Result<usize, DumpError> {
        let found = self.dump.get(from..).and_then(|rest| rest.find(what));
        found.map(|at| from + at).ok_or(DumpError::CutOff)
    }

    fn finish(self) -> Result<Tree, DumpError> {
        // A dump of several windows has several; to read one of them would be
        // to leave out the others in silence.
        if self
            .dump
            .get(self.at..)
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
            at: self.at as u64,
            reason: reason.to_owned(),
        }
    }
}

/// Whether a byte can be part of an attribute's name.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.')
}

/// What has ended.
#[derive(PartialEq)]
enum Ended {
    Tag,
    Whole,
}

/// The element around all others.
const ROOT: &str = "hierarchy";

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
