//! Judges what was seen of this computer. Pure.

use super::facts::{AdbProgram, AdbServer, HostFacts};
use super::verdict::{CheckRow, CheckVerdict, HOST, word};
use super::{Finding, Remedy, verdict};
use clawperator_adb::StoredKey;
use clawperator_contract::ErrorCode;
use clawperator_contract::text::excerpt;
use clawperator_phone::devices::is_address;

const ROWS: &[CheckRow<HostFacts>] = &[
    CheckRow::advice("host.state", state),
    CheckRow::critical("host.locks", locks),
    CheckRow::advice("host.adb.program", program),
    CheckRow::advice("host.adb.server", server),
    CheckRow::advice("host.key", key),
    CheckRow::advice("host.sim", sims),
    CheckRow::critical("device.discovery", discovery),
];

pub(super) fn judge(facts: &HostFacts) -> Vec<Finding> {
    verdict::judge(ROWS, facts, None)
}

fn state(facts: &HostFacts) -> Option<CheckVerdict> {
    let path = facts.state.path.display().to_string();
    let verdict = match &facts.state.trouble {
        None => CheckVerdict::pass(format!("{path} can be written to")),
        Some(trouble) => {
            CheckVerdict::fail(ErrorCode::StateFolderUnusable, format!("{path} cannot be written to"))
                .detail(trouble)
                .fix("Give it a folder", HOST)
                .manual(format!("Make {path} writable, or set CLAWPERATOR_HOME to a folder that is."))
        }
    };
    Some(verdict.evidence("path", path))
}

fn locks(facts: &HostFacts) -> Option<CheckVerdict> {
    let path = facts.locks.path.display().to_string();
    let verdict = match (&facts.locks.trouble, facts.stale.as_slice()) {
        (Some(trouble), _) => {
            CheckVerdict::fail(ErrorCode::StateFolderUnusable, format!("{path} cannot be written to"))
                .detail(trouble)
                .fix("Give it a folder", HOST)
                .manual(format!("Make {path} writable, or set CLAWPERATOR_LOCK_DIR to a folder that is."))
        }
        (None, []) => CheckVerdict::pass("no run has left a lock behind"),
        (None, stale) => CheckVerdict::warn(
            ErrorCode::StaleLocks,
            format!("marks of runs that were killed: {}", stale.len()),
        )
        .detail(stale.join(", "))
        .fix("Remove the marks; they block nothing", HOST)
        .shell("clawperator doctor --fix")
        .remedy(Remedy::CleanLocks),
    };
    Some(verdict.evidence("path", path))
}

/// Tells whether adb has no part in what was asked: the phone that is named is
/// one at an address, or none is named and all that are known are such.
fn needs_no_adb(facts: &HostFacts) -> bool {
    let found = &facts.found;
    let all_direct = found.listed.is_empty() && found.others.is_empty() && !found.direct.is_empty();
    facts.wanted.as_deref().map_or(all_direct, is_address)
}

fn program(facts: &HostFacts) -> Option<CheckVerdict> {
    let manual = "Install adb (Android's platform tools), or set ADB_PATH to it.";
    Some(match &facts.program {
        AdbProgram::Version(version) => {
            CheckVerdict::pass(format!("adb {version}")).evidence("version", version.as_str())
        }
        AdbProgram::Missing(name) if needs_no_adb(facts) => {
            CheckVerdict::pass(format!("there is no program {name}, and this phone needs none"))
        }
        AdbProgram::Missing(name) if matches!(facts.server, AdbServer::Answers { .. }) => {
            CheckVerdict::pass(format!("there is no program {name}; the adb server that runs is enough"))
        }
        AdbProgram::Missing(name) => CheckVerdict::warn(
            ErrorCode::AdbNotFound,
            format!("there is no program {name}; phones on USB need it"),
        )
        .detail("A phone at an address (host:port) and the simulated one need no adb program.")
        .fix("Install adb", HOST)
        .manual(manual),
        AdbProgram::Broken(trouble) => {
            CheckVerdict::warn(ErrorCode::AdbNotFound, "the adb program does not work")
                .detail(trouble)
                .fix("Install adb anew", HOST)
                .manual(manual)
        }
    })
}

fn server(facts: &HostFacts) -> Option<CheckVerdict> {
    let code = ErrorCode::AdbServerFailed;
    Some(match &facts.server {
        AdbServer::Answers { address, version } => {
            CheckVerdict::pass(format!("the adb server at {address} answers"))
                .evidence("address", address.as_str())
                .evidence("version", *version)
        }
        AdbServer::NotRunning { address } if needs_no_adb(facts) => {
            CheckVerdict::pass(format!("no adb server runs at {address}, and this phone needs none"))
                .evidence("address", address.as_str())
        }
        AdbServer::NotRunning { address } => {
            let verdict = CheckVerdict::warn(code, format!("no adb server runs at {address}"))
                .evidence("address", address.as_str());
            match facts.program {
                AdbProgram::Version(_) => verdict
                    .fix("Start it", HOST)
                    .shell("clawperator doctor --fix")
                    .remedy(Remedy::StartServer),
                // The program is what is missing, and its own check says so.
                AdbProgram::Missing(_) | AdbProgram::Broken(_) => verdict,
            }
        }
        AdbServer::Broken { address, trouble } => {
            CheckVerdict::fail(code, format!("the adb server at {address} does not answer as one"))
                .detail(trouble)
                .evidence("address", address.as_str())
                .fix("Start it anew", HOST)
                .shell("adb kill-server")
                .shell("clawperator doctor --fix")
        }
        AdbServer::Misnamed(trouble) => CheckVerdict::fail(code, "the environment names no adb server")
            .detail(trouble)
            .fix("Correct the environment", HOST)
            .manual(
                "Unset ADB_SERVER_SOCKET and ANDROID_ADB_SERVER_PORT, or give them an address and a port.",
            ),
    })
}

fn unusable(trouble: &str) -> CheckVerdict {
    let summary = "our key cannot be used; phones at an address refuse us";
    CheckVerdict::warn(ErrorCode::DeviceUnauthorized, summary).detail(trouble)
}

fn key(facts: &HostFacts) -> Option<CheckVerdict> {
    let path = facts.key_file.display().to_string();
    let verdict = match &facts.key {
        StoredKey::Usable(_) => CheckVerdict::pass("our key for phones can be used"),
        StoredKey::Missing => CheckVerdict::pass("there is no key yet; one is made when a phone asks for it"),
        StoredKey::Broken(trouble) => unusable(trouble)
            .fix("Move the file aside; a new key is made when a phone asks for it", HOST)
            .shell("clawperator doctor --fix")
            .remedy(Remedy::MoveKey),
        StoredKey::Unreadable(trouble) => unusable(trouble)
            .fix("Let a new key be made", HOST)
            .manual(format!("Move {path} out of the way, or make it readable.")),
    };
    Some(verdict.evidence("path", path))
}

fn sims(facts: &HostFacts) -> Option<CheckVerdict> {
    if let Some(trouble) = &facts.sim_trouble {
        let verdict = CheckVerdict::fail(
            ErrorCode::SimRegistryFailed,
            "the folder that lists the simulated phones cannot be used",
        );
        let verdict = verdict.detail(trouble).fix("Give them a folder", HOST);
        return Some(verdict.manual("Set CLAWPERATOR_SIM_DIR to a folder of your own."));
    }
    let list = |answers: bool| {
        let some = facts.sims.iter().filter(|sim| sim.answers == answers);
        let names: Vec<_> = some.map(|sim| format!("{} ({})", sim.name, sim.serial)).collect();
        names.join(", ")
    };
    let silent = list(false);
    if silent.is_empty() {
        return Some(match facts.sims.len() {
            0 => CheckVerdict::pass("no simulated phone runs; --device sim starts one"),
            count => CheckVerdict::pass(format!("simulated phones that run: {}", list(true)))
                .evidence("count", count),
        });
    }
    let mut verdict = CheckVerdict::warn(
        ErrorCode::SimControlFailed,
        format!("simulated phones that do not answer: {silent}"),
    )
    .fix("End their processes", HOST);
    for sim in facts.sims.iter().filter(|sim| !sim.answers) {
        verdict = verdict.shell(format!("kill -KILL {}", sim.pid));
    }
    Some(verdict)
}

fn discovery(facts: &HostFacts) -> Option<CheckVerdict> {
    let found = &facts.found;
    let seen = found.listed.len() + found.direct.len() + found.others.len();
    let verdict = match (&facts.wanted, seen, found.listed.as_slice()) {
        // How it is with that one its own checks say.
        (Some(wanted), 1, _) => CheckVerdict::pass(format!("looking at {wanted}")),
        (Some(wanted), ..) => {
            CheckVerdict::fail(ErrorCode::DeviceNotFound, format!("there is no phone {}", excerpt(wanted)))
                .fix("Name one that is there", HOST)
                .shell("clawperator devices")
                .shell("clawperator doctor")
        }
        (None, 0, _) => nothing(facts),
        (None, _, [only]) => CheckVerdict::pass(format!("commands that name no phone use {only}")),
        (None, _, [first, _, ..]) => {
            let line = format!("clawperator snapshot --device {}", word(first));
            let summary = format!("{} phones are connected; commands must name one", found.listed.len());
            CheckVerdict::warn(ErrorCode::MultipleDevices, summary)
                .fix("Name one with --device", HOST)
                .shell(line)
        }
        (None, _, []) if found.direct.is_empty() => {
            CheckVerdict::fail(ErrorCode::NoDevices, "no phone can be used")
                .detail(format!("seen: {}", found.others.join(", ")))
                .fix("See to one of them, or use a simulated one", HOST)
                .shell("clawperator doctor --device sim")
        }
        (None, _, []) => {
            let simulated = |serial: &String| facts.sims.iter().any(|sim| sim.serial == *serial);
            let name = match found.direct.as_slice() {
                [only] if simulated(only) => "sim",
                _ => "SERIAL",
            };
            CheckVerdict::pass(format!("no phone is on adb; --device {name} names one that is not"))
        }
    };
    Some(
        verdict
            .evidence("listed", found.listed.clone())
            .evidence("direct", found.direct.clone())
            .evidence("others", found.others.clone()),
    )
}

fn nothing(facts: &HostFacts) -> CheckVerdict {
    let verdict = CheckVerdict::fail(ErrorCode::NoDevices, "no phone is connected")
        .fix("Connect a phone, or use a simulated one", HOST);
    let verdict = match (&facts.server, &facts.program) {
        (AdbServer::Answers { .. }, _) => {
            verdict.manual("Connect a phone with USB debugging on, and accept the prompt on its screen.")
        }
        (_, AdbProgram::Version(_)) => verdict
            .detail("Without the adb server, phones on USB are not seen.")
            .shell("clawperator doctor --fix"),
        (_, AdbProgram::Missing(_) | AdbProgram::Broken(_)) => {
            verdict.detail("Without adb, phones on USB are not seen.")
        }
    };
    verdict.shell("clawperator doctor --device sim")
}
