//! `serve --background`, `serve status` and `serve stop`.

use crate::args::Args;
use crate::flags as shared;
use crate::flags::serve as flags;
use crate::server_entry::{ServerEntry, listen_failure};
use crate::spec::{FlagSpec, ValueKind};
use crate::world::{Answer, World};
use clawperator_background::{LaunchError, ProcessLaunch};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_private as private;
use clawperator_skills::repo::REGISTRY_VARIABLE;
use serde_json::json;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// How long a server may take to start, and how long to end: what runs may finish first.
const START_TIME: Duration = Duration::from_secs(10);
const STOP_TIME: Duration = Duration::from_secs(20);

pub(super) fn start(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    if let Some(entry) = ServerEntry::find(&world.phones.state) {
        let message = format!("a server of this state folder is running at {}", entry.url);
        return Err(Failure::new(ErrorCode::ServeFailed, message)
            .hint("Use it, or end it with clawperator serve stop."));
    }
    let state = &world.phones.state;
    let not_started = |error: io::Error| listen_failure("the background", &error);
    let program = (world.program)().map_err(not_started)?;
    private::folder(state).map_err(not_started)?;
    let files = ServerEntry::files(state);
    let process = ProcessLaunch {
        program: &program,
        arguments: arguments(args)?,
        variables: variables(world).map_err(not_started)?,
        files: &files,
        limit: START_TIME,
    };
    let log = files.log_file();
    let mut said = process.start().map_err(|error| {
        let why = match error {
            LaunchError::Log(_, error) | LaunchError::Spawn(error) => return not_started(error),
            LaunchError::Refused(said) => said.to_string(),
            LaunchError::NotReady(words) => words.unwrap_or_default(),
        };
        let message = format!("the server did not become ready: {why}; see {}", log.display());
        Failure::of(ErrorCode::ServeFailed, message)
    })?;
    said["log"] = json!(log);
    Ok(Answer::value(&said, args, world))
}

/// The command line of the server itself: all of this one, but for the flags that
/// say how this command starts and prints.
fn arguments(args: &Args) -> Result<Vec<OsString>, Failure> {
    const OWN: [FlagSpec; 3] = [flags::BACKGROUND, shared::JSON, shared::OUTPUT];
    let mut line: Vec<OsString> = vec!["serve".into()];
    for (flag, values) in args.all_flags()? {
        if OWN.iter().any(|own| own.name == flag.name) {
            continue;
        }
        let mut word = OsString::from(format!("--{}", flag.name));
        for value in values {
            word.push("=");
            word.push(match flag.value {
                ValueKind::Text => value.clone(),
                // It runs in another folder.
                ValueKind::Bytes => std::path::absolute(value).map_or_else(|_| value.clone(), OsString::from),
            });
        }
        line.push(word);
    }
    Ok(line)
}

/// What a process in another folder must be told.
fn variables(world: &World) -> io::Result<Vec<(&'static str, OsString)>> {
    let state = std::path::absolute(&world.phones.state)?;
    let mut variables = vec![("CLAWPERATOR_HOME", state.into())];
    let here: PathBuf = world.skills.current.join("skills/skills-registry.json");
    let registry = world.skills.named.clone().or_else(|| here.is_file().then_some(here));
    if let Some(registry) = registry {
        variables.push((REGISTRY_VARIABLE, std::path::absolute(registry)?.into()));
    }
    Ok(variables)
}

pub(super) fn status(args: &Args, world: &World) -> Result<Answer, Failure> {
    let ServerEntry { address, version, url, socket, .. } = ServerEntry::require(&world.phones.state)?;
    let shown =
        json!({"running": true, "url": url, "pid": address.pid, "version": version, "socket": socket});
    Ok(Answer::value(&shown, args, world))
}

pub(super) fn stop(args: &Args, world: &World) -> Result<Answer, Failure> {
    let state = &world.phones.state;
    let address = ServerEntry::require(state)?.address;
    address.ask_to_end();
    if !matches!(ServerEntry::files(state).ends_within(STOP_TIME), Ok(true)) {
        let (pid, seconds) = (address.pid, STOP_TIME.as_secs());
        let message = format!("the server, process {pid}, did not end within {seconds} s");
        return Err(Failure::of(ErrorCode::ServeFailed, message));
    }
    Ok(Answer::value(&json!({"stopped": true, "pid": address.pid}), args, world))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands;
    use crate::parser::{LineRequest, parse};
    use crate::spec::Takes;

    #[test]
    fn the_server_in_the_background_has_every_flag() {
        let serve = commands::find("", "serve").unwrap();
        let own = [flags::BACKGROUND.name, shared::JSON.name, shared::OUTPUT.name];
        let every = serve.local_flags().chain(shared::GLOBAL);
        let every: Vec<_> = every.filter(|flag| !own.contains(&flag.name)).collect();
        let words = every.iter().map(|flag| match (flag.takes, flag.value) {
            (Takes::Nothing, _) => format!("--{}", flag.name),
            (_, ValueKind::Bytes) => format!("--{}=/a/{}", flag.name, flag.name),
            (_, ValueKind::Text) => format!("--{}=-{}", flag.name, flag.name),
        });
        let words: Vec<OsString> = words.map(OsString::from).collect();
        let line = [&["serve".into(), "--background".into()], &words[..]].concat();
        let Ok(LineRequest::Command(args)) = parse(&line) else {
            panic!("{line:?}");
        };
        let mut said = arguments(&args).unwrap().split_off(1);
        let mut wanted = words;
        said.sort();
        wanted.sort();
        assert_eq!(said, wanted);
    }
}
