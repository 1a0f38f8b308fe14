//! All of it on one machine: nodes, phones, hosts, and the network between.

use crate::host::{HostPhone, HostSetup, connect_to};
use crate::nodes::{NODES, Nodes};
use crate::phones::PhoneProcess;
use crate::process::Process;
use crate::proxy::Proxy;
use clawperator_pool::Caller;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How many hosts there are.
pub(crate) const HOSTS: usize = 3;

/// How a farm is made.
#[derive(Clone, Debug)]
pub(crate) struct FarmSetup {
    pub(crate) program: PathBuf,
    pub(crate) phones: usize,
    /// Every so many-th phone is reached by two hosts; none, if it is 0.
    pub(crate) shared: usize,
}

/// A phone of the farm.
#[derive(Clone, Debug)]
pub(crate) struct FarmPhone {
    pub(crate) address: String,
    /// The hosts that reach it.
    pub(crate) hosts: Vec<usize>,
    pub(crate) class: &'static str,
}

/// Everything that runs. It all ends with this.
#[derive(Debug)]
pub(crate) struct Farm {
    pub(crate) nodes: Nodes,
    pub(crate) phones: PhoneProcess,
    pub(crate) plan: Vec<FarmPhone>,
    pub(crate) proxies: Vec<Proxy>,
    hosts: [Mutex<Option<Process>>; HOSTS],
    folder: FarmFolder,
}

/// A folder that goes with its farm, unless something was wrong.
#[derive(Debug)]
struct FarmFolder {
    path: PathBuf,
    is_kept: Mutex<bool>,
}

impl Drop for FarmFolder {
    fn drop(&mut self) {
        if !*self.is_kept.lock().unwrap() {
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

/// The name of a host.
pub(crate) fn host_name(host: usize) -> String {
    format!("host-{host}")
}

impl Farm {
    /// Starts the nodes and the phones; hosts are started one by one.
    pub(crate) async fn start(setup: &FarmSetup) -> Self {
        let path = std::env::temp_dir().join(format!("clawperator-cluster-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        let nodes = Nodes::start(&setup.program, &path);
        let phones = PhoneProcess::start(setup.phones);
        let plan = phones.ports.iter().enumerate().map(|(number, port)| {
            let owner = number % HOSTS;
            let is_shared = setup.shared > 0 && number % setup.shared == 0;
            let second = is_shared.then_some((owner + 1) % HOSTS);
            FarmPhone {
                address: format!("127.0.0.1:{port}"),
                hosts: [owner].into_iter().chain(second).collect(),
                class: if number % 2 == 0 { "even" } else { "odd" },
            }
        });
        let plan = plan.collect();
        nodes.answer().await;
        let ports: Vec<u16> = (0..NODES).map(|node| nodes.port(node)).collect();
        let mut proxies = Vec::new();
        for _ in 0..HOSTS {
            proxies.push(Proxy::open(&ports).await);
        }
        let folder = FarmFolder { path, is_kept: Mutex::new(false) };
        Self { nodes, phones, plan, proxies, hosts: Default::default(), folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder.path
    }

    /// Keeps its files, for people.
    pub(crate) fn keep_files(&self) {
        *self.folder.is_kept.lock().unwrap() = true;
    }

    fn host(&self, host: usize) -> MutexGuard<'_, Option<Process>> {
        self.hosts[host].lock().unwrap()
    }

    /// What a host is started with.
    pub(crate) fn host_setup(&self, host: usize) -> HostSetup {
        let own = self.plan.iter().enumerate().filter(|(_, phone)| phone.hosts.contains(&host));
        let phones = own.map(|(number, phone)| HostPhone {
            address: phone.address.clone(),
            classes: vec![phone.class.to_owned()],
            hardware: (phone.hosts.len() > 1).then(|| format!("SIM{number}")),
        });
        HostSetup {
            host: host_name(host),
            folder: self.folder().join(host_name(host)),
            pool: self.proxies[host].url(),
            phones: phones.collect(),
            probes: true,
        }
    }

    /// Starts a host that does not run. It has the files of the one before.
    pub(crate) fn launch(&self, host: usize, setup: &HostSetup) {
        let file = self.folder().join(format!("{}.json", setup.host));
        std::fs::write(&file, serde_json::to_vec(setup).unwrap()).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        let errors = self.folder().join(format!("{}.errors", setup.host));
        let errors = std::fs::OpenOptions::new().create(true).append(true).open(errors).unwrap();
        command.arg("worker").arg(file).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(errors);
        *self.host(host) = Some(Process::start(&mut command));
    }

    /// Ends a host as with `kill -9`.
    pub(crate) fn kill(&self, host: usize) {
        drop(self.host(host).take());
    }

    pub(crate) fn stop(&self, host: usize) {
        self.host(host).iter().for_each(Process::stop);
    }

    pub(crate) fn go_on(&self, host: usize) {
        self.host(host).iter().for_each(Process::go_on);
    }

    /// Whether a host has ended by itself, or does not run.
    pub(crate) fn has_ended(&self, host: usize) -> bool {
        self.host(host).as_mut().is_none_or(Process::has_ended)
    }

    pub(crate) fn resident_mb(&self, host: usize) -> Option<f64> {
        self.host(host).as_ref()?.resident_mb()
    }

    /// A caller that is connected to the nodes themselves.
    pub(crate) async fn caller(&self) -> Caller {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            match connect_to(&self.nodes.url()).await {
                Ok(mut connected) => {
                    return Caller { account: connected.tenants.remove(0).account, seal: None, pool: None };
                }
                // A cluster takes a while until it has a leader.
                Err(failure) => assert!(Instant::now() < until, "no broker: {}", failure.message),
            }
            sleep(Duration::from_millis(200)).await;
        }
    }
}
