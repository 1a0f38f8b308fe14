//! The payload door: whatever comes in, no panic; what is accepted is accepted
//! again as it was written, what is refused is refused within bounds, and
//! normalizing twice is normalizing once.

#![no_main]

use clawperator_contract::limits::MAX_REFUSAL_BYTES;
use clawperator_contract::{ExecutionWire, accept, normalize};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(wire) = ExecutionWire::parse(bytes) {
        let once = normalize(wire);
        assert_eq!(normalize(once.clone()), once);
    }
    match accept(bytes) {
        Ok(first) => {
            let written = serde_json::to_vec(&first.execution).unwrap();
            assert!(written.len() <= 8 * bytes.len());
            assert_eq!(accept(&written).unwrap().execution, first.execution);
        }
        Err(failure) => assert!(serde_json::to_vec(&failure).unwrap().len() <= MAX_REFUSAL_BYTES),
    }
});
