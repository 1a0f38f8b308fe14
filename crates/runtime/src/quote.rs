//! The one way in which text gets into a command line of a phone's shell. Pure.

use std::fmt;

/// The text has a NUL, which no word of a command can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nul {
    /// At which byte.
    pub at: usize,
}

impl fmt::Display for Nul {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the text has a NUL at byte {}", self.at)
    }
}

impl std::error::Error for Nul {}

/// Writes a text so that a shell reads it as one word, byte for byte.
///
/// Between single quotes a shell gives nothing a meaning but the quote itself,
/// so each of those is written between double quotes instead.
///
/// # Errors
/// [`Nul`] if there is one in it.
pub fn quote(text: &str) -> Result<String, Nul> {
    if let Some(at) = text.bytes().position(|byte| byte == 0) {
        return Err(Nul { at });
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    quoted.push_str(&text.replace('\'', r#"'"'"'"#));
    quoted.push('\'');
    Ok(quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_one_word() {
        for (text, quoted) in [
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r#"'it'"'"'s'"#),
            ("$(reboot)`x`\\\n", "'$(reboot)`x`\\\n'"),
        ] {
            assert_eq!(quote(text).unwrap(), quoted);
        }
        assert_eq!(quote("a\0b"), Err(Nul { at: 1 }));
    }
}
