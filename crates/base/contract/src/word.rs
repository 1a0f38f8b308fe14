//! The words that stand for something: directions, keys, kinds of click,
//! validators. Each list is written once, here.

use clawperator_document::text;
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $($word:literal)|+,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
        }

        impl $name {
            /// Every word, canonical ones first among their kind.
            pub const WORDS: &[&str] = &[$($($word,)+)*];

            /// Reads a word, exactly as written.
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($($word)|+ => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Reads a word, trimmed and in any case.
            pub fn from_any_case(word: &str) -> Option<Self> {
                Self::from_word(&text::fold(word))
            }

            /// The canonical word.
            #[must_use]
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => [$($word),+][0],)*
                }
            }
        }
    };
}

words! {
    /// Where to scroll to.
    Direction {
        /// Towards what is below.
        Down = "down",
        /// Towards what is above.
        Up = "up",
        /// Towards what is to the left.
        Left = "left",
        /// Towards what is to the right.
        Right = "right",
    }
}

words! {
    /// A key of the phone itself.
    Key {
        /// One screen back.
        Back = "back",
        /// To the launcher.
        Home = "home",
        /// To the list of recent apps.
        Recents = "recents",
    }
}

words! {
    /// The kind of click.
    ClickType {
        /// A plain click.
        Click = "default" | "click",
        /// A long press.
        LongClick = "long_click" | "longclick",
        /// Moves the input focus without clicking.
        Focus = "focus",
    }
}

words! {
    /// What a text read from the screen must look like.
    Validator {
        /// A number with an optional degree sign and unit.
        Temperature = "temperature",
        /// Numbers joined by dots.
        Version = "version",
        /// The pattern in `validatorPattern`.
        Regex = "regex",
    }
}

words! {
    /// The runtime mode marker of an execution.
    Mode {
        /// The execution was compiled from a stored artifact.
        ArtifactCompiled = "artifact_compiled",
        /// The execution was written by the caller.
        Direct = "direct",
    }
}

words! {
    /// How a snapshot is written.
    ViewStyle {
        /// The whole hierarchy, as XML.
        Xml = "xml",
        /// One line for each element that matters.
        Compact = "compact",
        /// One object for each element that matters.
        Json = "json",
    }
}

words! {
    /// What a caller wants to run the steps.
    #[derive(Default)]
    RouteChoice {
        /// The Operator app if one is named and ready, otherwise the host.
        #[default]
        Auto = "auto",
        /// The host, over adb.
        Host = "host",
        /// The Operator app, or nothing.
        Operator = "operator",
    }
}

words! {
    /// When an act is answered with what changed on the screen.
    #[derive(Default)]
    LookAfter {
        #[default]
        Asked = "asked",
        Always = "always",
    }
}

words! {
    /// Where a caller wants the trees of a phone to come from.
    #[derive(Default)]
    LaneWish {
        /// The resident server if it runs or was set up for the phone, otherwise
        /// the phone's own command.
        #[default]
        Auto = "auto",
        /// The phone's own command, `uiautomator dump`.
        Dump = "dump",
        /// The resident server, or nothing.
        Resident = "resident",
    }
}

words! {
    /// Where the trees of a phone came from.
    #[derive(Default, Serialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    Lane {
        /// The phone's own command, `uiautomator dump`.
        #[default]
        Dump = "dump",
        /// The resident server on the phone.
        Resident = "resident",
    }
}

words! {
    /// Where a search looks.
    Visibility {
        /// Among what a user can see.
        OnScreen = "on_screen",
        /// Everywhere in the hierarchy.
        All = "all",
    }
}

/// A word that the contract lets through unread. Only a runtime may refuse it,
/// and one it does not know it must refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked<T> {
    /// A word of the list.
    Known(T),
    /// Any other word.
    Unknown(Arc<str>),
}

impl<T> Asked<T> {
    /// What the word stands for, if it is one of the list.
    pub fn known(self) -> Option<T> {
        match self {
            Self::Known(word) => Some(word),
            Self::Unknown(_) => None,
        }
    }
}
