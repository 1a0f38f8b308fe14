//! Tests of `resample.rs`.

use clawperator_paint::*;

#[test]
fn a_smaller_picture_is_the_middle_of_what_it_covers() {
    let mut canvas = Canvas::new(90, 600, Color::WHITE).unwrap();
    for y in (0..600).step_by(2) {
        canvas.fill(Area::new(0, y, 90, y + 1), Color::rgb(0));
    }
    let small = canvas.resampled(45, 300).unwrap();
    assert_eq!((small.width(), small.height()), (45, 300));
    // Black and white rows in turn are grey.
    let middle = small.pixels().chunks(4).skip(45 * 150).take(45);
    assert!(
        middle.clone().all(|pixel| pixel[..3].iter().all(|part| (110..146).contains(part))),
        "{middle:?}"
    );
    assert!(small.pixels().chunks(4).all(|pixel| pixel[3] == 255));
    assert!(canvas.resampled(0, 5).is_err());
}
