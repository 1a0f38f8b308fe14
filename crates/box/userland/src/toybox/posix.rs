//! POSIX expressions, basic and extended, as the phone's C library reads them.

/// What it says of a backslash before a letter, and at the end.
const BACKSLASH: &str = "trailing backslash (\\)";
const PARENTHESES: &str = "parentheses not balanced";
const REPEATED: &str = "repetition-operator operand invalid";
const EMPTY: &str = "empty (sub)expression";
const BRACKETS: &str = "brackets ([ ]) not balanced";
const CLASSES: &str = "alnum alpha blank cntrl digit graph lower print punct space upper xdigit";
/// The most often that something may be repeated.
const MOST: u32 = 255;

/// A basic expression in the words of the regex crate, or what is wrong with it.
pub(super) fn basic(pattern: &str) -> Result<String, &'static str> {
    translate(pattern, false)
}

/// The same of an extended one.
pub(super) fn extended(pattern: &str) -> Result<String, &'static str> {
    translate(pattern, true)
}

/// What stands before the next character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// Nothing that could be repeated.
    Nothing,
    Anchor,
    Atom,
    Repeated,
}

fn translate(pattern: &str, is_extended: bool) -> Result<String, &'static str> {
    let text: Vec<char> = pattern.chars().collect();
    let (mut built, mut at, mut open, mut before) = (String::new(), 0, 0usize, Before::Nothing);
    while let Some(first) = text.get(at) {
        let escaped = *first == '\\';
        let next = *text.get(at + usize::from(escaped)).ok_or(BACKSLASH)?;
        at += 1 + usize::from(escaped);
        // A backslash gives these their meaning in a basic expression, and takes it in an extended one.
        let special = escaped != is_extended;
        let fresh = matches!(before, Before::Nothing | Before::Anchor);
        let repeated =
            || if fresh || before == Before::Repeated { Err(REPEATED) } else { Ok(Before::Repeated) };
        before = match next {
            '(' if special => {
                open += 1;
                built.push('(');
                Before::Nothing
            }
            ')' if special => {
                open = open.checked_sub(1).ok_or(PARENTHESES)?;
                built.push(')');
                Before::Atom
            }
            '|' if is_extended && !escaped => {
                if before == Before::Nothing || matches!(text.get(at), None | Some('|' | ')')) {
                    return Err(EMPTY);
                }
                built.push('|');
                Before::Nothing
            }
            '*' | '+' | '?' if !escaped && (is_extended || next == '*' && !fresh) => {
                built.push(next);
                repeated()?
            }
            '{' if special && (!is_extended || text.get(at).is_some_and(char::is_ascii_digit)) => {
                let (bounds, length) = bounds(&text[at..], if is_extended { "}" } else { "\\}" })?;
                built.push_str(&bounds);
                at += length;
                repeated()?
            }
            '^' if !escaped && (is_extended || before == Before::Nothing) => {
                built.push('^');
                Before::Anchor
            }
            next => {
                let ends = is_extended || matches!(text.get(at..), Some([] | ['\\', ')', ..]));
                match next {
                    '$' if !escaped && ends => built.push('$'),
                    '.' if !escaped => built.push('.'),
                    '[' if !escaped => {
                        let (class, length) = bracket(&text[at..])?;
                        built.push_str(&class);
                        at += length;
                    }
                    '<' if escaped => built.push_str(r"\b{start}"),
                    '>' if escaped => built.push_str(r"\b{end}"),
                    '1'..='9' if escaped && !is_extended => return Err("back references are not supported"),
                    'a'..='z' | 'A'..='Z' | '\'' | '`' if escaped => return Err(BACKSLASH),
                    next => built.push_str(&regex::escape(next.encode_utf8(&mut [0; 4]))),
                }
                Before::Atom
            }
        };
    }
    if open > 0 { Err(PARENTHESES) } else { Ok(built) }
}

/// How often something is repeated, up to the end of it; also how long it was.
fn bounds(text: &[char], end: &str) -> Result<(String, usize), &'static str> {
    let all: String = text.iter().collect();
    let (inside, _) = all.split_once(end).ok_or("braces not balanced")?;
    let number = |digits: &str| digits.parse::<u32>().ok().filter(|number| *number <= MOST);
    let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
    let valid =
        number(least).is_some_and(|least| most.is_empty() || number(most).is_some_and(|most| most >= least));
    if !valid {
        return Err("invalid repetition count(s)");
    }
    Ok((format!("{{{inside}}}"), inside.chars().count() + end.len()))
}

/// A bracket expression, given what follows its `[`: as a class, and how long it was.
fn bracket(text: &[char]) -> Result<(String, usize), &'static str> {
    let mut built = String::from("[");
    let mut at = usize::from(text.first() == Some(&'^'));
    built.push_str(if at > 0 { "^" } else { "" });
    let start = at;
    loop {
        let next = *text.get(at).ok_or(BRACKETS)?;
        at += 1;
        if next == ']' && at > start + 1 {
            built.push(']');
            return Ok((built, at));
        }
        if next == '[' && text.get(at) == Some(&':') {
            let name: String = text[at + 1..].iter().take_while(|next| next.is_ascii_alphabetic()).collect();
            at += name.len() + 3;
            if !CLASSES.split(' ').any(|class| class == name) || text.get(at - 2..at) != Some(&[':', ']']) {
                return Err("invalid character class");
            }
            built.push_str(&format!("[:{name}:]"));
            continue;
        }
        built.push_str(&format!(r"\x{{{:x}}}", u32::from(next)));
        if let (Some('-'), Some(last)) = (text.get(at), text.get(at + 1).filter(|last| **last != ']')) {
            if *last < next {
                return Err("invalid character range");
            }
            built.push_str(&format!(r"-\x{{{:x}}}", u32::from(*last)));
            at += 2;
        }
    }
}
