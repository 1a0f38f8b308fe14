//! Commands that run or end other commands: `sh`, `xargs`, `timeout`, `kill` and their like.

use super::about::duration;
use super::options::{Mix, options, replaced};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::expression;
use crate::machine::{ExitResult, Stop};
use crate::shell::{Beginning, Shell, Terminal};
use crate::{Pid, Process, signal};

pub(super) const ROWS: &[BasicCommand] = &[
    row!("sh", "[-c SCRIPT | FILE] [ARGUMENT...]", sh),
    row!("toybox", "[COMMAND [ARGUMENT...]]", toybox),
    row!("env", "[-i] [NAME=VALUE...] [COMMAND [ARGUMENT...]]", env),
    row!("xargs", "[-0] [-r] [-n NUMBER] [-I TEXT] [COMMAND...]", xargs),
    row!("nohup", "COMMAND...", nohup),
    row!("setsid", "COMMAND...", nohup),
    row!("timeout", "[-s SIGNAL] [-k TIME] TIME COMMAND...", timeout),
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
        None => call.print(super::names().join(" ") + "\n").await,
        Some(name) if super::program(name).is_some() => Ok(call.run(words).await),
        Some(name) => Err(Stop::Complaint(format!("Unknown command {name}"), 127)),
    }
}

async fn env(call: &mut Call) -> ExitResult {
    let given = options(call, "iu:", Mix::First)?;
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
        let text: String = call.env.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
        return call.print(text).await;
    }
    Ok(call.run(command).await)
}

async fn xargs(call: &mut Call) -> ExitResult {
    let given = options(call, "0rn:I:P:s:tx", Mix::First)?;
    let input = call.stdin.read_all().await;
    let input = String::from_utf8_lossy(&input).into_owned();
    let command = if given.operands.is_empty() { vec!["echo".to_owned()] } else { given.operands.clone() };
    let mut child_input = call.child(Vec::new());
    child_input.stdin = crate::Input::empty();
    let run = |args: Vec<String>| child_input.run(args);
    let mut code = 0;
    if let Some(text) = given.value('I') {
        for line in input.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let ended = run(command.iter().map(|word| replaced(word, text, line)).collect()).await;
            code = if ended == 0 { code } else { 123 };
        }
        return Ok(code);
    }
    let words: Vec<String> = if given.has('0') {
        input.split('\0').filter(|word| !word.is_empty()).map(str::to_owned).collect()
    } else {
        split(&input)
    };
    if words.is_empty() {
        return Ok(if given.has('r') { 0 } else { run(command).await });
    }
    let most = given.value('n').and_then(|most| most.parse().ok()).filter(|most| *most > 0).unwrap_or(4096);
    for some in words.chunks(most) {
        match run(command.iter().chain(some).cloned().collect()).await {
            0 => {}
            ended @ (126 | 127) => return Ok(ended),
            _ => code = 123,
        }
    }
    Ok(code)
}

/// Words as `xargs` reads them: blanks part them, quotes and backslashes hold them together.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut rest = text.chars();
    while let Some(next) = rest.next() {
        match (quote, next) {
            (Some(open), next) if next == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(next);
                word.get_or_insert_default();
            }
            (None, '\\') => word.get_or_insert_default().extend(rest.next()),
            (None, next) if next.is_whitespace() => words.extend(word.take()),
            (_, next) => word.get_or_insert_default().push(next),
        }
    }
    words.extend(word);
    words
}

/// Runs the rest of the words; jobs outlive their shell here in any case.
async fn nohup(call: &mut Call) -> ExitResult {
    let given = options(call, "n:dcw", Mix::First)?;
    if given.operands.is_empty() {
        return Err("needs 1 argument".into());
    }
    let mut child = call.child(given.operands);
    child.replaces = Some(call.pid);
    Ok(child.launch().await)
}

async fn timeout(call: &mut Call) -> ExitResult {
    let given = options(call, "s:k:v", Mix::First)?;
    let words = given.operands.split_first().filter(|(_, command)| !command.is_empty());
    let (text, command) = words.ok_or("needs 2 arguments")?;
    let limit = duration(text).ok_or_else(|| format!("bad time '{text}'"))?;
    let machine = call.machine.clone();
    if limit.is_zero() {
        return Ok(call.run(command.to_vec()).await);
    }
    let child = call.run(command.to_vec());
    tokio::select! {
        biased;
        code = child => Ok(code),
        () = machine.sleep(limit) => Ok(124),
    }
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
    let found = matching(call, &words, by_name).ok_or("needs a pattern")?;
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
    let found = matching(call, &words, false).ok_or("needs a pattern")?;
    let long = words.iter().any(|word| word.starts_with('-') && (word.contains('l') || word.contains('a')));
    let line = |process: &Process| {
        if long { format!("{} {}\n", process.pid, process.name) } else { format!("{}\n", process.pid) }
    };
    call.out(found.iter().map(line).collect::<String>()).await?;
    Ok(u8::from(found.is_empty()))
}
