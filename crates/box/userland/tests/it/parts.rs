//! What single files promise, through the public API.

mod pattern;
mod shell_arithmetic;
mod shell_field;
mod toybox_date;
