//! Retry: what a caller may ask for, what is made of it, and the presets that
//! hold where nothing is asked.

use crate::clamp::{Clamp, Unit};
use clawperator_document::{Number, words};
use serde::Serialize;
use std::time::Duration;

/// One field of a retry object.
#[derive(Clone, Copy, Debug)]
pub struct RetryField {
    pub name: &'static str,
    /// What is used of a value.
    pub range: Clamp,
    /// The value where none is given.
    pub default: f64,
    pub doc: &'static str,
    /// The field in the type.
    pub slot: fn(&mut RetryObject) -> &mut Option<Number>,
}

/// Writes the type and the table of its fields from one list.
macro_rules! retry_fields {
    ($($field:ident $name:literal: $unit:ident $min:literal to $max:literal, else $default:literal, $doc:literal;)*) => {
        /// A retry object as the caller wrote it.
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct RetryObject {
            $(#[doc = $doc] #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<Number>,)*
        }

        /// The five fields, in the contract's order. `maxDelayMs` is also never less
        /// than `initialDelayMs`.
        pub const RETRY_FIELDS: [RetryField; 5] = [$(RetryField {
            name: $name,
            range: Clamp { min: $min, max: $max, unit: Unit::$unit },
            default: $default,
            doc: $doc,
            slot: |retry| &mut retry.$field,
        },)*];
    };
}

retry_fields! {
    max_attempts "maxAttempts": Count 1.0 to 10.0, else 1.0, "The number of attempts, the first included.";
    initial_delay_ms "initialDelayMs": Measure 0.0 to 30_000.0, else 0.0, "The wait before the second attempt.";
    max_delay_ms "maxDelayMs": Measure 0.0 to 60_000.0, else 0.0, "The longest wait; never less than initialDelayMs.";
    backoff_multiplier "backoffMultiplier": Measure 1.0 to 5.0, else 1.0, "The factor from each wait to the next.";
    jitter_ratio "jitterRatio": Measure 0.0 to 1.0, else 0.0, "Random jitter of each wait, as a share of its length.";
}

/// A retry policy that can be followed: every value is in its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// How often to try, the first time included; at least once.
    pub max_attempts: u32,
    /// The wait before the second attempt.
    pub initial_delay: Duration,
    pub max_delay: Duration,
    /// What each wait is multiplied by to get the next.
    pub backoff_multiplier: f64,
    /// How far a wait may stray from its length, as a share of it.
    pub jitter_ratio: f64,
}

words! {
    /// The policies that hold where a caller asks for none.
    pub RetryPreset {
        None = "None",
        /// Wait for the screen to be ready.
        UiReadiness = "UiReadiness",
        /// Wait for a list to come to rest.
        UiScroll = "UiScroll",
        /// Wait for an app to start.
        AppLaunch = "AppLaunch",
        /// Wait for an app to end.
        AppClose = "AppClose",
    }
}

impl RetryPreset {
    /// The preset's policy.
    pub fn policy(self) -> RetryPolicy {
        let (max_attempts, initial, max) = match self {
            Self::None => return RetryObject::default().policy(),
            Self::UiReadiness => (5, 500, 3_000),
            Self::UiScroll | Self::AppClose => (4, 400, 2_000),
            Self::AppLaunch => (4, 750, 4_000),
        };
        RetryPolicy {
            max_attempts,
            initial_delay: Duration::from_millis(initial),
            max_delay: Duration::from_millis(max),
            backoff_multiplier: 2.0,
            jitter_ratio: 0.15,
        }
    }
}

/// How long an act of an agent looks for its element if the agent does not say:
/// longer waiting has a word of its own.
pub const PATIENCE: Duration = Duration::from_millis(1_500);

impl RetryObject {
    /// Looks after waits that double, up to this time in all.
    pub fn patience(limit: Duration) -> Self {
        const FIRST_MS: u32 = 500;
        const LONGEST_MS: u32 = 3_000;
        let (mut attempts, mut wait, mut left) = (1_u32, FIRST_MS, limit.as_millis());
        while left >= wait.into() {
            (attempts, left, wait) = (attempts + 1, left - u128::from(wait), (wait * 2).min(LONGEST_MS));
        }
        Self {
            max_attempts: Some(attempts.into()),
            initial_delay_ms: Some(FIRST_MS.into()),
            max_delay_ms: Some(LONGEST_MS.into()),
            backoff_multiplier: Some(2_u32.into()),
            jitter_ratio: Number::new(0.15),
        }
    }

    /// The policy this object asks for, every value clamped to its range.
    pub fn policy(&self) -> RetryPolicy {
        let [attempts, initial, max, backoff, jitter] = self.values_in_range();
        let millis = |value: f64| Duration::from_secs_f64(value / 1_000.0);
        RetryPolicy {
            max_attempts: attempts as u32,
            initial_delay: millis(initial),
            max_delay: millis(max.max(initial)),
            backoff_multiplier: backoff,
            jitter_ratio: jitter,
        }
    }

    /// Whether the longest wait asked for is shorter than the first, so that
    /// the first is used for both.
    pub(crate) fn max_delay_is_raised(&self) -> bool {
        let [_, initial, max, ..] = self.values_in_range();
        self.initial_delay_ms.is_some() && self.max_delay_ms.is_some() && max < initial
    }

    /// Each field's value in its range, in the order of the table.
    fn values_in_range(&self) -> [f64; RETRY_FIELDS.len()] {
        let mut asked = self.clone();
        RETRY_FIELDS.map(|field| {
            let given = *(field.slot)(&mut asked);
            given.map_or(field.default, |number| field.range.apply(number).get())
        })
    }
}

impl RetryPolicy {
    /// The wait after the attempt of that number (the first is 1), before
    /// jitter; `None` when no attempt is left.
    pub fn delay_after(&self, attempt: u32) -> Option<Duration> {
        if attempt == 0 || attempt >= self.max_attempts {
            return None;
        }
        // Further growth is above every longest wait, and could overflow.
        const MOST: u32 = 64;
        let growth = self.backoff_multiplier.powi((attempt - 1).min(MOST) as i32);
        let seconds = self.initial_delay.as_secs_f64() * growth;
        Some(Duration::from_secs_f64(seconds.min(self.max_delay.as_secs_f64())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(policy: RetryPolicy) -> Vec<u128> {
        (1..).map_while(|attempt| policy.delay_after(attempt)).map(|delay| delay.as_millis()).collect()
    }

    #[test]
    fn presets_wait_as_documented() {
        assert_eq!(delays(RetryPreset::None.policy()), [0; 0]);
        assert_eq!(delays(RetryPreset::UiReadiness.policy()), [500, 1_000, 2_000, 3_000]);
        assert_eq!(delays(RetryPreset::AppLaunch.policy()), [750, 1_500, 3_000]);
        assert_eq!(delays(RetryPreset::AppClose.policy()), [400, 800, 1_600]);
        assert_eq!(delays(RetryPreset::UiScroll.policy()), [400, 800, 1_600]);
    }

    /// The policy of an object with these values, in the order of the table.
    fn policy(values: [f64; RETRY_FIELDS.len()]) -> RetryPolicy {
        let mut asked = RetryObject::default();
        for (field, value) in RETRY_FIELDS.iter().zip(values) {
            *(field.slot)(&mut asked) = Number::new(value);
        }
        asked.policy()
    }

    #[test]
    fn the_documented_object_keeps_its_values() {
        assert_eq!(policy([4.0, 400.0, 2_000.0, 2.0, 0.15]), RetryPreset::AppClose.policy());
    }

    #[test]
    fn values_out_of_range_are_clamped() {
        let clamped = RetryPolicy {
            max_attempts: 10,
            initial_delay: Duration::from_secs(30),
            max_delay: Duration::from_secs(30),
            backoff_multiplier: 1.0,
            jitter_ratio: 1.0,
        };
        assert_eq!(policy([99.0, 50_000.0, -1.0, 0.1, 7.0]), clamped);
    }
}
