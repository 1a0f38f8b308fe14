//! Android's names of keys. `key_names.txt` has them in the order of their numbers,
//! from 0, without `KEYCODE_`.

const NAMES: &str = include_str!("key_names.txt");

/// Every key's name without `KEYCODE_`, in the order of the numbers, from 0.
pub fn key_names() -> impl Iterator<Item = &'static str> {
    NAMES.lines()
}

/// The number of a key by its name, with or without `KEYCODE_`. Digits alone are no
/// name: where Android takes both, they are a number.
pub fn key_number(name: &str) -> Option<u16> {
    let bare = name.strip_prefix("KEYCODE_").unwrap_or(name);
    if bare == name && name.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let at = key_names().position(|known| known == bare)?;
    u16::try_from(at).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d24_every_key_of_android_has_its_number() {
        assert_eq!(key_names().count(), 338);
        for (name, number) in [
            ("KEYCODE_UNKNOWN", Some(0)),
            ("KEYCODE_5", Some(12)),
            ("ENTER", Some(66)),
            ("KEYCODE_NUMPAD_ENTER", Some(160)),
            ("KEYCODE_APP_SWITCH", Some(187)),
            ("KEYCODE_3D_MODE", Some(206)),
            ("KEYCODE_ALL_APPS", Some(284)),
            ("KEYCODE_EMOJI_PICKER", Some(317)),
            ("5", None),
            ("keycode_enter", None),
            ("KEYCODE_KEYCODE_ENTER", None),
            ("", None),
        ] {
            assert_eq!(key_number(name), number, "{name}");
        }
    }
}
