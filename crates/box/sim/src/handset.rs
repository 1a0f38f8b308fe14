//! A phone that is switched on: its model, files and time in one place that many tasks share.

use crate::app::App;
use crate::automation::Automation;
use crate::builtin;
use crate::command;
use crate::disk;
use crate::fault::{Fault, FaultPoint, Faults};
use crate::latency::{Cost, Latency};
use crate::operator::Desks;
use crate::phone::{Intent, Phone};
use crate::port::Ports;
use crate::service_calls::{ServiceCall, ServiceCallLog};
use crate::time::Time;
use crate::uiautomator2;
use crate::upload::Uploads;
use crate::virtual_files;
use clawperator_adb::PublicKey;
use clawperator_ui::Point;
use clawperator_userland::{Identity, Kernel, Machine, Pid, Program, Uname};
use futures_core::future::BoxFuture;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// Who calls when a fault does.
const CALLER: &str = "+1 555 0100";

/// What a phone is made of.
#[derive(Clone, Debug)]
pub struct Setup {
    pub serial: String,
    /// When it is switched on, since the Unix epoch.
    pub booted: Duration,
    pub time: TimeKind,
    /// What is random about it comes from this.
    pub seed: u64,
    pub latency: Latency,
    pub faults: Vec<Fault>,
    /// What is installed beside the built-in apps.
    pub apps: Vec<Arc<App>>,
}

/// Whether time passes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeKind {
    Real,
    Virtual,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            serial: "SIM0".to_owned(),
            // 2026-01-01 09:41 UTC: the same for every test.
            booted: Duration::from_secs(1_767_260_460),
            time: TimeKind::Real,
            seed: 0,
            latency: Latency::None,
            faults: Vec::new(),
            apps: Vec::new(),
        }
    }
}

/// A phone that is switched on.
#[derive(Debug)]
pub struct Handset {
    serial: String,
    phone: Mutex<Phone>,
    pub(crate) kernel: Kernel,
    time: Arc<Time>,
    latency: Latency,
    faults: Mutex<Faults>,
    /// Wakes the followers of the log and the events.
    changed: Notify,
    /// How often the phone was booted; every connection hears of it.
    pub(crate) boots: watch::Sender<u64>,
    ports: Ports,
    /// The hosts that were let in before.
    keys: Mutex<Vec<PublicKey>>,
    /// When something was last asked of the phone.
    last_used: Mutex<Instant>,
    pub(crate) uploads: Uploads,
    pub(crate) automation: Automation,
    pub(crate) operator: Desks,
    asked: Mutex<ServiceCallLog>,
    taps: OnceLock<TapListener>,
    myself: Weak<Self>,
}

/// What hears of every tap.
struct TapListener(Box<dyn Fn(Point) + Send + Sync>);

impl fmt::Debug for TapListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TapListener")
    }
}

impl Handset {
    /// Switches a phone on.
    pub fn new(setup: Setup) -> Arc<Self> {
        let apps: Vec<_> = builtin::apps().iter().chain(&setup.apps).cloned().collect();
        let mut phone = Phone::new(setup.booted, &apps);
        phone.properties.make("ro.serialno", &setup.serial);
        phone.properties.make("ro.boot.serialno", &setup.serial);
        let time = Arc::new(match setup.time {
            TimeKind::Real => Time::real(),
            TimeKind::Virtual => Time::virtual_from(Duration::ZERO),
        });
        Arc::new_cyclic(|myself| Self {
            serial: setup.serial,
            phone: Mutex::new(phone),
            kernel: Kernel::new(disk::fresh()),
            ports: Ports::new(&time),
            time,
            latency: setup.latency,
            faults: Mutex::new(Faults::new(setup.seed, setup.faults)),
            changed: Notify::new(),
            boots: watch::Sender::new(0),
            keys: Mutex::default(),
            last_used: Mutex::new(Instant::now()),
            uploads: Uploads::default(),
            automation: Automation::default(),
            operator: Desks::default(),
            asked: Mutex::default(),
            taps: OnceLock::new(),
            myself: myself.clone(),
        })
    }

    /// Its serial number.
    pub fn serial(&self) -> &str {
        &self.serial
    }

    /// Works on the phone as it is now; everything else waits.
    pub fn with<R>(&self, work: impl FnOnce(&mut Phone) -> R) -> R {
        let mut phone = lock(&self.phone);
        let uptime = self.time.uptime().saturating_sub(phone.rebooted);
        phone.advance(uptime);
        let result = work(&mut phone);
        drop(phone);
        self.changed.notify_waiters();
        result
    }

    /// Waits until a look at the phone finds something. Unlike [`Handset::with`]
    /// a look wakes no follower: two of them would keep each other awake.
    pub(crate) async fn follow<T>(&self, mut look: impl FnMut(&Phone) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // From here on no change is missed.
            changed.as_mut().enable();
            let (found, next) = {
                let mut phone = lock(&self.phone);
                let now = self.time.uptime().saturating_sub(phone.rebooted);
                phone.advance(now);
                let next = phone.next_event().map(|at| at.saturating_sub(now));
                (look(&phone), next)
            };
            if let Some(found) = found {
                return found;
            }
            tokio::select! {
                () = changed => {}
                () = self.time.sleep(next.unwrap_or(Duration::from_secs(3600))) => {}
            }
        }
    }

    /// Its time.
    pub fn time(&self) -> &Time {
        &self.time
    }

    /// Moves a virtual clock on, and lets happen what was to happen; whether
    /// the clock can be moved.
    pub fn advance(&self, by: Duration) -> bool {
        let moved = self.time.advance(by);
        // Very much may be to happen; others have their turn in between.
        let behind = |phone: &mut Phone| phone.clock.uptime + phone.rebooted < self.time.uptime();
        while moved && self.with(behind) {}
        moved
    }

    /// Waits as long as something takes.
    pub async fn spend(&self, cost: Cost) {
        if self.latency != Latency::None {
            let sdk = self.with(|phone| phone.sdk());
            self.time.sleep(self.latency.of(cost, sdk)).await;
        }
    }

    /// Waits as long as a gesture lasts, on a phone where anything takes time.
    pub(crate) async fn linger(&self, time: Duration) {
        if self.latency != Latency::None {
            self.time.sleep(time).await;
        }
    }

    /// Waits as long as it takes to start what answers an intent, unless that runs.
    pub(crate) async fn spend_start(&self, intent: &Intent) {
        let is_cold = |phone: &mut Phone| {
            let found = phone.resolve(intent)?;
            Some(phone.packages.get(&found.package)?.pid.is_none())
        };
        if self.with(is_cold) == Some(true) {
            self.spend(Cost::AppStart).await;
        }
    }

    /// How slow it is.
    pub fn latency(&self) -> Latency {
        self.latency
    }

    /// Passes a point where something can go wrong: whether it does, and its value.
    pub fn strike(&self, point: FaultPoint) -> Option<u64> {
        lock(&self.faults).strike(point)
    }

    /// Tells whether something is to go wrong at a point, now or later.
    pub(crate) fn plans(&self, point: FaultPoint) -> bool {
        lock(&self.faults).plan().iter().any(|fault| fault.point == point)
    }

    /// How often something that is typed or touched happens: it may be lost, or come twice.
    pub(crate) fn input_times(&self) -> u8 {
        if self.strike(FaultPoint::InputDropped).is_some() {
            0
        } else {
            1 + u8::from(self.strike(FaultPoint::InputDoubled).is_some())
        }
    }

    /// Looks at, or changes, what goes wrong.
    pub fn faults<R>(&self, work: impl FnOnce(&mut Faults) -> R) -> R {
        let mut faults = lock(&self.faults);
        let result = work(&mut faults);
        let full = faults.plan().iter().any(|fault| fault.point == FaultPoint::LowStorage);
        drop(faults);
        if !full {
            self.kernel.files.with(|files| files.set_capacity(disk::CAPACITY));
        }
        result
    }

    /// What can go wrong between any two commands.
    pub(crate) fn disturb(&self, command: &str) {
        // What controls the phone is no part of what is tried on it.
        if command.trim_start().starts_with(command::CONTROL) {
            return;
        }
        if self.strike(FaultPoint::Rotation).is_some() {
            self.with(|phone| {
                let turns = (phone.display.rotation + 1) % 4;
                phone.put_setting(crate::phone::Namespace::System, "user_rotation", Some(&turns.to_string()));
            });
        }
        if self.strike(FaultPoint::IncomingCall).is_some() {
            self.with(|phone| phone.ring(CALLER));
        }
        if let Some(ms) = self.strike(FaultPoint::MissedCall) {
            self.with(|phone| phone.ring_for(CALLER, ms));
        }
        if self.strike(FaultPoint::FocusStolen).is_some() {
            self.steal_focus();
        }
        if self.strike(FaultPoint::LowStorage).is_some() {
            self.kernel.files.with(|files| files.set_capacity(0));
        }
        if self.strike(FaultPoint::Reboot).is_some() {
            self.reboot();
        }
    }

    /// Another app comes to the front.
    pub(crate) fn steal_focus(&self) {
        // Every phone has this app.
        self.with(|phone| phone.start(&Intent::launch("com.clawperator.messenger")).is_ok());
    }

    /// Switches the phone off and on again: every connection ends, every process too.
    pub fn reboot(&self) {
        let takes = self.latency.of(Cost::Reboot, 34);
        self.kernel.jobs.abort_all();
        self.operator.forget();
        self.ports.clear();
        self.with(|phone| phone.reboot(takes));
        self.kernel.files.with(|files| files.set_capacity(disk::CAPACITY));
        self.boots.send_modify(|boots| *boots += 1);
    }

    /// Calls this for every tap of `input` that happens, for tests that count all of them. Only
    /// the first listener counts.
    pub fn on_tap(&self, listen: impl Fn(Point) + Send + Sync + 'static) {
        let _ = self.taps.set(TapListener(Box::new(listen)));
    }

    pub(crate) fn tell_tap(&self, at: Point) {
        if let Some(TapListener(listen)) = self.taps.get() {
            listen(at);
        }
    }

    /// Remembers that a host asked for a service.
    pub fn ask(&self, service: &str) {
        lock(&self.asked).add(self.time.uptime(), service);
    }

    /// What hosts asked for last, the oldest first.
    pub fn service_calls(&self) -> Vec<ServiceCall> {
        lock(&self.asked).list()
    }

    /// Notes that the phone is in use.
    pub fn note_use(&self) {
        *lock(&self.last_used) = Instant::now();
    }

    /// How long the phone has not been used.
    pub fn unused_for(&self) -> Duration {
        lock(&self.last_used).elapsed()
    }

    /// The keys of hosts that were let in before.
    pub(crate) fn known_keys<R>(&self, work: impl FnOnce(&mut Vec<PublicKey>) -> R) -> R {
        work(&mut lock(&self.keys))
    }

    /// What listens inside the phone.
    pub(crate) fn ports(&self) -> &Ports {
        uiautomator2::foreign::settle(self, &self.ports);
        &self.ports
    }

    /// This phone, to be kept.
    pub(crate) fn shared(&self) -> Option<Arc<Self>> {
        self.myself.upgrade()
    }
}

/// Locks what a panic may have left behind: it is still the phone's.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who runs what comes over adb: `shell`, with the groups a phone gives it.
pub fn shell_user() -> Identity {
    Identity::new(2000, 2000, &[1004, 1007, 1011, 1015, 1028, 1078, 1079, 3001, 3002, 3003, 3006, 3009, 3011])
}

impl Machine for Handset {
    fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    fn program(&self, name: &str) -> Option<Arc<dyn Program>> {
        command::find(&self.shared()?, name)
    }

    fn now(&self) -> Duration {
        self.with(|phone| phone.clock.now())
    }

    fn sleep(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(self.time.sleep(time))
    }

    fn uptime(&self) -> Duration {
        self.with(|phone| phone.clock.uptime)
    }

    fn refresh(&self, path: &str, pid: Pid) {
        virtual_files::refresh(self, path, pid);
    }

    fn uname(&self) -> Uname {
        Uname { node: "localhost".to_owned(), release: "6.1.75-android14-11".to_owned(), ..Uname::default() }
    }
}
