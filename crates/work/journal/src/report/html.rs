//! Escapes text from phones and callers for a page. Pure.

pub(super) use clawperator_contract::text::cut;

/// A text in a page, between tags or in an attribute's double quotes.
pub(super) fn esc(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No page may have these.
            '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => safe.push('\u{fffd}'),
            other => safe.push(other),
        }
    }
    safe
}

/// The same, isolated from its surroundings: right-to-left text does not reorder what is around it.
pub(super) fn apart(text: &str) -> String {
    format!("<bdi>{}</bdi>", esc(text))
}
