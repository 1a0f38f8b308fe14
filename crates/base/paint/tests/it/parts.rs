//! What single files promise, through the public API.

mod resample;
