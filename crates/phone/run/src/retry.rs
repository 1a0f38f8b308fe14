//! Tries a step again, as its retry policy says.

use crate::outcome::StepFailure;
use crate::run::Run;
use clawperator_contract::{PATIENCE, RetryObject, RetryPolicy};
use std::time::Duration;
use tokio::time::Instant;

/// How long a step of an agent that gives no time may take before its last attempt ends.
const LONGEST: Duration = Duration::from_millis(2_100);

/// The attempts of one step.
pub(crate) struct Tries<'p> {
    policy: &'p RetryPolicy,
    /// The number of the attempt under way, from 1.
    number: u32,
    since: Instant,
}

impl<'p> Tries<'p> {
    pub(crate) fn new(policy: &'p RetryPolicy) -> Self {
        Self { policy, number: 1, since: Instant::now() }
    }

    /// Whether an agent that gave no time has waited long enough, looks included:
    /// another attempt would take as long as those before.
    fn is_enough(&self, run: &Run<'_>, delay: Duration) -> bool {
        let is_usual = *self.policy == RetryObject::patience(PATIENCE).policy();
        let one_more = delay + self.since.elapsed() * (self.number + 1) / self.number;
        run.options.patience.is_some() && is_usual && self.number > 1 && one_more > LONGEST
    }

    /// Waits until the next attempt is due. Gives the failure back if there is no next attempt.
    pub(crate) async fn again(&mut self, run: &mut Run<'_>, failure: StepFailure) -> Result<(), StepFailure> {
        let failure = run.or_locked(failure).await;
        let delay = self.policy.delay_after(self.number).filter(|_| failure.again);
        let Some(delay) = delay.filter(|delay| !self.is_enough(run, *delay)) else {
            return Err(failure);
        };
        let (delay, why) = (run.with_jitter(delay, self.policy.jitter_ratio), failure.code.row().name);
        run.last_failure = Some(failure);
        run.wait(delay, why, Some(self.number)).await;
        self.number += 1;
        Ok(())
    }
}

impl Run<'_> {
    /// A delay with jitter: longer or shorter by up to that share of it.
    fn with_jitter(&mut self, delay: Duration, share: f64) -> Duration {
        self.jitter = mix(self.jitter);
        // Between -1 and 1.
        let drawn = (self.jitter >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
        delay.mul_f64((1.0 + drawn * share).max(0.0))
    }
}

/// The next number of a pseudo-random sequence. The simulated phone has the
/// same four lines: neither crate may depend on the other.
fn mix(number: u64) -> u64 {
    let a = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}
