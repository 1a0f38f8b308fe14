//! The files a kernel makes up for every reader: `/proc` and `/sys`. Tables of
//! paths and what they say; the phone is only read. The APKs of apps that came
//! with the phone are made when someone looks for them.

mod apks;
mod sockets;

use crate::command::{self, ProcessRow, RSS_KB, VSZ_KB};
use crate::handset::Handset;
use crate::phone::{Battery, Plug};
use clawperator_userland::{Actor, FileSystem, Identity, Ownership, Pid};
use sockets::Sockets;
use std::fmt::Write;
use std::time::Duration;

/// How many processors the phone has.
const CPUS: u64 = 8;
/// Its clock, in ticks a second.
const TICKS: u64 = 100;
/// The most bytes of such files at a time.
const ROOM: u64 = 8 << 20;

/// What is read of the phone.
struct Facts {
    uptime: Duration,
    booted: u64,
    battery: Battery,
    online: bool,
    processes: Vec<ProcessRow>,
    sockets: Sockets,
}

/// A file, and what it says.
type FileRow = (&'static str, fn(&Facts) -> String);

const PROC: &[FileRow] = &[
    ("/cpuinfo", cpuinfo),
    ("/filesystems", |_| "nodev\tproc\nnodev\tsysfs\nnodev\ttmpfs\n\text4\n\tf2fs\nnodev\tfuse\n".to_owned()),
    ("/loadavg", |facts| format!("0.50 0.40 0.30 1/{} 4001\n", facts.processes.len())),
    ("/meminfo", |_| {
        MEMORY.iter().map(|(name, kb)| format!("{:<16}{kb:>8} kB\n", format!("{name}:"))).collect()
    }),
    ("/mounts", |_| command::mounts()),
    ("/net/arp", |_| {
        "IP address       HW type     Flags       HW address            Mask     Device\n".to_owned()
    }),
    ("/net/dev", net_dev),
    ("/net/route", net_route),
    ("/net/tcp", |facts| sockets::tcp(&facts.sockets)),
    ("/net/tcp6", |facts| sockets::tcp6(&facts.sockets)),
    ("/net/udp", |_| sockets::tcp(&Sockets::default())),
    ("/net/udp6", |_| sockets::tcp6(&Sockets::default())),
    ("/net/unix", |_| "Num       RefCount Protocol Flags    Type St Inode Path\n".to_owned()),
    ("/stat", stat),
    ("/uptime", |facts| {
        let uptime = facts.uptime.as_secs_f64();
        format!("{uptime:.2} {:.2}\n", uptime * CPUS as f64 * 0.9)
    }),
    ("/version", |_| "Linux version 6.1.75-android14-11 (clawperator) #1 SMP PREEMPT\n".to_owned()),
];

/// A file of a process, and what is in it.
type ProcessFile = (&'static str, fn(&Facts, &ProcessRow) -> String);

const PROCESS: &[ProcessFile] = &[
    ("cmdline", |_, process| format!("{}\0", process.command.replace(' ', "\0"))),
    ("comm", |_, process| format!("{}\n", short_name(process))),
    ("oom_score_adj", |_, process| format!("{}\n", if process.uid >= 10_000 { 0 } else { -1000 })),
    ("stat", process_stat),
    ("statm", |_, _| format!("{} {} 0 0 0 0 0\n", VSZ_KB / 4, RSS_KB / 4)),
    ("status", process_status),
];

const SYS: &[FileRow] = &[
    ("/class/net/lo/operstate", |_| "unknown\n".to_owned()),
    ("/class/net/wlan0/address", |_| "02:00:00:00:00:00\n".to_owned()),
    ("/class/net/wlan0/mtu", |_| "1500\n".to_owned()),
    ("/class/net/wlan0/operstate", |facts| if facts.online { "up\n" } else { "down\n" }.to_owned()),
    ("/class/power_supply/ac/online", |facts| format!("{}\n", u8::from(facts.battery.plug == Plug::Ac))),
    ("/class/power_supply/battery/capacity", |facts| format!("{}\n", facts.battery.level)),
    ("/class/power_supply/battery/health", |_| "Good\n".to_owned()),
    ("/class/power_supply/battery/present", |_| "1\n".to_owned()),
    ("/class/power_supply/battery/status", |facts| {
        match (facts.battery.plugged(), facts.battery.level) {
            (true, 100) => "Full\n",
            (true, _) => "Charging\n",
            (false, _) => "Discharging\n",
        }
        .to_owned()
    }),
    ("/class/power_supply/battery/technology", |_| "Li-ion\n".to_owned()),
    ("/class/power_supply/battery/temp", |facts| format!("{}\n", facts.battery.temperature * 10)),
    ("/class/power_supply/battery/type", |_| "Battery\n".to_owned()),
    ("/class/power_supply/battery/voltage_now", |facts| {
        format!("{}\n", (3_500 + 8 * u32::from(facts.battery.level)) * 1000)
    }),
    ("/class/power_supply/usb/online", |facts| format!("{}\n", u8::from(facts.battery.plug == Plug::Usb))),
    ("/class/thermal/thermal_zone0/temp", |facts| {
        format!("{}\n", i32::from(facts.battery.temperature) * 1000)
    }),
    ("/class/thermal/thermal_zone0/type", |_| "battery\n".to_owned()),
    ("/devices/system/cpu/kernel_max", |_| format!("{}\n", CPUS - 1)),
    ("/devices/system/cpu/online", |_| format!("0-{}\n", CPUS - 1)),
    ("/devices/system/cpu/possible", |_| format!("0-{}\n", CPUS - 1)),
    ("/devices/system/cpu/present", |_| format!("0-{}\n", CPUS - 1)),
];

/// The files of one processor.
const CPU: &[(&str, &str)] = &[
    ("cpufreq/cpuinfo_max_freq", "2400000\n"),
    ("cpufreq/cpuinfo_min_freq", "300000\n"),
    ("cpufreq/scaling_cur_freq", "1200000\n"),
    ("cpufreq/scaling_max_freq", "2400000\n"),
    ("online", "1\n"),
];

const MEMORY: &[(&str, u64)] = &[
    ("MemTotal", 7_734_272),
    ("MemFree", 2_214_912),
    ("MemAvailable", 4_612_096),
    ("Buffers", 0),
    ("Cached", 2_397_184),
    ("SwapTotal", 0),
    ("SwapFree", 0),
];

/// One line of `/proc/meminfo`.
pub(crate) fn memory_kb(name: &str) -> u64 {
    MEMORY.iter().find(|row| row.0 == name).map_or(0, |row| row.1)
}

/// Brings the files below a path up to date, if they are of this kind.
pub(crate) fn refresh(handset: &Handset, path: &str, pid: Pid) {
    let below = |root: &str| {
        let rest = path.strip_prefix(root);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let (root, tree) = if below("/proc") {
        ("/proc", proc_files(&facts(handset), pid))
    } else if below("/sys") {
        ("/sys", sys_files(&facts(handset)))
    } else if below("/system/app") {
        ("/system/app", apks::of_system(handset))
    } else if below("/data/app") {
        return apks::add_missing(handset);
    } else {
        return;
    };
    handset.kernel.files.with(|files| files.graft(root, &tree));
}

fn facts(handset: &Handset) -> Facts {
    let processes = command::processes(handset);
    let ports = handset.ports();
    let sockets = Sockets { listening: ports.sockets(), lines: ports.lines() };
    handset.with(|phone| Facts {
        uptime: phone.clock.uptime,
        booted: phone.clock.booted.as_secs(),
        battery: phone.battery.clone(),
        online: phone.is_on("wifi_on"),
        processes,
        sockets,
    })
}

fn proc_files(facts: &Facts, pid: Pid) -> FileSystem {
    let mut files = FileSystem::new(ROOM);
    for (path, text) in PROC {
        add(&mut files, path, &text(facts));
    }
    for process in &facts.processes {
        let folder = format!("/{}", process.pid);
        for (name, text) in PROCESS {
            let text = text(facts, process);
            add(&mut files, &format!("{folder}/{name}"), &text);
            if *name == "stat" || *name == "comm" {
                add(&mut files, &format!("{folder}/task/{}/{name}", process.pid), &text);
            }
        }
        as_root(|actor| files.symlink(actor, "/", &format!("{folder}/cwd")).is_ok());
        let owner = Ownership { uid: Some(process.uid), gid: Some(process.uid) };
        as_root(|actor| files.chown(actor, &folder, owner).is_ok());
    }
    as_root(|actor| files.symlink(actor, &pid.to_string(), "/self").is_ok());
    files
}

fn sys_files(facts: &Facts) -> FileSystem {
    let mut files = FileSystem::new(ROOM);
    for (path, text) in SYS {
        add(&mut files, path, &text(facts));
    }
    for cpu in 0..CPUS {
        for (name, text) in CPU {
            add(&mut files, &format!("/devices/system/cpu/cpu{cpu}/{name}"), text);
        }
    }
    files
}

/// Adds a file that everyone may read. There is room for all of them; what were
/// left out would be missed by its reader, not by the phone.
fn add(files: &mut FileSystem, path: &str, text: &str) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    as_root(|actor| {
        (folder.is_empty() || files.create_dir_all(actor, folder, 0o555).is_ok())
            && files.write(actor, path, text.to_owned()).is_ok()
    });
}

fn as_root<R>(work: impl FnOnce(&Actor<'_>) -> R) -> R {
    let root = Identity::root();
    work(&Actor { who: &root, umask: 0o222, now: Duration::ZERO })
}

fn cpuinfo(_: &Facts) -> String {
    let cpu = |number: u64| {
        format!("processor\t: {number}\nBogoMIPS\t: 49.15\nFeatures\t: fp asimd aes\nCPU architecture: 8\n\n")
    };
    (0..CPUS).map(cpu).collect::<String>() + "Hardware\t: sim\n"
}

/// Each processor works one part in forty of its time, and half as much for the kernel.
fn stat(facts: &Facts) -> String {
    let ticks = facts.uptime.as_secs() * TICKS + u64::from(facts.uptime.subsec_millis()) / 10;
    let (user, system) = (ticks / 40, ticks / 80);
    let line = |name: &str, times: u64| {
        let idle = ticks - user - system;
        let [user, system, idle] = [user, system, idle].map(|part| part * times);
        format!("{name} {user} 0 {system} {idle} 0 0 0 0 0 0\n")
    };
    let mut text = line("cpu ", CPUS);
    for cpu in 0..CPUS {
        text.push_str(&line(&format!("cpu{cpu}"), 1));
    }
    let _ = write!(
        text,
        "intr {ticks}\nctxt {}\nbtime {}\nprocesses {}\nprocs_running 1\nprocs_blocked 0\nsoftirq {ticks} 0 0 0 0 0 0 0 0 0 0\n",
        ticks * 2,
        facts.booted,
        4000 + facts.processes.len()
    );
    text
}

fn net_dev(facts: &Facts) -> String {
    let bytes = facts.uptime.as_secs() * 100;
    let line = |name: &str, bytes: u64| {
        format!(
            "{name:>6}: {bytes:>7} {:>7}    0    0    0     0          0         0 {bytes:>8} {:>7}    0    0    0     0       0          0\n",
            bytes / 100,
            bytes / 100
        )
    };
    format!(
        "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n{}{}",
        line("lo", 0),
        line("wlan0", bytes)
    )
}

fn net_route(facts: &Facts) -> String {
    let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
    let wlan = "wlan0\t0002000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n";
    format!("{head}{}", if facts.online { wlan } else { "" })
}

/// What the kernel keeps of a name: fifteen letters, of an app the last ones.
fn short_name(process: &ProcessRow) -> &str {
    let name = process.name.as_str();
    let over = name.len().saturating_sub(15);
    match (process.uid >= 10_000).then(|| name.get(over..)).flatten() {
        Some(end) => end,
        None => name.get(..15).unwrap_or(name),
    }
}

fn process_stat(facts: &Facts, process: &ProcessRow) -> String {
    let ProcessRow { pid, parent, .. } = process;
    let ticks = facts.uptime.as_secs() / 10;
    format!(
        "{pid} ({}) S {parent} {pid} 0 0 -1 1077936448 100 0 0 0 {ticks} {} 0 0 20 0 1 0 100 {} {} 18446744073709551615{}\n",
        short_name(process),
        ticks / 2,
        VSZ_KB * 1024,
        RSS_KB / 4,
        " 0".repeat(27)
    )
}

fn process_status(_: &Facts, process: &ProcessRow) -> String {
    let ProcessRow { pid, parent, uid, .. } = process;
    format!(
        "Name:\t{}\nUmask:\t0077\nState:\tS (sleeping)\nTgid:\t{pid}\nPid:\t{pid}\nPPid:\t{parent}\nTracerPid:\t0\nUid:\t{uid}\t{uid}\t{uid}\t{uid}\nGid:\t{uid}\t{uid}\t{uid}\t{uid}\nVmSize:\t{VSZ_KB} kB\nVmRSS:\t{RSS_KB} kB\nThreads:\t1\n",
        short_name(process)
    )
}
