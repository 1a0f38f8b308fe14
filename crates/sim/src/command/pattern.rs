//! A small pattern language for `logcat -e`: what people search logs with.

/// How many steps one search may take; the next step finds nothing.
const MAX_STEPS: usize = 200_000;

/// A pattern: letters, `.`, `[a-z]`, `\`, `*`, `+`, `?`, `^`, `$` and `|`.
#[derive(Clone, Debug)]
pub(super) struct Pattern(Vec<Branch>);

#[derive(Clone, Debug, Default)]
struct Branch {
    from_start: bool,
    to_end: bool,
    atoms: Vec<(Atom, Times)>,
}

#[derive(Clone, Debug)]
enum Atom {
    Letter(char),
    Any,
    OneOf(Vec<(char, char)>, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Once,
    Maybe,
    Any,
    Some,
}

impl Pattern {
    /// Reads a pattern; every text is one.
    pub(super) fn parse(text: &str) -> Self {
        let mut branches = vec![Branch::default()];
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let Some(branch) = branches.last_mut() else { break };
            let atom = match letter {
                '|' => {
                    branches.push(Branch::default());
                    continue;
                }
                '^' if branch.atoms.is_empty() => {
                    branch.from_start = true;
                    continue;
                }
                '$' if letters.peek().is_none_or(|next| *next == '|') => {
                    branch.to_end = true;
                    continue;
                }
                // What stands in brackets is searched for as it stands.
                '(' | ')' => continue,
                '.' => Atom::Any,
                '[' => set(&mut letters),
                '\\' => escaped(letters.next().unwrap_or('\\')),
                letter => Atom::Letter(letter),
            };
            let times = match letters.peek() {
                Some('*') => Times::Any,
                Some('+') => Times::Some,
                Some('?') => Times::Maybe,
                _ => Times::Once,
            };
            if times != Times::Once {
                letters.next();
            }
            branch.atoms.push((atom, times));
        }
        Self(branches)
    }

    /// Tells whether a text has it somewhere.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let letters: Vec<char> = text.chars().collect();
        let mut steps = 0;
        self.0.iter().any(|branch| {
            let last = if branch.from_start { 0 } else { letters.len() };
            (0..=last).any(|start| matches(branch, &branch.atoms, &letters[start..], &mut steps))
        })
    }
}

fn escaped(letter: char) -> Atom {
    match letter {
        'd' => Atom::OneOf(vec![('0', '9')], true),
        'w' => Atom::OneOf(vec![('0', '9'), ('a', 'z'), ('A', 'Z'), ('_', '_')], true),
        's' => Atom::OneOf(vec![(' ', ' '), ('\t', '\r')], true),
        letter => Atom::Letter(letter),
    }
}

fn set(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Atom {
    let wanted = letters.next_if_eq(&'^').is_none();
    let mut ranges = Vec::new();
    while let Some(first) = letters.next() {
        if first == ']' && !ranges.is_empty() {
            break;
        }
        let last = match letters.next_if_eq(&'-') {
            Some(_) => letters.next().unwrap_or('-'),
            None => first,
        };
        ranges.push((first, last));
    }
    Atom::OneOf(ranges, wanted)
}

fn fits(atom: &Atom, letter: char) -> bool {
    match atom {
        Atom::Letter(wanted) => *wanted == letter,
        Atom::Any => true,
        Atom::OneOf(ranges, wanted) => {
            ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&letter))
                == *wanted
        }
    }
}

fn matches(branch: &Branch, atoms: &[(Atom, Times)], letters: &[char], steps: &mut usize) -> bool {
    *steps += 1;
    if *steps > MAX_STEPS {
        return false;
    }
    let Some(((atom, times), rest)) = atoms.split_first() else {
        return !branch.to_end || letters.is_empty();
    };
    let most = match times {
        Times::Once | Times::Maybe => 1,
        Times::Any | Times::Some => letters.len(),
    };
    let least = usize::from(matches!(times, Times::Once | Times::Some));
    let run = letters
        .iter()
        .take(most)
        .take_while(|letter| fits(atom, **letter))
        .count();
    (least..=run)
        .rev()
        .any(|taken| matches(branch, rest, &letters[taken..], steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_what_they_say() {
        for (pattern, text, found) in [
            ("abc", "xabcx", true),
            ("^abc$", "xabc", false),
            ("a.*c", "xa--cx", true),
            ("a+b?c", "aac", true),
            ("x|y$", "my", true),
            ("[0-9]+ms", "took 12ms", true),
            ("[^a]b", "ab", false),
            (r"\d\.\d", "v1.2", true),
            ("", "", true),
            ("(a|b)", "b", true),
            ("[", "x", false),
        ] {
            assert_eq!(Pattern::parse(pattern).is_in(text), found, "{pattern} in {text}");
        }
        let long = "a".repeat(5_000);
        assert!(!Pattern::parse("a*a*a*a*a*b").is_in(&long));
    }
}
