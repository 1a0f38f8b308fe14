//! A JSON number: finite, and written without a fraction where it has none.

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;
use std::time::Duration;

/// A finite number as JSON knows it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, JsonSchema)]
#[schemars(transparent)]
pub struct Number(f64);

/// Up to this (2^53) the digits of a whole number are the number itself; beyond,
/// they are the fewest that tell it from its neighbours.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// Numbers from the first up to the second, signs aside, are written out digit
/// by digit; smaller and larger ones have an exponent. ECMAScript's bounds.
const SPELT_OUT: std::ops::Range<f64> = 1e-6..1e21;

impl Number {
    /// Takes a finite number; NaN and the infinities are not numbers here.
    pub fn new(value: f64) -> Option<Self> {
        // Adding zero turns -0 into 0, which is how JSON writes it.
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Tells whether the number has no fraction.
    pub fn is_integer(self) -> bool {
        self.0.fract() == 0.0
    }

    /// The number brought into a range. Both ends must be finite.
    pub fn clamp(self, min: f64, max: f64) -> Self {
        Self(self.0.clamp(min, max))
    }

    /// The number without its fraction.
    pub fn trunc(self) -> Self {
        Self(self.0.trunc() + 0.0)
    }

    /// The number read as milliseconds; a negative one is no time at all.
    pub fn as_millis(self) -> Duration {
        Duration::try_from_secs_f64(self.0.max(0.0) / 1_000.0).unwrap_or(Duration::MAX)
    }

    /// The number as a pixel of a phone, cut to what fits.
    pub fn as_pixel(self) -> i32 {
        // As below.
        self.0 as i32
    }

    /// The number as a count, cut to what fits.
    pub fn as_count(self) -> u32 {
        // `as` saturates at both ends, which is the meaning wanted here.
        self.0 as u32
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(f64::from(value))
    }
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self(f64::from(value))
    }
}

impl fmt::Display for Number {
    /// Writes the number as ECMAScript does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 0.0 || SPELT_OUT.contains(&self.0.abs()) {
            return write!(f, "{}", self.0);
        }
        // Rust leaves the sign of a large exponent out.
        let sign = if self.0.abs() < 1.0 { "" } else { "+" };
        let written = format!("{:e}", self.0);
        let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
        write!(f, "{digits}e{sign}{exponent}")
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Self::new(value).ok_or_else(|| D::Error::custom("not a finite number"))
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let size = self.0.abs();
        if self.is_integer() && size <= EXACT {
            return serializer.serialize_i64(self.0 as i64);
        }
        // Between these bounds the serializer's own spelling is another.
        let differs = (self.is_integer() || size < 1e-5) && SPELT_OUT.contains(&size);
        let spelt = differs.then(|| RawValue::from_string(self.to_string()));
        match spelt {
            Some(Ok(digits)) => digits.serialize(serializer),
            Some(Err(_)) | None => serializer.serialize_f64(self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: f64) -> String {
        serde_json::to_string(&Number::new(value).unwrap()).unwrap()
    }

    #[test]
    fn whole_numbers_lose_their_point() {
        assert_eq!(written(30_000.0), "30000");
        assert_eq!(written(-0.0), "0");
        assert_eq!(written(0.7), "0.7");
        assert_eq!(written(-5.5), "-5.5");
        assert_eq!(written(9_007_199_254_740_991.0), "9007199254740991");
        assert_eq!(written(9_007_199_254_740_992.0), "9007199254740992");
        assert_eq!(Number::new(f64::NAN), None);
        assert_eq!(Number::new(f64::INFINITY), None);
    }

    /// What `JSON.stringify` says of each.
    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        for (number, text) in [
            (1_152_921_504_606_846_976.0, "1152921504606847000"),
            (1e16, "10000000000000000"),
            (9_223_372_036_854_775_808.0, "9223372036854776000"),
            (-9_223_372_036_854_775_808.0, "-9223372036854776000"),
            (18_446_744_073_709_551_616.0, "18446744073709552000"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (-123_456_789_012_345_680_000.0, "-123456789012345680000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e21, "1.5e+21"),
            (1e300, "1e+300"),
            (-1e300, "-1e+300"),
            (0.000_01, "0.00001"),
            (0.000_001_5, "0.0000015"),
            (1e-7, "1e-7"),
            (-2.5e-7, "-2.5e-7"),
            (5e-324, "5e-324"),
        ] {
            let shown = Number::new(number).unwrap().to_string();
            assert_eq!((shown.as_str(), written(number).as_str()), (text, text));
        }
    }

    #[test]
    fn a_number_of_any_size_becomes_a_json_value() {
        for number in [0.5, 1e15, 1e19, 1e20, 1e21, -1e20, 1e300] {
            let value = serde_json::to_value(Number::new(number).unwrap()).unwrap();
            assert_eq!(value.as_f64(), Some(number));
        }
    }
}
