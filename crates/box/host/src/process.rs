//! The process that phones run in: serves each over adb and answers questions
//! about them, until a user ends it or stops using them.

mod answer;

use super::limits::{EMULATOR_PORTS, PORT_TRIES};
use super::registry::{ProcessEntry, Registry};
use super::start::{StartOptions, time_name};
use super::{SimError, app_file};
use answer::{PhoneHost, PhoneSlot};
use clawperator_background::control::ControlDesk;
use clawperator_background::{Life, ProcessFiles};
use clawperator_sim::{Handset, Setup, Welcome, serve};
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::Builder;
use tokio::sync::Notify;

/// What a process needs from outside.
#[derive(Debug)]
pub struct Outside<'a> {
    pub now_ms: u64,
    /// What only the owner knows.
    pub secret: u128,
    pub registry: &'a Registry,
}

/// Runs phones until they end. Calls `ready` once they can be used.
pub fn run(
    options: &StartOptions,
    outside: &Outside<'_>,
    ready: impl FnOnce(&ProcessEntry) -> io::Result<()>,
) -> Result<(), SimError> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(SimError::Spawn)?;
    let life = runtime.block_on(async {
        let OpenHost { host, desk, life } = PhoneHost::open(options, outside)?;
        let entry = host.entry.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // The process that started us may have left; the phone is there all the same.
        let _ = ready(&entry);
        let asked = Arc::clone(&host);
        let closed = async {
            tokio::select! {
                () = host.end.notified() => {}
                () = host.unused(options.idle()) => {}
            }
        };
        desk.serve(move |request| answer::answer(&asked, request), closed).await;
        Ok::<_, SimError>(life)
    });
    // A host that is still connected hears that the connection is closed.
    runtime.shutdown_timeout(Duration::from_millis(100));
    // Last: who waits for our end sees nothing of us any more.
    life?.end();
    Ok(())
}

/// Phones that are switched on, where they are asked for, and the proof that their process lives.
struct OpenHost {
    host: Arc<PhoneHost>,
    desk: ControlDesk,
    life: Life,
}

impl PhoneHost {
    /// Switches the phones on and lists them.
    fn open(options: &StartOptions, outside: &Outside<'_>) -> Result<OpenHost, SimError> {
        let apps =
            options.apps.as_deref().map_or(Ok(Vec::new()), app_file::read_all).map_err(SimError::Apps)?;
        let listeners = listeners(options)?;
        let ports: Vec<_> = listeners.iter().map(port_of).collect::<Result<_, _>>()?;
        let desk = ControlDesk::open(outside.secret).map_err(|error| SimError::Port { port: 0, error })?;
        let entry = ProcessEntry {
            address: desk.address.clone(),
            started_ms: outside.now_ms,
            seed: options.seed,
            latency: options.latency.word().to_owned(),
            time: time_name(options.time).to_owned(),
            phones: Vec::new(),
            files: ProcessFiles::default(),
        };
        let (entry, life) = outside.registry.claim(entry, &ports)?;
        let mut slots = Vec::new();
        for (phone, listener) in entry.phones.iter().zip(listeners) {
            let handset = Handset::new(Setup {
                serial: phone.device_serial(),
                time: options.time,
                seed: phone.seed,
                latency: options.latency,
                faults: options.faults.clone(),
                apps: apps.clone(),
                ..Setup::default()
            });
            let welcome = Welcome { keys: options.keys, ..Welcome::default() };
            let listener = tokio::net::TcpListener::from_std(listener).map_err(SimError::Spawn)?;
            let serving = tokio::spawn(serve(Arc::clone(&handset), listener, welcome));
            slots.push(PhoneSlot { phone: phone.clone(), handset, serving: serving.abort_handle() });
        }
        let host = Self {
            slots: Mutex::new(slots),
            entry: Mutex::new(entry),
            registry: outside.registry.clone(),
            asked: Mutex::new(Instant::now()),
            end: Notify::new(),
        };
        let host = Arc::new(host);
        Ok(OpenHost { host, desk, life })
    }
}

fn listen(port: u16) -> Result<TcpListener, SimError> {
    let bind = || {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    };
    bind().map_err(|error| SimError::Port { port, error })
}

fn port_of(listener: &TcpListener) -> Result<u16, SimError> {
    let address = listener.local_addr();
    address.map(|address| address.port()).map_err(|error| SimError::Port { port: 0, error })
}

fn listeners(options: &StartOptions) -> Result<Vec<TcpListener>, SimError> {
    if options.port > 0 {
        // Up to the last port there is: one step beyond it is no port.
        let ports = options.port..=u16::MAX;
        return ports.take(options.count.into()).map(listen).collect();
    }
    let mut found = Vec::new();
    // Kept until the end, or the system would offer them again.
    let mut unwanted = Vec::new();
    while found.len() < usize::from(options.count) {
        let listener = listen(0)?;
        let port = port_of(&listener)?;
        if !EMULATOR_PORTS.contains(&port) {
            found.push(listener);
        } else if unwanted.len() < PORT_TRIES {
            unwanted.push(listener);
        } else {
            let error = io::Error::from(io::ErrorKind::AddrInUse);
            return Err(SimError::Port { port, error });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ports_can_be_asked_for() {
        for (port, count, wanted) in
            [(65535, 1, &[65535][..]), (65533, 3, &[65533, 65534, 65535]), (65534, 2, &[65534, 65535])]
        {
            let options = StartOptions { port, count, ..StartOptions::plain(1) };
            match listeners(&options) {
                Ok(found) => {
                    let ports: Vec<_> = found.iter().map(|one| port_of(one).unwrap()).collect();
                    assert_eq!(ports, wanted);
                }
                // Somebody else on this machine may have one of them.
                Err(SimError::Port { port, error }) => {
                    assert!(wanted.contains(&port), "{port}");
                    assert_eq!(error.kind(), io::ErrorKind::AddrInUse, "{error}");
                }
                Err(other) => assert!(matches!(other, SimError::Port { .. }), "{other}"),
            }
        }
    }
}
