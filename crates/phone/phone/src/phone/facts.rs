//! What a phone is: storage, screen.

use super::{CommandKind, Phone, PhoneError};
use clawperator_adb::Deadline;

impl Phone {
    /// How wide and how high the screen is in pixels, as apps see it. Turning
    /// the phone does not change it.
    ///
    /// # Errors
    /// [`PhoneError::Unreadable`] if the answer does not fit the question, or
    /// what broke.
    pub async fn display_size(&self, deadline: Deadline) -> Result<(u32, u32), PhoneError> {
        let answer = self.ask(CommandKind::DisplaySize, "wm size", deadline).await?.check_exit()?;
        parse_size(&answer.out).ok_or_else(|| answer.unreadable())
    }
}

/// Reads the table of `df`, in which a long name may have its own line.
pub(super) fn parse_free(text: &str) -> Option<u64> {
    let words: Vec<&str> = text.lines().skip(1).flat_map(str::split_whitespace).collect();
    let mut rows = (0..words.len()).filter(|at| words[*at].ends_with('%'));
    // Some phones list all they have.
    let of_data = rows.clone().find(|at| words.get(at + 1) == Some(&"/data"));
    let percent = of_data.or_else(|| rows.next().filter(|_| rows.next().is_none()))?;
    let blocks: u64 = words.get(percent.checked_sub(1)?)?.parse().ok()?;
    blocks.checked_mul(1024)
}

/// Reads `Physical size: 1080x2400`, over which `Override size:` goes.
pub(super) fn parse_size(text: &str) -> Option<(u32, u32)> {
    let size = |name: &str| {
        let line = text.lines().find_map(|line| line.trim().strip_prefix(name))?;
        let (width, height) = line.trim().split_once('x')?;
        Some((width.parse().ok()?, height.parse().ok()?))
    };
    let known = size("Override size:").or_else(|| size("Physical size:"))?;
    (known.0 > 0 && known.1 > 0).then_some(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_as_phones_print_them() {
        let head = "Filesystem 1K-blocks Used Available Use% Mounted on\n";
        for (row, free) in [
            ("/dev/block/dm-0 1000 400 600 40% /data\n", Some(600 * 1024)),
            ("/dev/block/very/long\n   1000 400 600 40% /data\n", Some(600 * 1024)),
            (
                "tmpfs 9 1 8 1% /dev\n/dev/block/dm-0 1000 400 600 40% /data\ntmpfs 9 1 8 1% /data_mirror\n",
                Some(600 * 1024),
            ),
            ("tmpfs 9 1 8 1% /dev\ntmpfs 9 1 8 1% /data_mirror\n", None),
            ("/dev/root 1000 400 600 40% /\n", Some(600 * 1024)),
            ("", None),
            ("40%\n", None),
            ("x y 40% z\n", None),
        ] {
            assert_eq!(parse_free(&format!("{head}{row}")), free, "{row}");
        }
        assert_eq!(parse_size("Physical size: 1080x2400\n"), Some((1080, 2400)));
        assert_eq!(parse_size("Physical size: 1080x2400\nOverride size: 720x1600\n"), Some((720, 1600)));
        for text in ["", "Physical size: 0x0", "Physical size: axb"] {
            assert_eq!(parse_size(text), None);
        }
    }
}
