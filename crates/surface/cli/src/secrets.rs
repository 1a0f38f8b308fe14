//! `clawperator secrets`: values that texts name with `{{secret:NAME}}`, and
//! that no caller that drives a phone gets to see.

use super::args::Args;
use super::flags::secrets as own;
use super::spec::SecretsCommand;
use super::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_events::Clock;
use clawperator_phone::Secret;
use clawperator_phone::vault::{
    LONGEST_TIME, Shelf, USUAL_TIME, ValueScope, Vault, VaultEntry, is_name, placeholder,
};
use serde_json::{Value, json};
use std::io::{IsTerminal as _, Read as _};
use std::sync::Arc;
use std::time::Duration;

/// The longest value, in bytes.
const MAX_VALUE: usize = 4096;

pub(super) fn run(command: SecretsCommand, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let shelf = match args.value(&own::SESSION)? {
        None => shelf(world)?,
        Some(name) => Shelf::new(&world.phones.state, name, Arc::new(Clock::new(world.clock)))
            .ok_or_else(|| args.invalid_value(&own::SESSION, "is no session's name", name))?,
    };
    let value = match command {
        SecretsCommand::List => list(&shelf),
        SecretsCommand::Set => set(&shelf, args, world)?,
        SecretsCommand::Forget => {
            let all = || shelf.list().into_iter().map(|(name, _)| name).collect();
            let names: Vec<String> = args.argument().map_or_else(all, |name| vec![name.to_owned()]);
            let forgotten: Vec<_> = names.into_iter().filter(|name| shelf.forget(name)).collect();
            json!({ "forgotten": forgotten })
        }
    };
    Ok(Answer::value(&value, args, world))
}

/// The shelf of this terminal's session.
pub(super) fn shelf(world: &World) -> Result<Shelf, Failure> {
    let clock = Arc::new(Clock::new(world.clock));
    let shelf = Shelf::new(&world.phones.state, &world.phones.session, clock);
    shelf.ok_or_else(|| Failure::new(ErrorCode::Usage, "CLAWPERATOR_SESSION is no session's name"))
}

/// What people gave in this terminal's session.
pub(super) fn vault(world: &World) -> Result<Arc<Vault>, Failure> {
    Ok(Arc::new(Vault::on(shelf(world)?)))
}

fn list(shelf: &Shelf) -> Value {
    let row = |(name, end): (String, u64)| {
        let given = shelf.find(&name);
        let names: Vec<String> =
            given.iter().flat_map(VaultEntry::names).map(|name| placeholder(&name)).collect();
        let app = given.and_then(|given| match given.place {
            ValueScope::Anywhere => Some("*".to_owned()),
            ValueScope::App(app) => Some(app),
            ValueScope::Unknown => None,
        });
        json!({"name": name, "texts": names, "app": app, "expiresMs": end})
    };
    let rows: Vec<Value> = shelf.list().into_iter().map(row).collect();
    json!({"count": rows.len(), "secrets": rows})
}

fn set(shelf: &Shelf, args: &Args, world: &mut World) -> Result<Value, Failure> {
    let name = args.argument().ok_or_else(|| args.missing("a name for the value"))?;
    let wrong = |message: &str| Failure::new(ErrorCode::ExecutionValidationFailed, message);
    if !is_name(name) {
        return Err(wrong("a name has letters, digits, '.', '_' and '-', at most 64, and no '.' first"));
    }
    let most = LONGEST_TIME.as_secs() / 60;
    let minutes = args.whole(&own::MINUTES, 1..=most)?;
    let time = minutes.map_or(USUAL_TIME, |minutes| Duration::from_secs(minutes * 60));
    let app = args.value(&own::APP)?;
    let given = VaultEntry {
        name: name.to_owned(),
        place: app.map_or(ValueScope::Anywhere, |app| ValueScope::App(app.to_owned())),
        values: vec![(String::new(), value(world).map_err(|why| wrong(&why))?)],
    };
    let _ = shelf.forget(name);
    let kept = shelf.put(&given, time);
    match kept {
        Ok(true) => Ok(json!({"name": name, "text": placeholder(name), "minutes": time.as_secs() / 60})),
        Ok(false) => Err(wrong("another process has just set it; nothing was stored")),
        Err(error) => {
            Err(Failure::of(ErrorCode::StateFolderUnusable, format!("the value cannot be stored: {error}")))
        }
    }
}

/// The value, from standard input. A terminal does not show it.
fn value(world: &mut World) -> Result<Secret, String> {
    let unread = |error| format!("standard input cannot be read: {error}");
    let text = if std::io::stdin().is_terminal() {
        rpassword::prompt_password("The value (it is not shown): ").map_err(unread)?
    } else {
        let mut text = String::new();
        let most = MAX_VALUE as u64 + 3;
        (&mut world.stdin).take(most).read_to_string(&mut text).map_err(unread)?;
        text
    };
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    match text.len() {
        0 => Err("there is no value on standard input".to_owned()),
        1..=MAX_VALUE => Ok(Secret::new(text)),
        _ => Err(format!("the value has more than {MAX_VALUE} bytes")),
    }
}
