//! What `--pool` says: the address of a broker without keys, or a file with keys. What is
//! secret in it is in no message and in no debug output.

use crate::account::Account;
#[cfg(feature = "nats")]
use crate::broker::nats::{self, Endpoint, NatsBroker};
#[cfg(feature = "nats")]
use crate::broker::{Broker, BrokerError};
use crate::name::Name;
use crate::seal::{SealKey, SealLock};
use crate::worker::Tenant;
#[cfg(feature = "nats")]
use async_nats::ServerAddr;
use clawperator_contract::{ErrorCode, Failure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
#[cfg(feature = "nats")]
use std::sync::Arc;
#[cfg(feature = "nats")]
use std::time::Duration;
#[cfg(feature = "nats")]
use tokio::time::{Instant, timeout};

const MOST_BYTES: u64 = 1 << 20;
#[cfg(feature = "nats")]
const CONNECT_AGE: Duration = Duration::from_secs(10);
#[cfg(feature = "nats")]
const PREPARE_AGE: Duration = Duration::from_secs(25);

/// How to reach a pool, and as whom.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PoolAccess {
    pub servers: Vec<String>,
    /// The certificate that the servers' ones are signed with; beside the file, if it is no
    /// absolute path. With it, TLS is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    pub role: PoolRole,
    #[serde(default = "one")]
    pub replicas: u8,
    /// The pool's own account: hosts, phones and leases of all tenants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<PoolKey>,
    pub tenants: Vec<TenantAccess>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal_for: Option<SealLock>,
    /// What opens them: only workers have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seal_key: Option<SealKey>,
}

/// What the keys of an access may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PoolRole {
    /// Takes jobs and writes results.
    Worker,
    /// Sends jobs and reads results.
    Submitter,
    Operator,
}

/// The key of the pool's own account.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolKey {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Seed>,
}

/// A tenant and its key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantAccess {
    pub name: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Seed>,
    /// Its share among the tenants that wait.
    #[serde(default = "one")]
    pub weight: u8,
    /// How many of its jobs may run at once; as many as there are phones by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub running: Option<usize>,
}

/// The secret part of a user's key; debug output hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(String);

/// The accounts of a pool, each with its connection.
#[derive(Debug)]
pub struct PoolConnections {
    /// The pool's own account, where its key is there.
    pub pool: Option<Account>,
    pub tenants: Vec<Tenant>,
}

impl TenantAccess {
    pub(crate) const fn new(name: Name, seed: Option<Seed>) -> Self {
        Self { name, seed, weight: 1, running: None }
    }
}

impl PoolAccess {
    pub(crate) fn new(servers: Vec<String>, role: PoolRole) -> Self {
        let (ca, pool, tenants, seal_for, seal_key) = (None, None, Vec::new(), None, None);
        Self { servers, ca, role, replicas: 1, pool, tenants, seal_for, seal_key }
    }

    /// Reads what `--pool` says.
    ///
    /// # Errors
    /// The address or the file is wrong; the failure says where.
    pub fn read(pool: &str) -> Result<Self, Failure> {
        if !pool.contains("://") {
            return Self::read_file(Path::new(pool));
        }
        let with_scheme = |server: &str| {
            if server.contains("://") { server.to_owned() } else { format!("nats://{server}") }
        };
        let access = Self {
            pool: Some(PoolKey::default()),
            tenants: vec![TenantAccess::new("default".parse()?, None)],
            ..Self::new(pool.split(',').map(with_scheme).collect(), PoolRole::Operator)
        };
        access.check().map_err(|problem| {
            refusal(&problem).hint("Write nats://HOST:PORT, several with commas, or the path of a pool file.")
        })?;
        Ok(access)
    }

    fn read_file(path: &Path) -> Result<Self, Failure> {
        let shown = path.display();
        let hint = "Ask your operator for a pool file, or make one with `clawperator pool init`.";
        let file = clawperator_private::open(path)
            .map_err(|error| refusal(&format!("the pool file {shown} cannot be read: {error}")).hint(hint))?;
        require_private(&file, path)?;
        let mut text = String::new();
        file.take(MOST_BYTES)
            .read_to_string(&mut text)
            .map_err(|error| refusal(&format!("the pool file {shown} cannot be read: {error}")))?;
        let parsed: Result<Self, _> = serde_json::from_str(&text);
        let mut access = parsed.map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let message =
                format!("the pool file {shown} is wrong at line {line}, column {column}: {}", safe(&error));
            refusal(&message).hint(hint).with(|details| {
                details.line = Some(line);
                details.column = Some(column);
            })
        })?;
        access
            .check()
            .map_err(|problem| refusal(&format!("the pool file {shown} is wrong: {problem}")).hint(hint))?;
        access.ca = access.ca.map(|ca| path.parent().unwrap_or(Path::new("")).join(ca));
        if let Some(ca) = access.ca.as_ref().filter(|ca| !ca.is_file()) {
            let message =
                format!("the pool file {shown} names the certificate {}, which is not there", ca.display());
            return Err(refusal(&message).hint("Copy ca.pem of pool init beside the pool file."));
        }
        Ok(access)
    }

    fn check(&self) -> Result<(), String> {
        if self.servers.is_empty() || self.tenants.is_empty() {
            return Err("it names no server or no tenant".to_owned());
        }
        // A key in an address would be shown wherever the address is.
        if self.servers.iter().any(|server| server.contains('@')) {
            return Err("an address of a server holds no user".to_owned());
        }
        #[cfg(feature = "nats")]
        self.addresses()?;
        if ![1, 3].contains(&self.replicas) {
            return Err(format!("replicas is {}; it can be 1 or 3", self.replicas));
        }
        let mut names = BTreeSet::new();
        for TenantAccess { name, seed, weight, .. } in &self.tenants {
            if *weight == 0 || !names.insert(name) {
                return Err(format!("the tenant \"{name}\" is there twice, or its weight is 0"));
            }
            check_seed(seed.as_ref())
                .ok_or_else(|| format!("the seed of the tenant \"{name}\" is not valid"))?;
        }
        let pool = self.pool.as_ref().and_then(|pool| pool.seed.as_ref());
        check_seed(pool).ok_or_else(|| "the seed of the pool is not valid".to_owned())
    }

    #[cfg(feature = "nats")]
    fn addresses(&self) -> Result<Vec<ServerAddr>, String> {
        let parse =
            |server: &String| server.parse().map_err(|_| format!("{server:?} is no address of a server"));
        self.servers.iter().map(parse).collect()
    }
}

/// Who connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connecting {
    /// It wants to know at once whether the pool is there.
    Caller,
    /// It gives phones, and waits until the broker is there.
    Host,
}

#[cfg(not(feature = "nats"))]
#[expect(clippy::unused_async, reason = "with a client it waits")]
/// Refuses: this build has no client for a broker.
pub async fn connect(_: &PoolAccess, _: Connecting) -> Result<PoolConnections, Failure> {
    Err(Failure::of(ErrorCode::PoolNotBuilt, "this build has no client for a pool's broker"))
}

/// Connects to the accounts of an access: a host to all of them, a caller to its tenant and, if it
/// runs the pool, to the pool's own. Where the role may do that, buckets that are missing are made.
///
/// # Errors
/// An account that is needed cannot be reached, or refuses its key. A host waits for all of them.
#[cfg(feature = "nats")]
pub async fn connect(access: &PoolAccess, who: Connecting) -> Result<PoolConnections, Failure> {
    let servers = access.addresses().map_err(|problem| refusal(&problem))?;
    let mut pool = None;
    if let Some(PoolKey { seed }) = &access.pool {
        pool = Some((seed, connect_one(access, &servers, seed.as_ref(), who).await?));
    }
    let mut tenants = Vec::new();
    let most = if who == Connecting::Host { usize::MAX } else { 1 };
    for tenant in access.tenants.iter().take(most) {
        let TenantAccess { name, seed, weight, running: quota } = tenant.clone();
        let account = match &pool {
            // Without keys there is only one account.
            Some((of_pool, account)) if **of_pool == seed => account.clone(),
            _ => connect_one(access, &servers, seed.as_ref(), who).await?,
        };
        tenants.push(Tenant { name, weight, quota, account });
    }
    Ok(PoolConnections { pool: pool.map(|(_, account)| account), tenants })
}

#[cfg(feature = "nats")]
async fn connect_one(
    access: &PoolAccess,
    servers: &[ServerAddr],
    seed: Option<&Seed>,
    who: Connecting,
) -> Result<Account, Failure> {
    let name = format!("clawperator {:?}", access.role).to_lowercase();
    let (api, replicas) = match access.role {
        PoolRole::Operator => (nats::API, Some(access.replicas)),
        PoolRole::Worker => (nats::API, None),
        PoolRole::Submitter => (nats::SUBMITTERS_API, None),
    };
    let keeps_trying = who == Connecting::Host;
    let (ca, seed) = (access.ca.as_deref(), seed.map(|seed| seed.0.as_str()));
    let endpoint = Endpoint { servers, ca, seed, api, name: &name, replicas, keeps_trying };
    let late = |_| Err(BrokerError::Unavailable("it took longer than 10 s".to_owned()));
    let connected = timeout(CONNECT_AGE, NatsBroker::connect(endpoint)).await.unwrap_or_else(late);
    let connected = match connected {
        Ok(broker) if !keeps_trying => prepare(&broker).await.map(|()| broker),
        connected => connected,
    };
    let broker: Arc<dyn Broker> = Arc::new(connected.map_err(|error| not_reached(access, &error))?);
    Ok(broker.into())
}

/// Makes the buckets of an account. Many copies on busy nodes take a while.
#[cfg(feature = "nats")]
async fn prepare(broker: &NatsBroker) -> Result<(), BrokerError> {
    let until = Instant::now() + PREPARE_AGE;
    loop {
        match broker.prepare().await {
            Err(BrokerError::Unavailable(_)) if Instant::now() < until => {}
            prepared => return prepared,
        }
    }
}

#[cfg(feature = "nats")]
fn not_reached(access: &PoolAccess, error: &BrokerError) -> Failure {
    let servers = access.servers.join(", ");
    let code = Failure::from(error.clone()).code;
    Failure::new(code, format!("the pool at {servers} cannot be used: {error}"))
        .hint("See that nats-server runs there with JetStream, and that the pool file is the newest one.")
}

pub(crate) fn refusal(message: &str) -> Failure {
    Failure::of(ErrorCode::Usage, message)
}

/// What the JSON reader says, where it cannot hold a value of the file.
fn safe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    if error.is_data() && !text.starts_with("unknown field") && !text.starts_with("missing field") {
        return "a value there is not of the right kind".to_owned();
    }
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn check_seed(seed: Option<&Seed>) -> Option<()> {
    let Some(Seed(seed)) = seed else { return Some(()) };
    #[cfg(feature = "nats")]
    return nkeys::KeyPair::from_seed(seed).ok().map(|_| ());
    #[cfg(not(feature = "nats"))]
    seed.starts_with("SU").then_some(())
}

fn require_private(file: &std::fs::File, path: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let is_private = file.metadata().is_ok_and(|metadata| metadata.mode() & 0o077 == 0);
        if !is_private {
            let shown = path.display();
            return Err(refusal(&format!("the pool file {shown} can be read by others than its owner"))
                .hint(format!("Run `chmod 600 {shown}`.")));
        }
    }
    Ok(())
}

const fn one() -> u8 {
    1
}

impl From<String> for Seed {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Seed(hidden)")
    }
}
