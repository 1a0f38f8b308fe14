//! Tests of `shell/field.rs`.

use clawperator_userland::{limits, split_fields};

#[test]
fn no_more_words_are_made_than_a_command_may_have() {
    let fields = split_fields(&"y ".repeat(4 * limits::MAX_WORDS), " ");
    assert_eq!(fields.len(), limits::MAX_WORDS + 1);
}
