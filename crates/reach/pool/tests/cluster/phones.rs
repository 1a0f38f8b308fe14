//! The process with the phones: they outlive every host, and write down each tap that
//! happened. It does what lines on its input say.

use crate::process::Process;
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, serve};
use clawperator_userland::{Actor, Identity, Machine as _};
use serde::{Deserialize, Serialize};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Where a phone holds the tokens of leases; the last name is the newest.
const TOKENS: &str = "/data/local/tmp/clawperator-fence";

/// A tap that happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Tap {
    pub(crate) phone: usize,
    pub(crate) x: i32,
    pub(crate) y: i32,
    /// When, in microseconds since 1970.
    pub(crate) at_us: u64,
    /// The newest token that the phone held then.
    pub(crate) token: Option<String>,
}

/// The process with the phones, as the test sees it.
#[derive(Debug)]
pub(crate) struct PhoneProcess {
    _process: Process,
    lines: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    pub(crate) ports: Vec<u16>,
}

impl PhoneProcess {
    /// Starts so many phones.
    pub(crate) fn start(number: usize) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["phones", &number.to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Process::start(&mut command);
        let (input, output) = (process.0.stdin.take().unwrap(), process.0.stdout.take().unwrap());
        let lines = Mutex::new((input, BufReader::new(output)));
        let mut phones = Self { _process: process, lines, ports: Vec::new() };
        phones.ports = serde_json::from_str(&phones.ask("ports")).unwrap();
        phones
    }

    fn ask(&self, line: &str) -> String {
        let mut lines = self.lines.lock().unwrap();
        writeln!(lines.0, "{line}").unwrap();
        let mut answer = String::new();
        lines.1.read_line(&mut answer).unwrap();
        answer
    }

    /// Takes a phone away from all hosts.
    pub(crate) fn take_away(&self, phone: usize) {
        self.ask(&format!("away {phone}"));
    }

    pub(crate) fn bring_back(&self, phone: usize) {
        self.ask(&format!("back {phone}"));
    }

    /// Every tap that happened, in its order.
    pub(crate) fn taps(&self) -> Vec<Tap> {
        serde_json::from_str(&self.ask("taps")).unwrap()
    }
}

/// A phone and what serves it.
struct ServedPhone {
    handset: Arc<Handset>,
    port: u16,
    serving: Option<JoinHandle<()>>,
}

/// The process: `phones NUMBER`.
pub(crate) async fn run(number: usize) {
    let taps: Arc<Mutex<Vec<Tap>>> = Arc::default();
    let mut phones = Vec::new();
    for phone in 0..number {
        let handset = Handset::new(Setup { serial: format!("SIM{phone}"), ..Setup::default() });
        let (weak, taps) = (Arc::downgrade(&handset), taps.clone());
        handset.on_tap(move |at| {
            let token = weak.upgrade().and_then(|handset| newest_token(&handset));
            taps.lock().unwrap().push(Tap { phone, x: at.x, y: at.y, at_us: now_us(), token });
        });
        phones.push(ServedPhone { handset, port: 0, serving: None });
    }
    for phone in &mut phones {
        phone.serve().await;
    }
    // Reading a line blocks. When the test is gone, the input ends.
    let (sender, mut lines) = tokio::sync::mpsc::channel(1);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    while let Some(line) = lines.recv().await {
        let (word, rest) = line.split_once(' ').unwrap_or((&line, "0"));
        let phone = rest.parse().ok().and_then(|number: usize| phones.get_mut(number));
        match (word, phone) {
            ("away", Some(phone)) => phone.serving.take().iter().for_each(JoinHandle::abort),
            ("back", Some(phone)) => phone.serve().await,
            _ => {}
        }
        println!(
            "{}",
            match word {
                "ports" => {
                    serde_json::to_string(&phones.iter().map(|phone| phone.port).collect::<Vec<_>>()).unwrap()
                }
                "taps" => serde_json::to_string(&*taps.lock().unwrap()).unwrap(),
                _ => String::new(),
            }
        );
    }
}

impl ServedPhone {
    /// Serves it at its port, or at a free one for the first time.
    async fn serve(&mut self) {
        let listener = loop {
            match TcpListener::bind(("127.0.0.1", self.port)).await {
                Ok(listener) => break listener,
                // The one before is about to end.
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        self.port = listener.local_addr().unwrap().port();
        let welcome = Welcome { keys: HostKeys::NotAsked, ..Welcome::default() };
        self.serving = Some(tokio::spawn(serve(self.handset.clone(), listener, welcome)));
    }
}

/// The time of this machine, in microseconds since 1970.
pub(crate) fn now_us() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_micros()).unwrap()
}

fn newest_token(handset: &Handset) -> Option<String> {
    let root = Identity::root();
    let actor = Actor { who: &root, umask: 0, now: Duration::ZERO };
    let listed = handset.kernel().files.with(|files| files.list(&actor, TOKENS));
    listed.ok()?.into_iter().map(|file| file.name).max()
}
