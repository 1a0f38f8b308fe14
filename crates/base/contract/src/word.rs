//! The words that stand for something: directions, keys, kinds of click,
//! validators. Each list is written once, here.

use clawperator_document::words;
use schemars::JsonSchema;
use std::sync::Arc;

words! {
    /// Where to scroll to.
    pub Direction {
        /// Towards what is below.
        Down = "down",
        /// Towards what is above.
        Up = "up",
        /// Towards what is to the left.
        Left = "left",
        /// Towards what is to the right.
        Right = "right",
    }

    /// A key of the phone itself.
    pub Key {
        /// One screen back.
        Back = "back",
        /// To the launcher.
        Home = "home",
        /// To the list of recent apps.
        Recents = "recents",
    }

    /// The kind of click.
    pub ClickType {
        /// A plain click.
        Click = "default" | "click",
        /// A long press.
        LongClick = "long_click" | "longclick",
        /// Moves the input focus without clicking.
        Focus = "focus",
    }

    /// What a text read from the screen must look like.
    pub Validator {
        /// A number with an optional degree sign and unit.
        Temperature = "temperature",
        /// Numbers joined by dots.
        Version = "version",
        /// The pattern in `validatorPattern`.
        Regex = "regex",
    }

    /// The runtime mode marker of an execution.
    pub Mode {
        /// The execution was compiled from a stored artifact.
        ArtifactCompiled = "artifact_compiled",
        /// The execution was written by the caller.
        Direct = "direct",
    }

    /// How a snapshot is written.
    pub ViewStyle {
        /// The whole hierarchy, as XML.
        Xml = "xml",
        /// One line for each element that matters.
        Compact = "compact",
        /// One object for each element that matters.
        Json = "json",
    }

    /// What a caller wants to run the steps.
    #[derive(Default)]
    pub RouteChoice {
        /// The Operator app if one is named and ready, otherwise the host.
        #[default]
        Auto = "auto",
        /// The host, over adb.
        Host = "host",
        /// The Operator app, or nothing.
        Operator = "operator",
    }

    /// When an act is answered with what changed on the screen.
    #[derive(Default)]
    pub LookAfter {
        #[default]
        Asked = "asked",
        Always = "always",
    }

    /// Where a caller wants the trees of a phone to come from.
    #[derive(Default)]
    pub LaneWish {
        /// The resident server if it runs or was set up for the phone, otherwise
        /// the phone's own command.
        #[default]
        Auto = "auto",
        /// The phone's own command, `uiautomator dump`.
        Dump = "dump",
        /// The resident server, or nothing.
        Resident = "resident",
    }

    /// Where the trees of a phone came from.
    #[derive(Default, JsonSchema)]
    pub Lane {
        /// The phone's own command, `uiautomator dump`.
        #[default]
        Dump = "dump",
        /// The resident server on the phone.
        Resident = "resident",
    }

    /// Where a search looks.
    pub Visibility {
        /// Among what a user can see.
        OnScreen = "on_screen",
        /// Everywhere in the hierarchy.
        All = "all",
    }
}

/// A word that the contract lets through unread. Only a runtime may refuse it,
/// and one it does not know it must refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UncheckedWord<T> {
    /// A word of the list.
    Known(T),
    /// Any other word.
    Unknown(Arc<str>),
}

impl<T> UncheckedWord<T> {
    /// What the word stands for, if it is one of the list.
    pub fn meaning(self) -> Option<T> {
        match self {
            Self::Known(word) => Some(word),
            Self::Unknown(_) => None,
        }
    }
}
