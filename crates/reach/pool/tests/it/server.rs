//! The same on a real server, and what only a real one does: keys, limits, losses.

use crate::broker::{check, store};
use clawperator_pool::access::{PoolAccess, connect};
use clawperator_pool::broker::Bucket;
use clawperator_pool::local::LocalBroker;
use std::path::PathBuf;

/// A folder that is gone with its test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("clawperator-pool-{}-{name}", std::process::id()));
        clawperator_private::folder(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The program to test with, if there is one.
pub(crate) fn program() -> Option<PathBuf> {
    let named = std::env::var_os("NATS_SERVER").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("nats-server"));
    let program = named.or_else(|| found.find(|program| program.is_file()));
    if program.is_none() {
        println!("skipped: there is no nats-server here");
    }
    program
}

#[tokio::test(flavor = "multi_thread")]
async fn a_local_broker_does_what_every_broker_does() {
    let Some(program) = program() else { return };
    let folder = Folder::new("local");
    let server = LocalBroker::start(Some(&program), &folder.0).await.unwrap();
    let access = PoolAccess::read(server.url()).unwrap();
    let pool = connect(&access).await.unwrap();
    let broker = &pool.tenants[0].broker;
    check(&**broker).await;
    // Once more: what is there stays as it is.
    let epoch = broker.epoch().await.unwrap();
    let again = connect(&access).await.unwrap();
    assert_eq!(again.pool.unwrap().epoch().await, Ok(epoch));
    store(&**broker, Bucket::Wishes, "kept", "yes").await.unwrap();
    drop(server);
    let server = LocalBroker::start(Some(&program), &folder.0).await.unwrap();
    let pool = connect(&PoolAccess::read(server.url()).unwrap()).await.unwrap();
    let kept = pool.tenants[0].broker.read(Bucket::Wishes, "kept").await.unwrap();
    assert_eq!(kept.map(|entry| entry.value), Some(b"yes".to_vec()));
}
