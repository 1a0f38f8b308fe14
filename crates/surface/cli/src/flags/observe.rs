//! The flags of `observe`.

use super::super::spec::{FlagSpec, setting, switch};
use clawperator_agent::snapshot::ImageKind;

pub(crate) const SOM: FlagSpec =
    switch("som", "Also make the picture with a numbered box around each element.");
pub(crate) const IMAGE: FlagSpec =
    setting("image", "KIND", "How pictures are written: png, jpeg or webp [default: png].")
        .words(ImageKind::WORDS);
pub(crate) const MODEL: FlagSpec =
    setting("model", "NAME", "The model that it is for: the size of the picture follows from its name.");
pub(crate) const PACKAGES: FlagSpec = switch("packages", "Also list the apps that have an icon.");
