//! Case files. A case has a name (`#`), edits of the base recipe (`-` old, `+`
//! new, with `\n` for a new line), what is given to it (`>`), and what comes of
//! it (`=`). `UPDATE_EXPECT=1` rewrites the last; the diff is reviewed like
//! code.

use super::edited;
use std::fmt::Write as _;
use std::path::Path;

/// One case.
#[derive(Debug, Default)]
pub(crate) struct Case {
    pub(crate) name: String,
    edits: Vec<(String, String)>,
    pub(crate) given: Vec<String>,
    expected: Vec<String>,
}

impl Case {
    /// The base recipe with the case's edits.
    pub(crate) fn text(&self) -> String {
        let edits: Vec<_> = self.edits.iter().map(|(old, new)| (old.as_str(), new.as_str())).collect();
        edited(&edits)
    }

    /// The part of what is given that begins with a word.
    pub(crate) fn given<'c>(&'c self, word: &'c str) -> impl Iterator<Item = &'c str> {
        let lines = self.given.iter();
        lines.filter_map(move |line| line.strip_prefix(word)?.strip_prefix(' '))
    }
}

/// Runs every case of a file and compares what comes of it, twice.
pub(crate) fn check(file: &str, run: impl Fn(&Case) -> Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/recipe").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let cases = read(&text);
    let mut written = String::new();
    let mut wrong = Vec::new();
    for case in &cases {
        let found = run(case);
        assert_eq!(found, run(case), "{} differs from run to run", case.name);
        write_case(&mut written, case, &found);
        if found != case.expected {
            wrong.push(format!("# {}\n{}", case.name, found.join("\n")));
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, written).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}: {} wrong:\n{}", file, wrong.len(), wrong.join("\n\n"));
    assert!(!cases.is_empty());
}

fn unescape(text: &str) -> String {
    text.replace("\\n", "\n")
}

fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (mark, rest) = line.split_at(1);
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        if mark == "#" {
            cases.push(Case { name: rest.to_owned(), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().unwrap();
        match mark {
            "-" => case.edits.push((unescape(rest), String::new())),
            "+" => case.edits.last_mut().unwrap().1 = unescape(rest),
            ">" => case.given.push(rest.to_owned()),
            "=" => case.expected.push(rest.to_owned()),
            other => panic!("{other:?} begins no line of a case: {line}"),
        }
    }
    cases
}

fn write_case(text: &mut String, case: &Case, found: &[String]) {
    let escape = |text: &str| text.replace('\n', "\\n");
    if !text.is_empty() {
        text.push('\n');
    }
    writeln!(text, "# {}", case.name).unwrap();
    for (old, new) in &case.edits {
        writeln!(text, "- {}\n+ {}", escape(old), escape(new)).unwrap();
    }
    for line in &case.given {
        writeln!(text, "> {line}").unwrap();
    }
    for line in found {
        writeln!(text, "= {line}").unwrap();
    }
}
