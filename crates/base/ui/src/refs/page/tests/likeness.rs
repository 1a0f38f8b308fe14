//! Where the border is between one page and another.

use super::*;

fn scene(drawing: &str) -> PageIdentity {
    let tree = sketch(drawing);
    Fingerprints::new(Screen::new(&tree)).scene().clone()
}

/// What moves, a letter each, ten apart; a row with a large letter is cut off.
fn moving(from: i32, letters: &str, row: bool) -> Vec<Moving> {
    let one = |(place, letter): (usize, char)| Moving {
        label: letter as u64,
        at: (0, from + place as i32 * 10),
        parts: [letter.to_ascii_uppercase() as u64, letter as u64].into_iter().filter(|_| row).collect(),
    };
    letters.chars().enumerate().map(one).collect()
}

#[test]
fn what_moves_follows_what_was_seen() {
    for (row, before, (from, later), expected) in [
        (true, "abc", (0, "abc"), true),
        (false, "abc", (0, "abc"), true),
        (true, "abc", (0, "xyz"), false),
        (true, "a", (5, "x"), false),
        (true, "abc", (-5, "bcd"), true),
        (true, "aab", (0, "ab"), false),
        (true, "abc", (0, "acb"), false),
        // A row in the place of another, in the middle and at the edges.
        (true, "abc", (0, "axc"), false),
        (true, "abc", (5, "axc"), false),
        (true, "abc", (5, "abC"), true),
        (true, "abC", (5, "abc"), true),
        (true, "abc", (5, "abx"), false),
        (true, "abc", (0, "abx"), false),
        (true, "abc", (5, "Abc"), true),
        (true, "abc", (5, "xbc"), false),
        (true, "abc", (0, "xbc"), false),
        (true, "abC", (5, "abcyz"), true),
        (true, "abc", (5, "abxyz"), false),
        (true, "abcde", (5, "abC"), true),
        (true, "bcde", (5, "xyBcde"), true),
        (true, "abcd", (5, "abxy"), false),
        // A row is deleted or comes; a text of a page scrolls away.
        (true, "abc", (0, "ac"), true),
        (true, "abc", (0, "ab"), true),
        (true, "ac", (0, "abc"), true),
        (false, "ac", (0, "abc"), true),
        (false, "abc", (0, "bc"), true),
        (false, "abc", (0, "ab"), false),
        (false, "abc", (5, "ab"), true),
        (false, "abc", (5, "ac"), false),
        (false, "abc", (5, "abx"), false),
    ] {
        let found = follows(&moving(0, before, row), &moving(from, later, row));
        assert_eq!(found, expected, "{row} {before} {from} {later}");
    }
}

#[test]
fn texts_beyond_the_limit_count_without_being_kept() {
    let many = |last: &str| -> String {
        let rows = (0..=MAX_SCENE_LABELS + 1).map(|row| format!("\n  T \"{row}\""));
        rows.collect::<String>() + &format!("\n  T \"{last}\"")
    };
    for top in ["A\n F", "A\n T \"x\"\n ScrollView scrollable"] {
        let [one, same, other] = ["x1", "x1", "x2"].map(|last| scene(&format!("{top}{}", many(last))));
        let kept = one.moving.len().max(one.labels.len());
        assert_eq!(kept, MAX_SCENE_LABELS, "{top}");
        assert!(one.rest != 0 && one.is_like(&same) && !one.is_like(&other), "{top}");
    }
    let few = scene("A\n T \"a\"\n T \"b\"\n T \"c\"");
    assert_eq!((few.labels.len(), few.rest), (3, 0));
}

#[test]
fn a_dialog_is_known_by_its_corner_or_its_parts() {
    for (drawing, dialog) in [
        ("A [0,0][9,9]", false),
        ("A [0,5][9,9]", true),
        ("A [5,0][9,9]", true),
        ("A\n B id=android:id/parentPanel", true),
        ("A\n B id=android:id/message", true),
        ("A\n B id=a:id/alertTitle", true),
        ("A\n B id=a:id/parentPanel", true),
        ("A\n B id=a:id/message", false),
    ] {
        assert_eq!(scene(drawing).dialog, dialog, "{drawing}");
    }
}

#[test]
fn a_title_is_told_from_other_texts() {
    let up = "ImageButton clickable desc=Navigate_up [0,10][9,20]";
    for (inside, title) in [
        (format!("F\n  {up}\n  T \"x\" [9,10][20,20]"), true),
        (format!("F\n  {up}\n  T \"x\" [9,19][20,30]"), true),
        (format!("F\n  {up}\n  T \"x\" [9,0][20,11]"), true),
        // Below and above the button.
        (format!("F\n  {up}\n  T \"x\" [9,20][20,30]"), false),
        (format!("F\n  {up}\n  T \"x\" [9,0][20,10]"), false),
        (format!("F\n  {}\n  T \"x\" [9,10][20,20]", up.replace("Navigate_up", "Share")), false),
        (format!("F\n  {}\n  T \"x\" [9,10][20,20]", up.replace("Navigate_up", "BACK")), true),
        (format!("F\n  {up}\n  T \"x\" clickable [9,10][20,20]"), false),
        ("F\n  T \"x\"".to_owned(), false),
        ("Toolbar\n  T \"x\"".to_owned(), true),
        ("Toolbar\n  F\n   T \"x\"".to_owned(), true),
        ("Toolbar\n  F\n   F\n    F\n     T \"x\"".to_owned(), false),
        ("T \"x\" id=a:id/action_bar_title".to_owned(), true),
        ("T \"x\" id=a:id/subtitle".to_owned(), false),
    ] {
        let tree = sketch(&format!("A [0,0][99,99]\n {inside}"));
        assert_eq!(Titles::new(&tree).has(NodeId(tree.len() - 1)), title, "{inside}");
    }
}

#[test]
fn what_is_touched_is_close_to_what_takes_the_touch() {
    for (drawing, touched) in [
        ("A\n T clickable", true),
        ("A\n B clickable\n  T", true),
        ("A\n B clickable\n  C\n   T", true),
        ("A\n B clickable\n  C\n   D\n    T", false),
        ("A\n T", false),
    ] {
        let tree = sketch(drawing);
        assert_eq!(is_touched(&tree, NodeId(tree.len() - 1)), touched, "{drawing}");
    }
}
