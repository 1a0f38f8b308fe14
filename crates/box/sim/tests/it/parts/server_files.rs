//! Tests of `server/files.rs`.

use clawperator_adb::Files as _;
use clawperator_sim::{Handset, Setup, host_files};

#[test]
fn hosts_that_send_share_one_bound() {
    let handset = Handset::new(Setup::default());
    let mut one = host_files(&handset);
    let mut two = host_files(&handset);
    assert_eq!(one.hold(256 << 20), Ok(()));
    assert_eq!(two.hold(1), Err("couldn't create file: No space left on device".to_owned()));
    assert_eq!(one.hold(0), Ok(()));
    assert_eq!(two.hold(1), Ok(()));
}
