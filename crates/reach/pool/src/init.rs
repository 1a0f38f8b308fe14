//! What `clawperator pool init` writes: the configuration of each broker node with its
//! certificate, and the pool files of those who may connect. Every tenant has an account of
//! its own, in which another tenant sees nothing. The texts follow from the plan and from
//! random bytes alone.

use crate::access::{PoolAccess, PoolKey, PoolRole, TenantAccess, refusal};
use crate::broker::Bucket;
use crate::broker::nats::{API, FEEDS, INBOXES, SUBMITTERS_API};
use crate::seal::SealKey;
use clawperator_contract::{ErrorCode, Failure};
use clawperator_private::Concurrency;
use crypto_box::aead::OsRng;
use crypto_box::aead::rand_core::RngCore as _;
use nkeys::{KeyPair, KeyPairType};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyUsagePurpose,
};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

const PORT: u16 = 4222;
/// How far above it the port is that the nodes use among each other.
const ROUTE: u16 = 2000;
/// What stands before the 32 bytes of an Ed25519 key in PKCS #8.
const PKCS8: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// What a pool is to be.
#[derive(Clone, Debug)]
pub struct PoolPlan {
    pub tenants: Vec<String>,
    /// The places of the nodes, each as `HOST` or `HOST:PORT`: one, or three that hold three copies
    /// of everything.
    pub nodes: Vec<String>,
    /// Whether a node has its disk confirm each write before it answers. It needs version 2.10 of the
    /// server; by itself that does so every two minutes.
    pub sync_always: bool,
    /// How much a tenant may store, without copies.
    pub tenant_megabytes: u32,
}

/// A file that is to be written, by its name in the folder. Debug output hides its text.
#[derive(Clone, PartialEq, Eq)]
pub struct PoolFile {
    pub path: PathBuf,
    pub text: String,
}

/// Where the random bytes come from.
pub type RandomBytes<'r> = &'r mut dyn FnMut() -> [u8; 32];

/// Random bytes of the system.
pub fn system_random() -> [u8; 32] {
    let mut bytes = [0; 32];
    OsRng.fill_bytes(&mut bytes);
    bytes
}

/// All files of a new pool.
///
/// # Errors
/// The plan cannot be: a name that is not valid, or a wrong number of nodes.
pub fn files(plan: &PoolPlan, random: RandomBytes<'_>) -> Result<Vec<PoolFile>, Failure> {
    let nodes = nodes(plan)?;
    let mut accounts = vec![account("POOL", &[PoolRole::Worker, PoolRole::Operator], random)?];
    for tenant in &plan.tenants {
        let roles = [PoolRole::Worker, PoolRole::Operator, PoolRole::Submitter];
        accounts.push(account(&format!("T-{tenant}"), &roles, random)?);
    }
    let mut files = certificates(&nodes, random).map_err(|error| refusal(&error.to_string()))?;
    for node in &nodes {
        files.push(file(&format!("{}.conf", node.name), node_text(plan, node, &nodes, &accounts)));
    }
    files.extend(pool_files(plan, (&nodes, &accounts), &SealKey::from_bytes(random()))?);
    Ok(files)
}

/// Writes the files so that only their owner can read them.
///
/// # Errors
/// One of them is there already: its keys may be in use. Or the disk fails.
pub fn write(folder: &Path, files: &[PoolFile]) -> Result<(), Failure> {
    let failed = |path: &Path, error: &dyn fmt::Display| {
        Failure::of(ErrorCode::FileWriteFailed, format!("{} cannot be written: {error}", path.display()))
    };
    if let Some(there) = files.iter().map(|file| folder.join(&file.path)).find(|path| path.exists()) {
        return Err(failed(&there, &"it is there already").hint("Name a new folder: its keys may be in use."));
    }
    clawperator_private::folder(folder).map_err(|error| failed(folder, &error))?;
    for file in files {
        let path = folder.join(&file.path);
        clawperator_private::replace(&path, file.text.as_bytes(), Concurrency::Processes)
            .map_err(|error| failed(&path, &error))?;
    }
    Ok(())
}

struct Node {
    name: String,
    host: String,
    port: u16,
}

pub(crate) struct Account {
    name: String,
    pub(crate) keys: Vec<(PoolRole, UserKey)>,
}

pub(crate) struct UserKey {
    pub(crate) public: String,
    seed: String,
}

impl Account {
    pub(crate) fn seed(&self, role: PoolRole) -> Option<String> {
        self.keys.iter().find(|(its, _)| *its == role).map(|(_, key)| key.seed.clone())
    }
}

impl fmt::Debug for PoolFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PoolFile({})", self.path.display())
    }
}

fn file(path: &str, text: String) -> PoolFile {
    PoolFile { path: path.into(), text }
}

fn nodes(plan: &PoolPlan) -> Result<Vec<Node>, Failure> {
    let is_name = |name: &String| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (1..=40).contains(&name.len()) && name.bytes().all(is_plain)
    };
    let names: BTreeSet<_> = plan.tenants.iter().filter(|name| is_name(name)).collect();
    if names.is_empty() || names.len() != plan.tenants.len() {
        return Err(refusal("a pool has tenants, each with a name of its own of a-z, 0-9 and -"));
    }
    let places: BTreeSet<_> = plan.nodes.iter().map(|place| place.to_ascii_lowercase()).collect();
    if ![1, 3].contains(&places.len()) || places.len() != plan.nodes.len() {
        return Err(refusal("a pool has 1 or 3 nodes, each at a place of its own"));
    }
    let node = |(at, place): (usize, &String)| {
        let (host, port) = place
            .split_once(':')
            .map_or((place.as_str(), Some(PORT)), |(host, port)| (host, port.parse().ok()));
        let is_host = !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
        let port = port.filter(|port| *port < u16::MAX - ROUTE)?;
        is_host.then(|| Node { name: format!("node-{}", at + 1), host: host.to_owned(), port })
    };
    let nodes: Option<Vec<Node>> = plan.nodes.iter().enumerate().map(node).collect();
    nodes.ok_or_else(|| refusal("a host is a name or an IPv4 address, with a port or without one"))
}

pub(crate) fn account(name: &str, roles: &[PoolRole], random: RandomBytes<'_>) -> Result<Account, Failure> {
    let mut keys = Vec::new();
    for role in roles {
        let pair = KeyPair::new_from_raw(KeyPairType::User, random());
        let key = pair.and_then(|pair| Ok(UserKey { public: pair.public_key(), seed: pair.seed()? }));
        keys.push((*role, key.map_err(|error| refusal(&format!("no key could be made: {error}")))?));
    }
    Ok(Account { name: name.to_owned(), keys })
}

/// A certificate for each node, and the one that they are signed with. The key of that one
/// is thrown away: who wants another node makes the pool anew.
fn certificates(nodes: &[Node], random: RandomBytes<'_>) -> Result<Vec<PoolFile>, rcgen::Error> {
    let mut key = || rcgen::KeyPair::try_from([PKCS8.as_slice(), &random()].concat());
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "clawperator pool");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    let root_key = key()?;
    let mut files = vec![file("ca.pem", params.self_signed(&root_key)?.pem())];
    let issuer = Issuer::new(params, root_key);
    for node in nodes {
        let mut params = CertificateParams::new(vec![node.host.clone()])?;
        params.distinguished_name.push(DnType::CommonName, node.name.clone());
        // Among each other, nodes are clients, too.
        params.extended_key_usages =
            vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = key()?;
        files.push(file(&format!("{}.pem", node.name), params.signed_by(&key, &issuer)?.pem()));
        files.push(file(&format!("{}.key", node.name), key.serialize_pem()));
    }
    Ok(files)
}

fn node_text(plan: &PoolPlan, node: &Node, nodes: &[Node], accounts: &[Account]) -> String {
    let Node { name, port, .. } = node;
    let tls = format!("cert_file: \"{name}.pem\", key_file: \"{name}.key\", ca_file: \"ca.pem\"");
    let sync = if plan.sync_always {
        "\n  # Version 2.9 does not know this, and does not start with it.\n  sync_interval: always"
    } else {
        ""
    };
    let mut text = format!(
        "# Written by `clawperator pool init`. Start it in this folder: nats-server -c {name}.conf\n\
         # Only public keys are in here.\n\
         server_name: \"{name}\"\n\
         listen: \"0.0.0.0:{port}\"\n\
         tls: {{ {tls} }}\n\
         jetstream: {{\n  store_dir: \"{name}-data\"{sync}\n}}\n"
    );
    if nodes.len() > 1 {
        let routes = nodes.iter().map(|node| format!("\"tls://{}:{}\"", node.host, node.port + ROUTE));
        let routes: Vec<_> = routes.collect();
        text.push_str(
            &format!(
                "cluster: {{\n  name: \"clawperator\"\n  listen: \"0.0.0.0:{}\"\n  tls: {{ {tls}, verify: true }}\n  \
             routes: [{}]\n}}\n",
                port + ROUTE,
                routes.join(", ")
            ),
        );
    }
    text.push_str("accounts: {\n");
    for account in accounts {
        text.push_str(&account_text(account, u64::from(plan.tenant_megabytes) * nodes.len() as u64));
    }
    text + "}\n"
}

/// An account, and beside it the one of its submitters. They have their own because a server
/// publishes its answers wherever the asker says: there, no bucket and no request is reached.
fn account_text(account: &Account, megabytes: u64) -> String {
    let Account { name, keys } = account;
    let (submitters, others): (Vec<_>, Vec<_>) =
        keys.iter().partition(|(role, _)| *role == PoolRole::Submitter);
    let users = |keys: &[&(PoolRole, UserKey)]| {
        let user = |(role, key): &&(PoolRole, UserKey)| {
            format!("      {{ nkey: \"{}\"{} }}\n", key.public, permissions(*role))
        };
        format!("    users: [\n{}    ]\n", keys.iter().map(user).collect::<String>())
    };
    let mut text = format!(
        "  \"{name}\": {{\n    jetstream: {{ max_file: {megabytes}MB, max_streams: {}, max_consumers: 1024 }}\n{}",
        Bucket::ALL.len(),
        users(&others)
    );
    if !submitters.is_empty() {
        let asked = allowed(PoolRole::Submitter);
        let of = |kind: &str, subject: &str| {
            let to = subject.replace(API, SUBMITTERS_API);
            (
                format!("{{ {kind}: \"{subject}\", accounts: [\"{name}-S\"] }}"),
                format!("{{ {kind}: {{ account: \"{name}\", subject: \"{subject}\" }}, to: \"{to}\" }}"),
            )
        };
        let pairs =
            asked.iter().map(|subject| of("service", subject)).chain([of("stream", &format!("{FEEDS}.>"))]);
        let (exports, imports): (Vec<_>, Vec<_>) = pairs.unzip();
        text.push_str(&format!("    exports: [{}]\n  }}\n", exports.join(", ")));
        text.push_str(&format!(
            "  \"{name}-S\": {{\n{}    imports: [{}]\n",
            users(&submitters),
            imports.join(", ")
        ));
    }
    text + "  }\n"
}

/// What a role may publish to. It is a list of what is allowed: the rest is not.
fn allowed(role: PoolRole) -> Vec<String> {
    let is_callers = |bucket: &Bucket| matches!(bucket, Bucket::Jobs | Bucket::Orders | Bucket::Wishes);
    let api: &[&str] = match role {
        PoolRole::Operator => return vec![">".to_owned()],
        PoolRole::Worker => &[
            "$JS.ACK.>",
            "$JS.API.STREAM.MSG.DELETE.*",
            "$JS.API.CONSUMER.DURABLE.CREATE.*.*",
            "$JS.API.CONSUMER.MSG.NEXT.*.*",
        ],
        PoolRole::Submitter => &[],
    };
    // Consumers are made without names, and so without durable ones.
    let both = ["$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*", "$JS.API.CONSUMER.CREATE.*", "$JS.FC.>"];
    let buckets = Bucket::ALL.iter().filter(|bucket| is_callers(bucket) == (role == PoolRole::Submitter));
    let buckets = buckets.map(|bucket| format!("cw.{}.>", bucket.word()));
    buckets.chain(both.iter().chain(api).map(|subject| (*subject).to_owned())).collect()
}

fn permissions(role: PoolRole) -> String {
    let allowed = allowed(role).join("\", \"");
    let allowed = match role {
        PoolRole::Operator => return String::new(),
        PoolRole::Worker => allowed,
        PoolRole::Submitter => allowed.replace(API, SUBMITTERS_API),
    };
    format!(", permissions: {{ publish: [\"{allowed}\"], subscribe: [\"{INBOXES}.>\", \"{FEEDS}.>\"] }}")
}

fn pool_files(
    plan: &PoolPlan,
    (nodes, accounts): (&[Node], &[Account]),
    seal_key: &SealKey,
) -> Result<Vec<PoolFile>, Failure> {
    let text = |role: PoolRole, only: Option<&str>| {
        let seed = |account: &Account| account.seed(role).map(Into::into);
        let tenants = plan.tenants.iter().zip(accounts.iter().skip(1));
        let tenants = tenants.filter(|(name, _)| only.is_none_or(|only| only == *name));
        let tenants = tenants.map(|(name, account)| Ok(TenantAccess::new(name.parse()?, seed(account))));
        let servers = nodes.iter().map(|node| format!("nats://{}:{}", node.host, node.port)).collect();
        let access = PoolAccess {
            ca: Some("ca.pem".into()),
            replicas: if nodes.len() > 1 { 3 } else { 1 },
            pool: accounts.first().and_then(seed).map(|seed| PoolKey { seed: Some(seed) }),
            tenants: tenants.collect::<Result<_, Failure>>()?,
            seal_for: Some(seal_key.lock()),
            seal_key: (role == PoolRole::Worker).then(|| seal_key.clone()),
            ..PoolAccess::new(servers, role)
        };
        serde_json::to_string_pretty(&access)
            .map(|text| text + "\n")
            .map_err(|error| refusal(&error.to_string()))
    };
    let mut files = vec![
        file("worker.json", text(PoolRole::Worker, None)?),
        file("operator.json", text(PoolRole::Operator, None)?),
    ];
    for tenant in &plan.tenants {
        files.push(file(&format!("submitter-{tenant}.json"), text(PoolRole::Submitter, Some(tenant))?));
    }
    Ok(files)
}
