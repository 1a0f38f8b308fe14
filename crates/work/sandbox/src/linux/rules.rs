//! Landlock's rules: which files are read and written, which ports are reached,
//! and that signals and abstract sockets stay inside.

use super::root::{DEVICES, SCRATCH, SYSTEM};
use crate::wire::LaunchOrder;
use crate::{Missing, Network, Part};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope, path_beneath_rules,
};
use std::path::Path;

/// The kernel's rules that are used where they are known.
const KNOWN: ABI = ABI::V6;
/// The first that also knows when a file is cut.
const NEEDED_FOR_FILES: ABI = ABI::V3;

/// Applies the rules; `own` says whether the process has its own root.
pub(super) fn apply(order: &LaunchOrder, own: Own) -> Vec<Missing> {
    let mut missing = Vec::new();
    if let Err(error) =
        demanded().handle_access(AccessFs::from_all(NEEDED_FOR_FILES)).and_then(Ruleset::create)
    {
        missing.push(Missing::new(Part::FileRules, error));
    }
    if matches!(order.plan.network, Network::TcpPorts(_))
        && let Err(error) = demanded().handle_access(AccessNet::from_all(KNOWN)).and_then(Ruleset::create)
    {
        missing.push(Missing::new(Part::PortRules, error));
    }
    if let Err(error) = restrict(order, own)
        && missing.is_empty()
    {
        missing.push(Missing::new(Part::FileRules, error));
    }
    missing
}

/// What of the root belongs to the namespaces of the program.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub(super) root: bool,
    /// `/proc`.
    pub(super) processes: bool,
}

/// Rules that fail if the kernel does not know them.
fn demanded() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

fn restrict(order: &LaunchOrder, own: Own) -> Result<(), RulesetError> {
    let plan = &order.plan;
    let file = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate;
    let devices = AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev;
    let look = AccessFs::ReadFile | AccessFs::ReadDir;
    // What may be executed is named by the plan, or is all that may be read.
    let runs = match order.runnable {
        Some(_) => BitFlags::empty(),
        None => AccessFs::Execute.into(),
    };
    let all = AccessFs::from_all(KNOWN) & !(devices | AccessFs::Execute) | runs;
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN))?
        .handle_access(AccessNet::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?
        .create()?
        .add_rules(path_beneath_rules(&plan.read, look | runs))?
        .add_rules(path_beneath_rules(&plan.write, all))?
        .add_rules(path_beneath_rules(DEVICES, file))?;
    let folders = SYSTEM.iter().filter(|path| Path::new(path).is_dir());
    rules = match &order.runnable {
        None => rules.add_rules(path_beneath_rules(SYSTEM, look | runs))?,
        Some(runnable) => rules
            .add_rules(path_beneath_rules(folders, AccessFs::ReadDir))?
            .add_rules(path_beneath_rules(&runnable.read, look))?
            .add_rules(path_beneath_rules(&runnable.execute, look | AccessFs::Execute))?,
    };
    if own.root {
        rules = rules.add_rules(path_beneath_rules(SCRATCH, all))?;
    }
    if own.processes {
        rules = rules.add_rules(path_beneath_rules(["/proc"], look))?;
    }
    if let Network::TcpPorts(ports) = &plan.network {
        for port in ports {
            rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
        }
    }
    rules.restrict_self().map(drop)
}
