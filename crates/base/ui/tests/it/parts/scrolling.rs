//! Tests of `scrolling.rs`.

use super::id;
use crate::sketch::sketch;
use clawperator_contract::Direction;
use clawperator_ui::*;

#[test]
fn a_swipe_follows_the_direction_inside_the_container() {
    const TALL: &str = "[0,100][200,1100]";
    for (bounds, direction, ratio, expected) in [
        (TALL, Direction::Down, 0.7, Some(((100, 620), (100, 340)))),
        (TALL, Direction::Up, 0.7, Some(((100, 580), (100, 860)))),
        (TALL, Direction::Left, 0.7, Some(((96, 600), (152, 600)))),
        (TALL, Direction::Right, 0.7, Some(((104, 600), (48, 600)))),
        // Up to the edge, never beyond it.
        (TALL, Direction::Down, 1.0, Some(((100, 500), (100, 100)))),
        (TALL, Direction::Up, 1.0, Some(((100, 700), (100, 1099)))),
        (TALL, Direction::Up, 7.0, Some(((100, 700), (100, 1099)))),
        // No way is no swipe.
        (TALL, Direction::Down, 0.0, None),
        (TALL, Direction::Down, -1.0, None),
        (TALL, Direction::Down, f64::NAN, None),
        ("[0,0][1,1]", Direction::Down, 0.7, None),
        // So is one that an app takes for a tap.
        ("[0,0][200,2]", Direction::Down, 0.7, None),
        ("[0,0][200,28]", Direction::Down, 0.7, None),
        ("[0,0][200,34]", Direction::Down, 0.7, Some(((100, 18), (100, 8)))),
        ("[0,9][9,9]", Direction::Down, 0.7, None),
    ] {
        let found = swipe(&Bounds::parse(bounds).unwrap(), direction, ratio);
        let expected = expected
            .map(|((x, y), (to_x, to_y))| SwipeLine { from: Point { x, y }, to: Point { x: to_x, y: to_y } });
        assert_eq!(found, expected, "{bounds} {direction:?} {ratio}");
    }
}

#[test]
fn a_swipe_stays_on_the_screen() {
    let tree = sketch("A [0,0][100,100]\n B [0,0][100,1000] scrollable");
    let swipe = Screen::new(&tree).swipe(id(&tree, 1), Direction::Down, 0.5).unwrap();
    assert_eq!((swipe.from, swipe.to), (Point::new(50, 60), Point::new(50, 40)));
}

#[test]
fn movement_is_told_from_standing_still() {
    let list = |rows: &[(i32, &str)]| {
        let rows: Vec<_> = rows
            .iter()
            .map(|(top, text)| format!("   F [0,{top}][99,{}]\n    T [0,{top}][9,99] \"{text}\"", top + 20))
            .collect();
        format!("A [0,0][99,99]\n ScrollView\n  LinearLayout\n{}", rows.join("\n"))
    };
    let before = [(0, "a"), (20, "b"), (40, "c"), (60, "12:00")];
    for (after, moved) in [
        (vec![(0, "a"), (20, "b"), (40, "c"), (60, "12:00")], false),
        // Only a clock went on.
        (vec![(0, "a"), (20, "b"), (40, "c"), (60, "12:01")], false),
        (vec![(0, "a"), (15, "b"), (35, "c"), (55, "12:00")], true),
        // By a whole row.
        (vec![(0, "b"), (20, "c"), (40, "12:00"), (60, "d")], true),
        (vec![(0, "a"), (20, "b"), (40, "c")], true),
    ] {
        let (one, two) = (sketch(&list(&before)), sketch(&list(&after)));
        let signature = |tree| Screen::new(tree).signature(id(tree, 1), Direction::Down);
        assert_eq!(signature(&two).moved_from(&signature(&one)), moved, "{after:?}");
    }
}

#[test]
fn each_direction_has_its_own_side() {
    let trees = ["[0,0][9,9]", "[0,5][9,9]", "[5,0][9,9]"].map(|at| sketch(&format!("A\n B {at}")));
    let [still, lower, righter] = trees.each_ref();
    let moved = |after, direction| {
        let signature = |tree| Screen::new(tree).signature(id(tree, 0), direction);
        signature(after).moved_from(&signature(still))
    };
    for (after, vertical, horizontal) in [(lower, true, false), (righter, false, true)] {
        assert_eq!(moved(after, Direction::Up), vertical);
        assert_eq!(moved(after, Direction::Right), horizontal);
    }
}

#[test]
fn a_page_with_one_label_moves_when_it_changes() {
    let [one, two] = ["1", "2"].map(|text| sketch(&format!("A\n B \"{text}\"\n B")));
    let signature = |tree| Screen::new(tree).signature(id(tree, 0), Direction::Right);
    assert!(signature(&two).moved_from(&signature(&one)));
}
