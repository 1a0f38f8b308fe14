//! The keys of a step's result data. Values are typed inside and strings at
//! the border.

use std::fmt;

macro_rules! data_keys {
    ($($variant:ident = $name:literal $doc:literal;)*) => {
        /// A known key of `StepResult.data`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum DataKey {
            $(#[doc = $doc] $variant,)*
        }

        impl DataKey {
            /// The key as it is written.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What the value says.
            #[must_use]
            pub fn doc(self) -> &'static str {
                match self {
                    $(Self::$variant => $doc,)*
                }
            }
        }
    };
}

data_keys! {
    Text = "text" "The text read or entered, or the hierarchy.";
    Path = "path" "The file written.";
    Warn = "warn" "Why the result may be early.";
    ApplicationId = "application_id" "The package acted on.";
    Submit = "submit" "Whether the text was submitted.";
    Error = "error" "The code of the failure.";
    Message = "message" "The failure, for people.";
}

impl fmt::Display for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
