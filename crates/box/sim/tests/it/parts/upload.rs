//! Tests of `upload.rs`.

use clawperator_adb::Files;
use clawperator_sim::{Handset, Setup, host_files};

const MAX_HELD: usize = 256 << 20;

#[test]
fn uploads_share_one_bound() {
    let handset = Handset::new(Setup::default());
    let holds = |files: &mut dyn Files, bytes: usize| files.hold(bytes).is_ok();
    let (mut one, mut two) = (host_files(&handset), host_files(&handset));
    assert!(holds(&mut one, MAX_HELD - 10) && holds(&mut two, 10));
    assert!(!holds(&mut two, 11) && !holds(&mut one, MAX_HELD));
    drop(one);
    assert!(holds(&mut two, MAX_HELD));
    assert!(holds(&mut two, 0));
    assert!(holds(&mut host_files(&handset), MAX_HELD));
}
