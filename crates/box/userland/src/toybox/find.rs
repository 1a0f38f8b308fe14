//! `find`: a walk through directories with questions on the way.

use super::change::base;
use super::options::replaced;
use super::{BasicCommand, row};
use crate::call::{Call, join};
use crate::files::{FileKind, Stat};
use crate::limits;
use crate::machine::ExitResult;
use crate::pattern::Pattern;

pub(super) const ROWS: &[BasicCommand] =
    &[row!("find", "[PATH...] [-name PATTERN] [-type TYPE] [-maxdepth N] ...", find)];

enum FindTest {
    Name(Pattern, bool),
    Path(Pattern),
    Type(Vec<char>),
    Size(char, u64, u64),
    Empty,
    Not(Box<FindTest>),
}

enum FindAction {
    /// Prints each with this behind it.
    Print(char),
    Delete,
    Execute(Vec<String>),
}

#[derive(Default)]
struct FindSearch {
    roots: Vec<String>,
    /// Ways to fit; each is a list of tests that all must hold.
    ways: Vec<Vec<FindTest>>,
    actions: Vec<FindAction>,
    least: usize,
    most: Option<usize>,
}

async fn find(call: &mut Call) -> ExitResult {
    let search = match read(&call.args[1..]) {
        Ok(search) => search,
        Err(problem) => return Ok(call.complain(problem).await),
    };
    let mut code = 0;
    let mut todo: Vec<(String, usize)> = search.roots.iter().rev().map(|root| (root.clone(), 0)).collect();
    let mut found = Vec::new();
    while let Some((word, depth)) = todo.pop() {
        let path = call.path(&word);
        let stat = match call.files(|files, actor| files.lstat(actor, &path)) {
            Ok(stat) => stat,
            Err(error) => {
                code = call.complain(format!("{word}: {error}")).await;
                continue;
            }
        };
        if depth >= search.least
            && search.ways.iter().any(|way| way.iter().all(|test| test.holds(call, &word, &stat)))
        {
            found.push(word.clone());
        }
        if stat.is_directory() && search.most.is_none_or(|most| depth < most) {
            match call.files(|files, actor| files.list(actor, &path)) {
                Ok(entries) => {
                    todo.extend(entries.iter().rev().map(|entry| (join(&word, &entry.name), depth + 1)));
                }
                Err(error) => code = call.complain(format!("{word}: {error}")).await,
            }
        }
        if found.len() > limits::MAX_NODES {
            break;
        }
    }
    for action in &search.actions {
        code = code.max(act(call, action, &found).await?);
    }
    Ok(code)
}

async fn act(call: &mut Call, action: &FindAction, found: &[String]) -> ExitResult {
    let mut code = 0;
    match action {
        FindAction::Print(end) => {
            call.out(found.iter().map(|word| format!("{word}{end}")).collect::<String>()).await?;
        }
        FindAction::Delete => {
            for word in found.iter().rev() {
                let path = call.path(word);
                let done = call.files(|files, actor| match files.lstat(actor, &path)?.kind {
                    FileKind::Directory => files.remove_dir(actor, &path),
                    FileKind::File | FileKind::Link | FileKind::Device(_) => files.remove(actor, &path),
                });
                if let Err(error) = done {
                    code = call.complain(format!("{word}: {error}")).await;
                }
            }
        }
        FindAction::Execute(words) => match words.split_last() {
            Some((last, words)) if last == "+" => {
                let args = words.iter().filter(|word| *word != "{}").chain(found).cloned().collect();
                code = call.run(args).await;
            }
            _ => {
                for word in found {
                    code = code
                        .max(call.run(words.iter().map(|part| replaced(part, "{}", word)).collect()).await);
                }
            }
        },
    }
    Ok(code)
}

/// A pattern that is not too long for any path.
fn pattern(text: &str) -> Result<Pattern, String> {
    // Unlike in the shell, `^` negates and parentheses are only letters.
    let pattern = Pattern(text.replace("[^", "[!").replace('(', r"\("));
    if pattern.0.len() > limits::MAX_PATH || pattern.fits("").is_err() {
        return Err("pattern too long".to_owned());
    }
    Ok(pattern)
}

fn read(args: &[String]) -> Result<FindSearch, String> {
    let mut search = FindSearch { ways: vec![Vec::new()], ..FindSearch::default() };
    let mut words = args.iter().peekable();
    while let Some(word) = words.next_if(|word| !word.starts_with(['-', '!', '('])) {
        search.roots.push(word.clone());
    }
    if search.roots.is_empty() {
        search.roots.push(".".to_owned());
    }
    let mut negated = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("missing argument to {word}"));
        let number = |text: String| text.parse::<usize>().map_err(|_| format!("bad number {text}"));
        let test = match word.as_str() {
            "-name" => FindTest::Name(pattern(&value()?)?, false),
            "-iname" => FindTest::Name(pattern(&value()?.to_lowercase())?, true),
            "-path" | "-wholename" => FindTest::Path(pattern(&value()?)?),
            "-type" => FindTest::Type(value()?.chars().filter(|letter| *letter != ',').collect()),
            "-empty" => FindTest::Empty,
            "-size" => size_test(&value()?)?,
            "!" | "-not" => {
                negated = !negated;
                continue;
            }
            "-o" | "-or" => {
                search.ways.push(Vec::new());
                continue;
            }
            "-a" | "-and" | "(" | ")" | "-xdev" | "-mount" | "-depth" | "-follow" => continue,
            "-maxdepth" => {
                search.most = Some(number(value()?)?);
                continue;
            }
            "-mindepth" => {
                search.least = number(value()?)?;
                continue;
            }
            "-print" | "-print0" | "-delete" | "-exec" => {
                search.actions.push(action(word, &mut value)?);
                continue;
            }
            other => return Err(format!("bad arg '{other}'")),
        };
        if let Some(way) = search.ways.last_mut() {
            way.push(if std::mem::take(&mut negated) { FindTest::Not(Box::new(test)) } else { test });
        }
    }
    if search.actions.is_empty() {
        search.actions.push(FindAction::Print('\n'));
    }
    Ok(search)
}

/// What to do with what was found.
fn action(word: &str, value: &mut impl FnMut() -> Result<String, String>) -> Result<FindAction, String> {
    Ok(match word {
        "-print" => FindAction::Print('\n'),
        "-print0" => FindAction::Print('\0'),
        "-delete" => FindAction::Delete,
        _ => {
            let mut command = Vec::new();
            loop {
                let word = value()?;
                let ends = word == ";" || (word == "+" && command.last().is_some_and(|last| last == "{}"));
                if word != ";" {
                    command.push(word);
                }
                if ends {
                    break FindAction::Execute(command);
                }
            }
        }
    })
}

fn size_test(text: &str) -> Result<FindTest, String> {
    let sign = text.chars().next().filter(|sign| matches!(sign, '+' | '-')).unwrap_or('=');
    let digits = text.trim_start_matches(['+', '-']);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let unit = if plain {
        512
    } else {
        super::options::size(&format!("1{}", digits.trim_start_matches(|next: char| next.is_ascii_digit())))
            .unwrap_or(512)
    };
    let count: String = digits.chars().take_while(char::is_ascii_digit).collect();
    count.parse().map(|count| FindTest::Size(sign, count, unit)).map_err(|_| format!("bad size {text}"))
}

impl FindTest {
    fn holds(&self, call: &Call, word: &str, stat: &Stat) -> bool {
        match self {
            Self::Name(pattern, false) => pattern.fits(base(word)) == Ok(true),
            Self::Name(pattern, true) => pattern.fits(&base(word).to_lowercase()) == Ok(true),
            Self::Path(pattern) => pattern.fits(word) == Ok(true),
            Self::Type(letters) => letters.iter().any(|letter| match letter {
                'f' => stat.kind == FileKind::File,
                other => stat.kind.letter() == *other,
            }),
            Self::Size(sign, count, unit) => match sign {
                '+' => stat.size.div_ceil(*unit) > *count,
                '-' => stat.size.div_ceil(*unit) < *count,
                _ => stat.size.div_ceil(*unit) == *count,
            },
            Self::Empty => match stat.kind {
                FileKind::Directory => call.files(|files, actor| {
                    files.list(actor, &call.path(word)).is_ok_and(|list| list.is_empty())
                }),
                FileKind::File | FileKind::Link | FileKind::Device(_) => {
                    stat.kind == FileKind::File && stat.size == 0
                }
            },
            Self::Not(test) => !test.holds(call, word, stat),
        }
    }
}
