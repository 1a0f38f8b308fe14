//! A range that a number is brought into, with a warning, where it would not be refused.

use clawperator_document::Number;

/// Whether a number may have a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// It may not: a fraction is cut off.
    Count,
    Measure,
}

/// A range that a number is brought into.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// The smallest number used; less becomes it.
    pub min: f64,
    /// The largest number used; more becomes it.
    pub max: f64,
    /// Whether the number may have a fraction.
    pub unit: Unit,
}

impl Clamp {
    /// The number that is used for the one that was sent. The warning and the
    /// step both come from here.
    pub fn apply(self, sent: Number) -> Number {
        let within = sent.clamp(self.min, self.max);
        match self.unit {
            Unit::Count => within.trunc(),
            Unit::Measure => within,
        }
    }

    /// What the warning says about a number that is not used as it was sent.
    pub(crate) fn warning(self, name: &str, sent: Number) -> String {
        format!("{name} {sent} is out of range; {} is used instead", self.apply(sent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_used_is_in_range_and_whole_if_it_is_a_count() {
        let clamp = |unit| Clamp { min: 1.0, max: 50.0, unit };
        for (sent, count, measure) in [(0.0, 1.0, 1.0), (2.5, 2.0, 2.5), (50.5, 50.0, 50.0), (-7.5, 1.0, 1.0)]
        {
            let sent = Number::new(sent).unwrap();
            assert_eq!(clamp(Unit::Count).apply(sent).get(), count);
            assert_eq!(clamp(Unit::Measure).apply(sent).get(), measure);
        }
    }
}
