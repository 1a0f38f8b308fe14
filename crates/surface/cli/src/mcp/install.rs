//! `mcp install`: adds this server to the settings of a program. It shows the
//! change, asks, and writes the file whole or not at all.

use super::entry::{AddError, NAME, ServerLaunch, add};
use crate::args::Args;
use crate::flags::{self as shared, mcp as flags};
use crate::mcp_client::{CLIENTS, by_name};
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_private as private;
use clawperator_server::mcp::Tools;
use serde_json::json;
use std::io::{ErrorKind, IsTerminal as _, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a settings file.
const MAX_BYTES: u64 = 16 << 20;

pub(super) fn install(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let known = CLIENTS.join(", ");
    let name = args.second_argument().unwrap_or_default();
    let client = by_name(name).ok_or_else(|| {
        let message = format!("mcp install needs the name of a program: {known}");
        Failure::new(ErrorCode::Usage, message).hint("Run clawperator mcp install claude-code.")
    })?;
    let file = match args.bytes(&flags::FILE)? {
        Some(file) => PathBuf::from(file),
        None => client.file(&world.home),
    };
    let before = read(&file)?;
    let shown = file.display().to_string();
    let after = match add(&before, client.format, &launch(args, world)?) {
        Ok(after) => after,
        Err(AddError::Same) => return Ok(install_answer(args, &shown, "unchanged", world)),
        Err(AddError::Other) => {
            let message = format!("{shown} has another entry with the name {NAME}; nothing was changed");
            return Err(Failure::new(ErrorCode::Usage, message).hint("Remove that entry and run this again."));
        }
        Err(AddError::Unreadable(why)) => {
            let message = format!("{shown} cannot be changed: {why}");
            return Err(
                Failure::new(ErrorCode::Usage, message).hint("Add the entry by hand: see docs/mcp.md.")
            );
        }
    };
    (world.note)(&format!("{shown}\n{}", difference(&before, &after)));
    let is_terminal = std::io::stdin().is_terminal();
    if !args.has(&flags::YES) && (!is_terminal || !world.agrees("Write it?")) {
        let hint = "Run it in a terminal and answer y, or add --yes.";
        return Err(Failure::new(ErrorCode::Usage, "nothing was changed").hint(hint));
    }
    write(&file, &after).map_err(|error| file_failure("written", &shown, &error))?;
    Ok(install_answer(args, &shown, "installed", world))
}

fn install_answer(args: &Args, file: &str, status: &str, world: &World) -> Answer {
    Answer::value(&json!({"status": status, "file": file}), args, world)
}

/// What starts this program as a server, for the phone that the line names.
fn launch(args: &Args, world: &World) -> Result<ServerLaunch, Failure> {
    let program = world.this_program()?;
    let mut arguments = vec!["mcp".to_owned()];
    if args.word(&flags::TOOLS, Tools::from_word)? == Some(Tools::Agent) {
        arguments.extend(["--tools", "agent"].map(str::to_owned));
    }
    if let Some(device) = args.value(&shared::DEVICE)? {
        arguments.extend(["--device".to_owned(), device.to_owned()]);
    }
    Ok(ServerLaunch { program: program.to_string_lossy().into_owned(), arguments })
}

/// The file; empty if there is none.
fn read(file: &Path) -> Result<String, Failure> {
    let shown = file.display().to_string();
    let open = match private::open(file) {
        Ok(open) => open,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(file_failure("read", &shown, &error)),
    };
    let mut text = String::new();
    let read = open.take(MAX_BYTES).read_to_string(&mut text);
    read.map(|_| text).map_err(|error| file_failure("read", &shown, &error))
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let permissions = std::fs::metadata(file).map(|it| it.permissions());
    private::save(file, text.as_bytes())?;
    match permissions {
        Ok(permissions) => std::fs::set_permissions(file, permissions),
        // It is new.
        Err(_) => Ok(()),
    }
}

fn file_failure(what: &str, file: &str, error: &std::io::Error) -> Failure {
    let message = format!("{file} cannot be {what}: {error}");
    Failure::new(ErrorCode::Usage, message).hint("Check the file, or name another one with --settings.")
}

/// The lines that are new, and one line around them.
fn difference(before: &str, after: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let same = |(one, two): &(&&str, &&str)| one == two;
    let start = old.iter().zip(&new).take_while(same).count();
    let end = old[start..].iter().rev().zip(new[start..].iter().rev()).take_while(same).count();
    let mut lines: Vec<String> = Vec::new();
    lines.extend(start.checked_sub(1).map(|at| format!("  {}", old[at])));
    lines.extend(old[start..old.len() - end].iter().map(|line| format!("- {line}")));
    lines.extend(new[start..new.len() - end].iter().map(|line| format!("+ {line}")));
    lines.extend(old.get(old.len() - end).map(|line| format!("  {line}")));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn a_difference_shows_what_is_new() {
        assert_eq!(difference("{\n}\n", "{\n  \"a\": 1\n}\n"), "  {\n+   \"a\": 1\n  }\n");
        assert_eq!(difference("", "a\nb\n"), "+ a\n+ b\n");
        assert_eq!(difference("{}", "{\n}"), "- {}\n+ {\n+ }\n");
    }
}
