//! The launcher of the tests: what `clawperator __sandbox` is in the product.

use std::process::ExitCode;

fn main() -> ExitCode {
    clawperator_sandbox::enter(std::env::args_os().skip(2).collect())
}
