//! How many tokens a text has. Every model has a tokenizer of its own, so this
//! is an estimate. It errs upwards: a test compares it with real tokenizers.

/// Words of views and of many apps that are one token in the encodings that
/// were compared, with a capital letter or without; sorted.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "about", "above", "account", "after", "allow", "apps", "back", "battery", "before", "below",
    "button", "calls", "camera", "cancel", "cart", "chat", "chip", "close", "contacts", "container",
    "continue", "data", "date", "delete", "details", "disabled", "display", "done", "download", "edit",
    "element", "email", "enabled", "favorites", "file", "filter", "find", "first", "forward", "free",
    "friends", "from", "group", "have", "help", "hidden", "hide", "hint", "history", "home", "icon",
    "image", "important", "install", "internet", "item", "items", "label", "language", "last", "left",
    "level", "library", "light", "list", "live", "location", "login", "mark", "menu", "message",
    "messages", "mode", "model", "more", "music", "name", "network", "next", "none", "notifications",
    "number", "only", "open", "options", "order", "other", "over", "page", "password", "path", "pause",
    "payment", "phone", "photo", "photos", "play", "policy", "power", "price", "profile", "radio",
    "read", "recent", "reply", "retry", "right", "room", "running", "save", "saved", "screen",
    "search", "security", "select", "selected", "send", "sent", "service", "settings", "share", "show",
    "sign", "size", "skip", "sort", "sound", "star", "start", "status", "stop", "storage", "switch",
    "system", "text", "that", "this", "time", "title", "today", "toggle", "total", "trash", "turn",
    "type", "update", "upload", "user", "version", "video", "view", "what", "when", "where", "which",
    "will", "with", "your",
];

/// How many tokens a text has, at the most as far as is known.
///
/// A common word has one. Another word that can be spoken has one for every three letters, any
/// other run of letters one for each, and digits one for three. Signs and line ends have one each,
/// but a line end right behind a sign has none. Beyond ASCII there is one for each byte. A space
/// before a word or a sign is part of it, and one before a digit is not.
pub fn estimate(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut tokens = 0;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let run = |is: fn(&u8) -> bool| rest.iter().take_while(|byte| is(byte)).count();
        let (length, cost) = match rest[0] {
            b'a'..=b'z' | b'A'..=b'Z' => {
                // A capital letter begins a new word.
                let length = 1 + rest[1..].iter().take_while(|b| b.is_ascii_lowercase()).count();
                (length, word(&rest[..length]))
            }
            b'0'..=b'9' => {
                let length = run(u8::is_ascii_digit);
                (length, length.div_ceil(3))
            }
            b' ' => {
                let length = run(|byte| *byte == b' ');
                let joins = |next: &u8| next.is_ascii_graphic() && !next.is_ascii_digit();
                let joined = rest.get(length).is_some_and(joins);
                (length, usize::from(length > 1 || !joined))
            }
            b'\n' if at > 0 && bytes[at - 1].is_ascii_punctuation() => (1, 0),
            _ => (1, 1),
        };
        at += length;
        tokens += cost;
    }
    tokens
}

fn word(word: &[u8]) -> usize {
    let small = word.to_ascii_lowercase();
    if COMMON.binary_search_by(|known| known.as_bytes().cmp(&small)).is_ok() {
        return 1;
    }
    letters(word)
}

/// The tokens of a run of letters.
fn letters(run: &[u8]) -> usize {
    const MOST_CONSONANTS: usize = 4;
    let mut consonants = 0;
    let mut vowels = 0;
    for byte in run {
        if b"aeiouyAEIOUY".contains(byte) {
            vowels += 1;
            consonants = 0;
        } else {
            consonants += 1;
        }
        if consonants > MOST_CONSONANTS {
            return run.len();
        }
    }
    if vowels == 0 { run.len() } else { run.len().div_ceil(3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_sorted_and_found() {
        assert!(COMMON.is_sorted());
        for word in COMMON {
            assert_eq!(estimate(word), 1);
        }
    }

    #[test]
    fn tokens_are_estimated() {
        for (text, tokens) in [
            ("", 0),
            ("@e12 button", 4),
            ("Button", 1),
            ("Buttonhole", 4),
            ("a\nb", 3),
            ("\"a\"\n\"b\"", 6),
            ("at 540,1200", 6),
            ("xkcdqq", 6),
            ("\u{e9}", 2),
            ("  a ", 3),
        ] {
            assert_eq!(estimate(text), tokens, "{text:?}");
        }
    }
}
