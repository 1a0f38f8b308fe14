//! The phones of a host: which are there, what each is doing, and which may take a job.

use super::{RosterPhone, WorkerState, lock};
use crate::broker::Bucket;
use crate::name::{JobId, Name, PhoneName, key_part};
use crate::record::{PhoneRecord, PhoneStage};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// How often the host looks which phones are there.
const LOOK: Duration = Duration::from_secs(3);
/// How often every phone is written down, so that its entry lives.
const WRITE: Duration = Duration::from_secs(10);
/// A phone that was lost so often in this time is quarantined for as long.
const FLAPS: usize = 3;
const FLAP_TIME: Duration = Duration::from_secs(600);
/// How long a phone rests on which a job could not begin.
const REST: Duration = Duration::from_secs(5);

/// The phones of a host.
#[derive(Debug, Default)]
pub(super) struct Phones {
    all: Mutex<BTreeMap<String, HostPhone>>,
    /// Wakes the task that writes phones down.
    changed: Notify,
}

/// A phone of the host.
#[derive(Debug)]
pub(super) struct HostPhone {
    found: RosterPhone,
    pub(super) classes: BTreeSet<Name>,
    is_there: bool,
    work: PhoneWork,
    pub(super) reserved: Option<Reservation>,
    /// The apps that jobs have left open, until they are closed.
    pub(super) left: Option<BTreeSet<String>>,
    flaps: VecDeque<Instant>,
    quarantined: Option<Instant>,
    /// It takes no job before this time, and why.
    rests: Option<(Instant, String)>,
    is_written: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PhoneWork {
    Nothing,
    Job { tenant: usize, job: JobId },
    Cleaning,
}

/// A phone that is kept for a tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reservation {
    pub(super) tenant: usize,
    pub(super) until_ms: u64,
    pub(super) why: String,
}

impl Phones {
    pub(super) fn all(&self) -> MutexGuard<'_, BTreeMap<String, HostPhone>> {
        lock(&self.all)
    }

    /// Changes a phone and has it written down.
    pub(super) fn change<T>(&self, serial: &str, change: impl FnOnce(&mut HostPhone) -> T) -> Option<T> {
        let mut all = self.all();
        let phone = all.get_mut(serial)?;
        phone.is_written = false;
        let changed = change(phone);
        drop(all);
        self.changed.notify_one();
        Some(changed)
    }

    /// Says what a phone is doing.
    pub(super) fn set_work(&self, serial: &str, work: PhoneWork) {
        self.change(serial, |phone| phone.work = work);
    }

    /// Has all of them written down again.
    pub(super) fn write_again(&self) {
        self.all().values_mut().for_each(|phone| phone.is_written = false);
        self.changed.notify_one();
    }

    /// Lets a phone rest on which a job could not begin.
    pub(super) fn rest(&self, serial: &str, why: &str) {
        self.change(serial, |phone| phone.rests = Some((Instant::now() + REST, why.to_owned())));
    }

    /// The phone's own number, if another host may reach it.
    pub(super) fn hardware(&self, serial: &str) -> Option<String> {
        self.all().get(serial)?.found.hardware.clone()
    }

    /// Takes in which phones are there; says what is worth a line in the log.
    fn find(&self, found: Vec<RosterPhone>) -> Vec<String> {
        let now = Instant::now();
        let mut lines = Vec::new();
        let mut all = self.all();
        let there: BTreeSet<String> = found.iter().map(|phone| phone.serial.clone()).collect();
        for (serial, phone) in all.iter_mut().filter(|(serial, _)| !there.contains(*serial)) {
            if phone.lose(now) {
                lines.push(format!("phone {serial} is lost"));
            }
        }
        for one in found {
            let serial = one.serial.clone();
            let classes = classes_of(&one);
            let phone = all.entry(serial.clone()).or_insert_with(|| {
                lines.push(format!("phone {serial} is there"));
                HostPhone::new(one.clone())
            });
            if !phone.is_there || phone.found != one {
                (phone.is_there, phone.found, phone.classes) = (true, one, classes);
                phone.is_written = false;
            }
            if phone.quarantined.is_some_and(|until| until <= now) {
                phone.quarantined = None;
                phone.is_written = false;
            }
        }
        drop(all);
        self.changed.notify_one();
        lines
    }
}

impl HostPhone {
    fn new(found: RosterPhone) -> Self {
        Self {
            classes: classes_of(&found),
            found,
            is_there: true,
            work: PhoneWork::Nothing,
            reserved: None,
            left: None,
            flaps: VecDeque::new(),
            quarantined: None,
            rests: None,
            is_written: false,
        }
    }

    /// Notes that it is gone; says whether it was there.
    fn lose(&mut self, now: Instant) -> bool {
        if !std::mem::take(&mut self.is_there) {
            return false;
        }
        self.is_written = false;
        self.flaps.push_back(now);
        self.flaps.retain(|flap| now.duration_since(*flap) < FLAP_TIME);
        if self.flaps.len() >= FLAPS {
            self.quarantined = Some(now + FLAP_TIME);
        }
        true
    }

    /// Lets it out of quarantine.
    pub(super) fn forgive(&mut self) {
        self.flaps.clear();
        self.quarantined = None;
    }

    /// Ends a reservation whose time is over.
    fn end_reservation(&mut self, now_ms: u64) {
        if self.reserved.take_if(|reserved| reserved.until_ms <= now_ms).is_some() {
            self.is_written = false;
        }
    }

    /// Whether it may take a job of a tenant that names it, or one for its class.
    pub(super) fn is_free_for(&self, tenant: usize, is_named: bool, now_ms: u64) -> bool {
        let now = Instant::now();
        let rests = self.rests.as_ref().is_some_and(|(until, _)| now < *until);
        let reserved = self.reserved.as_ref().filter(|reserved| reserved.until_ms > now_ms);
        let fits = reserved.is_none_or(|reserved| is_named && reserved.tenant == tenant);
        self.is_there && self.work == PhoneWork::Nothing && self.quarantined.is_none() && !rests && fits
    }

    /// What a tenant sees of it.
    fn record(&self, host: &Name, tenant: usize, drains: bool) -> PhoneRecord {
        let found = &self.found;
        let (mut why, mut until_ms, mut job) = (None, None, None);
        let rest = self.rests.as_ref().filter(|(until, _)| Instant::now() < *until);
        let state = match (&self.work, &self.reserved) {
            _ if !self.is_there => PhoneStage::Lost,
            _ if self.quarantined.is_some() => {
                why = Some(format!("it was lost {FLAPS} times within ten minutes; see its cable and power"));
                PhoneStage::Quarantined
            }
            (PhoneWork::Job { tenant: of, job: one }, _) => {
                job = (*of == tenant).then(|| one.clone());
                PhoneStage::Running
            }
            (PhoneWork::Cleaning, _) => PhoneStage::Cleaning,
            _ if drains => PhoneStage::Drained,
            (PhoneWork::Nothing, Some(reserved)) => {
                why = (reserved.tenant == tenant).then(|| reserved.why.clone());
                until_ms = Some(reserved.until_ms);
                PhoneStage::Reserved
            }
            (PhoneWork::Nothing, None) => {
                why = rest.map(|(_, why)| why.clone());
                PhoneStage::Idle
            }
        };
        PhoneRecord {
            phone: PhoneName { host: host.clone(), serial: found.serial.clone() },
            model: found.model.clone(),
            android: found.android.clone(),
            classes: self.classes.iter().cloned().collect(),
            state,
            why,
            until_ms,
            job,
            shared: found.hardware.is_some(),
        }
    }
}

/// The classes of a phone: all phones, its model and the first word of it, its version, and
/// what its host calls it.
fn classes_of(phone: &RosterPhone) -> BTreeSet<Name> {
    let model = phone.model.as_deref().unwrap_or_default();
    let first = model.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let android = phone.android.as_ref().map(|version| format!("android-{version}"));
    let made = ["phone", model, first, android.as_deref().unwrap_or_default()];
    made.into_iter().filter_map(Name::near).chain(phone.classes.iter().cloned()).collect()
}

impl WorkerState {
    pub(super) fn phone_name(&self, serial: &str) -> PhoneName {
        PhoneName { host: self.settings.host.clone(), serial: serial.to_owned() }
    }

    /// The key of a phone among leases. One that several hosts reach has one key for all of them.
    pub(super) fn lease_key(&self, serial: &str) -> String {
        match self.phones.hardware(serial) {
            Some(hardware) => format!("shared.{}", key_part(&hardware)),
            None => self.phone_name(serial).key(),
        }
    }

    /// Looks which phones are there, and writes down what each is doing.
    pub(super) async fn keep_phones(self: Arc<Self>) {
        let looking = async {
            loop {
                match self.settings.roster.phones().await {
                    Ok(found) => {
                        for line in self.phones.find(found) {
                            self.log(&line);
                        }
                        self.wake.notify_one();
                    }
                    Err(failure) => self.log(&format!("phones cannot be listed: {}", failure.message)),
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        let writing = async {
            let mut written = Instant::now();
            loop {
                let left = WRITE.saturating_sub(written.elapsed());
                let all = timeout(left, self.phones.changed.notified()).await.is_err();
                if all {
                    written = Instant::now();
                }
                self.write_phones(all).await;
            }
        };
        tokio::join!(looking, writing);
    }

    /// Writes the phones down that have changed, or all of them.
    async fn write_phones(&self, all: bool) {
        let (host, drains) = (&self.settings.host, self.is_draining());
        let now_ms = self.now_ms().unwrap_or_default();
        let serials: Vec<String> = {
            let mut phones = self.phones.all();
            phones.values_mut().for_each(|phone| phone.end_reservation(now_ms));
            let due = phones.iter_mut().filter(|(_, phone)| all || !phone.is_written);
            due.map(|(serial, phone)| {
                phone.is_written = true;
                serial.clone()
            })
            .collect()
        };
        for (number, tenant) in self.settings.tenants.iter().enumerate() {
            let records: Vec<PhoneRecord> = {
                let phones = self.phones.all();
                let due = serials.iter().filter_map(|serial| phones.get(serial));
                due.map(|phone| phone.record(host, number, drains)).collect()
            };
            for record in records {
                // The next round writes it again.
                let _ = tenant.account.put(Bucket::Phones, &record.phone.key(), &record).await;
            }
        }
    }
}
