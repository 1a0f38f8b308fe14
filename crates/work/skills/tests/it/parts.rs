//! What single files promise, through the public API.

mod recipe_rule;
mod script_agent;
mod script_frame;
