//! Patches: what they say, and what files become. Pure.

mod seek;

pub(super) use seek::updated;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileChange {
    /// A new file, or a new text for one.
    Add {
        path: String,
        text: String,
    },
    Delete {
        path: String,
    },
    Update {
        path: String,
        to: Option<String>,
        chunks: Vec<PatchChunk>,
    },
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PatchChunk {
    /// A line of the file behind which the chunk is.
    pub(super) context: Option<String>,
    pub(super) lines: Vec<PatchLine>,
    pub(super) is_at_end: bool,
}

impl PatchChunk {
    /// Whether its lines go to the end of the file, because it names none of the
    /// file's own. That is so even if it has a context, as in the original.
    pub(super) fn is_appended(&self) -> bool {
        self.lines.iter().all(|line| matches!(line, PatchLine::Insert(_)))
    }
}

impl FileChange {
    /// Whether lines with a context are put at the end of the file all the same.
    pub(super) fn appends_behind_context(&self) -> bool {
        match self {
            Self::Add { .. } | Self::Delete { .. } => false,
            Self::Update { chunks, .. } => {
                chunks.iter().any(|chunk| chunk.context.is_some() && chunk.is_appended())
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatchLine {
    Keep(String),
    Remove(String),
    Insert(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatchError {
    #[error("the patch is empty")]
    Empty,
    #[error("the patch must begin with the line {BEGIN} and end with the line {END}")]
    Bounds,
    #[error("the patch changes no file")]
    NoChange,
    #[error("line {0} of the patch is not a header: {ADD}PATH, {DELETE}PATH or {UPDATE}PATH")]
    Header(usize),
    #[error("line {0} of the patch: the update has no lines that change something")]
    NoChunk(usize),
    #[error("line {0} of the patch: a chunk must begin with @@")]
    Marker(usize),
    #[error("line {0} of the patch: a line of a chunk begins with a space, + or -")]
    Line(usize),
    #[error("line {0} of the patch: the chunk has no lines")]
    NoLine(usize),
    #[error("{path} has no line {context:?} behind the lines of the chunks before")]
    Context { path: String, context: String },
    #[error("{path} does not have these lines behind those of the chunks before:\n{lines}")]
    Lines { path: String, lines: String },
}

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";
/// How a patch begins that somebody meant for a shell.
const WRAPPERS: [&str; 3] = ["<<EOF", "<<'EOF'", "<<\"EOF\""];

/// Without the white space that ECMAScript knows, at both ends.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_blank)
}

/// White space as ECMAScript has it.
pub(super) fn is_blank(letter: char) -> bool {
    (letter.is_whitespace() && letter != '\u{85}') || letter == '\u{feff}'
}

pub(super) fn parse(input: &str) -> Result<Vec<FileChange>, PatchError> {
    let input = trimmed(input);
    if input.is_empty() {
        return Err(PatchError::Empty);
    }
    let lines: Vec<&str> = input.lines().collect();
    let lines = unwrapped(&lines).ok_or(PatchError::Bounds)?;
    let mut reader = PatchReader {
        // Both markers are there, and they are two lines.
        rest: &lines[1..lines.len() - 1],
        number: 2,
    };
    let mut changes = Vec::new();
    while !reader.rest.is_empty() {
        changes.push(reader.change()?);
    }
    if changes.is_empty() { Err(PatchError::NoChange) } else { Ok(changes) }
}

/// The lines from marker to marker.
fn unwrapped<'l, 's>(lines: &'l [&'s str]) -> Option<&'l [&'s str]> {
    let is_whole = |lines: &[&str]| {
        lines.len() >= 2
            && lines.first().is_some_and(|first| trimmed(first) == BEGIN)
            && lines.last().is_some_and(|last| trimmed(last) == END)
    };
    if is_whole(lines) {
        return Some(lines);
    }
    let [first, inner @ .., last] = lines else {
        return None;
    };
    let is_wrapped = WRAPPERS.contains(first) && last.ends_with("EOF");
    (is_wrapped && is_whole(inner)).then_some(inner)
}

struct PatchReader<'l, 's> {
    rest: &'l [&'s str],
    number: usize,
}

impl<'s> PatchReader<'_, 's> {
    fn skip(&mut self) {
        self.rest = &self.rest[1..];
        self.number += 1;
    }

    fn next(&self) -> Option<&'s str> {
        self.rest.first().copied()
    }

    fn change(&mut self) -> Result<FileChange, PatchError> {
        let number = self.number;
        let header = self.next().map_or("", trimmed);
        self.skip();
        if let Some(path) = header.strip_prefix(ADD) {
            return Ok(FileChange::Add { path: path.to_owned(), text: self.added() });
        }
        if let Some(path) = header.strip_prefix(DELETE) {
            return Ok(FileChange::Delete { path: path.to_owned() });
        }
        let Some(path) = header.strip_prefix(UPDATE) else {
            return Err(PatchError::Header(number));
        };
        let to = self.next().and_then(|line| trimmed(line).strip_prefix(MOVE));
        if to.is_some() {
            self.skip();
        }
        let chunks = self.chunks()?;
        if chunks.is_empty() {
            return Err(PatchError::NoChunk(number));
        }
        Ok(FileChange::Update { path: path.to_owned(), to: to.map(str::to_owned), chunks })
    }

    /// The text of a new file.
    fn added(&mut self) -> String {
        let mut text = String::new();
        while let Some(line) = self.next().and_then(|line| line.strip_prefix('+')) {
            text.push_str(line);
            text.push('\n');
            self.skip();
        }
        text
    }

    fn chunks(&mut self) -> Result<Vec<PatchChunk>, PatchError> {
        let mut chunks = Vec::new();
        while let Some(line) = self.next() {
            if trimmed(line).is_empty() {
                self.skip();
            } else if line.starts_with("***") {
                break;
            } else {
                chunks.push(self.chunk(chunks.is_empty())?);
            }
        }
        Ok(chunks)
    }

    fn chunk(&mut self, is_first: bool) -> Result<PatchChunk, PatchError> {
        let number = self.number;
        let mut chunk = PatchChunk::default();
        match self.next() {
            Some("@@") => self.skip(),
            Some(line) if line.starts_with("@@ ") => {
                chunk.context = Some(line[3..].to_owned()).filter(|context| !context.is_empty());
                self.skip();
            }
            _ if !is_first => return Err(PatchError::Marker(number)),
            _ => {}
        }
        while let Some(line) = self.next() {
            let (mark, rest) = line.split_at_checked(1).unwrap_or((line, ""));
            chunk.lines.push(match mark {
                // Editors remove a space at the end of a line.
                "" => PatchLine::Keep(String::new()),
                " " => PatchLine::Keep(rest.to_owned()),
                "-" => PatchLine::Remove(rest.to_owned()),
                "+" => PatchLine::Insert(rest.to_owned()),
                _ if line == END_OF_FILE && !chunk.lines.is_empty() => {
                    chunk.is_at_end = true;
                    self.skip();
                    break;
                }
                _ if chunk.lines.is_empty() && !line.starts_with("***") => {
                    return Err(PatchError::Line(self.number));
                }
                _ => break,
            });
            self.skip();
        }
        if chunk.lines.is_empty() { Err(PatchError::NoLine(number)) } else { Ok(chunk) }
    }
}
