//! A pool in memory: a broker, a host with simulated phones, and a broker that only fails.

use crate::pool_memory::MemoryBroker;
use crate::support::phones::{Phones, engine};
use crate::support::{Server, folder, server_with};
use clawperator_agent::judge::PolicyJudge;
use clawperator_contract::Failure;
use clawperator_pool::broker::{
    Broker, BrokerError, BrokerFacts, Bucket, Change, Delivery, Entry, Queue, Reply, Settlement, Watch,
};
use clawperator_pool::{Account, Caller, Roster, RosterPhone, Tenant, Worker, WorkerSettings};
use futures_core::future::BoxFuture;
use std::sync::Arc;

const EPOCH_MS: u64 = 1_794_700_000_000;

#[derive(Debug)]
struct FixedRoster(Vec<RosterPhone>);

impl Roster for FixedRoster {
    fn phones(&self) -> BoxFuture<'_, Result<Vec<RosterPhone>, Failure>> {
        Box::pin(async move { Ok(self.0.clone()) })
    }
}

/// A pool with one host, `lab`, which ends when it is dropped.
pub(crate) struct Pool {
    pub(crate) broker: MemoryBroker,
    pub(crate) phones: Arc<Phones>,
    serving: tokio::task::JoinHandle<Result<(), Failure>>,
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Pool {
    pub(crate) fn new(name: &str, serials: &[&str]) -> Self {
        let broker = MemoryBroker::new(EPOCH_MS);
        let phones = Phones::new(serials.iter().map(|serial| (*serial).to_owned()));
        let account = account(broker.clone());
        let state = folder(&format!("{name}-lab"));
        let roster = |serial: &&str| RosterPhone {
            serial: (*serial).to_owned(),
            model: Some("Pixel 7".to_owned()),
            android: Some("14".to_owned()),
            classes: Vec::new(),
            hardware: None,
        };
        let worker = Worker::new(WorkerSettings {
            host: "lab".parse().unwrap(),
            machine: "the lab".to_owned(),
            instance: "first".to_owned(),
            version: "0.0.0",
            pool: account.clone(),
            tenants: vec![Tenant { name: "default".parse().unwrap(), account, weight: 1, quota: None }],
            engine: engine(&phones, &state, None),
            roster: Arc::new(FixedRoster(serials.iter().map(roster).collect())),
            seal: None,
            judge: PolicyJudge::of_rules,
            journals: state.join("state/journal"),
            log: Arc::new(|_| ()),
        });
        let serving = tokio::spawn(async move { worker.run(Box::pin(std::future::pending())).await });
        Self { broker, phones, serving }
    }

    pub(crate) fn caller(&self) -> Caller {
        let account = account(self.broker.clone());
        Caller { account: account.clone(), seal: None, pool: Some(account) }
    }

    /// A server with this pool, once the pool has all of its phones.
    pub(crate) async fn server(&self, name: &str, phones: usize) -> Server {
        self.until_there(phones).await;
        server_with(name, |app| app.pool = Some(self.caller())).await
    }

    pub(crate) async fn until_there(&self, phones: usize) {
        let caller = self.caller();
        while caller.phones().await.unwrap().len() < phones {
            tokio::task::yield_now().await;
        }
    }
}

fn account(broker: impl Broker + 'static) -> Account {
    let broker: Arc<dyn Broker> = Arc::new(broker);
    broker.into()
}

/// A caller of a broker that answers everything with this error.
pub(crate) fn failing(error: BrokerError) -> Caller {
    let account = account(FailingBroker(error));
    Caller { account: account.clone(), seal: None, pool: Some(account) }
}

#[derive(Debug)]
struct FailingBroker(BrokerError);

impl FailingBroker {
    fn fail<T: Send>(&self) -> Reply<'_, T> {
        Box::pin(async move { Err(self.0.clone()) })
    }
}

impl Broker for FailingBroker {
    fn read<'b>(&'b self, _: Bucket, _: &'b str) -> Reply<'b, Option<Entry>> {
        self.fail()
    }
    fn store<'b>(&'b self, _: Change<'b>) -> Reply<'b, u64> {
        self.fail()
    }
    fn remove(&self, _: Bucket, _: u64) -> Reply<'_, ()> {
        self.fail()
    }
    fn list<'b>(&'b self, _: Bucket, _: &'b str) -> Reply<'b, Vec<Entry>> {
        self.fail()
    }
    fn watch<'b>(&'b self, _: Bucket, _: &'b str) -> Reply<'b, Watch> {
        self.fail()
    }
    fn take<'b>(&'b self, _: &'b Queue) -> Reply<'b, Option<Delivery>> {
        self.fail()
    }
    fn settle<'b>(&'b self, _: &'b Delivery, _: Settlement) -> Reply<'b, ()> {
        self.fail()
    }
    fn epoch(&self) -> Reply<'_, u64> {
        self.fail()
    }
    fn facts(&self) -> Reply<'_, BrokerFacts> {
        self.fail()
    }
}
