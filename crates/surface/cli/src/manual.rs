//! Manual pages: those of clap, with the examples and aliases that it leaves out.

use super::spec::CommandSpec;
use clap::{Arg, Command};
use clap_mangen::Man;
use std::io;

/// Renders the page of a command, of a group or of the program.
pub(super) fn render(page: &Command, spec: Option<&CommandSpec>) -> io::Result<String> {
    let man = Man::new(with_aliases(page.clone()))
        .source(concat!("clawperator ", env!("CARGO_PKG_VERSION")))
        .manual("Clawperator");
    let mut roff = Vec::new();
    man.render_title(&mut roff)?;
    man.render_name_section(&mut roff)?;
    man.render_synopsis_section(&mut roff)?;
    man.render_description_section(&mut roff)?;
    man.render_options_section(&mut roff)?;
    if page.has_subcommands() {
        man.render_subcommands_section(&mut roff)?;
    }
    let mut text = String::from_utf8_lossy(&roff).into_owned();
    match spec {
        Some(spec) => {
            // Unfilled: a command line that is broken up cannot be copied.
            text.push_str(".SH EXAMPLES\n.nf\n");
            spec.examples.iter().for_each(|line| text.push_str(&format!("{}\n", escaped(line))));
            text.push_str(".fi\n");
        }
        None => {
            let notes = page.get_after_help().map(ToString::to_string);
            text.push_str(".SH NOTES\n");
            for line in notes.unwrap_or_default().lines() {
                text.push_str(&format!("{}\n.br\n", escaped(line)));
            }
        }
    }
    Ok(text)
}

/// The page with every other name that a command or a flag has.
fn with_aliases(page: Command) -> Command {
    let also = |names: Vec<String>| match names[..] {
        [] => String::new(),
        _ => format!(" Also: {}.", names.join(", ")),
    };
    let with_flag = |arg: Arg| {
        let names = arg.get_visible_aliases().unwrap_or_default();
        let names = names.iter().map(|name| format!("--{name}")).collect();
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        arg.help(format!("{help}{}", also(names)))
    };
    let with_command = |command: Command| {
        let names = command.get_visible_aliases().map(str::to_owned).collect();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        command.about(format!("{about}{}", also(names)))
    };
    let names: Vec<_> = page.get_visible_aliases().map(str::to_owned).collect();
    let about = page.get_long_about().or(page.get_about()).map(ToString::to_string);
    let about = format!("{}\n\n{}", about.unwrap_or_default(), also(names).trim());
    page.long_about(about.trim_end().to_owned()).mut_args(with_flag).mut_subcommands(with_command)
}

/// A line that means nothing to roff but itself.
fn escaped(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    if line.starts_with('.') { format!("\\&{line}") } else { line }
}
