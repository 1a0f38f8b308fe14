//! `$((...))`: whole numbers of 64 bits that wrap around.

use super::token::is_name;
use std::collections::BTreeMap;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArithmeticError {
    Syntax(String),
    DivisionByZero,
    TooDeep,
}

/// Deepest nesting of parentheses and signs.
const MAX_DEPTH: usize = 64;

/// Binary operators, the loosest first; those on one row bind alike.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Signs that are not what they begin with.
const LONGER: &[&str] = &["||", "&&", "<<", ">>", "<=", ">=", "==", "!="];

const ASSIGNMENTS: &[(&str, &str)] = &[
    ("<<", "<<="),
    (">>", ">>="),
    ("+", "+="),
    ("-", "-="),
    ("*", "*="),
    ("/", "/="),
    ("%", "%="),
    ("&", "&="),
    ("|", "|="),
    ("^", "^="),
    ("", "="),
];

/// Works an expression out; `get` gives the text of a variable, and what is
/// assigned comes back beside the value.
pub(crate) fn evaluate(
    text: &str,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<(i64, BTreeMap<String, i64>), ArithmeticError> {
    let mut reader = ExpressionReader { text, at: 0, depth: 0, get, set: BTreeMap::new(), skipping: false };
    reader.blanks();
    if reader.at == text.len() {
        return Ok((0, reader.set));
    }
    let value = reader.comma()?;
    if reader.at < text.len() {
        return Err(reader.syntax());
    }
    Ok((value, reader.set))
}

struct ExpressionReader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    get: &'a dyn Fn(&str) -> Option<String>,
    set: BTreeMap<String, i64>,
    /// Inside the half of `&&`, `||` or `?:` that does not count.
    skipping: bool,
}

impl ExpressionReader<'_> {
    fn syntax(&self) -> ArithmeticError {
        ArithmeticError::Syntax(self.text.trim().to_owned())
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn take(&mut self, sign: &str) -> bool {
        let rest = &self.text[self.at..];
        let fits = rest.starts_with(sign)
            && !LONGER.iter().any(|longer| longer.len() > sign.len() && rest.starts_with(longer))
            && !ASSIGNMENTS.iter().any(|(plain, whole)| *plain == sign && rest.starts_with(whole));
        if fits {
            self.at += sign.len();
            self.blanks();
        }
        fits
    }

    fn comma(&mut self) -> Result<i64, ArithmeticError> {
        let mut value = self.assignment()?;
        while self.take(",") {
            value = self.assignment()?;
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Result<i64, ArithmeticError> {
        if self.depth >= MAX_DEPTH {
            return Err(ArithmeticError::TooDeep);
        }
        self.depth += 1;
        let start = self.at;
        let target = self.name().and_then(|name| Some((name, self.assigning()?)));
        let value = match target {
            Some((name, operation)) => {
                let mut value = self.assignment()?;
                if !operation.is_empty() {
                    value = self.apply(operation, self.value(&name)?, value)?;
                }
                self.assign(&name, value);
                value
            }
            None => {
                self.at = start;
                self.choice()?
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn assigning(&mut self) -> Option<&'static str> {
        let rest = &self.text[self.at..];
        if rest.starts_with("==") {
            return None;
        }
        let (operation, whole) = ASSIGNMENTS.iter().find(|(_, whole)| rest.starts_with(whole))?;
        self.at += whole.len();
        self.blanks();
        Some(operation)
    }

    fn choice(&mut self) -> Result<i64, ArithmeticError> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.unless(condition == 0, Self::comma)?;
        if !self.take(":") {
            return Err(self.syntax());
        }
        let no = self.unless(condition != 0, Self::assignment)?;
        Ok(if condition == 0 { no } else { yes })
    }

    fn unless(
        &mut self,
        skip: bool,
        read: impl FnOnce(&mut Self) -> Result<i64, ArithmeticError>,
    ) -> Result<i64, ArithmeticError> {
        let before = self.skipping;
        self.skipping |= skip;
        let value = read(self);
        self.skipping = before;
        value
    }

    fn binary(&mut self, level: usize) -> Result<i64, ArithmeticError> {
        let Some(signs) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.take(sign)) {
            let skip = (*sign == "&&" && left == 0) || (*sign == "||" && left != 0);
            let right = self.unless(skip, |reader| reader.binary(level + 1))?;
            left = self.apply(sign, left, right)?;
        }
        Ok(left)
    }

    fn apply(&self, sign: &str, left: i64, right: i64) -> Result<i64, ArithmeticError> {
        let shift = (right & 63) as u32;
        Ok(match sign {
            "||" => i64::from(left != 0 || right != 0),
            "&&" => i64::from(left != 0 && right != 0),
            "|" => left | right,
            "^" => left ^ right,
            "&" => left & right,
            "==" => i64::from(left == right),
            "!=" => i64::from(left != right),
            "<=" => i64::from(left <= right),
            ">=" => i64::from(left >= right),
            "<" => i64::from(left < right),
            ">" => i64::from(left > right),
            "<<" => left.wrapping_shl(shift),
            ">>" => left.wrapping_shr(shift),
            "+" => left.wrapping_add(right),
            "-" => left.wrapping_sub(right),
            "*" => left.wrapping_mul(right),
            _ if right == 0 && self.skipping => 0,
            _ if right == 0 => return Err(ArithmeticError::DivisionByZero),
            "/" => left.wrapping_div(right),
            _ => left.wrapping_rem(right),
        })
    }

    fn unary(&mut self) -> Result<i64, ArithmeticError> {
        if self.depth >= MAX_DEPTH {
            return Err(ArithmeticError::TooDeep);
        }
        self.depth += 1;
        let step = self.step();
        let value = if step != 0 && self.names_follow(2) {
            self.at += 2;
            self.blanks();
            let name = self.name().ok_or_else(|| self.syntax())?;
            let value = self.value(&name)?.wrapping_add(step);
            self.assign(&name, value);
            value
        } else if self.take("+") {
            self.unary()?
        } else if self.take("-") {
            self.unary()?.wrapping_neg()
        } else if self.take("!") {
            i64::from(self.unary()? == 0)
        } else if self.take("~") {
            !self.unary()?
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Ok(value)
    }

    /// What a `++` or `--` here adds.
    fn step(&self) -> i64 {
        let rest = &self.text[self.at..];
        i64::from(rest.starts_with("++")) - i64::from(rest.starts_with("--"))
    }

    fn names_follow(&self, skip: usize) -> bool {
        let rest = self.text[self.at + skip..].trim_start();
        rest.starts_with(|next: char| next.is_ascii_alphabetic() || next == '_')
    }

    fn primary(&mut self) -> Result<i64, ArithmeticError> {
        if self.take("(") {
            let value = self.comma()?;
            return if self.take(")") { Ok(value) } else { Err(self.syntax()) };
        }
        if let Some(name) = self.name() {
            let value = self.value(&name)?;
            let step = self.step();
            if step != 0 {
                self.at += 2;
                self.blanks();
                self.assign(&name, value.wrapping_add(step));
            }
            return Ok(value);
        }
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let value = number(&rest[..length]).ok_or_else(|| self.syntax())?;
        self.at += length;
        self.blanks();
        Ok(value)
    }

    fn name(&mut self) -> Option<String> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let name = rest[..length].to_owned();
        if !is_name(&name) {
            return None;
        }
        self.at += length;
        self.blanks();
        Some(name)
    }

    fn value(&self, name: &str) -> Result<i64, ArithmeticError> {
        if let Some(value) = self.set.get(name) {
            return Ok(*value);
        }
        let text = (self.get)(name).unwrap_or_default();
        let text = text.trim();
        if text.is_empty() {
            return Ok(0);
        }
        let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
        number(digits)
            .map(|value: i64| value.wrapping_mul(sign))
            .ok_or_else(|| ArithmeticError::Syntax(text.to_owned()))
    }

    fn assign(&mut self, name: &str, value: i64) {
        if !self.skipping {
            self.set.insert(name.to_owned(), value);
        }
    }
}

/// A number as C writes it; one that is too long wraps around.
fn number(text: &str) -> Option<i64> {
    let (digits, base) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0i64, |value, digit| {
        Some(value.wrapping_mul(i64::from(base)).wrapping_add(i64::from(digit.to_digit(base)?)))
    })
}
