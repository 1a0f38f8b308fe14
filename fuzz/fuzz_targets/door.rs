//! One door of the program, named by the variable `DOOR`. `cargo xtask fuzz`
//! builds and runs this for each of them.

#![no_main]

use clawperator_doors::{DOORS, Door};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static CHOSEN: LazyLock<Door> = LazyLock::new(|| {
    let name = std::env::var("DOOR").expect("DOOR names the door");
    let door = DOORS.iter().find(|door| door.name == name);
    *door.unwrap_or_else(|| panic!("there is no door {name}"))
});

fuzz_target!(|bytes: &[u8]| (CHOSEN.enter)(bytes));
