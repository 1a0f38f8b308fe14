//! `sim screen`: what a phone shows, as a file, as text and in the terminal.

use super::phones::{find_or_start, phone_name, wants_json};
use crate::args::Args;
use crate::commands::sim as flags;
use crate::output::{Terminal, write_file};
use crate::people::Colour;
use crate::world::{Answer, World};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clawperator_background::control::ControlError;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_host::outline::outline;
use clawperator_host::{self as sim, HostRequest, PhoneScreen, Registry, RunningPhone, SimError, Want};
use clawperator_sim::phone::short_component;
use serde_json::json;
use std::io;
use std::path::Path;

/// The default width of a drawn screen: about as high as a terminal.
const COLUMNS: u64 = 40;
const MAX_COLUMNS: u64 = 400;

pub(super) fn screen(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let columns = args.whole(&flags::COLUMNS, 1..=MAX_COLUMNS)?;
    let out = args.value(&flags::SCREEN_OUT)?;
    let json = wants_json(args);
    if out == Some("-") && (json || columns.is_some() || args.has(&flags::TREE)) {
        let message = "--out - prints only the picture; remove --tree, --columns, --json and --output";
        return Err(args.usage(&flags::SCREEN_OUT, message));
    }
    let running = match phone_name(args, args.argument())? {
        Some(name) => sim::find(&Registry::look(&world.sim_folder)?, Some(name))?,
        None => find_or_start(world)?,
    };
    let draws = columns.is_some() || world.colour == Colour::Always && !args.has(&flags::TREE);
    let outlined = args.has(&flags::TREE) || world.terminal == Terminal::Dumb && !draws && !json;
    let fits = match world.terminal {
        Terminal::Wide(columns) => columns.clamp(1, COLUMNS),
        Terminal::Absent | Terminal::Dumb => COLUMNS,
    };
    let wants =
        [(Want::Png, json || out.is_some()), (Want::Tree, outlined), (Want::Terminal, draws && !json)];
    let request = HostRequest::Screen {
        phone: running.phone.name.clone(),
        want: wants.iter().filter(|row| row.1).map(|row| row.0).collect(),
        columns: u16::try_from(columns.unwrap_or(fits)).unwrap_or(u16::MAX),
    };
    let screen: PhoneScreen = sim::ask(&running.entry, &request)?;
    let png = decode(&screen)?;
    match (out, &png) {
        (Some("-"), Some(png)) => return print_png(png, world),
        (Some(path), Some(png)) => write_file(Path::new(path), png)?,
        (_, _) => {}
    }
    let size = png.as_ref().map(Vec::len);
    if json {
        let shown = json!({"phone": running.phone.name, "serial": running.phone.serial, "window": screen.window,
            "path": out, "width": screen.width, "height": screen.height, "bytes": size,
            "tree": screen.tree});
        return Ok(Answer::value(&shown, args, world));
    }
    Ok(Answer { text: for_people(&running, &screen, out.zip(size))?, exit_code: 0 })
}

fn decode(screen: &PhoneScreen) -> Result<Option<Vec<u8>>, Failure> {
    let decoded = screen.png.as_ref().map(|png| STANDARD.decode(png)).transpose();
    decoded.map_err(|_| SimError::from(ControlError::Silent("sent a picture that cannot be read")).into())
}

fn print_png(png: &[u8], world: &mut World) -> Result<Answer, Failure> {
    match (world.print)(png) {
        // The reader closed the pipe; that is not a failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::of(ErrorCode::FileWriteFailed, format!("cannot write the picture: {error}")))
        }
        Ok(()) | Err(_) => Ok(Answer::text("")),
    }
}

fn for_people(
    running: &RunningPhone,
    screen: &PhoneScreen,
    saved: Option<(&str, usize)>,
) -> Result<String, Failure> {
    let (phone, width, height) = (&running.phone, screen.width, screen.height);
    let mut out = screen.terminal.clone().unwrap_or_default();
    let window = match &screen.window {
        Some(title) => match title.split_once('/') {
            Some((package, activity)) => short_component(package, activity),
            None => title.clone(),
        },
        None => "nothing; its screen is off".to_owned(),
    };
    out.push_str(&format!("{} ({}), {width} x {height}, shows {window}\n", phone.name, phone.serial));
    if let Some((path, size)) = saved {
        out.push_str(&format!("saved {path} ({size} bytes)\n"));
    }
    if let Some(dump) = &screen.tree {
        let tree = clawperator_ui::read(dump)
            .map_err(|_| SimError::from(ControlError::Silent("sent a tree that cannot be read")))?;
        out.push('\n');
        out.push_str(&outline(&tree));
    }
    Ok(out)
}
