//! What tests of pool files share.

use clawperator_pool::init::PoolPlan;
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

/// A pool of these tenants and nodes.
pub(crate) fn plan(tenants: &[&str], nodes: &[&str]) -> PoolPlan {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    PoolPlan { tenants: owned(tenants), nodes: owned(nodes), sync_always: false, tenant_megabytes: 64 }
}
