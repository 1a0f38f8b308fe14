//! The flags of `watch`: where the server is.

use super::serve;
use crate::spec::FlagSpec;

pub(crate) const HOST: FlagSpec =
    FlagSpec { doc: "The address or name of the server [default: 127.0.0.1].", ..serve::HOST };
pub(crate) const PORT: FlagSpec = FlagSpec { doc: "The port of the server [default: 3000].", ..serve::PORT };
pub(crate) const TOKEN_FILE: FlagSpec = FlagSpec {
    doc: "The file of the server's token [default: token in the state folder].",
    ..serve::TOKEN_FILE
};
