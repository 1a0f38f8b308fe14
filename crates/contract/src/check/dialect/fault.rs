//! What can be wrong with a pattern, and what to do about it.

/// Why a pattern cannot be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) struct Fault {
    /// What is wrong.
    pub(in crate::check) kind: FaultKind,
    /// Where it begins, in characters from one.
    pub(in crate::check) at: usize,
}

/// Writes the kinds of fault and what is said of each from one list.
macro_rules! faults {
    ($($kind:ident $what:literal, $hint:literal;)*) => {
        /// What can be wrong with a pattern.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::check) enum FaultKind {
            $($kind,)*
        }

        impl FaultKind {
            /// What is wrong, and what to do about it.
            pub(in crate::check) fn words(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$kind => ($what, $hint),)*
                }
            }
        }
    };
}

faults! {
    NothingToRepeat "there is nothing to repeat", r"Put something before it, or a \ to mean the character itself.";
    CountsBackwards "the counts are out of order", "Write the smaller count first.";
    LoneBackslash "a backslash stands at the end", r"Write \\ for a backslash.";
    UnclosedGroup "the group is not closed", r"Add the missing ), or write \( for a bracket.";
    UnopenedGroup "no group is open here", r"Write \) for a bracket.";
    UnknownGroup "there is no such group",
        "Groups are (…), (?:…) and (?<name>…); (?i), (?m) and (?s) may stand at the very start.";
    BadName "this is no name for a group", "A name has letters, digits, _ and $, and begins with no digit.";
    NameTwice "the group's name is taken", "Give each group a name of its own.";
    UnclosedClass "the character class is not closed", r"Add the missing ], or write \[ for a bracket.";
    RangeBackwards "the range is out of order",
        "Write the smaller character first; a - that is meant itself goes to the end.";
    HalfPair "half a surrogate pair stands alone", "Write the whole character, or both halves.";
    LookAhead "look-ahead cannot be run in linear time",
        "Say what the whole text looks like; a pattern always meets it from end to end.";
    LookBehind "look-behind cannot be run in linear time",
        "Say what the whole text looks like; a pattern always meets it from end to end.";
    BackReference "a back-reference cannot be run in linear time", "Spell out what the group may be a second time.";
}

/// A fault of what begins at an index.
pub(super) fn fault(kind: FaultKind, from: usize) -> Fault {
    Fault { kind, at: from + 1 }
}
