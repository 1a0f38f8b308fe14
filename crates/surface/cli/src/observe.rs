//! `observe`: the screen as a model sees it.

use super::args::Args;
use super::engine::engine;
use super::flags::observe as own;
use super::output::write_file;
use super::world::{Answer, World};
use super::{device, flags};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use clawperator_agent::snapshot::{ImageKind, ScreenSnapshot, SnapshotOptions, observe_once};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_phone::Deadline;
use clawperator_private::{self as private, Concurrency};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

/// How long it may take without a limit of the caller.
const LIMIT: Duration = Duration::from_secs(30);

/// What to do about a screen that was not read in time.
const UNREAD: &str = "The screen does not rest, or the phone is slow. If the fast lane is not in use, it reads such screens: clawperator lane setup.";

/// Prints the screen as a model sees it, and writes its picture to a file.
pub(super) fn observe(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let image = args.word(&own::IMAGE, ImageKind::from_word)?.unwrap_or_default();
    let options = SnapshotOptions {
        model: args.value(&own::MODEL)?.map(str::to_owned),
        som: args.has(&own::SOM),
        image,
        packages: args.has(&own::PACKAGES),
        ready: Duration::ZERO,
        vault: Some(super::secrets::vault(world)?),
    };
    let people = args.is_for_people(world.terminal);
    let path = args.value(&flags::PATH)?.map(PathBuf::from);
    let limit = args.time_limit()?.unwrap_or(LIMIT);
    let wanted = device::device_serial(args, world)?;
    let engine = engine(world);
    let seen = device::block_on_unless_asked(async {
        observe_once(&engine, wanted.as_deref(), options, Deadline::after(limit)).await
    })??;
    let picture = picture(&seen)?;
    let file = match path {
        Some(path) => {
            write_file(&path, &picture)?;
            Some(path)
        }
        None if people => Some(keep(&picture, image, world)?),
        None => None,
    };
    Ok(if people {
        Answer::text(page(&seen, file))
    } else {
        let mut value = serde_json::json!(seen);
        if is_unread(&seen) {
            value["hint"] = UNREAD.into();
        }
        Answer::value(&value, args, world)
    })
}

fn is_unread(seen: &ScreenSnapshot) -> bool {
    let metrics = seen.capture_metrics.as_ref();
    metrics.is_some_and(|metrics| metrics.ui_dump_timed_out)
}

/// The picture with boxes, if there is one.
fn picture(seen: &ScreenSnapshot) -> Result<Vec<u8>, Failure> {
    let best = seen.som_screenshot_base64.as_ref().unwrap_or(&seen.screenshot_base64);
    BASE64.decode(best).map_err(|error| Failure::of(ErrorCode::InternalError, error.to_string()))
}

/// Writes a picture to a new file of the folder for pictures.
fn keep(picture: &[u8], image: ImageKind, world: &World) -> Result<PathBuf, Failure> {
    let name = format!("clawperator-observe-{}.{}", world.now_ms, image.word());
    let path = world.phones.folder.join(name);
    // Where others may write too, a link in its place is not followed.
    private::replace(&path, picture, Concurrency::Processes).map_err(|error| {
        Failure::of(ErrorCode::FileWriteFailed, format!("cannot write {}: {error}", path.display()))
    })?;
    Ok(path)
}

/// What is on the screen, for people.
fn page(seen: &ScreenSnapshot, file: Option<PathBuf>) -> String {
    let mut page = format!(
        "{} on {}, {} x {} pixels, {} x {} in the picture\n",
        text::visible(&seen.current_app),
        seen.device_id,
        seen.width,
        seen.height,
        seen.scaled_width,
        seen.scaled_height
    );
    // Writing to a string cannot fail.
    for window in &seen.secure_windows {
        let _ = writeln!(page, "{} forbids pictures, so it is black", text::visible(window));
    }
    for element in &seen.ui_elements {
        let class = element.class_name.rsplit('.').next().unwrap_or_default();
        let label = [&element.text, &element.content_desc, &element.resource_id];
        let label = label.into_iter().find(|label| !text::is_blank(label));
        let label = text::quoted(label.map_or("", String::as_str), 80);
        let mut line = format!("[{}] {} {label}", element.id, text::visible(class));
        for (is_so, word) in [(element.clickable, ", clickable"), (!element.enabled, ", disabled")] {
            line.push_str(if is_so { word } else { "" });
        }
        let _ = writeln!(page, "{line}, at {},{}", element.center.x, element.center.y);
    }
    if seen.ui_elements.is_empty() {
        page.push_str("The phone did not describe its screen: there are no elements.\n");
    }
    if is_unread(seen) {
        let _ = writeln!(page, "{UNREAD}");
    }
    if let Some(file) = file {
        let _ = writeln!(page, "Picture: {}", file.display());
    }
    page
}
