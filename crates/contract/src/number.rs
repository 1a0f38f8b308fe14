//! A JSON number: finite, and written without a fraction where it has none.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use std::fmt;
use std::time::Duration;

/// A finite number as JSON knows it.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, JsonSchema)]
#[schemars(transparent)]
pub struct Number(f64);

/// Below this (2^63) a whole number is written as one; beyond, with an exponent.
const WHOLE: f64 = 9_223_372_036_854_775_808.0;

impl Number {
    /// Takes a finite number; NaN and the infinities are not numbers here.
    #[must_use]
    pub fn new(value: f64) -> Option<Self> {
        // Adding zero turns -0 into 0, which is how JSON writes it.
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// The number itself.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }

    /// Tells whether the number has no fraction.
    #[must_use]
    pub fn is_integer(self) -> bool {
        self.0.fract() == 0.0
    }

    /// The number read as milliseconds; a negative one is no time at all.
    #[must_use]
    pub fn as_millis(self) -> Duration {
        Duration::try_from_secs_f64(self.0.max(0.0) / 1_000.0).unwrap_or(Duration::MAX)
    }

    /// The number as a count, cut to what fits.
    #[must_use]
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() && self.0.abs() < WHOLE {
            write!(f, "{}", self.0)
        } else {
            // Neither 1e300 nor 1e-300 is spelt out digit by digit.
            write!(f, "{:?}", self.0)
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_integer() && self.0.abs() < WHOLE {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
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
        assert_eq!(written(1e300), "1e+300");
        assert_eq!(Number::new(1e300).unwrap().to_string(), "1e300");
        assert_eq!(Number::new(30_000.0).unwrap().to_string(), "30000");
        assert_eq!(Number::new(f64::NAN), None);
        assert_eq!(Number::new(f64::INFINITY), None);
    }
}
