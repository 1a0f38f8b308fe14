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
    let has = |letters: [char; 2]| options.iter().any(|option| option.contains(letters));
    let (human, inodes) = (has(['h', 'H']), has(['i', 'i']));
    let mut chosen: Vec<&Mount> = Vec::new();
    let mut complaints = String::new();
    for word in &words {
        let path = call.path(word);
        let found =
            call.files(|files, actor| files.stat(actor, &path).and_then(|_| files.canonical(actor, &path)));
        match found {
            Ok(path) => chosen.extend(holder(&path)),
            Err(error) => complaints.push_str(&format!("{}: '{word}': {error}\n", call.name())),
        }
    }
    if words.is_empty() {
        chosen.extend(MOUNTS);
    }
    let heads = match (inodes, human) {
        (true, _) => ["Filesystem", "Inodes", "IUsed", "IFree", "IUse%", "Mounted on"],
        (_, true) => ["Filesystem", "Size", "Used", "Avail", "Use%", "Mounted on"],
        (_, false) => ["Filesystem", "1K-blocks", "Used", "Available", "Use%", "Mounted on"],
    };
    let mut rows = vec![heads.map(str::to_owned)];
    // Files of the phone count on top of what it came with.
    let written = handset.kernel.files.with(|files| files.usage());
    let full = written.capacity <= written.used;
    for (mount, size) in chosen.iter().filter_map(|mount| Some((mount, mount.size?))) {
        let own = if size.total_kb == DATA.total_kb { written.used / 1024 } else { 0 };
        let used = if full { size.total_kb } else { size.used_kb + own };
        let percent = (used * 100).div_ceil(size.total_kb);
        let shown = |kb: u64| {
            let gigabytes = kb as f64 / 1_048_576.0;
            match (human, inodes) {
                (true, false) if gigabytes < 10.0 => format!("{gigabytes:.1}G"),
                (true, false) => format!("{gigabytes:.0}G"),
                (_, true) => (kb / 16).to_string(),
                (false, false) => kb.to_string(),
            }
        };
        let [total, used, free] = [size.total_kb, used, size.total_kb - used].map(shown);
        rows.push([
            mount.device.to_owned(),
            total,
            used,
            free,
            format!("{percent}%"),
            mount.folder.to_owned(),
        ]);
    }
    let least = [14, if human { 5 } else { 0 }, 4, 5, 4, 0];
    let width = |at: usize| rows.iter().map(|row| row[at].len()).max().unwrap_or(0).max(least[at]);
    let widths: [usize; 6] = std::array::from_fn(width);
    let line = |row: &[String; 6]| {
        let numbers: String = (1..5).map(|at| format!(" {:>1$}", row[at], widths[at])).collect();
        format!("{:<1$}{numbers} {2}\n", row[0], widths[0], row[5])
    };
    let out = rows.iter().map(line).collect();
    let code = u8::from(!complaints.is_empty());
    Err(CommandResult { out, err: complaints, code })
}

/// What a path is on: the longest folder that it is below.
fn holder(path: &str) -> Option<&'static Mount> {
    let holds = |mount: &&Mount| {
        let rest = path.strip_prefix(mount.folder.trim_end_matches('/'));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    MOUNTS.iter().filter(holds).max_by_key(|mount| mount.folder.len())
}

pub(super) fn free(_: &Handset, call: &Call) -> Answer {
    let kb = |name: &str| crate::virtual_files::memory_kb(name) * 1024;
    let (total, idle, available) = (kb("MemTotal"), kb("MemFree"), kb("MemAvailable"));
    let unit = words(call).iter().find_map(|word| "bkmgt".find(word.strip_prefix('-')?)).unwrap_or(0);
    let shown = |bytes: u64| (bytes >> (10 * unit)).to_string();
    let [total, used, idle, taken, available] =
        [total, total - idle, idle, total - available, available].map(shown);
    Ok(format!(
        "\t\ttotal        used        free      shared     buffers\nMem:{total:>17}{used:>12}{idle:>12}{0:>12}{0:>12}\n-/+ buffers/cache:{taken:>15}{available:>12}\nSwap:{0:>16}{0:>12}{0:>12}\n",
        0
    ))
}
