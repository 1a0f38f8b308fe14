//! `sim dump`: dumps of a real phone as screens of a simulated one.

use super::phones::{find_or_start, phone_name};
use crate::args::Args;
use crate::commands::sim as flags;
use crate::output::write_file;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_host::{self as sim, HostRequest, Registry, RunningPhone, app_file};
use clawperator_lab::fixture::{DumpScreen, of_dumps};
use clawperator_sim::phone::short_component;
use clawperator_ui::{MAX_DUMP_BYTES, Tree};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The sides that a display can have, in pixels.
const SIDES: std::ops::RangeInclusive<i32> = 100..=8_192;

pub(super) fn dump(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let files = args.arguments();
    let trees: Vec<_> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    let dumps =
        of_dumps(trees).map_err(|(number, why)| unusable(files[number.min(files.len() - 1)], &why))?;
    let Some(first) = dumps.screens.first() else {
        return Err(args.missing("a dump"));
    };
    if !SIDES.contains(&first.size.0) || !SIDES.contains(&first.size.1) {
        let (width, height) = first.size;
        return Err(unusable(files[0], &format!("has a screen of {width}x{height}")));
    }
    app_file::check(Path::new("the app file of these dumps"), &dumps.world)
        .map_err(|problems| Failure::from(sim::SimError::Apps(problems)))?;
    let screens: Vec<_> =
        files.iter().zip(&dumps.screens).map(|(file, screen)| dump_json(file, screen)).collect();
    if let Some(out) = args.value(&flags::DUMP_OUT)? {
        let same = |file: &&&str| {
            std::fs::canonicalize(file).is_ok_and(|file| Some(file) == std::fs::canonicalize(out).ok())
        };
        if let Some(file) = files.iter().find(same) {
            let message = format!("--out would overwrite the dump {file}: name another file");
            return Err(args.usage(&flags::DUMP_OUT, message));
        }
        write_file(Path::new(out), dumps.world.as_bytes())?;
        let run = [format!("clawperator sim start --apps {out}")];
        return Ok(Answer::value(&json!({"world": out, "screens": screens, "run": run}), args, world));
    }
    let running = match phone_name(args, None)? {
        Some(name) => sim::find(&Registry::look(&world.sim_folder)?, Some(name))?,
        None => find_or_start(world)?,
    };
    show(&running, first, &dumps.world, world)?;
    let (phone, (width, height)) = (&running.phone, first.size);
    let shown = json!({"phone": phone.name, "serial": phone.serial, "width": width, "height": height,
        "screens": screens});
    Ok(Answer::value(&shown, args, world))
}

/// Hands the app file to the phone's process, which runs as the same user.
fn show(running: &RunningPhone, screen: &DumpScreen, file: &str, world: &World) -> Result<(), Failure> {
    let registry = Registry::open(&world.sim_folder)?;
    let path =
        AppFile(registry.folder().join(format!("dump-{}-{:016x}.yaml", std::process::id(), world.random)));
    write_file(&path.0, file.as_bytes())?;
    let request = HostRequest::Show {
        phone: running.phone.name.clone(),
        world: path.0.clone(),
        package: screen.package.clone(),
        activity: screen.activity.clone(),
        size: screen.size,
        rotation: screen.rotation,
    };
    let _: Value = sim::ask(&running.entry, &request)?;
    Ok(())
}

/// A file that goes when it is no longer needed.
struct AppFile(PathBuf);

impl Drop for AppFile {
    fn drop(&mut self) {
        // The folder belongs to this user alone, and the file does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn read(file: &str) -> Result<Tree, Failure> {
    let text = app_file::read_text(Path::new(file), MAX_DUMP_BYTES).map_err(|why| unusable(file, &why))?;
    clawperator_ui::read(&text).map_err(|error| unusable(file, &format!("is no dump: {error}")))
}

fn unusable(file: &str, why: &str) -> Failure {
    let shown = text::excerpt(file);
    Failure::of(ErrorCode::SimAppInvalid, format!("\"{shown}\" {why}"))
        .hint("Give the XML of a screen, as adb exec-out uiautomator dump /dev/tty prints it.")
}

fn dump_json(file: &str, screen: &DumpScreen) -> Value {
    let activity = format!("{}{}", screen.package, screen.activity);
    json!({"file": file, "component": short_component(&screen.package, &activity), "elements": screen.elements})
}
