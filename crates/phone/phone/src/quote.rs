//! The one way in which text gets into a command line of a phone's shell. Pure.

/// The text has a NUL, which no word of a command can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text has a NUL at byte {at}")]
pub struct Nul {
    pub at: usize,
}

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
