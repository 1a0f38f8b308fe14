//! Tests of `approval/qr.rs`.

use clawperator_agent::approval::*;

#[test]
fn a_link_is_a_square_with_a_border() {
    let code = qr_code("http://127.0.0.1:3000/approve/ap-0123456789abcdef#token").unwrap();
    let lines: Vec<&str> = code.lines().collect();
    let width = lines[0].chars().count();
    assert!(lines.iter().all(|line| line.chars().count() == width));
    assert_eq!(lines.len(), width.div_ceil(2));
    assert!(lines[0].chars().all(|letter| letter == '█'));
    assert_eq!(qr_code(&"x".repeat(5000)), None);
}
