//! Tests of `report/steps_page.rs`.

use clawperator_events::{TouchEvent, TouchKind};
use clawperator_journal::report::*;

#[test]
fn what_is_told_never_becomes_a_tag() {
    let evil = "</script><img src=x onerror=alert(1)>";
    let step = ToldStep {
        title: evil.to_owned(),
        texts: vec![("Thought", format!("a\n{evil}"))],
        picture: Some(ToldPicture {
            media_type: "image/png",
            bytes: vec![1; 10],
            size: [10, 20],
            touch: Some(TouchEvent { kind: TouchKind::Tap, at: [1, 2], to: None }),
            caption: evil.to_owned(),
        }),
        ..ToldStep::default()
    };
    let page = told_page(&ToldPage {
        name: evil.to_owned(),
        status: "failed".to_owned(),
        ending: evil.to_owned(),
        steps: vec![step.clone(), step],
        ..ToldPage::default()
    });
    assert!(!page.contains("<img"), "{page}");
    assert_eq!(page.matches("class=\"finger\"").count(), 2);
    assert!(page.contains("id=\"step-2\""));
}
