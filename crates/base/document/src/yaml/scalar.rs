//! What a scalar of YAML means.

/// What a word without quotes is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    Null,
    Flag(bool),
    Signed(i64),
    Unsigned(u64),
    /// A number with a fraction or an exponent, or one that is too large.
    Float(f64),
    Text,
}

impl Scalar {
    pub(super) fn of(word: &str) -> Self {
        let whole = integer(word);
        if is_null(word) {
            Self::Null
        } else if let Some(flag) = flag(word) {
            Self::Flag(flag)
        } else if let Some(number) = whole.filter(|_| word.starts_with('-')).and_then(|it| it.try_into().ok())
        {
            Self::Signed(number)
        } else if let Some(number) = whole.and_then(|it| it.try_into().ok()) {
            Self::Unsigned(number)
        } else if let Some(number) = float(word).or_else(|| infinite(word)) {
            Self::Float(number)
        } else {
            Self::Text
        }
    }
}

pub(super) fn is_null(word: &str) -> bool {
    word.is_empty() || word == "~" || word.eq_ignore_ascii_case("null")
}

pub(super) fn flag(word: &str) -> Option<bool> {
    trim(word).to_ascii_lowercase().parse().ok()
}

/// A decimal number without a zero in front, or one after `0x`, `0o` or `0b`; single `_` may
/// stand between digits.
pub(super) fn integer(word: &str) -> Option<i128> {
    let word = trim(word);
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let (radix, digits) = match unsigned.get(..2).unwrap_or_default() {
        "0x" | "0X" => (16, &unsigned[2..]),
        "0o" | "0O" => (8, &unsigned[2..]),
        "0b" | "0B" => (2, &unsigned[2..]),
        _ if unsigned.len() > 1 && unsigned.starts_with('0') => return None,
        _ => (10, unsigned),
    };
    let begins_well = digits.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if !begins_well || digits.ends_with('_') || digits.contains("__") {
        return None;
    }
    let size = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    Some(if word.starts_with('-') { -size } else { size })
}

pub(super) fn float(word: &str) -> Option<f64> {
    let word = trim(word).to_ascii_lowercase();
    match &*word {
        ".nan" | "+.nan" | "-.nan" => Some(f64::NAN),
        ".inf" | "+.inf" => Some(f64::INFINITY),
        "-.inf" => Some(f64::NEG_INFINITY),
        // Rust also reads words such as `inf`.
        word => word.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

/// A number that is too large for a double.
fn infinite(word: &str) -> Option<f64> {
    let is_number =
        trim(word).trim_start_matches(['+', '-']).starts_with(|letter: char| letter.is_ascii_digit());
    is_number.then(|| trim(word).parse().ok()).flatten()
}

fn trim(word: &str) -> &str {
    word.trim_matches([' ', '\t', '\r', '\n'])
}
