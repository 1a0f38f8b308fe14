//! An element's label: the text that matchers and readers go by.

use crate::tree::Node;
use clawperator_contract::text::is_blank;

impl Node {
    /// The text, or the content description where the text is blank, or
    /// nothing.
    pub fn label(&self) -> &str {
        let first = [&self.text, &self.content_desc].into_iter();
        first
            .map(String::as_str)
            .find(|text| !is_blank(text))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let node = Node {
                text: text.to_owned(),
                content_desc: content_desc.to_owned(),
                ..Node::default()
            };
            assert_eq!(node.label(), label, "{text:?} {content_desc:?}");
        }
    }
}
