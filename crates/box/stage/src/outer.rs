//! The process that starts a stage and outlives it: what listens is made here, before the
//! namespaces, and here is the way from the stand-ins to the simulated phone.

use crate::namespace::ENTER;
use std::fs::{DirBuilder, remove_dir_all};
use std::io::{self, BufRead, BufReader, Error, Read};
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use tokio::net::TcpStream;

/// The socket of the stand-ins, in the folder of a stage.
pub(crate) const PHONE: &str = "phone";

/// Starts a stage with these packages and of this kind before the phone at an address, says where
/// it listens, and ends with the standard input.
pub(crate) fn run((packages, kind): (&str, &[&str]), phone: &str, listen: &str) -> io::Result<()> {
    let phone: SocketAddr = phone.parse().map_err(Error::other)?;
    let listener = TcpListener::bind(listen)?;
    let address = listener.local_addr()?;
    let folder = std::env::temp_dir().join(format!("clawperator-stage-{}", std::process::id()));
    // A stage of the same number may have been killed.
    let _ = remove_dir_all(&folder);
    DirBuilder::new().mode(0o700).create(&folder)?;
    let standins = UnixListener::bind(folder.join(PHONE))?;
    // When this process ends, the other side of the pair hears of it.
    let (ours, its) = UnixStream::pair()?;
    Command::new(std::env::current_exe()?)
        .arg(ENTER)
        .arg(&folder)
        .arg(packages)
        .args(kind)
        .stdin(OwnedFd::from(listener))
        .stdout(OwnedFd::from(its))
        .stderr(Stdio::inherit())
        .spawn()?;
    let mut said = String::new();
    BufReader::new(&ours).read_line(&mut said)?;
    if said.is_empty() {
        return Err(Error::other("the stage did not open"));
    }
    println!("{address}");
    std::thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(0);
    });
    std::thread::spawn(move || {
        let _ = (&ours).read(&mut [0]);
        eprintln!("clawperator-stage: adbd has ended");
        std::process::exit(1);
    });
    pass_on(standins, phone)
}

/// Carries each connection of a stand-in to the simulated phone.
fn pass_on(standins: UnixListener, phone: SocketAddr) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        standins.set_nonblocking(true)?;
        let standins = tokio::net::UnixListener::from_std(standins)?;
        loop {
            let (mut standin, _) = standins.accept().await?;
            tokio::spawn(async move {
                let mut phone = TcpStream::connect(phone).await?;
                phone.set_nodelay(true)?;
                // What one of them breaks off, the other hears of.
                tokio::io::copy_bidirectional(&mut standin, &mut phone).await
            });
        }
    })
}
