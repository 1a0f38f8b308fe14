//! Tests of `report/html.rs`, in a page.

use clawperator_contract::text::cut;
use clawperator_journal::report::*;

#[test]
fn text_never_becomes_a_tag() {
    let step = ToldStep { title: "a<b".to_owned(), ..ToldStep::default() };
    let page = told_page(&ToldPage {
        steps: vec![step],
        foot: "</script><img src=x onerror=\"alert('1')\">&\0\u{1b}".to_owned(),
        ..ToldPage::default()
    });
    let (_, behind) = page.split_once("<footer><p>").unwrap();
    let (safe, _) = behind.split_once("</p></footer>").unwrap();
    assert!(safe.contains("alert") && !safe.contains(['<', '>', '"', '\'', '\0', '\u{1b}']), "{safe}");
    assert!(page.contains("<bdi>a&lt;b</bdi>"), "{page}");
    assert_eq!((cut("abc", 2).as_ref(), cut("ab", 2).as_ref()), ("ab…", "ab"));
}
