//! The first process inside: it mounts the stage, starts adbd as the phone's shell user, and
//! carries connections to it. When it ends, the kernel ends all that runs on the stage.

use crate::root;
use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};
use rustix::thread::{CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities};
use std::io::{self, Error, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::net::TcpStream;

/// The argument that makes a program this process.
pub(crate) const FIRST: &str = "first";
/// Where every adbd for Linux listens.
const ADBD: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 5555);
/// How long adbd gets to listen.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is asked meanwhile.
const PAUSE: Duration = Duration::from_millis(3);

/// Opens the stage in a folder, and stays until the outer process ends or adbd does.
pub(crate) fn run(folder: &str, rest: &[&str]) -> io::Result<()> {
    let [packages, kind @ ..] = rest else {
        return Err(Error::other("no packages"));
    };
    let listener = TcpListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    let mut outer = UnixStream::from(io::stdout().as_fd().try_clone_to_owned()?);
    root::mount(folder, packages, kind)?;
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    start_adbd()?;
    std::thread::spawn(|| {
        // Every orphan becomes a child of this process; the last one is adbd.
        while matches!(wait(WaitOptions::empty()), Ok(_) | Err(Errno::INTR)) {}
        std::process::exit(1);
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        drop(tokio::time::timeout(PATIENCE, adbd()).await.map_err(|_| Error::other("adbd does not listen"))?);
        outer.write_all(b"open\n")?;
        std::thread::spawn(move || {
            let _ = outer.read(&mut [0]);
            std::process::exit(0);
        });
        carry(listener).await
    })
}

/// Starts adbd with what the first process of a phone gives it.
fn start_adbd() -> io::Result<()> {
    rustix::process::umask(rustix::fs::Mode::empty());
    let null = || std::fs::File::options().read(true).write(true).open("/dev/null").map(OwnedFd::from);
    let log = if std::env::var_os("STAGE_LOG").is_some() { Stdio::inherit() } else { Stdio::from(null()?) };
    // The shell takes it out again.
    let libraries = format!("/opt/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    // A signal that a shell in the background has us ignore would be ignored by all that adbd starts.
    Command::new("/usr/bin/env")
        .args(["--default-signal", root::ADBD])
        .env_clear()
        .envs(root::ENVIRONMENT)
        .env("LD_LIBRARY_PATH", format!("{libraries}/android:{libraries}"))
        .current_dir("/")
        .stdin(null()?)
        .stdout(null()?)
        .stderr(log)
        .spawn()?;
    Ok(())
}

/// A connection to adbd, as soon as it listens.
async fn adbd() -> TcpStream {
    loop {
        match TcpStream::connect(ADBD).await {
            Ok(socket) => return socket,
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Carries what comes in from outside to adbd: what listens keeps the network it was made in.
async fn carry(listener: TcpListener) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (mut host, _) = listener.accept().await?;
        tokio::spawn(async move {
            let mut phone = adbd().await;
            host.set_nodelay(true)?;
            phone.set_nodelay(true)?;
            tokio::io::copy_bidirectional(&mut host, &mut phone).await
        });
    }
}
