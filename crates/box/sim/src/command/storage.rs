//! `df`, `mount` and `free`: how large and how full the phone is.

use super::answer::{Answer, CommandResult, words};
use crate::disk::{DATA, SYSTEM, StorageSize};
use crate::handset::Handset;
use clawperator_userland::Call;

/// Something mounted: the device, the folder, its kind and its options.
struct Mount {
    device: &'static str,
    folder: &'static str,
    kind: &'static str,
    options: &'static str,
    size: Option<&'static StorageSize>,
}

const fn mounted(
    device: &'static str,
    folder: &'static str,
    kind: &'static str,
    size: Option<&'static StorageSize>,
) -> Mount {
    let options = match size {
        Some(size) if size.total_kb == SYSTEM.total_kb => "ro,seclabel,relatime",
        _ => "rw,seclabel,nosuid,nodev,noatime",
    };
    Mount { device, folder, kind, options, size }
}

const MOUNTS: &[Mount] = &[
    mounted("/dev/block/dm-5", "/", "ext4", Some(&SYSTEM)),
    mounted("tmpfs", "/dev", "tmpfs", None),
    mounted("proc", "/proc", "proc", None),
    mounted("sysfs", "/sys", "sysfs", None),
    mounted("/dev/block/dm-44", "/data", "f2fs", Some(&DATA)),
    mounted("/dev/fuse", "/storage/emulated", "fuse", Some(&DATA)),
];

/// The lines of `/proc/mounts`.
pub(crate) fn mounts() -> String {
    let line = |it: &Mount| format!("{} {} {} {} 0 0\n", it.device, it.folder, it.kind, it.options);
    MOUNTS.iter().map(line).collect()
}

pub(super) fn mount(_: &Handset, call: &Call) -> Answer {
    if call.args.len() > 1 {
        return Err(CommandResult::complaint(call, "Operation not permitted"));
    }
    let line = |it: &Mount| format!("{} on {} type {} ({})\n", it.device, it.folder, it.kind, it.options);
    Ok(MOUNTS.iter().map(line).collect())
}

pub(super) fn df(handset: &Handset, call: &Call) -> Answer {
    let (options, words): (Vec<&str>, Vec<&str>) =
        words(call).into_iter().partition(|word| word.starts_with('-'));
    let human = options.iter().any(|option| option.contains(['h', 'H']));
    let mut chosen: Vec<&Mount> = Vec::new();
    let mut complaints = String::new();
    for word in &words {
        let path = call.path(word);
        let found =
            call.files(|files, actor| files.stat(actor, &path).and_then(|_| files.canonical(actor, &path)));
        match found {
            Ok(path) => chosen.extend(holder(&path)),
            Err(error) => complaints.push_str(&format!("{}: {word}: {error}\n", call.name())),
        }
    }
    if !complaints.is_empty() {
        return Err(CommandResult::wrong(1, complaints));
    }
    if words.is_empty() {
        chosen.extend(MOUNTS);
    }
    let head = if human { "Size" } else { "1K-blocks" };
    let mut text = format!("Filesystem       {head:>9} {:>9} {:>9} Use% Mounted on\n", "Used", "Available");
    // Files of the phone count on top of what it came with.
    let written = handset.kernel.files.with(|files| files.usage());
    let full = written.capacity <= written.used;
    for (mount, size) in chosen.iter().filter_map(|mount| Some((mount, mount.size?))) {
        let own = if size.total_kb == DATA.total_kb { written.used / 1024 } else { 0 };
        let used = if full { size.total_kb } else { size.used_kb + own };
        let free = size.total_kb - used;
        let percent = (used * 100).div_ceil(size.total_kb);
        let shown = |kb: u64| {
            if human { format!("{:.1}G", kb as f64 / 1_048_576.0) } else { kb.to_string() }
        };
        let row = format!(
            "{:<16} {:>9} {:>9} {:>9} {percent:>3}% {}\n",
            mount.device,
            shown(size.total_kb),
            shown(used),
            shown(free),
            mount.folder
        );
        text.push_str(&row);
    }
    Ok(text)
}

/// What a path is on: the longest folder that it is below.
fn holder(path: &str) -> Option<&'static Mount> {
    let holds = |mount: &&Mount| {
        let rest = path.strip_prefix(mount.folder.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    MOUNTS.iter().filter(holds).max_by_key(|mount| mount.folder.len())
}

pub(super) fn free(_: &Handset, _: &Call) -> Answer {
    let kb = |name: &str| crate::virtual_files::memory_kb(name) * 1024;
    let (total, idle, available) = (kb("MemTotal"), kb("MemFree"), kb("MemAvailable"));
    Ok(format!(
        "{:>19} {:>12} {:>12} {:>12} {:>12}\nMem: {total:>14} {:>12} {idle:>12} {:>12} {:>12}\n-/+ buffers/cache: {:>13} {available:>12}\nSwap: {:>13} {:>12} {:>12}\n",
        "total",
        "used",
        "free",
        "shared",
        "buffers",
        total - idle,
        0,
        0,
        total - available,
        0,
        0,
        0
    ))
}
