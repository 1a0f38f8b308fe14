//! `screencap` and `screenrecord`: pictures of the screen.

use super::answer::{Answer, CommandResult};
use crate::handset::Handset;
use crate::latency::Cost;
use clawperator_paint::{Canvas, Color};
use clawperator_userland::{Call, ExitResult, Write};

const USAGE: &str = "usage: screencap [-hp] [-d DISPLAY] [FILE]
  -h: prints this
  -p: writes a PNG
  -d: the number of the display; see dumpsys SurfaceFlinger --display-id
Without a file the picture goes to standard output; a file whose name ends in
.png is a PNG.
";

/// The number of the only display.
pub(super) const DISPLAY_ID: &str = "4619827259835644672";
/// The number and the size of the cover's, which comes first where there is one.
pub(super) const COVER_ID: &str = "4619827259835644673";
const COVER: (u32, u32) = (720, 748);
/// RGBA with eight bits each, and the usual colours.
const FORMAT: u32 = 1;
const COLORS: u32 = 1;

pub(super) async fn run(handset: &Handset, call: &mut Call) -> ExitResult {
    let mut words = call.args.iter().skip(1);
    let (mut png, mut file, mut wrong) = (false, None, None);
    let is_folded = handset.with(|phone| phone.is_like("samsung"));
    let mut display = if is_folded { COVER_ID } else { DISPLAY_ID }.to_owned();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-p" => png = true,
            "-d" => {
                let id = words.next().map_or("", String::as_str);
                id.clone_into(&mut display);
                if !(matches!(id, DISPLAY_ID | "0") || is_folded && id == COVER_ID) {
                    wrong = Some(format!("Display Id '{id}' is not valid.\n"));
                }
            }
            "-a" | "--hint-for-seamless" => {}
            "-h" => return CommandResult::ok(USAGE).give(call).await,
            option if option.starts_with('-') && option.len() > 1 => wrong = Some(USAGE.to_owned()),
            name => file = Some(name.to_owned()),
        }
    }
    if let Some(wrong) = wrong {
        return CommandResult::wrong(1, wrong).give(call).await;
    }
    let png = png || file.as_ref().is_some_and(|file| file.ends_with(".png"));
    let output = match &file {
        None => call.stdout.clone(),
        Some(file) => match call.create(file, Write::Truncate) {
            Ok(output) => output,
            Err(error) => {
                let text = format!("Error opening file: {file} ({error})\n");
                return CommandResult::wrong(1, text).give(call).await;
            }
        },
    };
    handset.spend(Cost::Picture).await;
    if is_folded && !call.args.iter().any(|word| word == "-d") {
        let warning = "[Warning] Multiple displays were found, but no display id was specified!\n";
        call.err(warning).await;
    }
    let Ok(picture) = handset.with(|phone| {
        if display == COVER_ID { Canvas::new(COVER.0, COVER.1, Color::BLACK) } else { phone.picture() }
    }) else {
        return CommandResult::wrong(1, "Capturing failed.\n").give(call).await;
    };
    let bytes = if png && handset.with(|phone| phone.is_like("cut")) {
        let png = picture.to_png();
        [&png[..png.len().min(80)], &png[png.len().saturating_sub(12)..]].concat()
    } else if png {
        picture.to_png()
    } else {
        let head = [picture.width(), picture.height(), FORMAT, COLORS];
        let head = head.iter().flat_map(|number| number.to_le_bytes());
        head.chain(picture.pixels().iter().copied()).collect()
    };
    output.write(bytes).await?;
    Ok(0)
}

pub(super) fn record(_: &Handset, _: &Call) -> Answer {
    let text = "Unable to get output buffers: the simulated phone has no video encoder\n";
    Err(CommandResult::wrong(1, text))
}
