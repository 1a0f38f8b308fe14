//! Processors, memory, storage and alarms.

use super::hash;
use crate::disk::{DATA, SYSTEM, StorageSize};
use crate::phone::Phone;

pub(super) fn cpuinfo(phone: &mut Phone, _: &[&str]) -> String {
    let mut text = "Load: 0.5 / 0.4 / 0.3\nCPU usage from 60000ms to 0ms ago:\n  2.1% 1000/system_server: 1.5% user + 0.6% kernel\n".to_owned();
    for package in phone.packages.values() {
        if let Some(pid) = package.pid {
            text.push_str(&format!("  0.5% {pid}/{}: 0.4% user + 0.1% kernel\n", package.name()));
        }
    }
    text.push_str("3.1% TOTAL: 2.3% user + 0.8% kernel\n");
    text
}

pub(super) fn meminfo(phone: &mut Phone, words: &[&str]) -> String {
    let uptime = phone.clock.uptime_ms();
    let head = format!("Applications Memory Usage (in Kilobytes):\nUptime: {uptime} Realtime: {uptime}\n\n");
    if let Some(name) = words.iter().find(|word| !word.starts_with('-')) {
        let Some(pid) = phone.pid_of(name) else {
            return format!("No process found for: {name}\n");
        };
        return format!(
            "{head}** MEMINFO in pid {pid} [{name}] **\n                   Pss  Private\n                 Total    Dirty\n                ------   ------\n  Native Heap    12000    11000\n  Dalvik Heap     8000     7500\n        TOTAL    64000    52000\n\n App Summary\n           TOTAL PSS:    64000            TOTAL RSS:    98000\n"
        );
    }
    let mut text = format!("{head}Total PSS by process:\n    250,000K: system (pid 1000)\n");
    for package in phone.packages.values() {
        if let Some(pid) = package.pid {
            text.push_str(&format!("     64,000K: {} (pid {pid})\n", package.name()));
        }
    }
    text.push_str("\nTotal RAM: 7,734,272K (status normal)\n Free RAM: 4,612,096K\n Used RAM: 3,122,176K\n");
    text
}

pub(super) fn diskstats(_: &mut Phone, _: &[&str]) -> String {
    let line = |name: &str, size: &StorageSize| {
        let free = size.total_kb - size.used_kb;
        let percent = free * 100 / size.total_kb;
        format!("{name}-Free: {free}K / {}K total = {percent}% free\n", size.total_kb)
    };
    format!(
        "Latency: 1ms [512B Data Write]\n{}{}{}File-based Encryption: true\n",
        line("Data", &DATA),
        line("Cache", &DATA),
        line("System", &SYSTEM)
    )
}

pub(super) fn alarm(phone: &mut Phone, _: &[&str]) -> String {
    let now = phone.clock.now().as_millis();
    let mut text =
        format!("Current Alarm Manager state:\n  nowRTC={now} nowELAPSED={}\n", phone.clock.uptime_ms());
    // Both forms, that of Android 14 and that of Android 11: tools know one.
    match phone.next_event().map(|at| at.as_millis()) {
        Some(at) => {
            let alarm = format!(
                "ELAPSED #1: Alarm{{{} type 3 origWhen {at} whenElapsed {at} android}}\n",
                hash("alarm")
            );
            text.push_str(&format!(
                "  1 pending alarms:\n    {alarm}\n  Pending alarm batches: 1\n  Batch{{{} num=1 start={at} end={at}}}:\n    {alarm}",
                hash("batch")
            ));
        }
        None => text.push_str("  0 pending alarms:\n\n  Pending alarm batches: 0\n"),
    }
    text.push_str("  Pending user blocked background alarms: none\n\n  App Alarm history:\n");
    let running = phone.packages.values().filter(|package| package.pid.is_some());
    for package in running {
        text.push_str(&format!("    {}, u0:\n", package.name()));
    }
    text.push_str("  Past-due non-wakeup alarms: (none)\n\n  Top Alarms:\n    +0 running, 0 wakeups, 1 alarms: 1000:android\n      *alarm*:android.intent.action.TIME_TICK\n\n  Alarm Stats:\n  1000:android +0 running, 0 wakeups:\n    +0 0 wakes 1 alarms, last -1m:\n      *alarm*:android.intent.action.TIME_TICK\n");
    text
}
