//! Numbers on the command line, read as JavaScript reads them, because that is how they were read
//! before: `1500`, `1e4`, `0x3e8`, with spaces around, and spaces alone are 0.

use clawperator_contract::{Number, text};
use std::ops::RangeInclusive;

/// Reads a finite number. Nothing at all is none.
pub(crate) fn read(text: &str) -> Option<Number> {
    let given = text;
    let text = text::trim(text);
    if text.is_empty() && !given.is_empty() {
        return Number::new(0.0);
    }
    let radix = |prefix: &str, base: u32| {
        let digits = text.strip_prefix(prefix).or(text.strip_prefix(&prefix.to_uppercase()))?;
        // The parser would take a sign here; the language does not.
        digits.chars().all(|c| c.is_digit(base)).then(|| u64::from_str_radix(digits, base).ok()).flatten()
    };
    let whole = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2));
    let number = whole.map(|whole| whole as f64).or_else(|| text.parse().ok())?;
    // As in a payload: finite, and -0 is 0.
    Number::new(number)
}

/// Reads a whole number of at least zero. What starts with a dash is none, not even `-0`.
pub(crate) fn read_pixel(text: &str) -> Option<Number> {
    let number = read(text).filter(|_| !text.starts_with('-'))?;
    (number.is_integer() && number.get() >= 0.0).then_some(number)
}

/// Reads a whole number of a range, in digits alone; or says the rule that it breaks.
pub(crate) fn read_whole(asked: &str, range: &RangeInclusive<u64>) -> Result<u64, String> {
    let number = asked.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (least, most, shown) = (range.start(), range.end(), text::excerpt(asked));
        let rule = if *most == u64::MAX {
            format!("of at least {least}")
        } else {
            format!("from {least} to {most}")
        };
        format!("must be a whole number {rule}, not \"{shown}\"")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_in_javascript() {
        for (text, number) in [
            ("1500", 1500.0),
            (" 1e4 ", 1e4),
            ("0x3e8", 1000.0),
            ("+5000", 5000.0),
            ("-.5", -0.5),
            (" ", 0.0),
            ("\u{feff}\n", 0.0),
        ] {
            assert_eq!(read(text), Number::new(number), "{text}");
        }
        for text in ["", "x", "Infinity", "NaN", "1,5", "0x", "0x-1", "5s"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert_eq!(read_pixel("540"), Some(Number::from(540_u32)));
        assert_eq!(read_pixel(" "), Some(Number::from(0_u32)));
        for text in ["", "1.5", "-1", "-0"] {
            assert_eq!(read_pixel(text), None, "{text}");
        }
    }
}
