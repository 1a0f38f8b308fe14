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

/// Whether a fraction of a number means anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// It does not: a fraction is cut off.
    Count,
    /// It does.
    Measure,
}

/// A range that a number is brought into where it would not be refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// The smallest number used; less becomes it.
    pub min: f64,
    /// The largest number used; more becomes it.
    pub max: f64,
    /// Whether a fraction means anything.
    pub unit: Unit,
}

impl Clamp {
    /// What is used of a number: the one place that says so, for the warning
    /// and for the step.
    #[must_use]
    pub fn used(self, asked: Number) -> Number {
        let within = asked.0.clamp(self.min, self.max);
        Number(match self.unit {
            Unit::Count => within.trunc(),
            Unit::Measure => within,
        })
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
    fn what_is_used_is_in_its_range_and_whole_if_it_is_a_count() {
        let clamp = |unit| Clamp {
            min: 1.0,
            max: 50.0,
            unit,
        };
        for (asked, count, measure) in [
            (0.0, 1.0, 1.0),
            (2.5, 2.0, 2.5),
            (50.5, 50.0, 50.0),
            (-7.5, 1.0, 1.0),
        ] {
            let asked = Number::new(asked).unwrap();
            assert_eq!(clamp(Unit::Count).used(asked).get(), count);
            assert_eq!(clamp(Unit::Measure).used(asked).get(), measure);
        }
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
