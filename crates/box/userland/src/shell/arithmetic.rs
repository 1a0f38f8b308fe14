//! `$((...))`: whole numbers of 32 bits that wrap around.

use super::token::is_name;
use std::collections::BTreeMap;

/// Deepest nesting of parentheses, signs and values that are expressions.
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
    &["<<", ">>", "^<", "^>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Every sign, the longest first.
const SIGNS: &[&str] = &[
    "<<=", ">>=", "^<=", "^>=", "||", "&&", "<<", ">>", "^<", "^>", "<=", ">=", "==", "!=", "+=", "-=", "*=",
    "/=", "%=", "&=", "|=", "^=", "++", "--", "|", "^", "&", "<", ">", "+", "-", "*", "/", "%", "!", "~",
    "?", ":", ",", "(", ")", "=",
];

/// What a sign is when there is nothing left.
const END: &str = "end of expression";

/// Works an expression out; `get` gives the text of a variable or an element, and what is
/// assigned comes back beside the value.
pub(crate) fn evaluate(
    text: &str,
    get: &dyn Fn(&str) -> Option<String>,
) -> Result<(i64, BTreeMap<String, i64>), String> {
    let mut set = BTreeMap::new();
    let value = expression(text, get, &mut set, &mut Vec::new())?;
    Ok((value, set))
}

fn expression(
    text: &str,
    get: &dyn Fn(&str) -> Option<String>,
    set: &mut BTreeMap<String, i64>,
    inside: &mut Vec<String>,
) -> Result<i64, String> {
    let body = text.trim_start();
    let (unsigned, body) = body.strip_prefix('#').map_or((false, body), |body| (true, body));
    let at = text.len() - body.len();
    let mut reader = ExpressionReader { text, at, get, set, inside, depth: 0, unsigned, skipping: false };
    reader.blanks();
    let value = if reader.at == text.len() { 0 } else { reader.comma()? };
    if reader.at < text.len() { Err(reader.unexpected()) } else { Ok(value) }
}

struct ExpressionReader<'a> {
    text: &'a str,
    at: usize,
    get: &'a dyn Fn(&str) -> Option<String>,
    set: &'a mut BTreeMap<String, i64>,
    /// Names whose values are being worked out.
    inside: &'a mut Vec<String>,
    depth: usize,
    /// Begins with `#`.
    unsigned: bool,
    /// Inside the half of `&&`, `||` or `?:` that does not count.
    skipping: bool,
}

type Number = Result<i64, String>;

impl ExpressionReader<'_> {
    fn wrong(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.text)
    }

    fn unexpected(&self) -> String {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let word = match (length, self.sign()) {
            (0, Some(sign)) => sign,
            (0, None) => rest.chars().next().map_or(END, |next| &rest[..next.len_utf8()]),
            (length, _) => &rest[..length],
        };
        self.wrong(format!("unexpected '{word}'"))
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn sign(&self) -> Option<&'static str> {
        let rest = &self.text[self.at..];
        SIGNS.iter().find(|sign| rest.starts_with(**sign)).copied()
    }

    fn take(&mut self, sign: &str) -> bool {
        let fits = self.sign() == Some(sign);
        if fits {
            self.at += sign.len();
            self.blanks();
        }
        fits
    }

    fn comma(&mut self) -> Number {
        let mut value = self.assignment()?;
        while self.take(",") {
            value = self.assignment()?;
        }
        Ok(value)
    }

    fn assignment(&mut self) -> Number {
        self.deeper(|reader| {
            let start = reader.at;
            if let Some(name) = reader.name()?
                && let Some(sign) = reader.sign()
                && let Some(operation) = sign.strip_suffix('=')
                && !matches!(sign, "==" | "<=" | ">=" | "!=")
            {
                reader.take(sign);
                let mut value = reader.assignment()?;
                if !operation.is_empty() {
                    let old = reader.value(&name)?;
                    value = reader.apply(operation, old, value)?;
                }
                return Ok(reader.assign(name, value));
            }
            reader.at = start;
            let value = reader.choice()?;
            match reader.sign() {
                Some(sign) if sign.ends_with('=') => Err(reader.wrong(format!("{sign} requires lvalue"))),
                _ => Ok(value),
            }
        })
    }

    fn choice(&mut self) -> Number {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.unless(condition == 0, Self::comma)?;
        if !self.take(":") {
            return Err(self.wrong("missing :"));
        }
        let no = self.unless(condition != 0, Self::assignment)?;
        Ok(if condition == 0 { no } else { yes })
    }

    fn unless(&mut self, skip: bool, read: impl FnOnce(&mut Self) -> Number) -> Number {
        let before = self.skipping;
        self.skipping |= skip;
        let value = read(self);
        self.skipping = before;
        value
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Number) -> Number {
        if self.depth >= MAX_DEPTH || self.inside.len() >= MAX_DEPTH {
            return Err("expression nested too deep".to_owned());
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn binary(&mut self, level: usize) -> Number {
        let Some(signs) = LEVELS.get(level) else {
            return self.deeper(Self::unary);
        };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = signs.iter().find(|sign| self.take(sign)) {
            let skip = (*sign == "&&" && left == 0) || (*sign == "||" && left != 0);
            let right = self.unless(skip, |reader| reader.binary(level + 1))?;
            left = self.apply(sign, left, right)?;
        }
        Ok(left)
    }

    /// The value that 32 bits hold of it.
    fn wrap(&self, value: i64) -> i64 {
        if self.unsigned { i64::from(value as u32) } else { i64::from(value as i32) }
    }

    fn apply(&self, sign: &str, left: i64, right: i64) -> Number {
        let shift = (right & 31) as u32;
        Ok(self.wrap(match sign {
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
            "<<" => left << shift,
            ">>" => left >> shift,
            "^<" => i64::from((left as u32).rotate_left(shift)),
            "^>" => i64::from((left as u32).rotate_right(shift)),
            "+" => left + right,
            "-" => left - right,
            "*" => left.wrapping_mul(right),
            _ if right == 0 && self.skipping => 0,
            _ if right == 0 => return Err(self.wrong("zero divisor")),
            "/" => left / right,
            _ => left % right,
        }))
    }

    fn unary(&mut self) -> Number {
        for (sign, step) in [("++", 1), ("--", -1)] {
            if self.take(sign) {
                let name = self.name()?.ok_or_else(|| self.wrong(format!("{sign} requires lvalue")))?;
                let value = self.value(&name)? + step;
                return Ok(self.assign(name, value));
            }
        }
        let Some(sign) = ["+", "-", "!", "~"].into_iter().find(|sign| self.take(sign)) else {
            return self.primary();
        };
        let value = self.deeper(Self::unary)?;
        Ok(self.wrap(match sign {
            "+" => value,
            "-" => -value,
            "!" => i64::from(value == 0),
            _ => !value,
        }))
    }

    fn primary(&mut self) -> Number {
        if self.take("(") {
            let value = self.comma()?;
            return if self.take(")") { Ok(value) } else { Err(self.wrong("missing )")) };
        }
        let name = self.name()?;
        let value = match &name {
            Some(name) => self.value(name)?,
            None => self.digits()?,
        };
        for (sign, step) in [("++", 1), ("--", -1)] {
            if self.take(sign) {
                let name = name.ok_or_else(|| self.wrong(format!("{sign} requires lvalue")))?;
                self.assign(name, value + step);
                return Ok(value);
            }
        }
        Ok(value)
    }

    fn digits(&mut self) -> Number {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#').count();
        if length == 0 || !rest.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(self.unexpected());
        }
        let text = &rest[..length];
        let value = number(text).ok_or_else(|| self.wrong(format!("bad number '{text}'")))?;
        self.at += length;
        self.blanks();
        Ok(self.wrap(value))
    }

    /// A name, with the number of an element behind it.
    fn name(&mut self) -> Result<Option<String>, String> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let mut name = rest[..length].to_owned();
        if !is_name(&name) {
            return Ok(None);
        }
        self.at += length;
        if self.text[self.at..].starts_with('[') {
            self.at += 1;
            let index = self.deeper(Self::comma)?;
            if !self.text[self.at..].starts_with(']') {
                return Err("missing ]".to_owned());
            }
            self.at += 1;
            name.push_str(&format!("[{index}]"));
        }
        self.blanks();
        Ok(Some(name))
    }

    /// The value of a variable; its text is an expression as well.
    fn value(&mut self, name: &str) -> Number {
        if let Some(value) = self.set.get(name) {
            return Ok(*value);
        }
        let text = (self.get)(name).unwrap_or_default();
        if self.skipping {
            return Ok(0);
        }
        if let Some(value) = number(text.trim()) {
            return Ok(self.wrap(value));
        }
        if self.inside.iter().any(|other| other == name) {
            return Err(format!("{name}: expression recurses on parameter '{name}'"));
        }
        self.inside.push(name.to_owned());
        let value = expression(&text, self.get, self.set, self.inside)?;
        self.inside.pop();
        Ok(value)
    }

    fn assign(&mut self, name: String, value: i64) -> i64 {
        let value = self.wrap(value);
        if !self.skipping {
            self.set.insert(name, value);
        }
        value
    }
}

/// A number: decimal, `0x` and hexadecimal, or its base, `#` and digits. Base 1 is the code of a letter.
fn number(text: &str) -> Option<i64> {
    let (base, digits) = match text.split_once('#') {
        Some((base, digits)) => (base.parse().ok()?, digits),
        None => match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (16, digits),
            None => (10, text),
        },
    };
    if base == 1 {
        return digits.chars().next().map(|letter| i64::from(u32::from(letter)));
    }
    if digits.is_empty() || !(2..=36).contains(&base) {
        return None;
    }
    digits.chars().try_fold(0i64, |value, digit| {
        Some((value * i64::from(base) + i64::from(digit.to_digit(base)?)) & 0xffff_ffff)
    })
}
