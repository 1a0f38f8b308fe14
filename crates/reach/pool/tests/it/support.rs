//! Hosts with simulated phones over links in memory, and a broker in memory.

use crate::engine_support::{self, Phones};
use crate::memory::MemoryBroker;
use clawperator_contract::Failure;
use clawperator_engine::Request;
use clawperator_pool::broker::Broker;
use clawperator_pool::seal::SealKey;
use clawperator_pool::{Account, Caller, JobWish, Name, Roster, RosterPhone, Tenant, Worker, WorkerSettings};
use futures_core::future::BoxFuture;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

pub(crate) const EPOCH_MS: u64 = 1_794_700_000_000;

/// The phones of a host: always the same.
#[derive(Debug)]
pub(crate) struct FixedRoster(pub(crate) Vec<RosterPhone>);

impl Roster for FixedRoster {
    fn phones(&self) -> BoxFuture<'_, Result<Vec<RosterPhone>, Failure>> {
        Box::pin(async move { Ok(self.0.clone()) })
    }
}

pub(crate) fn name(text: &str) -> Name {
    text.parse().unwrap()
}

pub(crate) fn roster_phone(serial: &str) -> RosterPhone {
    let (serial, model) = (serial.to_owned(), Some("Pixel 7".to_owned()));
    RosterPhone { serial, model, android: Some("14".to_owned()), classes: Vec::new(), hardware: None }
}

/// A host of a pool, with an engine of its own.
pub(crate) struct HostSetup<'h> {
    pub(crate) host: &'h str,
    pub(crate) broker: Arc<dyn Broker>,
    pub(crate) phones: Arc<Phones>,
    pub(crate) roster: Vec<RosterPhone>,
    pub(crate) folder: &'h Path,
}

pub(crate) fn worker(setup: HostSetup<'_>) -> Worker {
    let account = Account::from(setup.broker.clone());
    let tenant = Tenant { name: name("default"), account, weight: 1, quota: None };
    worker_of(setup, vec![tenant], None)
}

/// A host for these tenants; its leases are in the broker of the setup.
pub(crate) fn worker_of(setup: HostSetup<'_>, tenants: Vec<Tenant>, seal: Option<SealKey>) -> Worker {
    let HostSetup { host, broker, phones, roster, folder } = setup;
    let state = folder.join(host);
    let tag = host.to_owned();
    Worker::new(WorkerSettings {
        host: name(host),
        machine: format!("machine of {host}"),
        instance: format!("instance of {host}"),
        version: "0.0.0",
        pool: Account::from(broker),
        tenants,
        engine: engine_support::engine(&phones, &state, None),
        roster: Arc::new(FixedRoster(roster)),
        seal,
        judge: |_| Err("no rules are sent here".to_owned()),
        journals: state.join("state/journal"),
        log: Arc::new(move |line| {
            if std::env::var_os("POOL_LOG").is_some() {
                println!("{tag}: {line}");
            }
        }),
    })
}

pub(crate) fn caller(broker: &MemoryBroker) -> Caller {
    let broker: Arc<dyn Broker> = Arc::new(broker.clone());
    Caller { account: broker.clone().into(), seal: None, pool: Some(broker.into()) }
}

/// A job that counts three times and reads the counter.
pub(crate) fn counting(id: &str) -> Request {
    let click = |number: usize| {
        json!({"id": format!("count-{number}"), "type": "click",
               "params": {"matcher": {"textEquals": "Increment"}}})
    };
    let mut actions = engine_support::open_counter().as_array().unwrap().clone();
    actions.extend((0..3).map(click));
    actions
        .push(json!({"id": "read", "type": "read_text", "params": {"matcher": {"textContains": "Counter"}}}));
    Request::new(engine_support::execution(id, &Value::from(actions)))
}

pub(crate) fn any(class: &str) -> JobWish {
    JobWish::new(format!("any:{class}").parse().unwrap())
}

/// How often a phone was touched.
pub(crate) fn touches(phones: &Phones, serial: &str) -> usize {
    phones.asked(serial).iter().filter(|line| line.contains("set -- 'tap' ")).count()
}
