//! What a skill's script may do with `--sandbox`: call this program, which reaches
//! phones and keeps what it knows of them, and nothing else.

use super::super::args::Args;
use super::super::flags::skills as flags;
use super::super::world::World;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_sandbox::{Level, Sandbox};
use clawperator_skills::script::Confinement;
use std::path::{Path, PathBuf};

/// The port of an adb server.
const ADB: u16 = 5037;

/// How strictly to confine, if at all.
pub(crate) fn level(args: &Args) -> Result<Option<Level>, Failure> {
    if !args.has(&flags::SANDBOX) {
        return Ok(None);
    }
    match args.value(&flags::SANDBOX)? {
        None | Some("strict") => Ok(Some(Level::Strict)),
        Some("best-effort") => Ok(Some(Level::BestEffort)),
        Some(_) => Err(args.usage(&flags::SANDBOX, "--sandbox takes strict or best-effort")),
    }
}

/// The files and ports that this program needs inside.
pub(super) fn confinement(
    level: Level,
    program: &Path,
    device: Option<&str>,
    world: &World,
) -> Result<Confinement, Failure> {
    let phones = &world.phones;
    let write = vec![phones.state.clone(), phones.locks.clone()];
    for folder in &write {
        clawperator_private::folder(folder).map_err(|error| {
            Failure::new(ErrorCode::SandboxFailed, format!("{}: {error}", folder.display()))
        })?;
    }
    let mut read: Vec<PathBuf> = Vec::new();
    #[cfg(feature = "sim")]
    read.push(world.sim_folder.clone());
    // A phone at an address asks for our key.
    let address = device.and_then(port);
    read.extend(address.map(|_| phones.key_file.clone()));
    read.retain(|path| path.exists());
    Ok(Confinement {
        sandbox: Sandbox::new(program),
        level,
        read,
        write,
        ports: server(world).into_iter().chain(address).collect(),
    })
}

/// The port of the adb server, as the environment says.
fn server(world: &World) -> Option<u16> {
    let environment = &world.phones.environment;
    let socket = environment.socket.as_deref().and_then(port);
    let named = environment.port.as_deref().and_then(|port| port.parse().ok());
    socket.or(named).or(Some(ADB))
}

/// The port at the end of an address.
fn port(address: &str) -> Option<u16> {
    address.rsplit_once(':')?.1.parse().ok()
}
