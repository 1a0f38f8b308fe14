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
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal, $purpose:ident;)+) => {
        /// What a command is for. Journals have its name in snake case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum CommandKind {
            $($(#[doc = $doc])+ $kind,)+
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
    /// Touches a point for a moment.
    Tap = "tap", Act;
    /// Touches a point for longer.
    LongPress = "long press", Act;
    /// Moves a finger.
    Swipe = "swipe", Act;
    /// Presses a key.
    Key = "key", Act;
    /// Types.
    Text = "text", Act;
    /// Empties the field that has the focus.
    Clear = "clear", Act;
    /// Reads or writes the clipboard.
    Clipboard = "clipboard", Act;
    /// Pastes.
    Paste = "paste", Act;
    /// Asks about keyboards.
    Keyboards = "keyboards", Ask;
    /// Switches to another keyboard.
    Keyboard = "keyboard", Act;
    /// Types through a keyboard that takes broadcasts.
    Broadcast = "broadcast", Act;
    /// Starts an app.
    Launch = "launch", Act;
    /// Opens a URI.
    OpenUri = "open URI", Act;
    /// Ends an app.
    ForceStop = "force stop", Act;
    /// Asks what is in front.
    Foreground = "foreground", Ask;
    /// Asks for the last toast, or has it forgotten.
    Toast = "toast", Ask;
    /// Takes a picture of the screen.
    Screenshot = "screenshot", Picture;
    /// Lists packages.
    Packages = "packages", Ask;
    /// Asks how large the screen is.
    DisplaySize = "display size", Ask;
    /// Asks how the phone is.
    Vitals = "state of the phone", Ask;
    /// Asks the lock screen to go.
    Keyguard = "lock screen", Act;
    /// Asks about the Operator app.
    Operator = "Operator app", Ask;
    /// Installs an app.
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
    /// Asks about the resident server.
    ServerState = "state of the resident server", Ask;
    /// Runs a command that a caller wrote.
    Shell = "shell command", Act;
    /// Hands a payload to the Operator app.
    Payload = "payload", Act;
    /// Waits for the Operator app's answer.
    AppAnswer = "answer of the Operator app", App;
}
