//! Enums whose values are words: each word stands once, beside its value.

/// An enum whose values are words.
pub trait Word: Sized {
    /// Every word.
    const WORDS: &'static [&'static str];

    /// Reads a word, exactly as written.
    fn from_word(word: &str) -> Option<Self>;
}

/// Declares enums whose values are words. A value may have other words, which
/// are read too, and a meaning: `Click = "default" | "click" "A plain click.",`.
#[macro_export]
macro_rules! words {
    ($($(#[$meta:meta])* $vis:vis $name:ident {
        $($(#[$about:meta])* $value:ident = $word:literal $(| $other:literal)* $($meaning:literal)?,)*
    })+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(::serde::Serialize, ::serde::Deserialize)]
        $vis enum $name {
            $($(#[$about])* $(#[doc = $meaning])? #[serde(rename = $word)] $value,)*
        }

        impl $crate::Word for $name {
            const WORDS: &'static [&'static str] = Self::WORDS;

            fn from_word(word: &str) -> Option<Self> {
                Self::from_word(word)
            }
        }

        #[allow(dead_code, reason = "not every enum is read and written")]
        impl $name {
            /// Every value, in the order of the words.
            pub const ALL: &[Self] = &[$(Self::$value),*];
            /// Every word, canonical ones first among their kind.
            pub const WORDS: &[&str] = &[$($word, $($other,)*)*];

            /// Reads a word, exactly as written.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word $(| $other)* => Some(Self::$value),)*
                    _ => None,
                }
            }

            /// Reads a word, trimmed and in any case.
            pub fn from_any_case(word: &str) -> Option<Self> {
                Self::from_word(&$crate::text::fold(word))
            }

            /// The canonical word.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }

            /// What it means; empty where the word says it.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$value => concat!("" $(, $meaning)?),)*
                }
            }
        }
    )+};
}
