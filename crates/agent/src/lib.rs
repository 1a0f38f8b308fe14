//! The tools that a model drives a phone with.
