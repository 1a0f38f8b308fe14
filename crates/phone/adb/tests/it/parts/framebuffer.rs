//! Tests of `framebuffer.rs`.

use clawperator_adb::*;

#[test]
fn headers_have_the_bytes_everyone_expects() {
    let header = framebuffer_header(3, 2);
    let number = |four: &[u8]| u32::from_le_bytes(four.try_into().unwrap());
    let numbers: Vec<u32> = header.chunks(4).map(number).collect();
    assert_eq!(numbers, [2, 32, 1, 24, 3, 2, 0, 8, 16, 8, 8, 8, 24, 8]);
}
