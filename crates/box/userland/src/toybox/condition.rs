//! `test` and `[`: questions about strings, numbers and files.

use super::{BasicCommand, row};
use crate::call::Call;
use crate::files::{Access, FileKind, Stat};
use crate::machine::{ExitResult, Stop};

pub(super) const ROWS: &[BasicCommand] = &[row!("test", "EXPRESSION", test), row!("[", "EXPRESSION ]", test)];

/// Deepest nesting of `!` and parentheses.
const MAX_DEPTH: usize = 64;

async fn test(call: &mut Call) -> ExitResult {
    let mut words: Vec<String> = call.args.iter().skip(1).cloned().collect();
    if call.name() == "[" && words.pop().as_deref() != Some("]") {
        return Err(Stop::Complaint("missing ]".to_owned(), 2));
    }
    let answer = ask(call, &words).map_err(|problem| Stop::Complaint(problem, 2))?;
    Ok(u8::from(!answer))
}

/// Tells whether the words hold.
pub(crate) fn ask(call: &Call, words: &[String]) -> Result<bool, String> {
    let mut question = ConditionReader { call, words, at: 0, depth: 0 };
    question.whole()
}

struct ConditionReader<'a> {
    call: &'a Call,
    words: &'a [String],
    at: usize,
    depth: usize,
}

const BINARY: &[&str] =
    &["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];

impl ConditionReader<'_> {
    /// Few words are read by their number, as POSIX has it; more by precedence.
    fn whole(&mut self) -> Result<bool, String> {
        match self.words {
            [] => Ok(false),
            [only] => Ok(!only.is_empty()),
            [not, only] if not == "!" => Ok(only.is_empty()),
            [left, operator, right] if BINARY.contains(&operator.as_str()) => {
                self.binary(left, operator, right)
            }
            _ => {
                let answer = self.either()?;
                if self.at < self.words.len() {
                    return Err(format!("{}: unexpected operator/operand", self.words[self.at]));
                }
                Ok(answer)
            }
        }
    }

    fn word(&self, ahead: usize) -> &str {
        self.words.get(self.at + ahead).map_or("", String::as_str)
    }

    fn either(&mut self) -> Result<bool, String> {
        let mut answer = self.both()?;
        while self.word(0) == "-o" {
            self.at += 1;
            answer |= self.both()?;
        }
        Ok(answer)
    }

    fn both(&mut self) -> Result<bool, String> {
        let mut answer = self.one()?;
        while self.word(0) == "-a" {
            self.at += 1;
            answer &= self.one()?;
        }
        Ok(answer)
    }

    fn one(&mut self) -> Result<bool, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("expression nested too deep".to_owned());
        }
        let answer = self.one_inside();
        self.depth -= 1;
        answer
    }

    fn one_inside(&mut self) -> Result<bool, String> {
        if self.at >= self.words.len() {
            return Err("argument expected".to_owned());
        }
        if BINARY.contains(&self.word(1)) && self.at + 2 < self.words.len() {
            let (left, operator, right) =
                (self.word(0).to_owned(), self.word(1).to_owned(), self.word(2).to_owned());
            self.at += 3;
            return self.binary(&left, &operator, &right);
        }
        let first = self.word(0).to_owned();
        self.at += 1;
        if first == "!" {
            return self.one().map(|answer| !answer);
        }
        if first == "(" {
            let answer = self.either()?;
            if self.word(0) != ")" {
                return Err("missing )".to_owned());
            }
            self.at += 1;
            return Ok(answer);
        }
        let letter = first.strip_prefix('-').filter(|letter| letter.chars().count() == 1);
        if let Some(letter) = letter
            && self.at < self.words.len()
        {
            let operand = self.word(0).to_owned();
            self.at += 1;
            return self.unary(letter, &operand);
        }
        Ok(!first.is_empty())
    }

    fn unary(&self, letter: &str, operand: &str) -> Result<bool, String> {
        let path = self.call.path(operand);
        let access = |want| self.call.files(|files, actor| files.access(actor, &path, want)).is_ok();
        let stat = self.call.files(|files, actor| files.stat(actor, &path)).ok();
        let link = || self.call.files(|files, actor| files.read_link(actor, &path));
        let is = |fits: &dyn Fn(&Stat) -> bool| stat.as_ref().is_some_and(fits);
        Ok(match letter {
            "n" => !operand.is_empty(),
            "z" => operand.is_empty(),
            "e" | "a" => stat.is_some(),
            "f" => is(&|stat| stat.kind == FileKind::File),
            "d" => is(&Stat::is_directory),
            "h" | "L" => link().is_ok(),
            "c" => is(&|stat| matches!(stat.kind, FileKind::Device(_))),
            "s" => is(&|stat| stat.size > 0),
            "r" => access(Access::Read),
            "w" => access(Access::Write),
            "x" => access(Access::Execute),
            "O" => is(&|stat| stat.uid == self.call.identity.uid),
            "G" => is(&|stat| stat.gid == self.call.identity.gid),
            "b" | "p" | "S" | "t" | "u" | "g" | "k" => false,
            _ => return Err(format!("-{letter}: unknown operator")),
        })
    }

    fn binary(&self, left: &str, operator: &str, right: &str) -> Result<bool, String> {
        let time = |word: &str| {
            let path = self.call.path(word);
            self.call.files(|files, actor| files.stat(actor, &path)).ok()
        };
        let number = |word: &str| word.trim().parse::<i64>().map_err(|_| format!("{word}: bad number"));
        Ok(match operator {
            "=" | "==" => left == right,
            "!=" => left != right,
            "<" => left < right,
            ">" => left > right,
            "-nt" => time(left).map(|stat| stat.mtime) > time(right).map(|stat| stat.mtime),
            "-ot" => time(left).map(|stat| stat.mtime) < time(right).map(|stat| stat.mtime),
            "-ef" => time(left).is_some_and(|one| time(right).is_some_and(|two| one.inode == two.inode)),
            "-eq" => number(left)? == number(right)?,
            "-ne" => number(left)? != number(right)?,
            "-lt" => number(left)? < number(right)?,
            "-le" => number(left)? <= number(right)?,
            "-gt" => number(left)? > number(right)?,
            _ => number(left)? >= number(right)?,
        })
    }
}
