//! Tests of `near_miss.rs`.

use crate::sketch::sketch;
use clawperator_contract::Matcher;
use clawperator_ui::*;

const DRAWING: &str = "FrameLayout [0,0][100,100] id=a:id/root
 TextView \"Increment\" id=a:id/btn_increment
 Button \"Increase_all\" id=a:id/btn_all
 TextView \"Wi-Fi\" desc=Wireless
 Button \"OK\" id=a:id/ok";

fn near(matcher: &Matcher) -> Vec<(String, Vec<&'static str>)> {
    let tree = sketch(DRAWING);
    let screen = Screen::new(&tree);
    let near = screen.nearest(&matcher.selector(), 2);
    near.iter()
        .map(|near| {
            let label = tree.node(near.id).label().to_owned();
            (label, near.mismatches.iter().map(|mismatch| mismatch.field).collect())
        })
        .collect()
}

#[test]
fn a_typo_finds_the_element_that_was_meant() {
    let text = |text: &str| Matcher { text_equals: Some(text.to_owned()), ..Matcher::default() };
    assert_eq!(near(&text("Incremnt"))[0], ("Increment".to_owned(), vec!["textEquals"]));
    assert_eq!(near(&text("increment"))[0].0, "Increment");
    assert_eq!(near(&text("qqq")), []);
}

#[test]
fn the_wrong_field_finds_the_element_too() {
    let id = |id: &str| Matcher { resource_id: Some(id.to_owned()), ..Matcher::default() };
    assert_eq!(near(&id("btn_al"))[0].0, "Increase all");
    assert_eq!(near(&id("Wireless"))[0].0, "Wi-Fi");
    let description = Matcher { content_desc_equals: Some("Increment".to_owned()), ..Matcher::default() };
    assert_eq!(near(&description)[0].0, "Increment");
}

#[test]
fn what_fits_in_most_fields_comes_first() {
    let matcher =
        Matcher { text_equals: Some("OK".to_owned()), role: Some("switch".to_owned()), ..Matcher::default() };
    assert_eq!(near(&matcher)[0], ("OK".to_owned(), vec!["role"]));
    let matcher = Matcher {
        resource_id: Some("a:id/okay".to_owned()),
        text_contains: Some("o".to_owned()),
        ..Matcher::default()
    };
    assert_eq!(near(&matcher)[0], ("OK".to_owned(), vec!["resourceId"]));
}

#[test]
fn what_fits_is_not_near() {
    let matcher = Matcher { text_equals: Some("OK".to_owned()), ..Matcher::default() };
    assert!(near(&matcher).iter().all(|(label, _)| label != "OK"));
    assert_eq!(near(&Matcher::default()), []);
}
