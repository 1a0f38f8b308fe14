//! The payload door: whatever comes in, no panic; what is accepted is accepted
//! again as it was written, and normalizing twice is normalizing once.

#![no_main]

use clawperator_contract::{ExecutionWire, accept, normalize};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(wire) = ExecutionWire::parse(bytes) {
        let once = normalize(wire);
        assert_eq!(normalize(once.clone()), once);
    }
    if let Ok(first) = accept(bytes) {
        let written = serde_json::to_vec(&first.execution).unwrap();
        assert!(written.len() <= 8 * bytes.len());
        assert_eq!(accept(&written).unwrap().execution, first.execution);
    }
});
