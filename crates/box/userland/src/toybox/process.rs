//! Commands that run or end other commands: `sh`, `xargs`, `timeout`, `kill` and their like.

use super::about::duration;
use super::options::{options, usage};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::expression;
use crate::machine::{ExitResult, Stop};
use crate::shell::{Beginning, Shell, Terminal};
use crate::{Pid, Process, signal};

pub(super) const ROWS: &[BasicCommand] = &[
    row!("sh", "[-c SCRIPT | FILE] [ARGUMENT...]", sh),
    row!("toybox", "[COMMAND [ARGUMENT...]]", toybox),
    row!("env", "[-0i] [-u NAME] [NAME=VALUE...] [COMMAND...]", env),
    row!("printenv", "[-0] [env_var...]", printenv),
    row!("xargs", "[-0oprt] [-snE STR] COMMAND...", xargs),
    row!("nohup", "COMMAND...", nohup),
    row!("nice", "[-n PRIORITY] COMMAND...", nohup),
    row!("setsid", "[-cdw] command [args...]", nohup),
    row!("timeout", "[-iv] [-k DURATION] [-s SIGNAL] DURATION COMMAND...", timeout),
    row!("kill", "[-SIGNAL] PID...", kill),
    row!("killall", "[-SIGNAL] NAME...", pkill),
    row!("pkill", "[-SIGNAL] [-fxn] [-P PARENT] [PATTERN]", pkill),
    row!("pgrep", "[-flxn] [-P PARENT] [PATTERN]", pgrep),
];

async fn sh(call: &mut Call) -> ExitResult {
    let mut words = call.args[1..].to_vec();
    let mut shell = Shell::within(call);
    match shell.begin_with(&mut words) {
        Err(problem) => return Err(problem.into()),
        Ok(Beginning::Script) => {
            let script = words.remove(0);
            let name = if words.is_empty() { "sh".to_owned() } else { words.remove(0) };
            shell.take_arguments(name, words);
            return Ok(shell.script(&script).await);
        }
        Ok(Beginning::Input) => {
            shell.take_arguments("sh".to_owned(), words);
            return Ok(shell.session(Terminal::None).await);
        }
        Ok(Beginning::File) => {}
    }
    let name = words.remove(0);
    let path = call.path(&name);
    match call.files(|files, actor| files.read(actor, &path)) {
        Ok(content) => {
            shell.take_arguments(name, words);
            Ok(shell.script(&String::from_utf8_lossy(&content)).await)
        }
        Err(error) => {
            call.err(format!("{}: {name}: {error}\n", crate::shell::SELF)).await;
            Ok(127)
        }
    }
}

async fn toybox(call: &mut Call) -> ExitResult {
    let words = call.args[1..].to_vec();
    match words.first() {
        None => {
            let (mut text, mut width) = (String::new(), 0);
            for name in super::names() {
                width += name.len() + 1;
                text.push_str(&format!("{name}{}", if width > 65 { "\n" } else { " " }));
                width = if width > 65 { 0 } else { width };
            }
            call.print(text.trim_end().to_owned() + "\n").await
        }
        Some(name) if super::program(name).is_some() => Ok(call.run(words).await),
        Some(name) => Err(Stop::Complaint(usage(call, format!("Unknown command {name}")), 127)),
    }
}

async fn env(call: &mut Call) -> ExitResult {
    let given = options(call, "^i0u:e:")?;
    if given.has('i') {
        call.env.clear();
    }
    for name in given.values('u') {
        call.env.remove(name);
    }
    let mut words = given.operands.clone().into_iter().peekable();
    while let Some(word) = words.next_if(|word| word.contains('=')) {
        if let Some((name, value)) = word.split_once('=') {
            call.env.insert(name.to_owned(), value.to_owned());
        }
    }
    let command: Vec<String> = words.collect();
    if command.is_empty() {
        let end = if given.has('0') { '\0' } else { '\n' };
        let text: String = call.env.iter().map(|(name, value)| format!("{name}={value}{end}")).collect();
        return call.print(text).await;
    }
    Ok(call.exec(command).await)
}

async fn printenv(call: &mut Call) -> ExitResult {
    let given = options(call, "0(null)")?;
    let end = if given.has('0') { '\0' } else { '\n' };
    let all = given.operands.is_empty();
    let (mut text, mut code) = (String::new(), 0);
    for (name, value) in call.env.iter().filter(|_| all) {
        text.push_str(&format!("{name}={value}{end}"));
    }
    for name in &given.operands {
        match call.env.get(name) {
            Some(value) => text.push_str(&format!("{value}{end}")),
            None => code = 1,
        }
    }
    call.out(text).await?;
    Ok(code)
}

async fn xargs(call: &mut Call) -> ExitResult {
    let given = options(call, "^E:P#<0(null)0optr(no-run-if-empty)n#<1(max-args)s#<0[!0E]")?;
    let input = call.stdin.read_all().await;
    let input = String::from_utf8_lossy(&input).into_owned();
    let command = if given.operands.is_empty() { vec!["echo".to_owned()] } else { given.operands.clone() };
    let mut child = call.clone();
    child.stdin = crate::Input::empty();
    // Quotes and backslashes are letters like others.
    let words: Vec<&str> = if given.has('0') {
        input.split('\0').filter(|word| !word.is_empty()).collect()
    } else {
        let end = given.value('E');
        input.split_whitespace().take_while(|word| Some(*word) != end).collect()
    };
    let usual = |letter| given.number(letter).and_then(|most| usize::try_from(most).ok());
    let (most, longest) = (usual('n').unwrap_or(4096), usual('s').unwrap_or(1 << 17));
    let fixed: usize = command.iter().map(|word| word.len() + 1).sum();
    let (mut code, mut at) = (0, 0);
    while at < words.len() || at == 0 && !given.has('r') {
        let mut args = command.clone();
        let mut length = fixed;
        while let Some(word) = words.get(at).filter(|word| {
            args.len() - command.len() < most
                && (length + word.len() < longest || args.len() == command.len())
        }) {
            length += word.len() + 1;
            args.push((*word).to_owned());
            at += 1;
        }
        if given.any("tp") {
            let mark = if given.has('p') { "?" } else { "\n" };
            call.err(format!(
                "{} {mark}",
                args[..if given.has('p') { command.len() } else { args.len() }].join(" ")
            ))
            .await;
        }
        if given.any("op") {
            return Err("No file /dev/tty: No such device or address".into());
        }
        let name = args[0].clone();
        match child.exec(args).await {
            0 => {}
            ended @ (126 | 127) => return Ok(ended),
            255 => {
                call.complain(format!("{name}: exited with status 255; aborting")).await;
                return Ok(124);
            }
            _ => code = 123,
        }
        if words.is_empty() {
            break;
        }
    }
    Ok(code)
}

/// Runs the rest of the words; jobs outlive their shell here in any case.
async fn nohup(call: &mut Call) -> ExitResult {
    let specification = match call.name() {
        "nice" => "^<1n#",
        "setsid" => "^<1wcd[!dc]",
        _ => "^<1",
    };
    let given = options(call, specification)?;
    if let Some(code) = call.refuses(&given.operands[0]).await {
        return Ok(code);
    }
    let mut child = call.child(given.operands);
    child.replaces = Some(call.pid);
    Ok(child.launch().await)
}

async fn timeout(call: &mut Call) -> ExitResult {
    let given = options(call, "^<2f(foreground)p(preserve-status)vk:s(signal):i")?;
    let limit = duration(&given.operands[0])?;
    let command = given.operands[1..].to_vec();
    let number = match given.value('s') {
        Some(name) => signal::number(name).ok_or_else(|| format!("bad -s: '{name}'"))?,
        None => 15,
    };
    let machine = call.machine.clone();
    if limit.is_zero() {
        return Ok(call.exec(command).await);
    }
    let name = command[0].clone();
    let mut child = call.clone();
    tokio::select! {
        biased;
        code = child.exec(command) => return Ok(code),
        () = machine.sleep(limit) => {}
    }
    if given.has('v') {
        let signal = signal::about(number).map_or("?", |(name, _)| name);
        call.complain(format!("sending signal {signal} to command {name}")).await;
    }
    // What was killed says its signal.
    Ok(if given.has('p') || number == 9 { 128 + number } else { 124 })
}

/// Takes a signal such as `-9` or `-s KILL` off the words.
fn take_signal(words: &mut Vec<String>) -> u8 {
    if let Some(at) = words.iter().position(|word| word == "-s")
        && let Some(number) = words.get(at + 1).and_then(|word| signal::number(word))
    {
        words.drain(at..at + 2);
        return number;
    }
    if let Some((at, number)) = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| signal::number(word.strip_prefix('-')?).map(|number| (at, number)))
    {
        words.remove(at);
        return number;
    }
    15
}

async fn kill(call: &mut Call) -> ExitResult {
    let mut words = call.args[1..].to_vec();
    if words.first().is_some_and(|word| word == "-l") {
        return call.print(signal::list()).await;
    }
    let number = take_signal(&mut words);
    let mut code = 0;
    for word in words.iter().filter(|word| *word != "--") {
        let sent = match word.parse().map(Pid) {
            Ok(pid) => call.machine.kernel().processes.signal(call.identity.uid, pid, number),
            Err(_) => {
                code = call.complain(format!("unknown pid '{word}'")).await;
                continue;
            }
        };
        if let Err(error) = sent {
            code = call.complain(format!("{word}: {error}")).await;
        }
        // A shell that kills itself says no more.
        tokio::task::yield_now().await;
    }
    Ok(code)
}

/// The processes a pattern fits, without the one that asks.
fn matching(call: &Call, words: &[String], exact: bool) -> Option<Vec<Process>> {
    let letter = |wanted: char| words.iter().any(|word| word.starts_with('-') && word.contains(wanted));
    let (whole, exact) = (letter('f'), exact || letter('x'));
    let option = words.iter().position(|word| word == "-P").map(|at| at + 1);
    let parent = match option {
        Some(at) => Some(Pid(words.get(at)?.parse().ok()?)),
        None => None,
    };
    let operands = words.iter().enumerate();
    let mut operands = operands.filter(|(at, word)| Some(*at) != option && !word.starts_with('-'));
    let text = match (operands.next(), parent) {
        (Some((_, text)), _) => text.as_str(),
        // Without a pattern every child fits.
        (None, Some(_)) => "",
        (None, None) => return None,
    };
    let regex = expression::compile(text, false).ok()?;
    let list = call.machine.kernel().processes.list();
    let fits = |process: &Process| {
        let subject = if whole { &process.command } else { &process.name };
        if parent.is_some_and(|parent| parent != process.parent) {
            false
        } else if exact {
            subject == text
        } else {
            regex.is_match(subject.as_bytes())
        }
    };
    // A shell's command line holds the whole script, its pattern with it; ancestors are spared.
    let mut spared = vec![call.pid];
    while let Some(process) = list.iter().find(|process| spared.last() == Some(&process.pid)) {
        if spared.contains(&process.parent) {
            break;
        }
        spared.push(process.parent);
    }
    Some(list.iter().filter(|process| !spared.contains(&process.pid) && fits(process)).cloned().collect())
}

async fn pkill(call: &mut Call) -> ExitResult {
    let mut words = call.args[1..].to_vec();
    let number = take_signal(&mut words);
    let by_name = call.name() == "killall";
    let missing = if by_name { "no name" } else { "No PATTERN" };
    let found = matching(call, &words, by_name).ok_or_else(|| usage(call, missing))?;
    let kernel_code =
        |process: &Process| call.machine.kernel().processes.signal(call.identity.uid, process.pid, number);
    let problems: Vec<String> = found
        .iter()
        .filter_map(|process| kernel_code(process).err().map(|error| format!("{}: {error}", process.pid)))
        .collect();
    for problem in &problems {
        call.complain(problem).await;
    }
    if found.is_empty() && by_name {
        let text = words.last().cloned().unwrap_or_default();
        call.complain(format!("{text}: No such process")).await;
    }
    Ok(u8::from(found.is_empty() || !problems.is_empty()))
}

async fn pgrep(call: &mut Call) -> ExitResult {
    let words = call.args[1..].to_vec();
    let found = matching(call, &words, false).ok_or_else(|| usage(call, "No PATTERN"))?;
    let long = words.iter().any(|word| word.starts_with('-') && (word.contains('l') || word.contains('a')));
    let line = |process: &Process| {
        if long { format!("{} {}\n", process.pid, process.name) } else { format!("{}\n", process.pid) }
    };
    call.out(found.iter().map(line).collect::<String>()).await?;
    Ok(u8::from(found.is_empty()))
}
