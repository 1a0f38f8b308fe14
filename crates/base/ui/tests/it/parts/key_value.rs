//! Tests of `key_value.rs`.

use super::id;
use crate::sketch::sketch;
use clawperator_ui::*;

#[test]
fn a_value_stands_behind_its_label() {
    for (drawing, expected) in [
        ("A\n L \"k\"\n V \"v\"", Some("v")),
        ("A\n V \"v\"\n L \"k\"", None),
        // A summary first, however deep.
        ("A\n L \"k\"\n V \"v\"\n B\n  V \"s\" id=android:id/summary", Some("s")),
        ("A\n L \"k\"\n V \"v\"\n V id=android:id/summary", Some("v")),
        // Further out, if nothing comes after the label itself.
        ("A\n B\n  C\n   L \"k\"\n V desc=v", Some("v")),
        // The first level that has anything decides, even for nothing.
        ("A\n B\n  L \"k\"\n  Divider\n V \"v\"", None),
        ("A\n B\n  L \"k\"\n  Unseen [50,50][60,60] \"u\"\n V \"v\"", Some("v")),
        // What is inside the label does not come after it.
        ("A\n L \"k\"\n  X \"x\"\n V \"v\"", Some("v")),
        // Another item's label is no value.
        ("RecyclerView\n F\n  L \"k\"\n F\n  L \"other\"", None),
        ("A\n CardView\n  L \"k\"\n B\n  L \"other\"", None),
        (
            "A [0,0][99,99]\n LinearLayout\n  I [0,0][4,9]\n  L [5,0][9,9] \"k\"\n L [0,9][9,18] \"other\"",
            None,
        ),
        // The title of a page: rows and lists behind it are not its value.
        ("A\n T id=a:id/toolbar\n  L \"k\"\n C\n  L \"other\"", None),
        ("A\n Toolbar\n  L \"k\"\n  L \"subtitle\"", Some("subtitle")),
        ("A\n Toolbar\n  L \"k\"\n  B desc=Search clickable", None),
        ("A\n L \"k\"\n RecyclerView\n  F\n   L \"other\"", None),
        ("A\n L \"k\"\n S scrollable\n  L \"other\"", None),
        ("A\n L \"k\"\n F clickable\n  L \"other\"", None),
        (
            "A [0,0][99,99]\n B\n  L \"k\"\n C [0,0][99,99]\n  LinearLayout\n   L [0,0][4,9] \"other\"\n   L [5,0][9,9] \"x\"",
            None,
        ),
        // Behind the label itself, a row may be the value.
        ("A [0,0][99,99]\n L \"k\"\n LinearLayout\n  L [0,0][4,9] \"v\"\n  I [5,0][9,9]", Some("v")),
        ("L \"k\"", None),
    ] {
        let tree = sketch(drawing);
        let (label, _) = tree.nodes().find(|(_, node)| node.text == "k").unwrap();
        let value = Screen::new(&tree).value_of(label).map(|id| tree.node(id).label());
        assert_eq!(value, expected, "{drawing}");
    }
}

#[test]
fn an_unseen_label_has_no_value() {
    let tree = sketch("A\n L [50,50][60,60] \"k\"\n V \"v\"");
    assert_eq!(Screen::new(&tree).value_of(id(&tree, 1)), None);
}
