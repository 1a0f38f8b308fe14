//! Tests of `service_calls.rs`.

use clawperator_sim::{Handset, Setup, TimeKind};
use std::time::Duration;

/// The most services, and bytes of services, that are remembered.
const MOST: usize = 4_096;
const MOST_BYTES: usize = 256 << 10;

#[test]
fn what_was_asked_long_ago_is_forgotten() {
    let handset = Handset::new(Setup { time: TimeKind::Virtual, ..Setup::default() });
    for _ in 0..3 * MOST {
        handset.ask("shell:true");
        handset.time().advance(Duration::from_millis(1));
    }
    let list = handset.service_calls();
    assert_eq!((list.len(), list[0].at.as_millis()), (MOST, 2 * MOST as u128));
    handset.ask(&"x".repeat(MOST_BYTES));
    assert_eq!(handset.service_calls().len(), 1);
    handset.ask(&"x".repeat(MOST_BYTES + 1));
    assert_eq!(handset.service_calls(), []);
    // Nothing is left of what was forgotten: there is room for as much as at first.
    handset.ask(&"x".repeat(MOST_BYTES));
    assert_eq!(handset.service_calls().len(), 1);
}
