//! `find`: a walk through directories with questions on the way.

use super::change::{base, mode_of};
use super::options::integer;
use super::{BasicCommand, row};
use crate::call::{Call, join};
use crate::files::{FileKind, Stat};
use crate::limits;
use crate::machine::ExitResult;
use crate::pattern::Pattern;

pub(super) const ROWS: &[BasicCommand] = &[row!("find", "[-HL] [DIR...] [<options>]", find)];

enum FindTest {
    Name(Pattern, bool),
    Path(Pattern),
    Type(Vec<char>),
    Size(char, u64, u64),
    /// Changed so many of these seconds ago.
    Age(char, u64, u64),
    Newer(std::time::Duration),
    /// Of this user, or of this group.
    Owner(u32, bool),
    Mode(char, u32),
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
    let search = read(call)?;
    let mut code = 0;
    let mut todo: Vec<(String, usize)> = search.roots.iter().rev().map(|root| (root.clone(), 0)).collect();
    let mut found = Vec::new();
    while let Some((word, depth)) = todo.pop() {
        let path = call.path(&word);
        let stat = match call.files(|files, actor| files.lstat(actor, &path)) {
            Ok(stat) => stat,
            Err(error) => {
                code = call.complain(format!("'{word}': {error}")).await;
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
                Err(error) => code = call.complain(format!("'{word}': {error}")).await,
            }
        }
        if found.len() > limits::MAX_NODES {
            break;
        }
    }
    for action in &search.actions {
        code = code.max(act(call, action, (&found, search.ways.iter().any(|way| !way.is_empty()))).await?);
    }
    Ok(code)
}

async fn act(call: &mut Call, action: &FindAction, (found, chosen): (&[String], bool)) -> ExitResult {
    let mut code = 0;
    match action {
        FindAction::Print(end) => {
            call.out(found.iter().map(|word| format!("{word}{end}")).collect::<String>()).await?;
        }
        FindAction::Delete => {
            // What a test has chosen is not deleted: the phone's own tool forgets it.
            for word in found.iter().rev().filter(|_| !chosen) {
                let path = call.path(word);
                let done = call.files(|files, actor| match files.lstat(actor, &path)?.kind {
                    FileKind::Directory => files.remove_dir(actor, &path),
                    FileKind::File | FileKind::Link | FileKind::Device(_) => files.remove(actor, &path),
                });
                if let Err(error) = done {
                    code = call.complain(format!("'{word}': {error}")).await;
                }
            }
        }
        FindAction::Execute(words) => match words.split_last() {
            Some((last, words)) if last == "+" => {
                let args = words.iter().filter(|word| *word != "{}").chain(found).cloned().collect();
                code = call.run(args).await;
            }
            _ => {
                // What a command answers is an answer, not a failure.
                for word in found {
                    let part = |part: &String| if part == "{}" { word.clone() } else { part.clone() };
                    call.run(words.iter().map(part).collect()).await;
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

fn read(call: &Call) -> Result<FindSearch, String> {
    let mut search = FindSearch { ways: vec![Vec::new()], ..FindSearch::default() };
    let mut words = call.args[1..].iter().peekable();
    while let Some(word) = words.next_if(|word| !word.starts_with(['-', '!', '('])) {
        search.roots.push(word.clone());
    }
    if search.roots.is_empty() {
        search.roots.push(".".to_owned());
    }
    let mut negated = false;
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or_else(|| format!("'{word}' needs 1 arg"));
        let number = |text: String| Ok::<_, String>(usize::try_from(integer(&text)?).unwrap_or(0));
        let test = match word.as_str() {
            "-name" => FindTest::Name(pattern(&value()?)?, false),
            "-iname" => FindTest::Name(pattern(&value()?.to_lowercase())?, true),
            "-path" | "-wholename" => FindTest::Path(pattern(&value()?)?),
            "-type" => {
                let letters: Vec<char> = value()?.chars().filter(|letter| *letter != ',').collect();
                if let Some(letter) = letters.iter().find(|letter| !"fdlcbps".contains(**letter)) {
                    return Err(format!("bad -type '{letter}'"));
                }
                FindTest::Type(letters)
            }
            "-user" | "-group" | "-perm" | "-newer" | "-mtime" | "-mmin" => about(call, word, &value()?)?,
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
            // It names the word behind the one that it does not know.
            _ => return Err(format!("bad arg '{}'", words.next().map_or("(null)", String::as_str))),
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

/// A test of who has a file, how, and since when.
fn about(call: &Call, word: &str, value: &str) -> Result<FindTest, String> {
    Ok(match word {
        "-user" | "-group" => {
            let id = call.machine.user_id(value);
            FindTest::Owner(id.ok_or_else(|| format!("bad {} '{value}'", &word[1..]))?, word == "-user")
        }
        "-perm" => {
            let sign = value.chars().next().filter(|sign| matches!(sign, '-' | '/')).unwrap_or('=');
            let mode = mode_of(value.trim_start_matches(['-', '/']), 0, false);
            FindTest::Mode(sign, mode.ok_or_else(|| format!("bad mode '{value}'"))?)
        }
        "-newer" => {
            let path = call.path(value);
            let stat = call.files(|files, actor| files.stat(actor, &path));
            FindTest::Newer(stat.map_err(|error| format!("'{value}': {error}"))?.mtime)
        }
        _ => {
            let (sign, count) = amount(value)?;
            FindTest::Age(sign, count, if word == "-mtime" { 86_400 } else { 60 })
        }
    })
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

/// A number, and whether it is the most, the least or exactly that.
fn amount(text: &str) -> Result<(char, u64), String> {
    let sign = text.chars().next().filter(|sign| matches!(sign, '+' | '-')).unwrap_or('=');
    Ok((sign, u64::try_from(integer(text.trim_start_matches(['+', '-']))?).unwrap_or(0)))
}

fn is_amount(sign: char, wanted: u64, value: u64) -> bool {
    match sign {
        '+' => value > wanted,
        '-' => value < wanted,
        _ => value == wanted,
    }
}

fn size_test(text: &str) -> Result<FindTest, String> {
    let end = text.trim_end_matches(|next: char| next.is_ascii_alphabetic()).len();
    let unit = if end == text.len() { 512 } else { integer(&format!("1{}", &text[end..]))?.max(1) as u64 };
    let (sign, count) = amount(&text[..end])?;
    Ok(FindTest::Size(sign, count, unit))
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
            Self::Size(sign, count, unit) => is_amount(*sign, *count, stat.size.div_ceil(*unit)),
            Self::Age(sign, count, unit) => {
                is_amount(*sign, *count, call.machine.now().saturating_sub(stat.mtime).as_secs() / unit)
            }
            Self::Newer(time) => stat.mtime > *time,
            Self::Owner(id, is_user) => *id == if *is_user { stat.uid } else { stat.gid },
            Self::Mode('-', mode) => stat.mode & mode == *mode,
            Self::Mode('/', mode) => stat.mode & mode != 0,
            Self::Mode(_, mode) => stat.mode == *mode,
            Self::Empty => match stat.kind {
                FileKind::Directory => {
                    let path = call.path(word);
                    call.files(|files, actor| files.list(actor, &path)).is_ok_and(|list| list.is_empty())
                }
                FileKind::File | FileKind::Link | FileKind::Device(_) => {
                    stat.kind == FileKind::File && stat.size == 0
                }
            },
            Self::Not(test) => !test.holds(call, word, stat),
        }
    }
}
