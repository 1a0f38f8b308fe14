//! The contract's tests: one binary, cases as data.

mod corpus;
mod golden;
mod properties;
mod reference;
mod rules;
mod schemas;
mod seeds;
mod vectors;
