//! Tests of `excerpt.rs`.

use super::id;
use crate::sketch::sketch;

#[test]
fn an_element_is_one_short_line() {
    let long = "é".repeat(41);
    let cut_off = format!("View \"{}…\" at [0,0][9,9]", "é".repeat(40));
    for (drawing, expected) in [
        (
            "F id=dev.somebody.quite.a.long.name.indeed:id/search_field",
            "F id=dev.somebody.quite.a.long.name.indeed:id/search_field at [0,0][9,9]",
        ),
        (
            "android.widget.TextView \"Wi-Fi\" id=android:id/title [0,63][1080,200]",
            "TextView \"Wi-Fi\" id=android:id/title at [0,63][1080,200]",
        ),
        ("android.widget.ImageView desc=a\nb", "ImageView \"a\" at [0,0][9,9]"),
        ("View id=", "View at [0,0][9,9]"),
        ("a.b. \"x\\y\"", "element \"x\\\\y\" at [0,0][9,9]"),
        (&format!("View \"{long}\""), &cut_off),
    ] {
        let tree = sketch(drawing);
        assert_eq!(tree.excerpt(id(&tree, 0)), expected);
    }
}
