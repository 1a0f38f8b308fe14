//! The closed lists of words that an action's fields take.

use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$vdoc])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// Every word.
            pub const WORDS: &[&str] = &[$($word),*];
            /// Every value, in the order of the words.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Reads a word, exactly as written.
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
        }
    };
}

words! {
    /// What a person is asked for.
    Capability {
        Camera = "camera",
        Qr = "qr",
        Microphone = "microphone",
        /// A spoken sentence.
        Voice = "voice",
        /// Something held to the phone.
        Nfc = "nfc",
        /// A text message, or the code in it.
        Sms = "sms",
        TwoFactor = "2fa",
        Location = "location",
        /// A fingerprint or a face.
        Biometric = "biometric",
        /// What a notification says.
        Notification = "notification",
        /// People in an address book.
        Contacts = "contacts",
        /// Dates in a calendar.
        Calendar = "calendar",
        Files = "files",
        /// A login at another service.
        Oauth = "oauth",
        Payment = "payment",
        /// A permission of an app, or of this program.
        Permission = "permission",
        Unknown = "unknown",
    }
}

words! {
    /// What to do with the programs that run in the background.
    ProcessAction {
        List = "list",
        Poll = "poll",
        Log = "log",
        Write = "write",
        Kill = "kill",
    }
}

words! {
    /// What an approval gives back, beside yes or no.
    ArtifactKind {
        /// Whatever the fields suggest.
        Auto = "auto",
        Credentials = "credentials",
        PaymentCard = "payment_card",
        Form = "form",
    }
}

words! {
    /// What a field of an approval page takes.
    FieldType {
        Text = "text",
        TextArea = "textarea",
        /// A secret line.
        Password = "password",
        Email = "email",
        Number = "number",
        Date = "date",
        /// One of some options.
        Select = "select",
        Otp = "otp",
        /// A payment card's number.
        CardNumber = "card-number",
        /// A payment card's end of validity.
        Expiry = "expiry",
        /// A payment card's check digits.
        Cvc = "cvc",
    }
}
