//! Tests of `suggest.rs`.

use clawperator_recording::*;
use clawperator_ui::{Screen, Tree, read};

/// A screen of these elements: class, text, id, bounds, clickable or not.
fn dump(nodes: &str) -> Tree {
    read(&format!(
        "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" bounds=\"[0,0][100,100]\">{nodes}</node></hierarchy>"
    ))
    .unwrap()
}

fn node(class: &str, text: &str, id: &str, bounds: &str) -> String {
    format!(
        "<node class=\"android.widget.{class}\" text=\"{text}\" resource-id=\"{id}\" bounds=\"{bounds}\" clickable=\"true\" enabled=\"true\"/>"
    )
}

fn suggested(tree: &Tree, number: usize) -> Vec<String> {
    let (id, _) = tree.nodes().nth(number).unwrap();
    let found = suggestions(&Screen::new(tree), id);
    found.iter().map(|found| format!("{} {} {}", found.basis.word(), found.fits, found.matcher)).collect()
}

#[test]
fn an_id_comes_first_then_what_it_says() {
    let tree = dump(&node("Button", "Save", "app:id/save", "[0,0][50,10]"));
    assert_eq!(
        suggested(&tree, 1),
        [
            "id 1 resourceId \"app:id/save\"",
            "id and text 1 resourceId \"app:id/save\", textEquals \"Save\"",
            "role and text 1 role \"button\", textEquals \"Save\"",
            "text 1 textEquals \"Save\"",
        ]
    );
}

#[test]
fn an_id_that_others_have_too_comes_last() {
    let rows = node("Button", "One", "app:id/row", "[0,0][50,10]")
        + &node("Button", "Two", "app:id/row", "[0,10][50,20]");
    let found = suggested(&dump(&rows), 1);
    assert_eq!(found[0], "id and text 1 resourceId \"app:id/row\", textEquals \"One\"");
    assert_eq!(found.last().unwrap(), "id 2 resourceId \"app:id/row\"");
}

#[test]
fn a_twin_is_named_by_what_is_beside_it() {
    let rows = node("TextView", "Wi-Fi", "", "[0,0][50,10]")
        + &node("Switch", "", "", "[60,0][90,10]")
        + &node("TextView", "Bluetooth", "", "[0,20][50,30]")
        + &node("Switch", "", "", "[60,20][90,30]");
    assert_eq!(
        suggested(&dump(&rows), 4),
        ["what is beside it 1 role \"switch\", rightOf (textEquals \"Bluetooth\")"]
    );
}

#[test]
fn an_element_that_nothing_tells_apart_has_the_ambiguous_ones() {
    let rows = node("Button", "Same", "", "[0,0][50,10]") + &node("Button", "Same", "", "[0,0][50,10]");
    let tree = dump(&rows);
    let (id, _) = tree.nodes().nth(2).unwrap();
    let found = suggestions(&Screen::new(&tree), id);
    assert!(found.iter().all(|found| found.unsure == Some(Unsure::FirstOf(2))), "{found:?}");
    assert!(!found.is_empty());
}
