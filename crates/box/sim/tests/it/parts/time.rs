//! Tests of `time.rs`.

use clawperator_sim::*;
use std::sync::Arc;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn virtual_time_passes_only_when_it_is_moved() {
    let time = Arc::new(Time::virtual_from(Duration::ZERO));
    let sleeper = tokio::spawn({
        let time = Arc::clone(&time);
        async move { time.sleep(Duration::from_secs(2)).await }
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!sleeper.is_finished());
    assert!(time.advance(Duration::from_secs(2)));
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(sleeper.is_finished());
    assert!(!Time::real().advance(Duration::from_secs(1)));
}
