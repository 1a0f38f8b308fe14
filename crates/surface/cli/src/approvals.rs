//! `clawperator approvals`: lists, shows and decides requests for a person's word.

use super::args::Args;
use super::device::block_on;
use super::flags;
use super::flags::{approvals as own, serve};
use super::progress::Progress;
use super::server_entry::ServerEntry;
use super::spec::ApprovalsCommand;
use super::spec::FlagSpec;
use super::world::{Answer, World};
use clawperator_agent::action::FieldType;
use clawperator_agent::approval::notify::{Notice, Notifier};
use clawperator_agent::approval::{
    ApprovalRequest, Attachment, Desk, PersonDecision, State, Submission, Who, limits, qr_code,
};
use clawperator_background::is_in_background;
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_events::Clock;
use clawperator_private as private;
use serde_json::{Value, json};
use std::io::{IsTerminal as _, Read, Write as _};
use std::path::Path;
use std::sync::Arc;

/// How many are listed by default, and at most.
const USUAL_LIMIT: u64 = 50;
const MOST: u64 = 1000;
/// This surface, as a decision names it.
const SURFACE: &str = "terminal";

pub(super) fn run(command: ApprovalsCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let desk = desk(world)?;
    match command {
        ApprovalsCommand::List => list(&desk, args, world),
        ApprovalsCommand::Show => show(&desk, args, world),
        ApprovalsCommand::Approve => {
            let answer = match answer(args, world)? {
                Some(answer) => answer,
                None => ask(&desk, args, world)?,
            };
            decide(&desk, args, world, PersonDecision::Approve { answer, note: note(args)? })
        }
        ApprovalsCommand::Reject => decide(&desk, args, world, PersonDecision::Reject { note: note(args)? }),
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
    let rule = "must be pending, approved, rejected or timeout";
    let unknown = |word| args.invalid_value(&own::STATE, rule, word);
    let word = args.value(&own::STATE)?;
    let state = word.map(|word| State::from_word(word).ok_or_else(|| unknown(word))).transpose()?;
    let found = block_on(desk.list(state, limit.unwrap_or(USUAL_LIMIT)))??;
    let short = found.iter().map(|request| {
        let asked = &request.asked;
        json!({"id": request.id, "state": request.state, "capability": asked.capability,
            "instruction": asked.instruction, "expiresMs": request.expires_ms})
    });
    let short: Vec<Value> = short.collect();
    Ok(Answer::value(&json!({"approvals": short, "count": short.len()}), args, world))
}

fn show(desk: &Desk, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let id = id(args)?;
    let request = block_on(desk.get(id))??;
    let mut value = json!(request);
    if args.has(&own::LINK) {
        let server = ServerEntry::find(&world.phones.state).ok_or_else(|| {
            Failure::new(ErrorCode::ServeFailed, "no server runs, so there is no page to link to")
                .hint("Start one: clawperator serve --background")
        })?;
        let link = block_on(desk.renew(id))??.link(&server.url);
        if let Some(code) = qr_code(&link).filter(|_| !args.asks_for_json()) {
            (world.note)(&code);
        }
        value["link"] = link.into();
    }
    Ok(Answer::value(&value, args, world))
}

fn decide(desk: &Desk, args: &Args, world: &World, verdict: PersonDecision) -> Result<Answer, Failure> {
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
fn answer(args: &Args, world: &mut World) -> Result<Option<Submission>, Failure> {
    if let Some(bytes) = read(&own::ANSWER, args, world)? {
        return Ok(Some(Submission::new(bytes)));
    }
    let Some(bytes) = read(&own::TEXT_FILE, args, world)? else {
        return Ok(None);
    };
    let text =
        String::from_utf8(bytes).map_err(|_| args.invalid(&own::TEXT_FILE, "must be a file of text"))?;
    // The end of the line is not a part of a code.
    let text = text.trim_end_matches(['\r', '\n']);
    Ok(Some(Submission::new(json!({ "text": text }).to_string())))
}

/// Asks the person at the terminal for what a request needs; where there is no
/// person, says how to give it.
fn ask(desk: &Desk, args: &Args, world: &World) -> Result<Submission, Failure> {
    let request = block_on(desk.get(id(args)?))??;
    let page = &request.asked.page;
    let is_needed = page.needs_artifact || page.fields.iter().any(|field| field.required == Some(true));
    if !is_needed || request.state != State::Pending {
        return Ok(Submission::empty());
    }
    let takes_text = page.fields.is_empty() && page.attachments.contains(&Attachment::Text);
    let is_terminal = world.progress == Progress::Shown && std::io::stdin().is_terminal();
    if !is_terminal || page.fields.is_empty() && !takes_text {
        return Err(how_to_give(&request));
    }
    say(&format!("{}\n", request.asked.question_text()));
    let unread = |error| Failure::new(ErrorCode::ApprovalInvalid, format!("nothing was read: {error}"));
    if takes_text {
        let text = rpassword::prompt_password("Text (not shown): ").map_err(unread)?;
        return Ok(Submission::new(json!({ "text": text }).to_string()));
    }
    let mut fields = serde_json::Map::new();
    for field in &page.fields {
        let label = text::quoted(&field.label, limits::FIELD_LABEL);
        let value = if is_open(field.kind) {
            say(&format!("{label}: "));
            let mut line = String::new();
            std::io::stdin().read_line(&mut line).map_err(unread)?;
            line
        } else {
            rpassword::prompt_password(format!("{label} (not shown): ")).map_err(unread)?
        };
        fields.insert(field.id.clone(), value.trim().into());
    }
    Ok(Submission::new(json!({ "fields": fields }).to_string()))
}

/// Whether others may see what is typed into a field.
fn is_open(kind: FieldType) -> bool {
    match kind {
        FieldType::Text
        | FieldType::TextArea
        | FieldType::Email
        | FieldType::Number
        | FieldType::Date
        | FieldType::Select => true,
        FieldType::Password | FieldType::Otp | FieldType::CardNumber | FieldType::Expiry | FieldType::Cvc => {
            false
        }
    }
}

fn how_to_give(request: &ApprovalRequest) -> Failure {
    let (id, page) = (&request.id, &request.asked.page);
    let fields = page.fields.iter();
    let fields: serde_json::Map<_, _> = fields.map(|field| (field.id.clone(), json!(field.kind))).collect();
    let given = match (fields.is_empty(), page.attachments.first()) {
        (false, _) => json!({ "fields": fields }),
        (true, Some(Attachment::Location)) => json!({"location": {"lat": 0, "lon": 0}}),
        (true, Some(Attachment::Photo | Attachment::Audio | Attachment::File)) => json!({"files": [
            {"role": page.attachments[0], "name": "a.png", "mediaType": "image/png", "base64": "..."}]}),
        (true, Some(Attachment::Text) | None) => json!({"text": "..."}),
    };
    let message = format!("the request {id} needs something to be given: {given}");
    Failure::new(ErrorCode::ApprovalInvalid, message).hint(format!(
        "Send that JSON, with the values, to: clawperator approvals approve {id} --answer - (standard input); or run \
         the command in a terminal, which asks for them; or answer on the page: clawperator approvals show {id} --link."
    ))
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

/// Who hears of approval requests.
pub(super) fn notifier(args: &Args) -> Result<Notifier, Failure> {
    let webhook = args.value(&serve::WEBHOOK)?;
    let is_address = |url: &&str| url.starts_with("http://") || url.starts_with("https://");
    if webhook.is_some_and(|url| !is_address(&url)) {
        return Err(args.invalid(&serve::WEBHOOK, "must begin with http:// or https://"));
    }
    Ok(Notifier {
        command: args.value(&serve::NOTIFY)?.map(str::to_owned),
        webhook: webhook.map(str::to_owned),
        show: (!is_in_background()).then_some(announce),
        trouble: Some(say),
    })
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
    // The lines are ours; what is in them cannot move the cursor or hide.
    let words = notice.instruction.lines().map(text::visible).collect::<Vec<_>>().join("\n  ");
    say(&format!("\n{} asks: {words}\n{link}\n{code}", notice.id));
}

/// Writes to standard error, from whatever thread.
pub(super) fn say(text: &str) {
    // If standard error is closed, the message is lost.
    let _ = std::io::stderr().write_all(text.as_bytes());
}
