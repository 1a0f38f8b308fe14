//! Reads a dump, and tells a phone's error messages from a screen.

use crate::bounds::Bounds;
use crate::escape::unescape;
use crate::limits::{MAX_DEPTH, MAX_DUMP_BYTES, MAX_NODES};
use crate::tree::{FLAGS, Node, Tree};
use clawperator_contract::Flag;

/// Why a dump gives no tree. None of these is an empty screen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DumpError {
    /// The phone says that the screen never came to rest.
    #[error("the phone could not dump the screen because it never came to rest")]
    NotIdle,
    /// The phone says that it has no window to describe.
    #[error("the phone has no window to describe right now")]
    NullRoot,
    /// There is no hierarchy in it; this is how it starts.
    #[error("there is no hierarchy in {0:?}")]
    NoHierarchy(String),
    /// It ends in the middle.
    #[error("the dump ends in the middle")]
    CutOff,
    /// It is not what a phone writes.
    #[error("the dump is malformed at byte {at}: {reason}")]
    Malformed { at: u64, reason: String },
    /// It is larger than a bound allows: what, and how much is allowed.
    #[error("the dump has more than {1} {0}")]
    TooLarge(&'static str, usize),
}

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
    DumpReader::new(&dump[start..]).run()
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

/// An attribute, its value as it is written.
struct Attribute<'d> {
    name: &'d str,
    raw: &'d str,
    /// Whether there may be references in the value.
    escaped: bool,
}

/// A dump being read. Its tags are taken apart here and not by an XML reader:
/// phones write what no XML reader accepts, and nothing that needs one.
struct DumpReader<'d> {
    dump: &'d str,
    at: usize,
    tree: Tree,
    depth: usize,
}

/// How a tag ends.
#[derive(PartialEq)]
enum Closing {
    Open,
    Empty,
}

/// How many bytes an element of most phones takes, or fewer.
const USUAL_NODE: usize = 320;

impl<'d> DumpReader<'d> {
    fn new(dump: &'d str) -> Self {
        let mut tree = Tree::new(0);
        tree.reserve((dump.len() / USUAL_NODE).min(MAX_NODES));
        Self { dump, at: 0, tree, depth: 0 }
    }

    fn run(mut self) -> Result<Tree, DumpError> {
        loop {
            self.at = self.find("<", self.at)? + 1;
            match self.byte() {
                b'/' => {
                    let name = self.at + 1;
                    self.at = self.find(">", name)?;
                    if self.dump[name..self.at].trim_end() == ROOT {
                        self.at += 1;
                        return self.finish();
                    }
                    self.depth =
                        self.depth.checked_sub(1).ok_or_else(|| self.malformed("one end too many"))?;
                }
                b'!' | b'?' => self.at = self.skip()?,
                _ => {
                    if self.tag()? == TagEnd::Whole {
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
    fn tag(&mut self) -> Result<TagEnd, DumpError> {
        let name = self.name();
        if name == ROOT {
            let mut rotation = 0_u8;
            let closing = self.attributes(|name, value| {
                if name == "rotation" {
                    rotation = value.parse().unwrap_or(0);
                }
                Ok(())
            })?;
            self.tree.rotation = rotation % 4;
            return Ok(if closing == Closing::Empty { TagEnd::Whole } else { TagEnd::Tag });
        }
        if self.tree.len() == MAX_NODES {
            return Err(DumpError::TooLarge("elements", MAX_NODES));
        }
        if self.depth == MAX_DEPTH {
            return Err(DumpError::TooLarge("levels", MAX_DEPTH));
        }
        let mut node = Node::default();
        // Phones write attributes in one order: the next is most often the one behind the last.
        let mut next = 0;
        let closing = self.attributes(|name, value| {
            let known = DumpAttribute::find(name, next);
            next = known.map_or(next, |(place, _)| place + 1);
            known.map_or(Ok(()), |(_, attribute)| attribute.set(&mut node, value))
        })?;
        self.tree.push(self.depth, node);
        self.depth += usize::from(closing == Closing::Open);
        Ok(TagEnd::Tag)
    }

    /// The attributes of a tag and its end.
    fn attributes(
        &mut self,
        mut take: impl FnMut(&str, &str) -> Result<(), String>,
    ) -> Result<Closing, DumpError> {
        loop {
            self.space();
            match self.byte() {
                b'>' => {
                    self.at += 1;
                    return Ok(Closing::Open);
                }
                b'/' => {
                    self.at += 1;
                    if self.byte() != b'>' {
                        return Err(self.unexpected("a tag does not end where it should"));
                    }
                    self.at += 1;
                    return Ok(Closing::Empty);
                }
                _ => {
                    let Attribute { name, raw, escaped } = self.attribute()?;
                    let taken = if escaped { take(name, &unescape(raw)) } else { take(name, raw) };
                    taken.map_err(|reason| self.malformed(&format!("{name} is {reason}")))?;
                }
            }
        }
    }

    fn attribute(&mut self) -> Result<Attribute<'d>, DumpError> {
        let name = self.name();
        self.space();
        if name.is_empty() || self.byte() != b'=' {
            return Err(self.unexpected("an attribute has no name or no value"));
        }
        self.at += 1;
        self.space();
        let quote = self.byte();
        if !matches!(quote, b'"' | b'\'') {
            return Err(self.unexpected("an attribute's value has no quotes"));
        }
        let start = self.at + 1;
        let mut escaped = false;
        let mut value = self.dump.as_bytes()[start..].iter();
        let length = value.position(|byte| {
            escaped |= *byte == b'&';
            *byte == quote
        });
        let end = start + length.ok_or(DumpError::CutOff)?;
        self.at = end + 1;
        let raw = &self.dump[start..end];
        Ok(Attribute { name, raw, escaped })
    }

    fn name(&mut self) -> &'d str {
        let rest = &self.dump.as_bytes()[self.at..];
        let is_of_name =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.');
        let length = rest.iter().position(|byte| !is_of_name(byte)).unwrap_or(rest.len());
        let start = self.at;
        self.at += length;
        &self.dump[start..self.at]
    }

    fn space(&mut self) {
        while self.byte().is_ascii_whitespace() {
            self.at += 1;
        }
    }

    /// The next byte, and [`END`] behind the last.
    fn byte(&self) -> u8 {
        self.dump.as_bytes().get(self.at).copied().unwrap_or(END)
    }

    /// What is here does not belong here. In a dump without its end, that is
    /// where it was cut off, and what follows are the phone's own words.
    fn unexpected(&self, reason: &str) -> DumpError {
        let rest = self.dump.get(self.at..).unwrap_or_default();
        if rest.contains("</hierarchy") { self.malformed(reason) } else { DumpError::CutOff }
    }

    fn find(&self, what: &str, from: usize) -> Result<usize, DumpError> {
        let found = self.dump.get(from..).and_then(|rest| rest.find(what));
        found.map(|at| from + at).ok_or(DumpError::CutOff)
    }

    fn finish(self) -> Result<Tree, DumpError> {
        // A dump of several windows has several; to read one of them would be
        // to leave out the others in silence.
        if self.dump.get(self.at..).is_some_and(|rest| rest.contains("<hierarchy")) {
            return Err(self.malformed("a second hierarchy"));
        }
        if self.depth == 0 { Ok(self.tree) } else { Err(self.malformed("an element is not closed")) }
    }

    fn malformed(&self, reason: &str) -> DumpError {
        DumpError::Malformed { at: self.at as u64, reason: reason.to_owned() }
    }
}

/// The byte after the last one: no tag can contain it.
const END: u8 = 0;

/// What a tag ended: itself, or the whole dump.
#[derive(PartialEq)]
enum TagEnd {
    Tag,
    Whole,
}

/// The element around all others.
const ROOT: &str = "hierarchy";

/// An attribute of an element in a dump.
#[derive(Clone, Copy)]
enum DumpAttribute {
    Naf,
    Index,
    Text,
    ResourceId,
    Class,
    Package,
    ContentDesc,
    Flag(Flag),
    VisibleToUser,
    Bounds,
    DrawingOrder,
    Hint,
    DisplayId,
}

/// The attributes before the flags and behind them, in the dump's order. Those
/// that are unknown do not matter: every version of Android adds some.
const BEFORE_FLAGS: [(&str, DumpAttribute); 7] = [
    ("NAF", DumpAttribute::Naf),
    ("index", DumpAttribute::Index),
    ("text", DumpAttribute::Text),
    ("resource-id", DumpAttribute::ResourceId),
    ("class", DumpAttribute::Class),
    ("package", DumpAttribute::Package),
    ("content-desc", DumpAttribute::ContentDesc),
];
const BEHIND_FLAGS: [(&str, DumpAttribute); 5] = [
    ("visible-to-user", DumpAttribute::VisibleToUser),
    ("bounds", DumpAttribute::Bounds),
    ("drawing-order", DumpAttribute::DrawingOrder),
    ("hint", DumpAttribute::Hint),
    ("display-id", DumpAttribute::DisplayId),
];

const ATTRIBUTE_COUNT: usize = BEFORE_FLAGS.len() + FLAGS.len() + BEHIND_FLAGS.len();

/// Every attribute that matters, in the dump's order.
static ATTRIBUTES: [(&str, DumpAttribute); ATTRIBUTE_COUNT] = {
    let mut all = [("", DumpAttribute::Naf); ATTRIBUTE_COUNT];
    let mut place = 0;
    while place < ATTRIBUTE_COUNT {
        let flag = place.wrapping_sub(BEFORE_FLAGS.len());
        all[place] = if place < BEFORE_FLAGS.len() {
            BEFORE_FLAGS[place]
        } else if flag < FLAGS.len() {
            (FLAGS[flag].1, DumpAttribute::Flag(FLAGS[flag].0))
        } else {
            BEHIND_FLAGS[flag - FLAGS.len()]
        };
        place += 1;
    }
    all
};

impl DumpAttribute {
    /// Finds an attribute by its name, most likely from a place on.
    fn find(name: &str, from: usize) -> Option<(usize, Self)> {
        let (before, behind) = ATTRIBUTES.split_at(from.min(ATTRIBUTES.len()));
        let rows = behind.iter().chain(before);
        let place = rows.clone().position(|(known, _)| *known == name)?;
        let place = (from.min(ATTRIBUTES.len()) + place) % ATTRIBUTES.len();
        Some((place, ATTRIBUTES[place].1))
    }

    /// Sets what the attribute says, or says what it is instead.
    fn set(self, node: &mut Node, value: &str) -> Result<(), String> {
        let bad = || format!("{:?}", value.chars().take(40).collect::<String>());
        let number = || value.parse().map_err(|_| bad());
        match self {
            Self::Naf => node.not_accessibility_friendly = value == "true",
            Self::Index => node.index = number()?,
            Self::Text => value.clone_into(&mut node.text),
            Self::ResourceId => node.resource_id = Some(value.to_owned()),
            Self::Class => value.clone_into(&mut node.class),
            Self::Package => value.clone_into(&mut node.package),
            Self::ContentDesc => value.clone_into(&mut node.content_desc),
            Self::Flag(flag) => node.flags = node.flags.with(flag, value == "true"),
            Self::VisibleToUser => node.visible_to_user = Some(value == "true"),
            Self::Bounds => node.bounds = Bounds::parse(value).ok_or_else(bad)?,
            Self::DrawingOrder => node.drawing_order = Some(number()?),
            Self::Hint => node.hint = Some(value.to_owned()),
            Self::DisplayId => node.display_id = Some(number()?),
        }
        Ok(())
    }
}
