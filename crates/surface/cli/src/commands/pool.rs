//! The command `worker` and those of `pool`.

use crate::flags::pool as own;
use crate::spec::PoolCommand as Pool;
use crate::spec::{ArgumentSpec, Command, CommandSpec, GroupSpec, argument, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "pool",
    synonyms: &[],
    about: "Shares phones of many computers through a broker.",
    details: "Hosts give their phones to the pool with clawperator worker; jobs come from exec and skills run with --pool. \
        The broker is NATS JetStream. docs/pool.md goes from nothing to three hosts.",
};

const JOB: ArgumentSpec = argument("JOB", "The id of a job, or its commandId.");
const PHONE: ArgumentSpec = argument("PHONE", "A phone of the pool: HOST/SERIAL.");
const HOST: ArgumentSpec = argument("HOST", "A host of the pool.");

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    row(Command::Worker, "worker", "Gives the phones of this computer to a pool until it is interrupted.")
        .details("It opens connections to the broker only; nothing listens. When it is interrupted it takes no more jobs \
            and lets those it has end, for a minute at most.")
        .flags(&[options(&[own::HOST, own::CLASS, own::ONLY])])
        .examples(&[
            "clawperator worker --pool /etc/clawperator/worker.json",
            "clawperator worker --pool worker.json --host lab-1 --class slow=emulator-5554",
        ]),
    pool(Pool::Up, "up", "Starts a broker and a worker on this computer, for a try.")
        .details("It needs nats-server. Without a phone it starts a simulated one. Commands reach it with --pool local. It \
            ends when it is interrupted; jobs and results are there again the next time.")
        .flags(&[options(&[own::SERVER, own::SIMS, own::HOST, own::CLASS, own::ONLY])])
        .examples(&["clawperator pool up", "clawperator pool up --sims 3 --server /usr/sbin/nats-server"]),
    pool(Pool::Init, "init", "Writes keys, certificates and the broker's configuration for a pool.")
        .flags(&[options(&[own::OUT, own::TENANTS, own::NODES, own::SYNC, own::MEGABYTES])])
        .examples(&[
            "clawperator pool init --out pool",
            "clawperator pool init --out pool --tenants app,lab --nodes a.lan,b.lan,c.lan",
        ]),
    pool(Pool::Phones, "phones", "Lists the phones of the pool and what each is doing.")
        .flags(&[options(&[own::TENANT])])
        .examples(&["clawperator pool phones --pool local", "clawperator pool phones --output pretty"]),
    pool(Pool::Hosts, "hosts", "Lists the hosts of the pool.")
        .flags(&[options(&[own::TENANT])])
        .examples(&["clawperator pool hosts --pool local", "clawperator pool hosts --output pretty"]),
    pool(Pool::Jobs, "jobs", "Lists the jobs that wait, with the reason for each, and those under way.")
        .flags(&[options(&[own::TENANT])])
        .examples(&["clawperator pool jobs --pool local", "clawperator pool jobs --output pretty"]),
    pool(Pool::Job, "job", "Shows a job: why it waits, where it runs, or what came of it.")
        .arguments(&[JOB])
        .flags(&[options(&[own::REPORT, own::TENANT])])
        .examples(&["clawperator pool job c1 --pool local", "clawperator pool job c1 --to report.html"]),
    pool(Pool::Cancel, "cancel", "Cancels a job, whether it waits or runs.")
        .arguments(&[JOB])
        .flags(&[options(&[own::TENANT])])
        .examples(&["clawperator pool cancel c1 --pool local", "clawperator pool cancel 026ab639c21df8aa80e57893"]),
    pool(Pool::Reserve, "reserve", "Keeps a phone for jobs of this tenant that name it.")
        .arguments(&[PHONE])
        .flags(&[options(&[own::FOR, own::WHY, own::TENANT])])
        .examples(&[
            "clawperator pool reserve lab-1/emulator-5554 --for 30m --why \"release test\"",
            "clawperator pool reserve lab-1/emulator-5554 --for 0s",
        ]),
    pool(Pool::Release, "release", "Lets a phone out of quarantine.")
        .arguments(&[PHONE])
        .examples(&["clawperator pool release lab-1/emulator-5554", "clawperator pool release lab-2/R58M12ABCDE"]),
    pool(Pool::Drain, "drain", "Has a host take no more jobs; those it has end.")
        .arguments(&[HOST])
        .flags(&[options(&[own::UNDO])])
        .examples(&["clawperator pool drain lab-1", "clawperator pool drain lab-1 --undo"]),
    pool(Pool::Doctor, "doctor", "Examines the broker and the hosts, with advice.")
        .flags(&[options(&[own::TENANT])])
        .examples(&["clawperator pool doctor --pool local", "clawperator pool doctor --pool operator.json"]),
];

const fn pool(command: Pool, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Pool(command), name, about).inside(GROUP.name)
}
