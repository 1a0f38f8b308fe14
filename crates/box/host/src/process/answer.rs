//! Answers the questions about the phones of this process.

use crate::MAX_ADVANCE_MS;
use crate::app_file;
use crate::error::SimError;
use crate::message::{HostRequest, PhoneScreen, Want};
use crate::registry::{PhoneEntry, ProcessEntry, Registry};
use crate::start::time_name;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use clawperator_sim::app::App;
use clawperator_sim::fault::{Fault, Faults};
use clawperator_sim::phone::{DumpViews, Finger, Intent, Namespace, Phone};
use clawperator_sim::{Handset, Time, TimeKind};
use clawperator_ui::Attributes;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

/// The phones of this process.
#[derive(Debug)]
pub(super) struct PhoneHost {
    pub(super) slots: Mutex<Vec<PhoneSlot>>,
    pub(super) entry: Mutex<ProcessEntry>,
    pub(super) registry: Registry,
    pub(super) asked: Mutex<Instant>,
    /// Wakes the process to end.
    pub(super) end: Notify,
}

#[derive(Clone, Debug)]
pub(super) struct PhoneSlot {
    pub(super) phone: PhoneEntry,
    pub(super) handset: Arc<Handset>,
    pub(super) serving: AbortHandle,
}

pub(super) fn answer(host: &PhoneHost, asked: Value) -> Result<Value, String> {
    let request = serde_json::from_value(asked).map_err(|error| format!("not a question: {error}"))?;
    *host.asked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    Ok(match request {
        HostRequest::Hello => json!({}),
        HostRequest::Status { phone } => {
            // How long it was unused before this question.
            let slot = host.look(&phone)?;
            let status = status(&slot);
            slot.handset.note_use();
            status
        }
        HostRequest::Stop { phones } => host.stop(&phones)?,
        HostRequest::Screen { phone, want, columns } => {
            json!(screen(&host.slot(&phone)?.handset, &want, columns)?)
        }
        HostRequest::Faults { phone, plan } => {
            let handset = host.slot(&phone)?.handset;
            if let Some(plan) = plan {
                let plan = Fault::parse_all(plan.iter().map(String::as_str));
                let plan = plan.map_err(|error| error.to_string())?;
                handset.faults(|faults| faults.set_plan(plan));
            }
            handset.faults(|faults| faults_now(faults))
        }
        HostRequest::Show { phone, world, package, activity, size: (width, height), rotation } => {
            let apps = app_file::read_all(&world).map_err(|bad| SimError::Apps(bad).to_string())?;
            let handset = host.slot(&phone)?.handset;
            handset.with(|phone| {
                turn(phone, width, height, rotation);
                let intent = Intent { component: Some((package, activity)), ..Intent::default() };
                open(phone, apps, &intent)
            })?;
            json!({})
        }
        HostRequest::Finger { phone, words } => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let finger = Finger::parse(&words)?;
            let handset = host.slot(&phone)?.handset;
            handset.with(|phone| phone.finger(&finger))?;
            json!({})
        }
        HostRequest::Advance { phone, ms } => {
            let handset = host.slot(&phone)?.handset;
            if !handset.advance(Duration::from_millis(ms.min(MAX_ADVANCE_MS))) {
                return Err(format!(
                    "the time of {phone} is real and cannot be moved; start it with --time virtual"
                ));
            }
            json!({"uptimeMs": milliseconds(handset.time().uptime())})
        }
    })
}

impl PhoneHost {
    /// A phone that is asked something, which is a use of it.
    fn slot(&self, name: &str) -> Result<PhoneSlot, String> {
        let slot = self.look(name)?;
        slot.handset.note_use();
        Ok(slot)
    }

    fn look(&self, name: &str) -> Result<PhoneSlot, String> {
        let found = self.slots().into_iter().find(|slot| slot.phone.name == name);
        found.ok_or_else(|| format!("{name} is not running"))
    }

    /// Waits until no phone was used for that time.
    pub(super) async fn unused(&self, idle: Option<Duration>) {
        let Some(idle) = idle else {
            return std::future::pending().await;
        };
        loop {
            let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner).elapsed();
            let slots = self.slots();
            let phones = slots.iter().map(|slot| slot.handset.unused_for()).min();
            let unused = phones.unwrap_or(asked).min(asked);
            match idle.checked_sub(unused) {
                None | Some(Duration::ZERO) => return,
                Some(left) => tokio::time::sleep(left).await,
            }
        }
    }

    fn slots(&self) -> Vec<PhoneSlot> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn stop(&self, names: &[String]) -> Result<Value, String> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|slot| {
            let stays = !names.contains(&slot.phone.name);
            if !stays {
                slot.serving.abort();
            }
            stays
        });
        let mut entry = self.entry.lock().unwrap_or_else(PoisonError::into_inner);
        entry.phones.retain(|phone| !names.contains(&phone.name));
        if entry.phones.is_empty() {
            entry.remove();
            // Who asked gets the answer first.
            self.end.notify_one();
        } else {
            let written = self.registry.write(&entry);
            written.map_err(|error| error.to_string())?;
        }
        Ok(json!({}))
    }
}

/// Gives a phone's display this size while it is turned like this.
fn turn(phone: &mut Phone, width: i32, height: i32, rotation: u8) {
    let upright = if rotation.is_multiple_of(2) { (width, height) } else { (height, width) };
    phone.display.size_override = Some(upright).filter(|size| *size != phone.display.physical);
    phone.put_setting(Namespace::System, "accelerometer_rotation", Some("0"));
    phone.put_setting(Namespace::System, "user_rotation", Some(&rotation.to_string()));
}

/// Installs apps and opens one; whatever was over the screen is closed.
fn open(phone: &mut Phone, apps: Vec<Arc<App>>, intent: &Intent) -> Result<(), String> {
    phone.power.awake = true;
    phone.unlock();
    for app in apps {
        phone.force_stop(&app.package);
        phone.install(app);
    }
    phone.go_home();
    match phone.start(intent) {
        Ok(_) => Ok(()),
        Err(_) => Err("the screen of the dump cannot be opened".to_owned()),
    }
}

fn status(slot: &PhoneSlot) -> Value {
    let handset = &slot.handset;
    let time = match handset.time() {
        Time::Real { .. } => TimeKind::Real,
        Time::Virtual { .. } => TimeKind::Virtual,
    };
    handset.with(|phone| {
        let front = phone.front_activity();
        let (width, height) = phone.display.size();
        json!({
            "name": slot.phone.name,
            "serial": slot.phone.serial,
            "port": slot.phone.port,
            "deviceSerial": handset.serial(),
            "uptimeMs": phone.clock.uptime_ms(),
            "app": front.map(|(package, _)| package),
            "activity": front.map(|(_, activity)| activity),
            "screen": screen_state(phone),
            "width": width,
            "height": height,
            "rotation": phone.display.rotation,
            "unusedForMs": milliseconds(handset.unused_for()),
            "latency": handset.latency().word(),
            "time": time_name(time),
            "seed": slot.phone.seed,
            "faults": handset.faults(|faults| faults_now(faults)),
        })
    })
}

fn screen_state(phone: &Phone) -> &'static str {
    match &phone.power {
        power if !power.booted => "booting",
        power if !power.awake => "off",
        power if power.locked => "locked",
        _ => "on",
    }
}

/// What goes wrong on a phone, and what did: how often each point was passed, and
/// how often it struck.
fn faults_now(faults: &Faults) -> Value {
    let counts = faults
        .counts()
        .map(|(point, (passed, struck))| json!({"point": point.name(), "passed": passed, "struck": struck}));
    let plan: Vec<_> = faults.plan().iter().map(Fault::to_string).collect();
    json!({"plan": plan, "counts": counts.collect::<Vec<_>>()})
}

fn screen(handset: &Handset, want: &[Want], columns: u16) -> Result<PhoneScreen, String> {
    let wanted = |form: Want| want.contains(&form);
    let (picture, tree, window) = handset.with(|phone| {
        let tree = phone.tree(DumpViews::All).filter(|_| wanted(Want::Tree));
        (phone.picture(), tree, phone.focus().map(|focus| focus.title))
    });
    let picture = picture.map_err(|error| format!("the screen cannot be drawn: {error}"))?;
    Ok(PhoneScreen {
        width: picture.width(),
        height: picture.height(),
        window,
        png: wanted(Want::Png).then(|| STANDARD.encode(picture.to_png())),
        tree: tree.map(|tree| clawperator_ui::write(&tree, Attributes::Usual)),
        terminal: wanted(Want::Terminal).then(|| picture.to_terminal(columns)),
    })
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
