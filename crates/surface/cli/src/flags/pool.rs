//! The flags of the pool.

use crate::spec::{FlagSpec, Takes, ValueKind, setting, switch};
use clawperator_pool::Priority;

pub(crate) const POOL: FlagSpec = setting(
    "pool",
    "POOL",
    "Run on phones of this pool: a pool file, nats://HOST:PORT, or local for the one of pool up. See pool.",
)
.value(ValueKind::Bytes)
.global();

/// The flags of a command that sends jobs.
pub(crate) const JOB: &[FlagSpec] = &[PRIORITY, DEADLINE, REPEATABLE, LABEL, TENANT];

pub(crate) const ON: FlagSpec = setting(
    "on",
    "TARGET",
    "Where in the pool: any:CLASS for one phone of a class, all:CLASS for each of them, or HOST/SERIAL.",
)
.global();
pub(crate) const PRIORITY: FlagSpec =
    setting("priority", "WORD", "Which jobs of a tenant come first: high, normal or low [default: normal].")
        .words(Priority::WORDS);
pub(crate) const DEADLINE: FlagSpec =
    setting("deadline", "TIME", "How long the job may wait, such as 90s, 15m or 2h [default: 1h].");
pub(crate) const REPEATABLE: FlagSpec = switch(
    "repeatable",
    "Run the job again on another phone if its host dies and its outcome is unknown; without it, never.",
);
pub(crate) const LABEL: FlagSpec =
    setting("label", "TEXT", "What the job is called in lists, such as a build.");
pub(crate) const TENANT: FlagSpec =
    setting("tenant", "NAME", "The tenant, if the pool file has several [default: the first].");

pub(crate) const HOST: FlagSpec =
    setting("host", "NAME", "What this computer is called in the pool [default: its own name].");
pub(crate) const CLASS: FlagSpec = setting(
    "class",
    "NAME",
    "A class of the phones here, or NAME=SERIAL for one of them. Their models and versions are classes by themselves.",
)
.takes(Takes::Several("NAME"));
pub(crate) const ONLY: FlagSpec =
    setting("only", "SERIAL", "Give only this phone to the pool; can be given several times.")
        .takes(Takes::Several("SERIAL"));
pub(crate) const SERVER: FlagSpec =
    setting("server", "PATH", "The broker's program [default: nats-server on the path].")
        .value(ValueKind::Bytes);
pub(crate) const SIMS: FlagSpec =
    setting("sims", "N", "Have so many simulated phones run, 0 to 64 [default: 1].");

pub(crate) const TENANTS: FlagSpec =
    setting("tenants", "NAMES", "The tenants, with commas between them [default: default].");
pub(crate) const NODES: FlagSpec = setting(
    "nodes",
    "HOSTS",
    "The computers of the broker's nodes, one or three, with commas between them [default: 127.0.0.1].",
);
pub(crate) const OUT: FlagSpec =
    setting("out", "FOLDER", "The folder for the files; it must not have them yet.").value(ValueKind::Bytes);
pub(crate) const SYNC: FlagSpec = switch(
    "sync-always",
    "Have nodes confirm every write on disk. Needs nats-server 2.10; writes take longer.",
);
pub(crate) const MEGABYTES: FlagSpec =
    setting("megabytes", "N", "How much each tenant may store [default: 1024].");

pub(crate) const REPORT: FlagSpec =
    setting("to", "FILE", "Fetch the report of the job from its host and write it there.")
        .value(ValueKind::Bytes);
pub(crate) const FOR: FlagSpec =
    setting("for", "TIME", "How long, such as 30m or 2h; 0s ends the reservation [default: 30m].");
pub(crate) const WHY: FlagSpec = setting("why", "TEXT", "What for; other people of the tenant see it.");
pub(crate) const UNDO: FlagSpec = switch("undo", "Take jobs again.");
