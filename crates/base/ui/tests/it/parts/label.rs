//! Tests of `label.rs`.

use clawperator_ui::*;

#[test]
fn text_comes_before_the_description() {
    for (text, content_desc, label) in [
        ("a", "b", "a"),
        (" a ", "b", " a "),
        ("", "b", "b"),
        ("\u{a0}\n", " b", " b"),
        (" ", "\t", ""),
        ("", "", ""),
    ] {
        let node = Node { text: text.to_owned(), content_desc: content_desc.to_owned(), ..Node::default() };
        assert_eq!(node.label(), label, "{text:?} {content_desc:?}");
    }
}
