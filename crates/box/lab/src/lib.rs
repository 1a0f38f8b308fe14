//! The laboratory: skills are tested and models are evaluated on phones in memory,
//! and the journal of a run becomes such a phone's world.

pub mod agent_eval;
pub mod fixture;
pub mod skill_test;
mod temp_folder;
