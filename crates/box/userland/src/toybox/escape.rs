//! Backslash escapes, as `echo -e` and `printf` read them.

/// Who reads the escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// A command: a `\c` ends the text.
    Command,
    /// The format of `printf`: octal digits are three at most.
    Format,
    /// The shell's own `echo`: a `\c` takes the newline away, and octal digits begin with a zero.
    Builtin,
    /// `$'...'` in the shell.
    Quoted,
}

/// Resolves the escapes of a text; also tells whether a `\c` ended it.
pub(crate) fn unescape(text: &str, kind: Escapes) -> (Vec<u8>, bool) {
    let mut bytes = Vec::with_capacity(text.len());
    let mut cut = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        let Some(next) = rest.chars().next() else {
            bytes.push(b'\\');
            return (bytes, cut);
        };
        let mut used = next.len_utf8();
        match next {
            '\'' | '"' | '?' | '1'..='7' if kind == Escapes::Builtin => bytes.extend([b'\\', next as u8]),
            'c' if kind == Escapes::Builtin => cut = true,
            'c' if kind == Escapes::Quoted => {
                let control = rest[1..].chars().next().filter(char::is_ascii);
                bytes.extend(control.map(|control| control as u8 & 0x1f));
                used += usize::from(control.is_some());
            }
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            '\\' => bytes.push(b'\\'),
            '\'' | '"' => bytes.push(next as u8),
            'c' => return (bytes, true),
            'x' => used += hexadecimal(&rest[1..], &mut bytes),
            'u' | 'U' if kind != Escapes::Format => used += code_point(&rest[1..], &mut bytes),
            '0'..='7' => {
                let short = matches!(kind, Escapes::Quoted | Escapes::Format);
                used = octal(rest, &mut bytes, if short { 3 } else { 4 });
            }
            other => {
                if kind != Escapes::Quoted {
                    bytes.push(b'\\');
                }
                bytes.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        rest = &rest[used..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    (bytes, cut)
}

fn hexadecimal(rest: &str, bytes: &mut Vec<u8>) -> usize {
    let length = rest.bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
    match u8::from_str_radix(&rest[..length], 16) {
        Ok(byte) => bytes.push(byte),
        Err(_) => bytes.extend_from_slice(b"\\x"),
    }
    length
}

fn code_point(rest: &str, bytes: &mut Vec<u8>) -> usize {
    let length = rest.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
    match u32::from_str_radix(&rest[..length], 16).ok().and_then(char::from_u32) {
        Some(point) => bytes.extend_from_slice(point.encode_utf8(&mut [0; 4]).as_bytes()),
        None => bytes.extend_from_slice(b"\\u"),
    }
    length
}

/// Up to three digits, or four where the first is a zero.
fn octal(rest: &str, bytes: &mut Vec<u8>, with_zero: usize) -> usize {
    let most = if rest.starts_with('0') { with_zero } else { 3 };
    let length = rest.bytes().take(most).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    let value = u32::from_str_radix(&rest[..length], 8).unwrap_or(0);
    bytes.push((value & 0xff) as u8);
    length
}
