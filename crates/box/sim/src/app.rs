//! Apps are data: a YAML file describes screens, state, and what happens when.

pub mod captured;
mod check;
pub mod effect;
pub mod expression;
mod load;
pub mod spec;
pub mod template;
pub mod value;
pub mod widget;

pub use load::{MAX_FILE, parse};
pub use spec::App;

use schemars::generate::SchemaSettings;

/// The JSON Schema of app files, for editors.
pub fn schema() -> schemars::Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<App>()
}
