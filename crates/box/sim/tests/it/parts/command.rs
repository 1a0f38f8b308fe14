//! Tests of `command.rs`.

use clawperator_sim::phone_commands;

#[test]
fn commands_stand_in_order() {
    assert!(phone_commands().is_sorted());
}
