//! The phones that a worker gives to the pool: those of adb, and simulated ones that run.

use crate::args::Args;
use crate::flags::pool as own;
use crate::sim;
use crate::world::World;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_engine::{Engine, NamedPhones};
use clawperator_phone::Deadline;
use clawperator_pool::{Name, Roster, RosterPhone};
use futures_core::future::BoxFuture;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long one look at the phones may take, and one question to a phone.
const LOOK: Duration = Duration::from_secs(5);

/// The phones of this computer.
#[derive(Debug)]
pub(super) struct HostPhones {
    engine: Engine,
    named: Option<Arc<dyn NamedPhones>>,
    /// Only these, if it is not empty.
    only: BTreeSet<String>,
    /// Classes of all phones, and of single ones.
    classes: Vec<(Name, Option<String>)>,
    machine: String,
    /// What each phone has said of itself.
    known: Mutex<BTreeMap<String, RosterPhone>>,
}

impl HostPhones {
    pub(super) fn new(
        engine: &Engine,
        (args, world): (&Args, &World),
        machine: String,
    ) -> Result<Self, Failure> {
        let class = |word: &str| match word.split_once('=') {
            Some((class, serial)) => Ok((class.parse()?, Some(serial.to_owned()))),
            None => Ok::<_, Failure>((word.parse()?, None)),
        };
        Ok(Self {
            engine: engine.clone(),
            named: sim::named_phones(world),
            only: args.values(&own::ONLY)?.into_iter().map(str::to_owned).collect(),
            classes: args.values(&own::CLASS)?.into_iter().map(class).collect::<Result<_, _>>()?,
            machine,
            known: Mutex::default(),
        })
    }

    /// The serials that are there: adb's, and those of simulated phones.
    async fn serials(&self) -> Result<BTreeSet<String>, Failure> {
        let listed = self.engine.devices(Deadline::after(LOOK)).await;
        let mut serials: BTreeSet<String> = match listed {
            Ok(listed) => {
                let ready = listed.into_iter().filter_map(|entry| entry.is_ready().then_some(entry.serial));
                ready.collect()
            }
            // Simulated phones need no adb.
            Err(failure) if [ErrorCode::AdbNotFound, ErrorCode::NoDevices].contains(&failure.code) => {
                BTreeSet::new()
            }
            Err(failure) => return Err(failure),
        };
        if let Some(named) = self.named.clone() {
            // Reading the registry blocks.
            let found = tokio::task::spawn_blocking(move || {
                let serial = |name: &String| named.serial(name).ok().flatten();
                named.running().iter().filter_map(serial).collect::<Vec<_>>()
            });
            serials.extend(found.await.unwrap_or_default());
        }
        serials.retain(|serial| self.only.is_empty() || self.only.contains(serial));
        Ok(serials)
    }

    /// What a phone says of itself; none if it does not answer.
    async fn meet(&self, serial: &str) -> Option<RosterPhone> {
        let deadline = Deadline::after(LOOK);
        let phone = self.engine.connect(Some(serial), deadline).await.ok()?;
        let vitals = phone.vitals("", deadline).await.ok()?;
        let of_this = |(_, of): &&(Name, Option<String>)| of.as_deref().is_none_or(|of| of == serial);
        let classes = self.classes.iter().filter(of_this).map(|(class, _)| class.clone()).collect();
        Some(RosterPhone {
            serial: serial.to_owned(),
            model: vitals.model,
            android: vitals.release,
            classes,
            hardware: self.shared_name(serial),
        })
    }

    /// What other hosts know a phone by that is reached over a network: its address. One of this
    /// computer's own addresses is another phone on another computer.
    fn shared_name(&self, serial: &str) -> Option<String> {
        let name = serial.rsplit_once(':').map(|(name, _)| name);
        let address: Option<SocketAddr> = serial.parse().ok();
        let is_here = address.is_some_and(|address| address.ip().is_loopback()) || name == Some("localhost");
        // Such as phone.lan:5555, or what mDNS has found.
        let is_shared = name.is_some() || serial.contains("._tcp");
        is_shared.then(|| if is_here { format!("{} {serial}", self.machine) } else { serial.to_owned() })
    }
}

impl Roster for HostPhones {
    fn phones(&self) -> BoxFuture<'_, Result<Vec<RosterPhone>, Failure>> {
        Box::pin(async move {
            let serials = self.serials().await?;
            let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
            known().retain(|serial, _| serials.contains(serial));
            for serial in &serials {
                let is_known = known().contains_key(serial);
                if !is_known && let Some(phone) = self.meet(serial).await {
                    known().insert(serial.clone(), phone);
                }
            }
            let phones = known().values().cloned().collect();
            Ok(phones)
        })
    }
}
