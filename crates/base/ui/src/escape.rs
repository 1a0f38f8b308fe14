//! Text in a dump's attributes: read leniently, because phones write what no
//! XML reader accepts, and written as the phone writes it.

use std::borrow::Cow;

/// Reads an attribute's value. A reference to half a surrogate pair is joined
/// with the other half; what is no reference stays as it is.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('&') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match reference(rest) {
            Some((code, length)) => {
                let (c, more) = join(code, &rest[length..]);
                text.push(c);
                rest = &rest[length + more..];
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Reads a reference at the front: its code and its length.
fn reference(text: &str) -> Option<(u32, usize)> {
    const LONGEST: usize = 12;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let code = match name {
        "amp" => u32::from('&'),
        "lt" => u32::from('<'),
        "gt" => u32::from('>'),
        "quot" => u32::from('"'),
        "apos" => u32::from('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let hex = number.strip_prefix(['x', 'X']);
            match hex {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            }
        }
    };
    Some((code, end + 1))
}

/// The character of a code; half a pair is joined with the reference behind it,
/// whose length is returned too. Half a pair alone is no character.
fn join(code: u32, rest: &str) -> (char, usize) {
    if let 0xd800..=0xdbff = code
        && rest.starts_with('&')
        && let Some((low @ 0xdc00..=0xdfff, length)) = reference(rest)
        && let Some(c) = char::from_u32(0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00))
    {
        return (c, length);
    }
    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 0)
}

/// Writes an attribute's value and its quotes as a phone does: single quotes around what has double
/// ones, line breaks and tabs as references, characters beyond the first plane as one reference,
/// and what XML cannot say as a dot. (A phone also makes dots of some characters that XML can say;
/// that is for the simulated phone, because a tree that was read must come back.)
pub(crate) fn quote(text: &str, out: &mut String) {
    let quote = if text.contains('"') { '\'' } else { '"' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' if quote == '\'' => out.push_str("&apos;"),
            '\n' | '\r' | '\t' | '\u{1_0000}'.. => out.push_str(&format!("&#{};", u32::from(c))),
            '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' => out.push(c),
            _ => out.push('.'),
        }
    }
    out.push(quote);
}

/// Writes an attribute's value and its quotes as the Operator app does: the five
/// characters that XML reserves as entities, line breaks as they are.
pub(crate) fn quote_raw(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\r' | '\t' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{1_0000}'.. => {
                out.push(c);
            }
            _ => out.push('.'),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn phones_write_what_no_xml_reader_accepts() {
        for (raw, text) in [
            ("plain", "plain"),
            ("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"),
            ("a & b", "a & b"),
            ("&#10;&#x41;", "\nA"),
            ("&#11;", "\u{b}"),
            ("&#55357;&#56832;", "😀"),
            ("&#128512;", "😀"),
            ("&#55357;x", "\u{fffd}x"),
            ("&#55357;&#65;", "\u{fffd}A"),
            ("&nope; &#; &#xg; &", "&nope; &#; &#xg; &"),
            ("&#9999999999;", "&#9999999999;"),
            ("&é;", "&é;"),
        ] {
            assert_eq!(unescape(raw), text, "{raw}");
        }
    }

    #[test]
    fn text_is_written_as_the_phone_writes_it() {
        for (text, wanted) in [
            ("a<b>&'\n\t😀é\u{b}\u{fffe}", "\"a&lt;b&gt;&amp;'&#10;&#9;&#128512;é..\""),
            ("say \"hi\" it's", "'say \"hi\" it&apos;s'"),
            ("", "\"\""),
        ] {
            let mut out = String::new();
            quote(text, &mut out);
            assert_eq!(out, wanted);
        }
    }

    #[test]
    fn text_is_written_as_the_operator_app_writes_it() {
        let mut out = String::new();
        quote_raw("a<b>&'\"\n\t😀é\u{b}\u{fffe}", &mut out);
        assert_eq!(out, "\"a&lt;b&gt;&amp;&apos;&quot;\n\t😀é..\"");
    }

    proptest! {
        #[test]
        fn what_xml_can_say_comes_back(text in "[\\n\\t -~\u{a0}-\u{d7ff}\u{e000}-\u{fdcf}\u{fde0}-\u{fffd}\u{10000}-\u{10ffff}]{0,40}") {
            let mut out = String::new();
            quote(&text, &mut out);
            prop_assert_eq!(unescape(&out[1..out.len() - 1]), text);
        }

        #[test]
        fn any_text_is_survived(text in ".{0,60}") {
            let _ = unescape(&text);
        }
    }
}
