//! The lines that a commit would add, read from `git diff`. Pure.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AddedLine<'d> {
    /// The file, as git writes it.
    pub(super) file: &'d str,
    pub(super) number: u64,
    pub(super) text: &'d str,
}

/// The added lines of a diff without context lines.
pub(super) fn added_lines(diff: &str) -> Vec<AddedLine<'_>> {
    let mut found = Vec::new();
    let mut file = "";
    let mut hunk = Hunk::default();
    for line in diff.split('\n') {
        // Only in a hunk does a first letter say what a line is: an added line
        // can look like a header.
        if hunk.added > 0 && line.starts_with('+') {
            let (number, text) = (hunk.next, &line[1..]);
            found.push(AddedLine { file, number, text });
            hunk.added -= 1;
            hunk.next += 1;
        } else if hunk.removed > 0 && line.starts_with('-') {
            hunk.removed -= 1;
        } else if let Some(name) = line.strip_prefix("+++ ") {
            file = name.strip_prefix("b/").unwrap_or(name).trim_end_matches('\t');
        } else if let Some(next) = Hunk::parse(line) {
            hunk = next;
        }
    }
    found
}

/// How many lines of a hunk are still to come.
#[derive(Default)]
struct Hunk {
    removed: u64,
    added: u64,
    next: u64,
}

impl Hunk {
    /// Reads `@@ -1,2 +3,4 @@`; a count of 1 is left out.
    fn parse(line: &str) -> Option<Self> {
        let ranges = line.strip_prefix("@@ -")?;
        let (old, rest) = ranges.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let range = |text: &str| {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let ((_, removed), (next, added)): ((u64, u64), (u64, u64)) = (range(old)?, range(new)?);
        Some(Self { removed, added, next })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_have_their_file_and_number() {
        let diff = "diff --git a/a.md b/a.md\nindex 1..2 100644\n--- a/a.md\n+++ b/a.md\n@@ -3 +3,2 @@ head\n-old\n+++ b/no\n+two\n@@ -9,0 +11 @@\n+@@ -1 +1 @@\n\\ No newline at end of file\ndiff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1,2 +0,0 @@\n--- a/x\n-y\ndiff --git a/b c b/b c\n--- /dev/null\n+++ b/b c\t\n@@ -0,0 +1 @@\n+last\n";
        let lines = added_lines(diff);
        let told: Vec<_> =
            lines.iter().map(|line| format!("{}:{}:{}", line.file, line.number, line.text)).collect();
        assert_eq!(told, ["a.md:3:++ b/no", "a.md:4:two", "a.md:11:@@ -1 +1 @@", "b c:1:last"]);
        assert!(added_lines("").is_empty());
        assert!(added_lines("@@ -x +y @@\n+z").is_empty());
    }
}
