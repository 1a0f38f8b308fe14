//! What a command that is sent to a phone is for.

use serde::{Deserialize, Serialize};

/// What the time of a command goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandPurpose {
    Look,
    Act,
    Ask,
    /// To wait for the Operator app.
    App,
    Picture,
}

macro_rules! command_kinds {
    ($($(#[doc = $doc:literal])* $kind:ident = $name:literal, $purpose:ident;)+) => {
        /// What a command is for. Journals have its name in snake case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum CommandKind {
            $($(#[doc = $doc])* $kind,)+
        }

        impl CommandKind {
            /// Its name, for people.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// What its time goes into.
            pub fn purpose(self) -> CommandPurpose {
                match self {
                    $(Self::$kind => CommandPurpose::$purpose,)+
                }
            }
        }
    };
}

command_kinds! {
    /// Reads the screen's tree.
    Capture = "capture", Look;
    Tap = "tap", Act;
    LongPress = "long press", Act;
    Swipe = "swipe", Act;
    Key = "key", Act;
    Text = "text", Act;
    /// Empties the field that has the focus.
    Clear = "clear", Act;
    /// Reads or writes the clipboard.
    Clipboard = "clipboard", Act;
    Paste = "paste", Act;
    Keyboards = "keyboards", Ask;
    /// Switches to another keyboard.
    Keyboard = "keyboard", Act;
    /// Types through a keyboard that takes broadcasts.
    Broadcast = "broadcast", Act;
    Launch = "launch", Act;
    OpenUri = "open URI", Act;
    /// Ends an app.
    ForceStop = "force stop", Act;
    /// Asks what is in front.
    Foreground = "foreground", Ask;
    /// Asks for the last toast, or has it forgotten.
    Toast = "toast", Ask;
    Screenshot = "screenshot", Picture;
    Packages = "packages", Ask;
    DisplaySize = "display size", Ask;
    /// Asks how the phone is.
    Vitals = "state of the phone", Ask;
    /// Asks the lock screen to go.
    Keyguard = "lock screen", Act;
    Operator = "Operator app", Ask;
    Install = "install", Act;
    /// Gives an app what it needs.
    Grant = "grant", Act;
    /// Asks about fingers and keys.
    InputEvents = "input events", Ask;
    /// Asks how the phone is navigated, and which app is its launcher.
    Navigation = "navigation", Ask;
    /// Says where the phone is.
    Location = "location", Act;
    /// Puts a file on the phone.
    PutFile = "file", Act;
    /// Starts or ends the resident server.
    Server = "resident server", Act;
    ServerState = "state of the resident server", Ask;
    Shell = "shell command", Act;
    /// Hands a payload to the Operator app.
    Payload = "payload", Act;
    AppAnswer = "answer of the Operator app", App;
}
