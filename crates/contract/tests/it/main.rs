//! The contract's tests: one binary, cases as data.

mod vectors;
