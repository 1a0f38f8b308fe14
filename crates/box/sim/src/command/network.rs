//! `ip`, `ifconfig` and `nc`: a network that ends at the phone.

use super::answer::{Answer, CommandResult};
use crate::handset::Handset;
use clawperator_userland::{Call, ExitResult};

const ADDRESS: &str = "10.0.2.15";
/// What else means the phone itself.
const LOCAL: &[&str] = &[ADDRESS, "127.0.0.1", "localhost", "::1", "ip6-localhost", "0.0.0.0"];

fn is_online(handset: &Handset) -> bool {
    handset.with(|phone| phone.is_on("wifi_on"))
}

pub(super) fn ip(handset: &Handset, call: &Call) -> Answer {
    let (mut words, mut args) = (Vec::new(), call.args.iter().skip(1));
    while let Some(word) = args.next() {
        match word.as_str() {
            // Families other than IPv4 have nothing here anyway.
            "-f" | "-family" => drop(args.next()),
            option if option.starts_with('-') => {}
            word => words.push(word),
        }
    }
    let online = is_online(handset);
    let lo = "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00\n    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n";
    let state = if online { "UP" } else { "DOWN" };
    let mut wlan = format!(
        "2: wlan0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state {state} group default qlen 1000\n    link/ether 02:00:00:00:00:00 brd ff:ff:ff:ff:ff:ff\n"
    );
    if online {
        wlan.push_str(&format!("    inet {ADDRESS}/24 brd 10.0.2.255 scope global wlan0\n       valid_lft forever preferred_lft forever\n"));
    }
    match words.first().copied().unwrap_or_default() {
        "a" | "ad" | "addr" | "address" | "l" | "link" => match words.last().copied() {
            Some("lo") => Ok(lo.to_owned()),
            Some("wlan0") => Ok(wlan),
            Some(name) if words.len() > 2 && name != "show" => {
                Err(CommandResult::wrong(1, format!("Device \"{name}\" does not exist.\n")))
            }
            _ => Ok(format!("{lo}{wlan}")),
        },
        "r" | "ro" | "route" if online => {
            Ok(format!("10.0.2.0/24 dev wlan0 proto kernel scope link src {ADDRESS}\n"))
        }
        "r" | "ro" | "route" | "rule" | "neigh" | "n" => Ok(String::new()),
        "" => Err(CommandResult::wrong(
            255,
            "Usage: ip [ OPTIONS ] { address | link | route | rule | neigh } [ show [ DEVICE ] ]\n",
        )),
        other => Err(CommandResult::wrong(1, format!("Object \"{other}\" is unknown, try \"ip help\".\n"))),
    }
}

pub(super) fn ifconfig(handset: &Handset, call: &Call) -> Answer {
    let inet = if is_online(handset) {
        format!("          inet addr:{ADDRESS}  Bcast:10.0.2.255  Mask:255.255.255.0 \n")
    } else {
        String::new()
    };
    let wlan = format!(
        "wlan0     Link encap:Ethernet  HWaddr 02:00:00:00:00:00\n{inet}          UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1\n\n"
    );
    let lo = "lo        Link encap:Local Loopback  \n          inet addr:127.0.0.1  Mask:255.0.0.0 \n          UP LOOPBACK RUNNING  MTU:65536  Metric:1\n\n";
    match call.args.get(1).map(String::as_str) {
        None | Some("-a") => Ok(format!("{wlan}{lo}")),
        Some("wlan0") => Ok(wlan),
        Some("lo") => Ok(lo.to_owned()),
        Some(other) => Err(CommandResult::complaint(call, &format!("{other}: No such device"))),
    }
}

pub(super) async fn nc(handset: &Handset, call: &mut Call) -> ExitResult {
    let mut words = call.args.iter().skip(1);
    let mut plain = Vec::new();
    let mut local = false;
    while let Some(word) = words.next() {
        match word.as_str() {
            "-w" | "-W" | "-q" | "-p" | "-s" => drop(words.next()),
            "-U" => local = true,
            option if option.starts_with('-') && option.contains(['l', 'L']) => {
                return Ok(call.complain("the simulated phone does not support listening").await);
            }
            option if option.starts_with('-') => {}
            word => plain.push(word.to_owned()),
        }
    }
    let address = match &plain[..] {
        [name] if local => format!("localabstract:{}", name.trim_start_matches('@')),
        [host, port] if port.parse::<u16>().is_ok() => {
            if !LOCAL.contains(&host.as_str()) {
                let complaint = format!("{host}:{port}: No address associated with hostname");
                return Ok(call.complain(complaint).await);
            }
            format!("tcp:{port}")
        }
        _ => return CommandResult::wrong(1, "usage: nc [-w SECONDS] HOST PORT\n").give(call).await,
    };
    let Some(mut stream) = handset.ports().connect(&address).await else {
        return Ok(call.complain("connect: Connection refused").await);
    };
    let (stdin, mut to) = (call.stdin.clone(), Some(stream.to));
    loop {
        tokio::select! {
            sent = stdin.read(), if to.is_some() => match (sent, &to) {
                (Some(bytes), Some(sender)) => {
                    // A closed receiver is noticed below.
                    if sender.send(bytes).await.is_err() {
                        to = None;
                    }
                }
                // The end of the input is the end of what is sent, not of what comes.
                (None, _) | (_, None) => to = None,
            },
            received = stream.from.recv() => match received {
                Some(bytes) => call.stdout.write(bytes).await?,
                None => return Ok(0),
            },
        }
    }
}
