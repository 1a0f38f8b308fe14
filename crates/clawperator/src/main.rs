//! The `clawperator` program: hands the command line to [`clawperator_cli`] and
//! the answer to the terminal.

use clawperator_cli::{Answer, Environment, World, record, run};
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: a launcher has one thread and no open files.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == clawperator_sandbox::LAUNCH) {
        return clawperator_sandbox::enter(arguments.collect());
    }
    clawperator_background::detach_if_in_background();
    let environment = Environment(&|name| std::env::var_os(name));
    let answer = record(environment).unwrap_or_else(|| match World::from_environment(environment) {
        Ok(mut world) => run(std::env::args_os(), &mut world),
        Err(failure) => Answer::refusal(&failure),
    });
    print(&answer)
}

fn print(answer: &Answer) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(answer.text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::from(answer.exit_code),
        // A caller that closed the pipe too early does not know the outcome.
        Err(error) => {
            // Standard output is gone, so this is the only place to report it.
            let _ = writeln!(io::stderr(), "clawperator: cannot write the answer: {error}");
            ExitCode::FAILURE
        }
    }
}
