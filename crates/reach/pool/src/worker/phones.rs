//! The phones of a host: which are there, what each is doing, and which may take a job.

use super::{RosterPhone, WorkerState, lock};
use crate::account::bytes_of;
use crate::broker::Bucket;
use crate::name::{JobId, Name, PhoneName, key_part};
use crate::record::{PhoneRecord, PhoneStage};
use clawperator_private as private;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// How many reservations are kept of phones that have not come.
const MOST_EARLY: usize = 1_000;
const LOOK: Duration = Duration::from_secs(3);
/// How often every phone is written down, so that its entry lives.
const WRITE: Duration = Duration::from_secs(10);
/// A phone that was lost so often in this time is quarantined for as long.
const FLAPS: usize = 3;
const FLAP_TIME: Duration = Duration::from_secs(600);
/// How long a phone rests on which a job could not begin.
const REST: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Phones {
    all: Mutex<BTreeMap<String, HostPhone>>,
    /// Wakes the task that writes phones down.
    pub(super) changed: watch::Sender<()>,
    /// Reservations of phones that have not come yet.
    early: Mutex<BTreeMap<String, Reservation>>,
    /// A file for each phone that is not clean, for the next process of this host.
    folder: PathBuf,
}

#[derive(Debug, Default)]
pub(super) struct HostPhone {
    found: RosterPhone,
    pub(super) classes: BTreeSet<Name>,
    is_there: bool,
    work: PhoneWork,
    reserved: Option<Reservation>,
    /// The apps that jobs have left open, until they are closed.
    pub(super) left: Option<BTreeSet<String>>,
    flaps: VecDeque<Instant>,
    quarantined: Option<Instant>,
    /// It takes no job before this time, and why.
    rests: Option<(Instant, String)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum PhoneWork {
    #[default]
    Nothing,
    Job {
        tenant: usize,
        job: JobId,
    },
    Cleaning,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reservation {
    pub(super) tenant: usize,
    pub(super) until_ms: u64,
    pub(super) why: String,
}

impl Phones {
    pub(super) fn new(folder: PathBuf) -> Self {
        let (all, changed, early) = (Mutex::default(), watch::Sender::default(), Mutex::default());
        Self { all, changed, early, folder }
    }

    fn file(&self, serial: &str) -> PathBuf {
        self.folder.join(key_part(serial))
    }

    /// Notes which apps a job opens on a phone, before it does.
    pub(super) fn soil(&self, serial: &str, opened: BTreeSet<String>) -> io::Result<()> {
        let left = self.change(serial, |phone| {
            let left = phone.left.get_or_insert_default();
            left.extend(opened);
            bytes_of(left)
        });
        private::folder(&self.folder)?;
        private::replace(&self.file(serial), &left.unwrap_or_default(), private::Concurrency::None)
    }

    /// Notes that a phone is clean.
    pub(super) fn wipe(&self, serial: &str) {
        self.change(serial, |phone| phone.left = None);
        // If it stays, the phone is cleaned once more.
        let _ = fs::remove_file(self.file(serial));
    }

    /// Keeps a phone for a tenant, or no longer, unless another has it.
    pub(super) fn reserve(&self, serial: &str, wanted: &Reservation, now_ms: u64) {
        let kept = self.change(serial, |phone| {
            if phone.reservation(now_ms).is_none_or(|held| held.tenant == wanted.tenant) {
                phone.reserved = Some(wanted.clone());
            }
        });
        let mut early = lock(&self.early);
        if kept.is_none() && early.len() < MOST_EARLY {
            early.insert(serial.to_owned(), wanted.clone());
        }
    }

    pub(super) fn all(&self) -> MutexGuard<'_, BTreeMap<String, HostPhone>> {
        lock(&self.all)
    }

    /// Changes a phone and has it written down.
    pub(super) fn change<T>(&self, serial: &str, change: impl FnOnce(&mut HostPhone) -> T) -> Option<T> {
        let mut all = self.all();
        let changed = change(all.get_mut(serial)?);
        drop(all);
        self.changed.send_replace(());
        Some(changed)
    }

    pub(super) fn set_work(&self, serial: &str, work: PhoneWork) {
        self.change(serial, |phone| phone.work = work);
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
            let phone = all.entry(one.serial.clone()).or_insert_with(|| {
                lines.push(format!("phone {} is there", one.serial));
                let reserved = lock(&self.early).remove(&one.serial);
                // What cannot be read was cut off: the phone is not clean.
                let left = fs::read(self.file(&one.serial)).ok();
                let left = left.map(|left| serde_json::from_slice(&left).unwrap_or_default());
                HostPhone { reserved, left, ..HostPhone::default() }
            });
            if !phone.is_there || phone.found != one {
                (phone.is_there, phone.classes, phone.found) = (true, classes_of(&one), one);
            }
            phone.quarantined.take_if(|until| *until <= now);
        }
        drop(all);
        self.changed.send_replace(());
        lines
    }
}

impl HostPhone {
    /// Notes that it is gone; says whether it was there.
    fn lose(&mut self, now: Instant) -> bool {
        if !std::mem::take(&mut self.is_there) {
            return false;
        }
        self.flaps.push_back(now);
        self.flaps.retain(|flap| now.duration_since(*flap) < FLAP_TIME);
        if self.flaps.len() >= FLAPS {
            self.quarantined = Some(now + FLAP_TIME);
        }
        true
    }

    pub(super) fn forgive(&mut self) {
        self.flaps.clear();
        self.quarantined = None;
    }

    pub(super) fn reservation(&self, now_ms: u64) -> Option<&Reservation> {
        self.reserved.as_ref().filter(|reserved| reserved.until_ms > now_ms)
    }

    /// Whether it may take a job of a tenant that names it, or one for its class.
    pub(super) fn is_free_for(&self, tenant: usize, is_named: bool, now_ms: u64) -> bool {
        let now = Instant::now();
        let rests = self.rests.as_ref().is_some_and(|(until, _)| now < *until);
        let fits = self.reservation(now_ms).is_none_or(|reserved| is_named && reserved.tenant == tenant);
        self.is_there && self.work == PhoneWork::Nothing && self.quarantined.is_none() && !rests && fits
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

    /// Looks again and again which phones are there.
    pub(super) async fn keep_phones(self: Arc<Self>) {
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
    }

    /// Keeps the records of the phones up to date that a tenant sees.
    pub(super) async fn keep_written(self: Arc<Self>, tenant: usize) {
        let mut changes = self.phones.changed.subscribe();
        let mut written = BTreeMap::new();
        loop {
            self.write_phones(tenant, &mut written).await;
            // Also while nothing changes: some states end by themselves.
            let _ = timeout(LOOK, changes.changed()).await;
        }
    }

    fn record(&self, phone: &HostPhone, tenant: usize) -> PhoneRecord {
        let (found, now_ms) = (&phone.found, self.now_ms().unwrap_or_default());
        let (mut why, mut until_ms, mut job) = (None, None, None);
        let rest = phone.rests.as_ref().filter(|(until, _)| Instant::now() < *until);
        let state = match (&phone.work, phone.reservation(now_ms)) {
            _ if !phone.is_there => PhoneStage::Lost,
            _ if phone.quarantined.is_some() => {
                why = Some(format!("it was lost {FLAPS} times within ten minutes; see its cable and power"));
                PhoneStage::Quarantined
            }
            (PhoneWork::Job { tenant: of, job: one }, _) => {
                job = (*of == tenant).then(|| one.clone());
                PhoneStage::Running
            }
            (PhoneWork::Cleaning, _) => PhoneStage::Cleaning,
            _ if self.is_draining() => PhoneStage::Drained,
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
            phone: self.phone_name(&found.serial),
            model: found.model.clone(),
            android: found.android.clone(),
            classes: phone.classes.iter().cloned().collect(),
            state,
            why,
            until_ms,
            job,
            shared: found.hardware.is_some(),
        }
    }

    /// Writes the phones down that a tenant sees otherwise than before, and others now and then.
    async fn write_phones(&self, tenant: usize, written: &mut BTreeMap<String, (PhoneRecord, Instant)>) {
        let records: Vec<PhoneRecord> =
            self.phones.all().values().map(|phone| self.record(phone, tenant)).collect();
        for record in records {
            let key = record.phone.key();
            let last = written.get(&key);
            if last.is_some_and(|(last, at)| *last == record && at.elapsed() < WRITE) {
                continue;
            }
            let at = Instant::now();
            // What is not written now is written the next time.
            if self.tenant(tenant).account.put(Bucket::Phones, &key, &record).await.is_ok() {
                written.insert(key, (record, at));
            }
        }
    }
}
