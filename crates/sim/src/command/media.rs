//! `media volume`, which `cmd media_session volume` is, too.

use crate::handset::Handset;
use crate::phone::Namespace;
use clawperator_userland::{Call, Ended};

/// The loudest music.
const LOUDEST: u8 = 15;

pub(super) async fn volume(handset: &Handset, call: &mut Call) -> Ended {
    let mut words = call.args.iter().skip_while(|word| *word != "volume").skip(1);
    let (mut set, mut get, mut by) = (None, false, 0);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--set" => set = words.next().and_then(|word| word.parse::<u8>().ok()),
            "--adj" => {
                by = match words.next().map(String::as_str) {
                    Some("raise") => 1,
                    Some("lower") => -1,
                    _ => 0,
                }
            }
            "--get" => get = true,
            "--stream" => drop(words.next()),
            _ => {}
        }
    }
    if call.args.iter().all(|word| word != "volume") || !(get || set.is_some() || by != 0) {
        call.err("usage: media volume [--stream STREAM] [--get] [--set INDEX] [--adj raise|lower]\n")
            .await;
        return Ok(1);
    }
    let now = handset.with(|phone| {
        let old: u8 = phone
            .settings
            .get(Namespace::System, "volume_music")
            .and_then(|value| value.parse().ok())
            .unwrap_or(0);
        let new = set.unwrap_or(old).saturating_add_signed(by).min(LOUDEST);
        if new != old {
            phone.put_setting(Namespace::System, "volume_music", Some(&new.to_string()));
        }
        new
    });
    if get {
        call.out(format!(
            "[V] will get volume\n[V] volume is {now} in range [0..{LOUDEST}]\n"
        ))
        .await?;
    }
    Ok(0)
}
