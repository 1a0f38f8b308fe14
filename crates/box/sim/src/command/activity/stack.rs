//! `am stack list`, `am task list` and `am get-config`.

use super::super::answer::{Answer, CommandWords};
use crate::handset::Handset;
use crate::phone::OpenActivity;
use std::fmt::Write as _;

pub(super) fn stack(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    match words.next() {
        Some("list" | "info") => Ok(tasks(handset)),
        other => unknown(other),
    }
}

pub(super) fn task(handset: &Handset, words: &mut CommandWords<'_>) -> Answer {
    match words.next() {
        Some("list") => Ok(tasks(handset)),
        other => unknown(other),
    }
}

fn unknown(word: Option<&str>) -> Answer {
    Err(format!("Error: unknown command '{}'\n", word.unwrap_or("null")).into())
}

fn tasks(handset: &Handset) -> String {
    handset.with(|phone| {
        let (width, height) = phone.display.size();
        let bounds = format!("[0,0][{width},{height}]");
        let mut text = String::new();
        let mut last = None;
        for OpenActivity { task: id, package, class } in phone.open_activities() {
            // A task is listed by its uppermost activity.
            if last == Some(id) {
                continue;
            }
            let visible = last.is_none();
            last = Some(id);
            let _ = write!(
                text,
                "RootTask id={id} bounds={bounds} displayId=0 userId=0\n configuration={{1.0 ?mcc?mnc [en_US] ldltr}}\n  taskId={id}: {package}/{class} bounds={bounds} userId=0 visible={visible} topActivity=ComponentInfo{{{package}/{class}}}\n\n"
            );
        }
        text
    })
}

pub(super) fn config(handset: &Handset, _: &mut CommandWords<'_>) -> Answer {
    handset.with(|phone| {
        let (width, height) = phone.display.size();
        let density = phone.display.density();
        let dp = |pixels: i32| pixels * 160 / density.max(1);
        let turned = if width > height { "land" } else { "port" };
        let (w, h) = (dp(width), dp(height));
        Ok(format!(
            "config: en-rUS-ldltr-sw{}dp-w{w}dp-h{h}dp-normal-long-notround-nowidecg-lowdr-{turned}-notnight-{density}dpi-finger-keysexposed-nokeys-navhidden-nonav-v{}\nabi: arm64-v8a\n",
            w.min(h),
            phone.sdk(),
        ))
    })
}
