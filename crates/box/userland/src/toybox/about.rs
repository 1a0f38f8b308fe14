//! Commands that tell who and where one is: `id`, `uname`, `env`, `basename` and their like.

use super::change::base;
use super::date::format;
use super::options::{integer, options};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::machine::ExitResult;
use std::time::Duration;

pub(super) const ROWS: &[BasicCommand] = &[
    row!("id", "[-Ggnru] [USER...]", id),
    row!("groups", "[USER]", id),
    row!("whoami", "", id),
    row!("logname", "", id),
    row!("hostname", "", uname),
    row!("uname", "[-asnrvm]", uname),
    row!("uptime", "[-s]", uptime),
    row!("pwd", "", pwd),
    row!("sleep", "DURATION", sleep),
    row!("usleep", "MICROSECONDS", usleep),
    row!("tty", "[-s]", tty),
    row!("stty", "", stty),
    row!("chroot", "NEWROOT [COMMAND [ARG...]]", chroot),
    row!("clear", "", clear),
    row!("basename", "PATH [SUFFIX]", basename),
    row!("dirname", "PATH...", dirname),
    row!("readlink", "[-fen] FILE", readlink),
    row!("realpath", "FILE...", readlink),
    row!("which", "NAME...", which),
    row!("nproc", "", nproc),
];

async fn nproc(call: &mut Call) -> ExitResult {
    options(call, "(all)")?;
    call.print("8\n").await
}

async fn tty(call: &mut Call) -> ExitResult {
    let given = options(call, "s")?;
    if !given.has('s') {
        call.out("not a tty\n").await?;
    }
    Ok(1)
}

async fn stty(_: &mut Call) -> ExitResult {
    Err("tcgetattr standard input: Inappropriate ioctl for device".into())
}

async fn chroot(call: &mut Call) -> ExitResult {
    let given = options(call, "^<1")?;
    let path = call.path(&given.operands[0]);
    let error = call.files(|files, actor| files.stat(actor, &path)).err().unwrap_or(crate::Errno::Permission);
    Err(format!("{}: {error}", given.operands[0]).into())
}

async fn clear(call: &mut Call) -> ExitResult {
    call.print("\x1b[2J\x1b[H").await
}

/// `id`, and what shows a part of it.
async fn id(call: &mut Call) -> ExitResult {
    let given = options(
        call,
        if call.name() == "id" {
            ">1nGgru"
        } else if call.name() == "groups" {
            ">1"
        } else {
            ">0"
        },
    )?;
    let mut who = call.identity.clone();
    if let Some(user) = given.operands.first() {
        let uid = call.machine.user_id(user).ok_or_else(|| format!("not integer: {user}"))?;
        who = crate::Identity::new(uid, uid, &[]);
    }
    let name = |id: u32| call.machine.user_name(id);
    let mut groups = vec![who.gid];
    groups.extend(who.groups.iter().copied().filter(|group| *group != who.gid));
    let named = given.has('n') || call.name() != "id";
    let short = |id: u32| if named { name(id) } else { id.to_string() };
    let text = if given.has('G') || call.name() == "groups" {
        groups.iter().map(|group| short(*group)).collect::<Vec<_>>().join(" ")
    } else if given.has('g') {
        short(who.gid)
    } else if given.has('u') || call.name() != "id" {
        short(who.uid)
    } else {
        let long = |id: &u32| format!("{id}({})", name(*id));
        let groups: Vec<String> = groups.iter().map(long).collect();
        format!("uid={} gid={} groups={}", long(&who.uid), long(&who.gid), groups.join(","))
    };
    call.print(text + "\n").await
}

async fn uname(call: &mut Call) -> ExitResult {
    let about = call.machine.uname();
    if call.name() == "hostname" {
        options(call, ">1bdsfF:")?;
        return call.print(about.node + "\n").await;
    }
    let given = options(call, "paomvrns")?;
    let all = given.has('a');
    let columns = [
        ('s', "Linux".to_owned()),
        ('n', about.node),
        ('r', about.release),
        ('v', about.version),
        ('m', about.machine),
        ('o', "Toybox".to_owned()),
    ];
    let none = !given.any("asnrvmop");
    let shown =
        columns.into_iter().filter(|(letter, _)| all || given.has(*letter) || (none && *letter == 's'));
    let mut shown: Vec<String> = shown.map(|(_, text)| text).collect();
    shown.extend(given.has('p').then(|| "unknown".to_owned()));
    call.print(shown.join(" ") + "\n").await
}

async fn uptime(call: &mut Call) -> ExitResult {
    let given = options(call, ">0ps")?;
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
    options(call, ">0LP[-LP]")?;
    call.print(format!("{}\n", call.cwd)).await
}

/// A time such as `1.5` or `2m`.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let end = text.find(|next: char| !next.is_ascii_digit() && next != '.').unwrap_or(text.len());
    let seconds: f64 = text[..end].parse().map_err(|_| format!("Not a number '{text}'"))?;
    let units = [("", 1.0), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86_400.0)];
    let unit = units.iter().find(|(letter, _)| *letter == &text[end..]);
    let (_, unit) = unit.ok_or_else(|| format!("Unknown suffix '{}'", &text[end..]))?;
    Duration::try_from_secs_f64(seconds * unit).map_err(|_| format!("Not a number '{text}'"))
}

async fn sleep(call: &mut Call) -> ExitResult {
    let mut total = Duration::ZERO;
    for word in options(call, "<1")?.operands {
        total = total.saturating_add(duration(&word)?);
    }
    call.machine.clone().sleep(total).await;
    Ok(0)
}

async fn usleep(call: &mut Call) -> ExitResult {
    let given = options(call, "<1")?;
    let time = integer(&given.operands[0]).ok().and_then(|time| u64::try_from(time).ok());
    call.machine.clone().sleep(Duration::from_micros(time.unwrap_or(0))).await;
    Ok(0)
}

async fn basename(call: &mut Call) -> ExitResult {
    let given = options(call, "^<1as:")?;
    let many = given.any("as");
    if !many && given.operands.len() > 2 {
        return Err("too many args".into());
    }
    let suffix =
        given.value('s').or(given.operands.get(1).map(String::as_str).filter(|_| !many)).unwrap_or("");
    let mut text = String::new();
    for path in given.operands.iter().take(if many { usize::MAX } else { 1 }) {
        let name = if path.is_empty() { "." } else { base(path) };
        text.push_str(name.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(name));
        text.push('\n');
    }
    call.print(text).await
}

async fn dirname(call: &mut Call) -> ExitResult {
    let mut text = String::new();
    for word in &options(call, "<1")?.operands {
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
    let real = call.name() == "realpath";
    let given = options(
        call,
        if real { "<1R(relative-to):s(no-symlinks)LPemqz" } else { "<1vnf(canonicalize)emqz[-mef][-qv]" },
    )?;
    let mut code = 0;
    let end = if given.has('z') {
        "\0"
    } else if given.has('n') {
        ""
    } else {
        "\n"
    };
    for word in &given.operands {
        let path = call.path(word);
        let found = call.files(|files, actor| {
            if given.has('m') {
                return Ok(files.canonical(actor, &path).unwrap_or_else(|_| path.clone()));
            }
            if !real && !given.any("fe") {
                return files.read_link(actor, &path);
            }
            if given.has('e') {
                files.stat(actor, &path)?;
            }
            files.canonical(actor, &path)
        });
        match found {
            Ok(target) => call.out(format!("{target}{end}")).await?,
            Err(error) if real && !given.has('q') || given.has('v') => {
                code = call.complain(format!("{word}: {error}")).await;
            }
            Err(_) => code = 1,
        }
    }
    Ok(code)
}

async fn which(call: &mut Call) -> ExitResult {
    let mut code = 0;
    for word in &options(call, "<1a")?.operands {
        match call.which(word) {
            Some(path) => call.out(path + "\n").await?,
            None => code = 1,
        }
    }
    Ok(code)
}
