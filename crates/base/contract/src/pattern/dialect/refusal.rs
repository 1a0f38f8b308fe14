//! What can be wrong with a pattern, and what to do about it.

/// Why a pattern cannot be rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::pattern) struct DialectRefusal {
    pub(in crate::pattern) cause: Cause,
    /// Where it begins, in characters from one.
    pub(in crate::pattern) at: usize,
}

/// Writes the causes and their messages from one list.
macro_rules! causes {
    ($($cause:ident $what:literal, $hint:literal;)*) => {
        /// What can be wrong with a pattern.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(in crate::pattern) enum Cause {
            $($cause,)*
        }

        impl Cause {
            /// What is wrong, and what to do about it.
            pub(in crate::pattern) fn words(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$cause => ($what, $hint),)*
                }
            }
        }
    };
}

causes! {
    NothingToRepeat "there is nothing to repeat", r"Put something before it, or write \ before it for the character itself.";
    CountsBackwards "the counts are out of order", "Write the smaller count first.";
    LoneBackslash "the pattern ends with a backslash", r"Write \\ for a backslash.";
    UnclosedGroup "the group is not closed", r"Add the missing ), or write \( for a bracket.";
    UnopenedGroup "no group is open here", r"Write \) for a bracket.";
    UnknownGroup "there is no group of this kind",
        "Groups are (…), (?:…) and (?<name>…); (?i), (?m) and (?s) are allowed at the very start.";
    BadName "this is not a valid group name", "Use letters, digits, _ and $, and do not start with a digit.";
    NameTwice "another group has this name", "Give each group a name of its own.";
    UnclosedClass "the character class is not closed", r"Add the missing ], or write \[ for a bracket.";
    RangeBackwards "the range is out of order",
        "Write the smaller character first; put a literal - at the end.";
    HalfPair "there is half a surrogate pair", "Write the whole character, or both halves.";
    LookAhead "look-ahead is not supported: it takes more than linear time",
        "Describe the whole text; a pattern always matches from start to end.";
    LookBehind "look-behind is not supported: it takes more than linear time",
        "Describe the whole text; a pattern always matches from start to end.";
    BackReference "back-references are not supported: they take more than linear time", "Write out the group's pattern a second time.";
}

/// Refuses what begins at an index.
pub(super) fn refuse(cause: Cause, from: usize) -> DialectRefusal {
    DialectRefusal { cause, at: from + 1 }
}
