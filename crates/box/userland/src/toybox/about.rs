//! Commands that tell who and where one is: `id`, `uname`, `env`, `basename` and their like.

use super::change::base;
use super::date::format;
use super::options::{Mix, options};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::machine::ExitResult;
use std::time::Duration;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("id", "[-nGgru] [USER]", id),
    row!("whoami", "", whoami),
    row!("uname", "[-asnrvmo]", uname),
    row!("uptime", "[-s]", uptime),
    row!("pwd", "", pwd),
    row!("sleep", "SECONDS[smhd]", sleep),
    row!("basename", "PATH [SUFFIX]", basename),
    row!("dirname", "PATH...", dirname),
    row!("readlink", "[-fen] FILE", readlink),
    row!("realpath", "FILE...", readlink),
    row!("which", "NAME...", which),
    row!("nproc", "", nproc),
];

async fn nproc(call: &mut Call) -> ExitResult {
    call.print("8\n").await
}

async fn id(call: &mut Call) -> ExitResult {
    let given = options(call, "nGgruZ", Mix::Anywhere)?;
    let (uid, gid) = (call.identity.uid, call.identity.gid);
    let name = |id: u32| call.machine.user_name(id);
    let mut groups = vec![gid];
    groups.extend(call.identity.groups.iter().copied().filter(|group| *group != gid));
    let short = |id: u32| if given.has('n') { name(id) } else { id.to_string() };
    let text = if given.has('G') {
        groups.iter().map(|group| short(*group)).collect::<Vec<_>>().join(" ")
    } else if given.has('g') {
        short(gid)
    } else if given.has('u') {
        short(uid)
    } else {
        let long = |id: &u32| format!("{id}({})", name(*id));
        let groups: Vec<String> = groups.iter().map(long).collect();
        format!("uid={} gid={} groups={}", long(&uid), long(&gid), groups.join(","))
    };
    call.print(text + "\n").await
}

async fn whoami(call: &mut Call) -> ExitResult {
    call.print(call.machine.user_name(call.identity.uid) + "\n").await
}

async fn uname(call: &mut Call) -> ExitResult {
    let given = options(call, "asnrvmo", Mix::Anywhere)?;
    let about = call.machine.uname();
    let all = given.has('a');
    let columns = [
        ('s', "Linux".to_owned()),
        ('n', about.node),
        ('r', about.release),
        ('v', about.version),
        ('m', about.machine),
        ('o', "Toybox".to_owned()),
    ];
    let none = !"asnrvmo".chars().any(|letter| given.has(letter));
    let shown =
        columns.into_iter().filter(|(letter, _)| all || given.has(*letter) || (none && *letter == 's'));
    call.print(shown.map(|(_, text)| text).collect::<Vec<_>>().join(" ") + "\n").await
}

async fn uptime(call: &mut Call) -> ExitResult {
    let given = options(call, "s", Mix::Anywhere)?;
    let (now, up) = (call.machine.now(), call.machine.uptime());
    let zone = call.machine.zone();
    if given.has('s') {
        let booted = now.saturating_sub(up);
        return call.print(format("%Y-%m-%d %H:%M:%S\n", booted, &zone)).await;
    }
    let minutes = up.as_secs() / 60;
    let (days, hours, minutes) = (minutes / 1440, minutes / 60 % 24, minutes % 60);
    let days = match days {
        0 => String::new(),
        1 => "1 day, ".to_owned(),
        days => format!("{days} days, "),
    };
    let rest = match hours {
        0 => format!("{minutes} min, "),
        hours => format!("{hours:>2}:{minutes:02}, "),
    };
    let time = format("%H:%M:%S", now, &zone);
    call.print(format!(" {time} up {days}{rest} 0 users,  load average: 0.00, 0.00, 0.00\n")).await
}

async fn pwd(call: &mut Call) -> ExitResult {
    call.print(format!("{}\n", call.cwd)).await
}

/// A time such as `1.5` or `2m`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let units = [('s', 1.0), ('m', 60.0), ('h', 3600.0), ('d', 86_400.0)];
    let with_unit = units.iter().find_map(|(letter, unit)| Some((text.strip_suffix(*letter)?, *unit)));
    let (number, unit) = with_unit.unwrap_or((text, 1.0));
    let seconds: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds * unit).ok()
}

async fn sleep(call: &mut Call) -> ExitResult {
    let text = call.args.get(1).cloned().ok_or("needs 1 argument")?;
    let mut total = Duration::ZERO;
    for word in &call.args[1..] {
        let time = duration(word).ok_or_else(|| format!("bad time '{text}'"))?;
        total = total.saturating_add(time);
    }
    call.machine.clone().sleep(total).await;
    Ok(0)
}

async fn basename(call: &mut Call) -> ExitResult {
    let path = call.args.get(1).ok_or("needs 1 argument")?;
    let name = base(path);
    let suffix = call.args.get(2).map_or("", String::as_str);
    let name = name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name).to_owned();
    call.print(name + "\n").await
}

async fn dirname(call: &mut Call) -> ExitResult {
    let mut text = String::new();
    for word in &call.args[1..] {
        let trimmed = word.trim_end_matches('/');
        let directory = match trimmed.rsplit_once('/') {
            _ if trimmed.is_empty() && word.starts_with('/') => "/",
            Some((directory, _)) => match directory.trim_end_matches('/') {
                "" => "/",
                directory => directory,
            },
            None => ".",
        };
        text.push_str(&format!("{directory}\n"));
    }
    call.print(text).await
}

async fn readlink(call: &mut Call) -> ExitResult {
    let given = options(call, "fenqm", Mix::Anywhere)?;
    let whole = given.has('f') || given.has('e') || given.has('m') || call.name() == "realpath";
    let mut code = 0;
    for word in &given.operands {
        let path = call.path(word);
        let found = call.files(|files, actor| {
            if !whole {
                return files.read_link(actor, &path);
            }
            if given.has('e') || !given.has('f') && !given.has('m') {
                files.stat(actor, &path)?;
            }
            files.canonical(actor, &path)
        });
        match found {
            Ok(target) => {
                call.out(if given.has('n') { target } else { target + "\n" }).await?;
            }
            Err(error) if call.name() == "realpath" => code = call.complain(format!("{word}: {error}")).await,
            Err(_) => code = 1,
        }
    }
    Ok(code)
}

async fn which(call: &mut Call) -> ExitResult {
    let mut code = 0;
    let words = call.args[1..].to_vec();
    for word in &words {
        match call.which(word) {
            Some(path) => call.out(path + "\n").await?,
            None => code = 1,
        }
    }
    Ok(code)
}
