//! Tests of `deadline.rs`.

use clawperator_adb::*;
use std::time::Duration;

#[tokio::test]
async fn a_deadline_may_be_as_good_as_never() {
    let deadline = Deadline::after(Duration::MAX);
    assert!(matches!(deadline.run("nothing", async { Ok(7) }).await, Ok(7)));
}
