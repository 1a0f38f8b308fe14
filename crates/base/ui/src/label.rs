//! An element's label: the text that matchers and readers go by.

use crate::tree::Node;
use clawperator_contract::text::is_blank;

impl Node {
    /// The text, or the content description where the text is blank, or nothing.
    pub fn label(&self) -> &str {
        let first = [&self.text, &self.content_desc].into_iter();
        first.map(String::as_str).find(|text| !is_blank(text)).unwrap_or_default()
    }
}
