//! Skills: packages that a registry lists, and recipes that compile to executions.
//!
//! `recipe` is pure: text in, typed recipe, problems, execution or outputs out. `template` is pure,
//! too: executions with placeholders. So is `draft`: recipes made of recordings, and `world`: app
//! files made of screens that were seen. `repo` is the layer that reads and writes the files of a
//! skills repository. `script` runs the script of a skill and reads its result frame. This crate
//! does not know phones, HTTP or the command line.

pub mod draft;
mod process;
pub mod recipe;
pub mod repo;
pub mod schema;
pub mod script;
pub mod template;
pub mod world;
