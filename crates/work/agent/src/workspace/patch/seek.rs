//! Finds the lines of a patch in a file, and changes them. Pure.

use super::{PatchChunk, PatchError, PatchLine, is_blank, trimmed};

/// A file's text after its chunks. Lines that the patch keeps stay as the file has
/// them, and new lines end as the file's lines do.
pub(in crate::workspace) fn updated(
    path: &str,
    text: &str,
    chunks: &[PatchChunk],
) -> Result<String, PatchError> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let has_returns = lines.iter().filter(|line| line.ends_with('\r')).count() * 2 > lines.len();
    let mut result: Vec<String> = Vec::new();
    let mut tail: Vec<&str> = Vec::new();
    // Lines of the file before this one are in the result already; a search begins at the other.
    let (mut copied, mut from) = (0, 0);
    for chunk in chunks {
        if let Some(context) = &chunk.context {
            let missing = || PatchError::Context { path: path.to_owned(), context: context.clone() };
            from = seek(&lines, &[context], from, false).ok_or_else(missing)? + 1;
        }
        let old = old_lines(chunk);
        if chunk.is_appended() {
            tail.extend(inserted(&chunk.lines));
            continue;
        }
        // What ends the file may be what a chunk before changed.
        let found = find(&lines, &old, from, chunk.is_at_end).filter(|(start, _)| *start >= copied);
        let Some((start, length)) = found else {
            return Err(PatchError::Lines { path: path.to_owned(), lines: old.join("\n") });
        };
        result.extend(lines[copied..start].iter().map(|line| (*line).to_owned()));
        replace(&mut result, chunk, &lines[start..start + length], has_returns);
        copied = start + length;
        from = copied;
    }
    result.extend(lines[copied..].iter().map(|line| (*line).to_owned()));
    // What is only inserted goes to the end, before an empty last line.
    let ends_empty = lines.last() == Some(&"") && result.last().is_some_and(String::is_empty);
    let at = result.len() - usize::from(ends_empty);
    let tail = tail.into_iter().map(|line| line_with_return(line, has_returns));
    result.splice(at..at, tail);
    if result.last().is_none_or(|last| !last.is_empty()) {
        result.push(String::new());
    }
    Ok(result.join("\n"))
}

fn old_lines(chunk: &PatchChunk) -> Vec<&str> {
    let old = chunk.lines.iter().filter_map(|line| match line {
        PatchLine::Keep(text) | PatchLine::Remove(text) => Some(text.as_str()),
        PatchLine::Insert(_) => None,
    });
    old.collect()
}

fn inserted(lines: &[PatchLine]) -> impl Iterator<Item = &str> {
    lines.iter().filter_map(|line| match line {
        PatchLine::Insert(text) => Some(text.as_str()),
        PatchLine::Keep(_) | PatchLine::Remove(_) => None,
    })
}

/// Where old lines are, and how many. An empty last line may be missing.
fn find(lines: &[&str], old: &[&str], from: usize, at_end: bool) -> Option<(usize, usize)> {
    if let Some(start) = seek(lines, old, from, at_end) {
        return Some((start, old.len()));
    }
    let shorter = old.strip_suffix(&[""])?;
    Some((seek(lines, shorter, from, at_end)?, shorter.len()))
}

/// Puts a chunk in the place of the lines that it was found at.
fn replace(result: &mut Vec<String>, chunk: &PatchChunk, found: &[&str], has_returns: bool) {
    let mut found = found.iter();
    for line in &chunk.lines {
        match line {
            PatchLine::Insert(text) => result.push(line_with_return(text, has_returns)),
            PatchLine::Remove(_) => {
                found.next();
            }
            // An empty last line that the file lacks is not kept, either.
            PatchLine::Keep(_) => result.extend(found.next().map(|line| (*line).to_owned())),
        }
    }
}

fn line_with_return(line: &str, has_return: bool) -> String {
    if has_return && !line.ends_with('\r') { format!("{line}\r") } else { line.to_owned() }
}

/// Where a sequence of lines is: exactly, else without white space at the end,
/// else at both ends, else with simple punctuation.
fn seek(lines: &[&str], wanted: &[impl AsRef<str>], from: usize, at_end: bool) -> Option<usize> {
    if wanted.is_empty() {
        return Some(from);
    }
    let last = lines.len().checked_sub(wanted.len())?;
    let first = if at_end { last } else { from };
    let like: [fn(&str) -> String; 4] = [
        str::to_owned,
        |line| line.trim_end_matches(is_blank).to_owned(),
        |line| trimmed(line).to_owned(),
        |line| trimmed(line).chars().map(simple).collect(),
    ];
    like.iter().find_map(|like| {
        let wanted: Vec<String> = wanted.iter().map(|line| like(line.as_ref())).collect();
        let lines: Vec<String> = lines.iter().map(|line| like(line)).collect();
        (first..=last).find(|start| lines[*start..*start + wanted.len()] == wanted)
    })
}

/// A letter as it is on every keyboard.
fn simple(letter: char) -> char {
    match letter {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}
