//! `clawperator approvals`: lists, shows and decides requests for a person's
//! word.

use super::args::Args;
use super::device::block_on;
use super::flags;
use super::flags::approvals as own;
use super::serve::ServerEntry;
use super::spec::ApprovalsCommand;
use super::spec::FlagSpec;
use super::world::{Answer, World};
use clawperator_agent::approval::notify::Notice;
use clawperator_agent::approval::{Desk, State, Submission, Verdict, Who, limits, qr_code};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_journal::{Clock, private};
use serde_json::{Value, json};
use std::io::{Read, Write as _};
use std::path::Path;
use std::sync::Arc;

/// How many are listed by default, and at most.
const USUAL_LIMIT: u64 = 50;
const MOST: u64 = 1000;
/// This surface, as a decision names it.
const SURFACE: &str = "terminal";

/// Runs a command of the group.
pub(super) fn run(command: ApprovalsCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let desk = desk(world)?;
    match command {
        ApprovalsCommand::List => list(&desk, args, world),
        ApprovalsCommand::Show => show(&desk, args, world),
        ApprovalsCommand::Approve => {
            let answer = answer(args, world)?;
            let note = note(args)?;
            decide(&desk, args, world, Verdict::Approve { answer, note })
        }
        ApprovalsCommand::Reject => {
            let note = note(args)?;
            decide(&desk, args, world, Verdict::Reject { note })
        }
    }
}

/// The desk of the state folder.
pub(super) fn desk(world: &World) -> Result<Desk, Failure> {
    let clock = Clock::new(world.clock);
    Ok(Desk::open(&world.phones.state, Arc::new(clock))?)
}

fn id(args: &Args) -> Result<&str, Failure> {
    args.argument().ok_or_else(|| args.missing("the id of a request"))
}

fn note(args: &Args) -> Result<Option<String>, Failure> {
    Ok(args.value(&own::NOTE)?.map(str::to_owned))
}

fn list(desk: &Desk, args: &Args, world: &World) -> Result<Answer, Failure> {
    let limit = args.whole(&flags::JOURNAL_LIMIT, 0..=MOST)?;
    let state = match args.value(&own::STATE)? {
        None => None,
        Some(word) => {
            let found = State::ALL.into_iter().find(|state| state.word() == word);
            let rule = "must be pending, approved, rejected or timeout";
            Some(found.ok_or_else(|| args.invalid_value(&own::STATE, rule, word))?)
        }
    };
    let found = block_on(desk.list(state, limit.unwrap_or(USUAL_LIMIT)))??;
    let short = found.iter().map(|request| {
        let asked = &request.asked;
        json!({"id": request.id, "state": request.state, "capability": asked.capability,
            "instruction": asked.instruction, "expiresMs": request.expires_ms})
    });
    let short: Vec<Value> = short.collect();
    Ok(Answer::value(
        &json!({"approvals": short, "count": short.len()}),
        args,
        world,
    ))
}

fn show(desk: &Desk, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let id = id(args)?;
    let request = block_on(desk.get(id))??;
    let mut value = json!(request);
    if args.has(&own::LINK) {
        let server = ServerEntry::find(&world.phones.state).ok_or_else(|| {
            Failure::new(
                ErrorCode::ServeFailed,
                "no server runs, so there is no page to link to",
            )
            .hint("Start one: clawperator serve --background")
        })?;
        let created = block_on(desk.renew(id))??;
        let link = created.link(&server.url);
        if let Some(code) = qr_code(&link).filter(|_| !args.asks_for_json()) {
            (world.note)(&code);
        }
        value["link"] = link.into();
    }
    Ok(Answer::value(&value, args, world))
}

fn decide(desk: &Desk, args: &Args, world: &World, verdict: Verdict) -> Result<Answer, Failure> {
    let decided = block_on(desk.decide(id(args)?, Who::User(SURFACE), verdict))??;
    let mut value = json!({"id": decided.id, "state": decided.state});
    if !decided.given.is_empty() {
        value["given"] = json!(decided.given);
    }
    if let Some(dropped) = decided.dropped {
        value["dropped"] = dropped.into();
    } else if !block_on(desk.is_awaited(&decided.id))?? {
        value["warning"] =
            "the process that asked has ended; the decision, and what was given, wait for an hour \
            for the same call to a server, or for POST /approvals/ID/apply"
                .into();
    }
    Ok(Answer::value(&value, args, world))
}

/// What is given: from a file, or from standard input.
fn answer(args: &Args, world: &mut World) -> Result<Submission, Failure> {
    if let Some(bytes) = read(&own::ANSWER, args, world)? {
        return Ok(Submission::new(bytes));
    }
    let Some(bytes) = read(&own::TEXT_FILE, args, world)? else {
        return Ok(Submission::empty());
    };
    let text =
        String::from_utf8(bytes).map_err(|_| args.invalid(&own::TEXT_FILE, "must be a file of text"))?;
    // The end of the line is not a part of a code.
    let text = text.trim_end_matches(['\r', '\n']);
    Ok(Submission::new(json!({ "text": text }).to_string()))
}

fn read(flag: &FlagSpec, args: &Args, world: &mut World) -> Result<Option<Vec<u8>>, Failure> {
    let Some(path) = args.bytes(flag)? else {
        return Ok(None);
    };
    let source: Box<dyn Read + '_> = if path == "-" {
        Box::new(&mut world.stdin)
    } else {
        let file = private::open(Path::new(path));
        Box::new(file.map_err(|error| args.invalid(flag, format!("cannot be read: {error}")))?)
    };
    let mut bytes = Vec::new();
    let most = limits::ANSWER as u64 + 1;
    let done = source.take(most).read_to_end(&mut bytes);
    done.map_err(|error| args.invalid(flag, format!("cannot be read: {error}")))?;
    Ok(Some(bytes))
}

/// Tells of a request on standard error, with a QR code of its link.
pub(super) fn announce(notice: &Notice) {
    let (link, code) = match notice.link.as_str() {
        "" => (
            format!(
                "Decide in another terminal: clawperator approvals approve {0}, or reject {0}",
                notice.id
            ),
            String::new(),
        ),
        link => (link.to_owned(), qr_code(link).unwrap_or_default()),
    };
    // The agent's words come without what could move the cursor.
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let words: String = notice.instruction.chars().map(plain).collect();
    say(&format!("\n{} asks: {words}\n{link}\n{code}", notice.id));
}

/// Writes to standard error, from whatever thread.
pub(super) fn say(text: &str) {
    // If standard error is closed, the message is lost.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
