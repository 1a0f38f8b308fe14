//! Finds texts that belong to one user: addresses, numbers, serials, and names
//! of a list that its owner keeps.

use clawperator_document::words;
use regex::Regex;
use std::sync::LazyLock;

words! {
    /// The kind of a literal.
    pub LiteralKind {
        Email = "an email address",
        Phone = "a phone number",
        IpAddress = "an IP address",
        /// A street with a house number.
        Street = "a street address",
        Serial = "the serial of a phone",
        /// A person's, a home's or a device's own name.
        Name = "the name of a person, a home or a device",
        /// A text of the owner's list.
        Denied = "a text of the local denylist",
    }
}

/// A literal in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    pub kind: LiteralKind,
    pub start: usize,
    pub end: usize,
}

/// Texts that a user does not want to publish, such as names. They stay on the user's computer.
#[derive(Clone, Debug, Default)]
pub struct Denylist(Vec<String>);

/// A list has too many texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it has {0} texts; at most {MAX_DENIED} are allowed")]
pub struct DenylistTooLong(usize);

/// The most literals that are looked for in one text.
const MAX_LITERALS: usize = 100;
pub(crate) const MAX_DENIED: usize = 1_000;

impl Denylist {
    /// Reads a list: one text per line; blank lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    /// If it has too many texts: a part of it would protect less than it says.
    pub fn parse(text: &str) -> Result<Self, DenylistTooLong> {
        let lines = text.lines().map(str::trim);
        let kept = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut texts: Vec<String> = kept.map(str::to_lowercase).collect();
        if texts.len() > MAX_DENIED {
            return Err(DenylistTooLong(texts.len()));
        }
        // Of two that overlap, the longer counts.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        Ok(Self(texts))
    }

    /// Whether there is nothing on it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&self, text: &str, found: &mut Vec<Literal>) {
        // Lower case can have another length; then the place is the whole text.
        let lower = text.to_lowercase();
        let same = lower.len() == text.len();
        for denied in &self.0 {
            for (start, part) in lower.match_indices(denied.as_str()) {
                let end = start + part.len();
                if !is_word(&lower, start, end) {
                    continue;
                }
                let (start, end) = if same { (start, end) } else { (0, text.len()) };
                add(found, LiteralKind::Denied, start, end);
            }
        }
    }
}

/// Whether a part of a text is not inside a longer word. From U+2E80 on are
/// scripts that do not part their words by spaces.
pub(crate) fn is_word(text: &str, start: usize, end: usize) -> bool {
    let joins = |letter: Option<char>| letter.is_some_and(|c| c.is_alphanumeric() && c < '\u{2e80}');
    !joins(text[..start].chars().next_back()) && !joins(text[end..].chars().next())
}

/// What a kind looks like, and what else must hold of it.
struct LiteralShape {
    kind: LiteralKind,
    regex: Regex,
    holds: fn(&str) -> bool,
}

/// The shapes; of two that overlap, the first counts.
static SHAPES: LazyLock<Vec<LiteralShape>> = LazyLock::new(|| {
    let shape = |kind, pattern, holds| {
        let regex = Regex::new(pattern).ok()?;
        Some(LiteralShape { kind, regex, holds })
    };
    let shapes = [
        shape(
            LiteralKind::Email,
            r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}",
            |_| true,
        ),
        shape(LiteralKind::IpAddress, r"\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b", is_ip_address),
        shape(
            LiteralKind::Street,
            r"(?i)\b\d{1,5}[a-z]?\s+(?:[\p{L}'.-]+\s+){1,3}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|court|ct|close|terrace|square)\b",
            |_| true,
        ),
        shape(
            LiteralKind::Street,
            r"(?i)\b[\p{L}-]*(?:straße|strasse|str\.|gasse|allee)\s+\d{1,4}[a-z]?\b",
            |_| true,
        ),
        shape(
            LiteralKind::Name,
            r"\b\p{Lu}[\p{L}-]+(?:\s+\p{Lu}[\p{L}-]+)?(?:['’]s|s['’])\s+(?:[\p{L}\d]+\s+){0,2}(?i:i?phone|ipad|tablet|pixel|galaxy|oneplus|redmi|xperia|watch|laptop|macbook|computer|pc|device|speaker|tv|car|home|house|flat|apartment|place|family|(?:bed|living|bath)?room|office|kitchen|garage)\b",
            is_someones,
        ),
        shape(
            LiteralKind::Name,
            r"\b\p{Lu}[\p{L}'’-]+\s+(?i:family|household|residence)(?:\s+(?i:home|house|flat|residence|account|group|phone|tablet|calendar))?\b",
            is_someones,
        ),
        shape(
            LiteralKind::Name,
            r"(?i)\b\p{L}{2,}s-(?:iphone|ipad|phone|tablet|pixel|galaxy|watch|laptop|macbook|pc|tv)\b",
            |_| true,
        ),
        shape(
            LiteralKind::Name,
            r#"(?i)\b(?:device|phone|tablet)[_-]?(?:nick)?name\b["']?\s*[:=]\s*["'][^"'<>{}$]{2,}["']"#,
            |_| true,
        ),
        shape(
            LiteralKind::Serial,
            r#"(?i)(?:serial(?:[_-]?(?:no|number))?|device[_-]?id)\b["']?\s*[:=]\s*["']([\w.:-]{6,})["']|(?:\badb\s+-s|\s--device)\s+["']?([\w.:-]{6,})"#,
            is_assigned_serial,
        ),
        shape(LiteralKind::Phone, r"[+(]?\d[\d ()/.-]{6,22}\d", is_phone),
        shape(LiteralKind::Serial, r"\b[A-Z0-9]{8,20}\b", is_serial),
        shape(LiteralKind::Serial, r"\b[0-9a-f]{12,18}\b", is_serial),
    ];
    shapes.into_iter().flatten().collect()
});

/// Finds what belongs to one user, in the order of the text.
pub fn scan(text: &str, denied: &Denylist) -> Vec<Literal> {
    let mut found = Vec::new();
    denied.find(text, &mut found);
    for shape in SHAPES.iter() {
        // Where a shape has a group, that is the literal.
        let parts = shape.regex.captures_iter(text);
        let parts = parts.filter_map(|found| found.iter().flatten().last());
        for part in parts.filter(|part| (shape.holds)(part.as_str())) {
            add(&mut found, shape.kind, part.start(), part.end());
        }
    }
    found.sort_by_key(|literal| (literal.start, literal.end));
    found
}

/// Adds a literal, unless it overlaps one that is there.
fn add(found: &mut Vec<Literal>, kind: LiteralKind, start: usize, end: usize) {
    let overlaps = |other: &Literal| start < other.end && other.start < end;
    if found.len() < MAX_LITERALS && !found.iter().any(overlaps) {
        found.push(Literal { kind, start, end });
    }
}

/// Addresses of no computer in particular are no one's.
fn is_ip_address(text: &str) -> bool {
    const NO_ONES: [&str; 3] = ["0.0.0.0", "127.0.0.1", "255.255.255.255"];
    let address: Result<std::net::Ipv4Addr, _> = text.parse();
    address.is_ok() && !NO_ONES.contains(&text)
}

/// A number of 7 to 15 digits in groups, or of 10 to 15 in one, that is no date and no version.
fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let groups: Vec<usize> =
        text.split(|c: char| !c.is_ascii_digit()).map(str::len).filter(|length| *length > 0).collect();
    let is_date = matches!(groups[..], [4, 2, 2, ..] | [2, 2, 4, ..]);
    let is_version = text.contains('.') && !text.contains([' ', '-', '(']);
    if text.starts_with('+') {
        return (7..=15).contains(&digits);
    }
    match groups.len() {
        1 => (10..=15).contains(&digits),
        _ => (9..=15).contains(&digits) && !is_date && !is_version && groups.iter().all(|group| *group > 1),
    }
}

/// What begins a sentence or names a product is no one's name.
fn is_someones(text: &str) -> bool {
    const NO_ONES: [&str; 24] = [
        "a", "all", "android", "any", "each", "every", "everyone", "google", "her", "his", "it", "its",
        "let", "my", "one", "our", "samsung", "that", "the", "their", "this", "today", "user", "your",
    ];
    let owner = match text.split_once(['\'', '’']) {
        Some((owner, _)) => owner.split_whitespace().next_back(),
        None => text.split_whitespace().next(),
    };
    !owner.is_some_and(|owner| NO_ONES.contains(&owner.to_lowercase().as_str()))
}

/// What a program names as one phone: it has a digit, and is no simulated one.
fn is_assigned_serial(value: &str) -> bool {
    value.chars().any(|c| c.is_ascii_digit()) && !value.starts_with("emulator-")
}

/// Letters and digits mixed, as makers of phones do.
fn is_serial(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    digits >= 3 && text.len() - digits >= 2
}
