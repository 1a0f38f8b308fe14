//! Runs a foreign program confined.
