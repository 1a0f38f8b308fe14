//! Takes a Markdown recipe apart: the frontmatter, and the fenced `yaml` block
//! of each step. Prose means nothing.

use clawperator_document::{Position, YamlPart};

#[derive(Debug)]
pub(crate) struct Parts<'t> {
    pub(crate) front: YamlPart<'t>,
    pub(crate) steps: Vec<YamlPart<'t>>,
    /// Headings of steps that do not have one block, and what is wrong.
    pub(crate) headings: Vec<(Position, &'static str)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MarkdownError {
    #[error("does not begin with --- and YAML frontmatter")]
    NoFrontmatter,
    #[error("has frontmatter that does not end with ---")]
    OpenFrontmatter,
    #[error("has a yaml block that does not end")]
    OpenBlock(Position),
}

/// The words after a fence that make its block a step.
const LANGUAGES: [&str; 2] = ["yaml", "yml"];

struct MarkdownLine<'t> {
    text: &'t str,
    start: usize,
    number: u64,
}

/// A fenced block that is open.
struct Fence {
    mark: char,
    length: usize,
    /// Where the text of a step begins.
    step: Option<(usize, u64)>,
    at: Position,
}

/// A heading of a step, and how many blocks were below it.
#[derive(Clone, Copy)]
struct Heading {
    at: Position,
    blocks: usize,
}

pub(crate) fn split(text: &str) -> Result<Parts<'_>, MarkdownError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = lines(text);
    let first = lines.next().filter(|line| line.text.trim_end() == "---");
    let first = first.ok_or(MarkdownError::NoFrontmatter)?;
    let begin = first.start + first.text.len();
    let is_end = |line: &MarkdownLine<'_>| matches!(line.text.trim_end(), "---" | "...");
    let end = lines.find(is_end).ok_or(MarkdownError::OpenFrontmatter)?;
    let mut parts = Parts {
        front: YamlPart { text: &text[begin..end.start], first_line: 2 },
        steps: Vec::new(),
        headings: Vec::new(),
    };
    body(text, lines, &mut parts)?;
    Ok(parts)
}

fn body<'t>(
    text: &'t str,
    lines: impl Iterator<Item = MarkdownLine<'t>>,
    parts: &mut Parts<'t>,
) -> Result<(), MarkdownError> {
    let mut open: Option<Fence> = None;
    let mut heading: Option<Heading> = None;
    for line in lines {
        if let Some(fence) = &open {
            if fence.is_closed_by(line.text) {
                if let Some((begin, first_line)) = fence.step {
                    parts.steps.push(YamlPart { text: &text[begin..line.start], first_line });
                }
                open = None;
            }
            continue;
        }
        open = Fence::opened_by(&line);
        if open.as_ref().is_some_and(|fence| fence.step.is_some()) {
            if let Some(heading) = &mut heading {
                heading.blocks += 1;
            }
        } else if open.is_none() && line.text.starts_with('#') {
            parts.headings.extend(heading.take().and_then(judge));
            heading = Heading::new(&line);
        }
    }
    parts.headings.extend(heading.and_then(judge));
    match open {
        Some(fence) if fence.step.is_some() => Err(MarkdownError::OpenBlock(fence.at)),
        _ => Ok(()),
    }
}

/// What is wrong with a step's heading.
fn judge(heading: Heading) -> Option<(Position, &'static str)> {
    let wrong = match heading.blocks {
        0 => "the step has no fenced yaml block",
        1 => return None,
        _ => "the step has more than one fenced yaml block",
    };
    Some((heading.at, wrong))
}

impl Heading {
    /// The heading of a step begins with the word.
    fn new(line: &MarkdownLine<'_>) -> Option<Self> {
        let words = line.text.trim_start_matches('#').trim_start();
        let is_step = words.len() < line.text.len()
            && words.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("step"))
            && !words[4..].starts_with(|c: char| c.is_alphabetic());
        is_step.then_some(Self { at: Position { line: line.number, column: 1 }, blocks: 0 })
    }
}

impl Fence {
    fn opened_by(line: &MarkdownLine<'_>) -> Option<Self> {
        let trimmed = line.text.trim_start();
        let indent = line.text.len() - trimmed.len();
        let mark = trimmed.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = trimmed.trim_start_matches(mark);
        let length = trimmed.len() - rest.len();
        if length < 3 || indent > 3 {
            return None;
        }
        let language = rest.split_whitespace().next().unwrap_or_default();
        let is_step = LANGUAGES.iter().any(|word| language.eq_ignore_ascii_case(word));
        Some(Self {
            mark,
            length,
            step: is_step.then_some((line.start + line.text.len(), line.number + 1)),
            at: Position { line: line.number, column: 1 },
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|letter| letter == self.mark)
    }
}

fn lines(text: &str) -> impl Iterator<Item = MarkdownLine<'_>> {
    let mut start = 0;
    text.split_inclusive('\n').zip(1..).map(move |(text, number)| {
        let line = MarkdownLine { text, start, number };
        start += text.len();
        line
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_found_with_their_lines() {
        let text = "---\na: 1\n---\n# Title\n```json\n{}\n```\n## Step 1\n~~~~yaml\nb: 2\n~~~\n~~~~\n";
        let parts = split(text).unwrap();
        assert_eq!((parts.front.text, parts.front.first_line), ("a: 1\n", 2));
        let steps: Vec<_> = parts.steps.iter().map(|part| (part.text, part.first_line)).collect();
        assert_eq!(steps, [("b: 2\n~~~\n", 10)]);
        assert!(parts.headings.is_empty());
    }

    #[test]
    fn what_is_not_whole_is_told() {
        assert_eq!(split("# no").unwrap_err(), MarkdownError::NoFrontmatter);
        assert_eq!(split("---\na: 1\n").unwrap_err(), MarkdownError::OpenFrontmatter);
        let open = split("---\n---\n```yaml\na: 1\n").unwrap_err();
        assert_eq!(open, MarkdownError::OpenBlock(Position { line: 3, column: 1 }));
        let twice = "---\n---\n## Step\n```yaml\n```\n```yaml\n```\n## step 2\ntext\n## Steps\n";
        let lines: Vec<_> = split(twice).unwrap().headings.iter().map(|(at, _)| at.line).collect();
        assert_eq!(lines, [3, 8]);
    }
}
