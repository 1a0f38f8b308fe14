//! `clawperator record`: recordings are fetched, deleted, read, compiled and
//! replayed. `record start` and `record stop` are flat commands.

mod compile;
mod delete;
mod parse;
mod pull;
mod replay;
mod source;

pub(super) use compile::compile;
pub(super) use delete::delete;
pub(super) use parse::parse;
pub(super) use pull::pull;
pub(super) use replay::replay;
pub(super) use source::recording;
