//! `ps` and `pidof`: what runs.

use super::answer::{Answer, CommandResult};
use crate::automation::THIEF;
use crate::handset::Handset;
use clawperator_userland::{Call, Machine, Pid};

/// One process.
pub(crate) struct ProcessRow {
    pub(crate) uid: u32,
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) name: String,
    pub(crate) command: String,
}

/// What runs on every phone: user, number, parent, command.
const SYSTEM: &[(u32, u32, u32, &str)] = &[
    (0, 1, 0, "/system/bin/init"),
    (0, 2, 0, "[kthreadd]"),
    (1036, 150, 1, "/system/bin/logd"),
    (1000, 151, 1, "/system/bin/servicemanager"),
    (0, 300, 1, "zygote64"),
    (1000, 420, 1, "/system/bin/surfaceflinger"),
    (2000, 500, 1, "/apex/com.android.adbd/bin/adbd"),
    (1000, 1000, 300, "system_server"),
];

/// The app that always runs, without being started, and its number.
const ALWAYS: (&str, u32) = ("com.android.systemui", 1100);

/// How large every process is.
pub(crate) const VSZ_KB: u64 = 10_804_356;
pub(crate) const RSS_KB: u64 = 64_000;

/// The parent of every app.
const ZYGOTE: u32 = 300;
/// Who runs what came over adb.
pub(crate) const ADBD: Pid = Pid(500);

/// Everything that runs, by number.
pub(crate) fn rows(handset: &Handset) -> Vec<ProcessRow> {
    let system = SYSTEM.iter().map(|(uid, pid, parent, command)| ProcessRow {
        uid: *uid,
        pid: *pid,
        parent: *parent,
        name: command.rsplit('/').next().unwrap_or(command).to_owned(),
        command: (*command).to_owned(),
    });
    let mut rows: Vec<_> = system.collect();
    handset.with(|phone| {
        for package in phone.packages.values() {
            let always = (package.name() == ALWAYS.0).then_some(ALWAYS.1);
            if let Some(pid) = package.pid.or(always) {
                rows.push(ProcessRow {
                    uid: package.uid,
                    pid,
                    parent: ZYGOTE,
                    name: package.name().to_owned(),
                    command: package.name().to_owned(),
                });
            }
        }
    });
    rows.extend(handset.kernel.processes.list().into_iter().map(|process| ProcessRow {
        uid: process.uid,
        pid: process.pid.0,
        parent: if process.parent.0 == 0 { ADBD.0 } else { process.parent.0 },
        name: process.name,
        command: process.command,
    }));
    if handset.automation.has_thief() {
        let (name, uid, pid) = THIEF;
        rows.push(ProcessRow { uid, pid, parent: ZYGOTE, name: name.to_owned(), command: name.to_owned() });
    }
    rows.sort_by_key(|row| row.pid);
    rows.dedup_by_key(|row| row.pid);
    rows
}

/// A column: its name, its heading, and how wide it is; below 0 to the left.
const COLUMNS: &[(&str, &str, i8)] = &[
    ("ADDR", "ADDR", 10),
    ("ARGS", "CMD", -27),
    ("C", "C", 1),
    ("CMD", "CMD", -27),
    ("CMDLINE", "CMDLINE", -27),
    ("COMM", "COMM", -27),
    ("NAME", "NAME", -27),
    ("PID", "PID", 5),
    ("PPID", "PPID", 5),
    ("RSS", "RSS", 6),
    ("S", "S", 1),
    ("STAT", "STAT", -4),
    ("STIME", "STIME", 5),
    ("TIME", "TIME", 8),
    ("TTY", "TTY", -8),
    ("UID", "UID", -12),
    ("USER", "USER", -12),
    ("VSZ", "VSZ", 10),
    ("WCHAN", "WCHAN", -10),
];

const USUAL: &str = "USER,PID,PPID,VSZ,RSS,WCHAN,ADDR,S,NAME";
const FULL: &str = "UID,PID,PPID,C,STIME,TTY,TIME,CMD=CMD";

fn cell(handset: &Handset, row: &ProcessRow, column: &str) -> String {
    match column {
        "PID" => row.pid.to_string(),
        "PPID" => row.parent.to_string(),
        "USER" | "UID" => handset.user_name(row.uid),
        "NAME" | "COMM" => row.name.clone(),
        "ARGS" | "CMD" | "CMDLINE" => row.command.clone(),
        "VSZ" => VSZ_KB.to_string(),
        "RSS" => RSS_KB.to_string(),
        "STIME" => "09:41".to_owned(),
        "TIME" => "00:00:01".to_owned(),
        "TTY" => "?".to_owned(),
        "S" | "STAT" => "S".to_owned(),
        _ => "0".to_owned(),
    }
}

fn line(cells: &[(String, i8)]) -> String {
    let padded = cells.iter().map(|(text, width)| {
        let room = usize::from(width.unsigned_abs());
        if *width < 0 { format!("{text:<room$}") } else { format!("{text:>room$}") }
    });
    padded.collect::<Vec<_>>().join(" ") + "\n"
}

/// Some clients look here whether `-A` is known.
const HELP: &str = "usage: ps [-Aef] [-o FIELD,...] [-p PID,...]

List processes: those of this user, or all of them.

-A\tAll processes
-e\tAll processes, like -A
-f\tFull listing
-o\tShow these fields
-p\tOnly these process ids
";

pub(super) fn ps(handset: &Handset, call: &Call) -> Answer {
    if call.args.iter().any(|word| word == "--help") {
        return Ok(HELP.to_owned());
    }
    let mut words = call.args.iter().skip(1);
    let (mut all, mut columns, mut only) = (false, USUAL.to_owned(), None);
    let mut named: Vec<String> = Vec::new();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-o" | "-O" | "-p" | "-t" | "-u" | "-s" | "-k" | "-g" | "-G" | "-U" | "-P" => {
                let Some(value) = words.next().cloned() else {
                    let missing = format!("Missing argument to {word} (see \"ps --help\")");
                    return Err(CommandResult::complaint(call, &missing));
                };
                match word.as_str() {
                    "-p" => only = Some(value),
                    "-o" | "-O" => named.push(value),
                    _ => {}
                }
            }
            option if option.starts_with("-o") => named.push(option[2..].to_owned()),
            option if option.starts_with('-') => {
                all |= option.contains(['A', 'e']);
                if option.contains('f') {
                    FULL.clone_into(&mut columns);
                }
            }
            pid => only = Some(pid.to_owned()),
        }
    }
    if !named.is_empty() {
        columns = named.join(",").to_ascii_uppercase();
    }
    let mut shown = Vec::new();
    for name in columns.split([',', ' ']).filter(|name| !name.is_empty()) {
        // `PID=x` names a column, `PID:9` says how wide it is.
        let (column, title) = name.split_once('=').map_or((name, None), |(name, title)| (name, Some(title)));
        let (column, width) =
            column.split_once(':').map_or((column, None), |(name, width)| (name, width.parse().ok()));
        let Some((known, head, usual)) = COLUMNS.iter().find(|row| row.0 == column) else {
            let name = named.join(",");
            return Err(CommandResult::complaint(call, &format!("bad -o '{name}'\n{:>13}", '^')));
        };
        let width = width.map_or(*usual, |width: i8| width * usual.signum());
        shown.push((title.unwrap_or(head).to_owned(), *known, width));
    }
    let heads: Vec<_> = shown.iter().map(|(name, _, width)| (name.clone(), *width)).collect();
    let mut text = if heads.iter().all(|(name, _)| name.is_empty()) { String::new() } else { line(&heads) };
    // A heading of one's own is not filled up at the end.
    if columns.rsplit(',').next().is_some_and(|last| last.contains('=')) && !text.is_empty() {
        text = format!("{}\n", text.trim_end());
    }
    let own = call.identity.uid;
    for row in rows(handset) {
        let wanted = match &only {
            Some(pids) => pids.split(',').any(|pid| pid == row.pid.to_string()),
            None => all || row.uid == own,
        };
        if wanted {
            let cells: Vec<_> =
                shown.iter().map(|(_, known, width)| (cell(handset, &row, known), *width)).collect();
            // A column at the end is not filled up, but its heading is.
            text.push_str(&format!("{}\n", line(&cells).trim_end()));
        }
    }
    Ok(text)
}

pub(super) fn pidof(handset: &Handset, call: &Call) -> Answer {
    let one = call.args.iter().any(|word| word == "-s");
    let names: Vec<_> = call.args.iter().skip(1).filter(|word| !word.starts_with('-')).cloned().collect();
    let found = rows(handset).into_iter().filter(|row| names.contains(&row.name));
    let mut pids: Vec<_> = found.map(|row| row.pid.to_string()).collect();
    // The newest comes first.
    pids.reverse();
    if one {
        pids.truncate(1);
    }
    if pids.is_empty() {
        return Err(CommandResult::failure(1, ""));
    }
    Ok(format!("{}\n", pids.join(" ")))
}
