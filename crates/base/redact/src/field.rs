//! Fields for secrets: what their ids are called, and what phones show in them.

/// What Android shows instead of a letter.
pub const DOTS: &[char] = &['\u{2022}', '\u{25cf}'];
/// What else apps show instead of one.
const OTHER_MASKS: &str = "∙·⬤*";

/// An id with one of these in it is that of a field for a secret.
const PARTS: &[&str] = &["password", "passwd", "passcode", "passphrase"];
/// So is one with one of these as a word: a spinner has no PIN.
const WORDS: &[&str] = &["pin", "pwd", "pass", "cvv"];

/// Whether a text is nothing but what is shown instead of letters.
pub fn is_masked(text: &str) -> bool {
    let mask = |letter: char| DOTS.contains(&letter) || OTHER_MASKS.contains(letter);
    !text.is_empty() && text.chars().all(mask)
}

/// Whether a word, in small letters, is only what such fields are called.
pub(crate) fn is_word_of_fields(word: &str) -> bool {
    PARTS.contains(&word) || WORDS.contains(&word)
}

/// Whether the resource id of a field says that it is for a secret.
pub fn is_secret_field(resource_id: &str) -> bool {
    let name = resource_id.rsplit('/').next().unwrap_or_default();
    let lower = name.to_ascii_lowercase();
    if PARTS.iter().any(|part| lower.contains(part)) || WORDS.contains(&lower.as_str()) {
        return true;
    }
    // `userPin` is two words, and so is `user_pin`.
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    let mut words = words.split(|letter: char| !letter.is_ascii_alphabetic());
    words.any(|word| WORDS.contains(&word))
}
