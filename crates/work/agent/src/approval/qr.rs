//! A link as a QR code of letters, for a terminal. Pure.

use qrcode::{Color, EcLevel, QrCode};

/// The empty border, in modules.
const BORDER: usize = 2;

/// The QR code of a link; none if the link is too long for one. Two rows of modules are one line of
/// text. Light modules are drawn, because most terminals are dark.
pub fn qr_code(link: &str) -> Option<String> {
    let code = QrCode::with_error_correction_level(link, EcLevel::L).ok()?;
    let width = code.width();
    let is_light = |x: usize, y: usize| {
        let inside = |at: usize| at.checked_sub(BORDER).filter(|at| *at < width);
        match (inside(x), inside(y)) {
            (Some(x), Some(y)) => code[(x, y)] == Color::Light,
            _ => true,
        }
    };
    let size = width + 2 * BORDER;
    let mut text = String::new();
    for y in (0..size).step_by(2) {
        for x in 0..size {
            // Below the last row is nothing.
            text.push(match (is_light(x, y), y + 1 < size && is_light(x, y + 1)) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            });
        }
        text.push('\n');
    }
    Some(text)
}
