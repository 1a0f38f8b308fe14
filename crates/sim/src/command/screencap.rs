//! `screencap` and `screenrecord`: pictures of the screen.

use crate::handset::Handset;
use crate::latency::Cost;
use clawperator_userland::{Call, Ended, Write};

const USAGE: &str = "usage: screencap [-hp] [-d DISPLAY] [FILE]
  -h: prints this
  -p: writes a PNG
  -d: the number of the display; see dumpsys SurfaceFlinger --display-id
Without a file the picture goes to standard output; a file whose name ends in
.png is a PNG.
";

/// The number of the only display.
pub(super) const DISPLAY_ID: &str = "4619827259835644672";
/// RGBA with eight bits each, and the usual colours.
const FORMAT: u32 = 1;
const COLORS: u32 = 1;

pub(super) async fn run(handset: &Handset, call: &mut Call) -> Ended {
    let mut words = call.args.iter().skip(1);
    let (mut png, mut file, mut wrong) = (false, None, None);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-p" => png = true,
            "-d" => {
                let id = words.next().map_or("", String::as_str);
                if !matches!(id, DISPLAY_ID | "0") {
                    wrong = Some(format!("Display Id '{id}' is not valid.\n"));
                }
            }
            "-a" | "--hint-for-seamless" => {}
            "-h" => {
                call.out(USAGE).await?;
                return Ok(0);
            }
            option if option.starts_with('-') && option.len() > 1 => wrong = Some(USAGE.to_owned()),
            name => file = Some(name.to_owned()),
        }
    }
    if let Some(wrong) = wrong {
        call.err(wrong).await;
        return Ok(1);
    }
    let png = png || file.as_ref().is_some_and(|file| file.ends_with(".png"));
    let output = match &file {
        None => call.stdout.clone(),
        Some(file) => match call.create(file, Write::Truncate) {
            Ok(output) => output,
            Err(error) => {
                call.err(format!("Error opening file: {file} ({error})\n")).await;
                return Ok(1);
            }
        },
    };
    handset.spend(Cost::Picture).await;
    let Ok(picture) = handset.with(|phone| phone.picture()) else {
        call.err("Capturing failed.\n").await;
        return Ok(1);
    };
    let bytes = if png {
        picture.to_png()
    } else {
        let head = [picture.width(), picture.height(), FORMAT, COLORS];
        let head = head.iter().flat_map(|number| number.to_le_bytes());
        head.chain(picture.pixels().iter().copied()).collect()
    };
    output.write(bytes).await?;
    Ok(0)
}

pub(super) async fn record(_: &Handset, call: &mut Call) -> Ended {
    call.err("Unable to get output buffers: the simulated phone has no video encoder\n")
        .await;
    Ok(1)
}
