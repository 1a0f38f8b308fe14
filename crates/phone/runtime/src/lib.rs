//! The crates phone and run under one name, until every import has its own.

pub use clawperator_phone::*;
pub use clawperator_run::*;
