//! Tests of `apk.rs`.

use clawperator_sim::package_of;
use proptest::prelude::*;

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = package_of(&bytes);
        let mut zip = b"PK\x03\x04".to_vec();
        zip.extend(&bytes);
        let _ = package_of(&zip);
    }
}
