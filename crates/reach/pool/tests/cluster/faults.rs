//! What goes wrong, from a seed: hosts, nodes, the network between them, and phones, each on
//! its own, until a time. At the end everything runs again.

use crate::farm::{Farm, HOSTS};
use crate::nodes::{NODES, leader};
use crate::proxy::Weather;
use crate::random::Random;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// A phone that is lost more often within ten minutes is quarantined.
const MOST_LOSSES: usize = 2;

/// A test with more time for faults is a long one.
const LONG: Duration = Duration::from_secs(300);

/// What went wrong, and how often.
#[derive(Debug)]
pub(crate) struct FaultLog {
    began: Instant,
    seed: u64,
    /// When it gets better.
    until: Instant,
    counts: Mutex<BTreeMap<&'static str, usize>>,
    lines: Mutex<Vec<String>>,
}

impl FaultLog {
    pub(crate) fn new(seed: u64, time: Duration) -> Self {
        let began = Instant::now();
        let (counts, lines) = (Mutex::default(), Mutex::default());
        Self { began, seed, until: began + time, counts, lines }
    }

    fn note(&self, what: &'static str, on: impl std::fmt::Display) {
        *self.counts.lock().unwrap().entry(what).or_default() += 1;
        let at = self.began.elapsed().as_secs_f64();
        self.lines.lock().unwrap().push(format!("{at:7.1} s: {what}: {on}"));
    }

    pub(crate) fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.counts.lock().unwrap().clone()
    }

    pub(crate) fn lines(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    /// Waits, but not for longer than there are faults.
    async fn pause(&self, time: Duration) {
        sleep_until((Instant::now() + time).min(self.until)).await;
    }

    /// Waits between two faults: longer in a long test, so that jobs are also done.
    async fn rest(&self, time: Duration) {
        let is_long = self.until.duration_since(self.began) > LONG;
        self.pause(if is_long { 2 * time } else { time }).await;
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }
}

/// Everything that goes wrong, until it is time.
pub(crate) async fn all(farm: &Farm, log: &FaultLog) {
    let hosts = futures_util::future::join_all((0..HOSTS).map(|host| of_host(farm, log, host)));
    tokio::join!(hosts, of_nodes(farm, log), of_phones(farm, log));
}

async fn of_host(farm: &Farm, log: &FaultLog, host: usize) {
    let mut random = Random::new(log.seed, 100 + u64::try_from(host).unwrap());
    let setup = farm.host_setup(host);
    let proxy = &farm.proxies[host];
    // Each begins with another fault, so that a short test has them all.
    let mut first = [Some(0), Some(40), Some(70)][host % 3];
    log.pause(random.millis(1_000..5_000)).await;
    while !log.is_over() {
        if farm.has_ended(host) {
            log.note("host ended by itself", host);
            farm.launch(host, &setup);
        }
        match first.take().unwrap_or_else(|| random.within(0..100)) {
            0..25 => {
                let time = random.millis(35_000..50_000);
                log.note("host stopped", format!("{host} for {time:?}"));
                farm.stop(host);
                sleep(time).await;
                farm.go_on(host);
            }
            25..65 => {
                let time = random.millis(0..20_000);
                log.note("host killed", format!("{host} for {time:?}"));
                farm.kill(host);
                log.pause(time).await;
                farm.launch(host, &setup);
            }
            kind => {
                let (what, weather) = weather(kind, &mut random);
                let time = random.millis(3_000..40_000);
                log.note(what, format!("host {host} for {time:?}, {weather:?}"));
                proxy.set(weather);
                log.pause(time).await;
                proxy.set(Weather::default());
            }
        }
        log.rest(random.millis(5_000..30_000)).await;
    }
    if farm.has_ended(host) {
        farm.launch(host, &setup);
    }
}

fn weather(kind: u64, random: &mut Random) -> (&'static str, Weather) {
    let fair = Weather::default();
    match kind {
        0..75 => ("network cut", Weather { holds_up: true, holds_down: true, ..fair }),
        75..80 => ("connections closed", Weather { is_closed: true, ..fair }),
        80..87 => ("cut towards nodes", Weather { holds_up: true, ..fair }),
        87..94 => ("cut towards hosts", Weather { holds_down: true, ..fair }),
        _ => ("network slow", Weather { delay: random.millis(100..2_000), ..fair }),
    }
}

async fn of_nodes(farm: &Farm, log: &FaultLog) {
    let mut random = Random::new(log.seed, 200);
    let client = async_nats::connect(farm.nodes.url().split(',').collect::<Vec<_>>()).await.unwrap();
    log.pause(random.millis(2_000..6_000)).await;
    while !log.is_over() {
        let mut node = random.index(NODES);
        let stream = ["CW_LEASE", "CW_RUN", "CW_JOB", "CW_RESULT"][random.index(4)];
        match random.within(0..100) {
            kind @ 0..55 => {
                let found = if kind < 35 { leader(&client, stream).await } else { None };
                node = found.unwrap_or(node);
                let what = if found.is_some() { "leader killed" } else { "node killed" };
                kill_nodes(farm, log, &mut random, (what, &[node])).await;
            }
            55..85 => {
                let time = random.millis(2_000..20_000);
                node = leader(&client, stream).await.unwrap_or(node);
                log.note("node stopped", format!("{node} for {time:?}"));
                farm.nodes.stop(node);
                log.pause(time).await;
                farm.nodes.go_on(node);
            }
            85..95 => {
                kill_nodes(farm, log, &mut random, ("two nodes killed", &[node, (node + 1) % NODES])).await;
            }
            _ => kill_nodes(farm, log, &mut random, ("all nodes killed", &[0, 1, 2])).await,
        }
        log.rest(random.millis(8_000..30_000)).await;
    }
}

async fn kill_nodes(
    farm: &Farm,
    log: &FaultLog,
    random: &mut Random,
    (what, nodes): (&'static str, &[usize]),
) {
    let time = random.millis(500..8_000);
    log.note(what, format!("{nodes:?} for {time:?}"));
    nodes.iter().for_each(|node| farm.nodes.kill(*node));
    log.pause(time).await;
    nodes.iter().for_each(|node| farm.nodes.launch(*node));
}

async fn of_phones(farm: &Farm, log: &FaultLog) {
    let mut random = Random::new(log.seed, 300);
    let mut losses: BTreeMap<usize, usize> = BTreeMap::new();
    log.pause(random.millis(1_000..3_000)).await;
    while !log.is_over() {
        let phone = random.index(farm.plan.len());
        let lost = losses.entry(phone).or_default();
        if *lost < MOST_LOSSES {
            *lost += 1;
            let time = random.millis(500..10_000);
            log.note("phone away", format!("{phone} for {time:?}"));
            farm.phones.take_away(phone);
            log.pause(time).await;
            farm.phones.bring_back(phone);
        }
        log.pause(random.millis(500..6_000)).await;
    }
}
