//! The taxonomies: the words that a recipe may use, one table each.

use clawperator_redact::Redaction;
use serde::{Serialize, Serializer};

macro_rules! taxonomy {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal $meaning:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name {
            $(#[doc = $meaning] $variant,)*
        }

        impl $name {
            /// Every one of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];
            /// Every word.
            pub const WORDS: &[&str] = &[$($word),*];

            /// Reads a word.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// The word.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// What it means.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                }
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }
    };
}

taxonomy! {
    /// What a recipe does.
    RecipeType {
        Probe = "probe" "It observes and changes nothing.",
        Flow = "flow" "It goes through several screens, and may only read.",
        Action = "action" "It changes something and verifies it.",
    }
}

taxonomy! {
    /// What an app is built with.
    Framework {
        Views = "views" "Android's own views.",
        Compose = "compose" "Jetpack Compose.",
        ReactNative = "react-native" "React Native.",
        Expo = "expo" "Expo.",
        Flutter = "flutter" "Flutter.",
        Webview = "webview" "Web pages inside the app.",
        Hybrid = "hybrid" "Several of these.",
        Unknown = "unknown" "It is not known.",
    }
}

taxonomy! {
    /// Whether a recipe starts its app afresh.
    SessionPolicy {
        Fresh = "fresh" "The app is closed and opened first.",
        ResumeOk = "resume_ok" "The app stays as it is.",
    }
}

taxonomy! {
    /// What a recipe does on a phone, for policies.
    Capability {
        Observe = "observe" "It looks at the screen.",
        Navigate = "navigate" "It opens and closes its app, or scrolls.",
        Click = "click" "It clicks.",
        LongClick = "long_click" "It presses long.",
        TypeText = "type_text" "It types text.",
        Toggle = "toggle" "It changes a setting.",
        PurchaseRisk = "purchase_risk" "It could spend money.",
    }
}

taxonomy! {
    /// How much harm a recipe can do.
    RiskLevel {
        Low = "low" "Little.",
        Medium = "medium" "Some.",
        High = "high" "Much.",
    }
}

taxonomy! {
    /// Where the text of a selector comes from.
    Annotation {
        Structural = "STRUCTURAL" "It belongs to the app's structure and is the same for every user.",
        Variable = "VARIABLE" "It changes with the app's state.",
        UserSpecific = "USER_SPECIFIC" "It belongs to a user, so it must be an input.",
        Derived = "DERIVED" "It follows from something read before.",
    }
}

taxonomy! {
    /// The type of an input or an output.
    ValueType {
        String = "string" "A text.",
        Number = "number" "A number.",
        Boolean = "boolean" "True or false.",
    }
}

/// How an output may be shown.
pub const REDACTIONS: [(&str, Redaction); 4] = [
    ("none", Redaction::None),
    ("hash", Redaction::Hash),
    ("mask", Redaction::Mask),
    ("drop", Redaction::Drop),
];

pub(crate) fn redaction_from(word: &str) -> Option<Redaction> {
    let row = REDACTIONS.iter().find(|(name, _)| *name == word)?;
    Some(row.1)
}

pub(crate) fn redaction_word(redaction: Redaction) -> &'static str {
    let row = REDACTIONS.iter().find(|(_, each)| *each == redaction);
    row.map_or("", |row| row.0)
}
