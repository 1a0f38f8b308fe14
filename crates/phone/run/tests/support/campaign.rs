//! Random executions under random faults and kills, each compared with what the
//! phone itself saw. Whatever goes wrong, an outcome must be true: what is
//! reported as done was done, what is reported as not done was not, nothing was
//! done twice, and nothing else was touched.
//!
//! `CLAWPERATOR_CAMPAIGN=n` sets how many executions there are on each way to
//! the phone; `CLAWPERATOR_SEED=n` repeats one.

use bytes::Bytes;
use clawperator_adb::{Deadline, Device};
use clawperator_contract::{Envelope, Execution, Failure, Lane, LaneWish, StepResult, accept};
use clawperator_phone::{LeaseOptions, Phone, PhoneLease};
use clawperator_run::RunOptions;
use clawperator_sim::fault::{Fault, FaultPoint};
use clawperator_sim::phone::Intent;
use clawperator_sim::{Handset, Setup, app};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How many executions there are without the variable.
const EXECUTIONS: u64 = 60;
/// The app with the counter.
const APP: &str = "com.clawperator.conformance";
/// The element that is clicked.
const BUTTON: &str = "com.clawperator.conformance:id/btn_increment";
/// An app with a field whose enter key does something, and that field.
const LINE_APP: &str = "com.clawperator.line";
const FIELD: &str = "com.clawperator.line:id/line";
const LINE_FILE: &str = "package: com.clawperator.line
label: Line
version: {name: \"1.0.0\", code: 1}
icon: {symbol: L, color: \"#455a64\"}
state: {line: \"\", sent: 0}
activities:
  - {name: .MainActivity, screen: main, launcher: true}
screens:
  main:
    title: Line
    body:
      - column:
          children:
            - field: {id: line, bind: line, hint: Write, on_submit: [{set: {sent: \"sent + 1\"}}]}
            - text: {id: sent, text: \"Sent {sent}\"}
";
/// What is typed by each step.
const TEXTS: [&str; 3] = ["aaaa aaaa", "bbbb", "cccccc"];

/// Most turns that a run gets before it is ended from outside.
const MOST_TURNS: u64 = 150;

/// What can go wrong: `+` is followed by the number of commands before it, `=`
/// by a number of bytes.
const FAULTS: &[&str] = &[
    "answer_lostx1+",
    "hang_upx1+",
    "rebootx1+",
    "connection_resetx1=",
    "focus_stolenx1+",
    "incoming_callx1+",
    "rotationx1+",
    "dump_null_rootx1+",
    "dump_cut_offx1+",
    "dump_not_idlex1+",
    "dump_stalex2+",
    "key_overtakenx1+",
    "input_refusedx1+",
    "service_missingx1+",
];

/// What can go wrong on the resident lane: the server and what is between it and
/// us, and what happens on any phone.
const RESIDENT_FAULTS: &[&str] = &[
    "server_killedx1+",
    "server_killed_afterx1+",
    "server_resetx1+",
    "server_cut_offx1+",
    "server_late=400x1+",
    "server_slot_stolenx1+",
    "server_stalex1+",
    OVERTAKEN,
    "key_overtakenx1+",
    "dump_null_rootx1+",
    "input_refusedx1+",
    "rebootx1+",
    "connection_resetx1=",
    "focus_stolenx1+",
    "incoming_callx1+",
    "rotationx1+",
];

/// Another app comes to the front between the last check and a touch. No check can
/// see that; only who asks for the effect to be confirmed learns it.
const OVERTAKEN: &str = "server_overtakenx1+";

/// Starts the resident server, which outlives the connection.
const SERVER: &str = "echo jar >/data/local/tmp/u2.jar; CLASSPATH=/data/local/tmp/u2.jar nohup app_process / com.wetest.uia2.Main -p 9008 >/dev/null 2>&1 &";

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kill {
    /// By itself.
    None,
    /// It is asked to stop after so many turns.
    Stop(u64),
    /// It is dropped after so many turns, as if the process had died.
    Drop(u64),
}

/// One execution of the campaign.
#[derive(Debug)]
struct Plan {
    lane: LaneWish,
    clicks: u64,
    attempts: u64,
    click_type: &'static str,
    /// What the steps do: with none of these they click.
    writes: Option<Writes>,
    /// Whether a click counts only if its effect was seen.
    confirms: bool,
    faults: Vec<Fault>,
    kill: Kill,
}

/// Steps that type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writes {
    Text,
    /// Text, and then the enter key.
    Submitted,
    /// The same, and then the back key.
    ThenBack,
}

/// What an outcome says about the phone.
#[derive(Clone, Copy, Debug, Default)]
struct Claim {
    /// How many clicks are reported as done.
    done: u64,
    /// Whether one more may have been done.
    may_be_more: bool,
    failed: bool,
}

/// What the phone saw.
#[derive(Debug, Default)]
struct Truth {
    /// How many clicks it was asked for.
    wanted: u64,
    hits: u64,
    /// Clicks on anything else.
    stray: Vec<String>,
    /// Touches before which another app came to the front when all was checked.
    overtaken: u64,
    /// What the app with the field got by keys, and what all others got.
    line: String,
    elsewhere: String,
}

/// How the executions of a campaign ended, and what was not true.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    executions: u64,
    /// Those that were still on their lane at the end.
    on_its_lane: u64,
    succeeded: u64,
    failed_no: u64,
    failed_unknown: u64,
    killed: u64,
    clicks: u64,
    /// Touches that were overtaken, and how many of them have no confirmation
    /// and are reported as done.
    overtaken: u64,
    unconfirmed: u64,
    false_no: Vec<u64>,
    false_success: Vec<u64>,
    doubled: Vec<u64>,
    stray: Vec<u64>,
    /// Executions that type, those of them whose keys went elsewhere, and how many
    /// of these end as a failure that may have done something.
    typed: u64,
    elsewhere: u64,
    elsewhere_told: u64,
}

impl Tally {
    /// Prints the numbers, and fails if anything was not true.
    #[expect(clippy::print_stdout, reason = "the numbers are what it is run for")]
    pub(crate) fn judge(&self, way: &str) {
        println!(
            "campaign, {way}: {} executions ({} on their lane to the end), {} clicks: {} succeeded, {} failed with no, \
             {} failed with unknown, {} killed, {} overtaken ({} of them done, not confirmed), \
             {} typed (keys went elsewhere in {}, {} of them told, the others were killed); \
             false no: {}, false success: {}, doubled: {}, stray: {}",
            self.executions,
            self.on_its_lane,
            self.clicks,
            self.succeeded,
            self.failed_no,
            self.failed_unknown,
            self.killed,
            self.overtaken,
            self.unconfirmed,
            self.typed,
            self.elsewhere,
            self.elsewhere_told,
            self.false_no.len(),
            self.false_success.len(),
            self.doubled.len(),
            self.stray.len(),
        );
        // Without its server a run goes on by itself: most must have had it.
        assert!(self.on_its_lane * 2 > self.executions, "{self:?}");
        let wrong = [&self.false_no, &self.false_success, &self.doubled, &self.stray];
        assert!(wrong.iter().all(|seeds| seeds.is_empty()), "{self:?}");
        // A campaign that never gets into trouble shows nothing.
        let kinds = [self.succeeded, self.failed_no, self.failed_unknown, self.killed];
        assert!(self.executions < 1_000 || !kinds.contains(&0), "{self:?}");
    }

    fn count(&mut self, (seed, plan): (u64, &Plan), truth: &Truth, claim: Option<Claim>) {
        self.executions += 1;
        self.clicks += truth.hits;
        self.overtaken += truth.overtaken;
        match claim {
            None => self.killed += 1,
            Some(Claim { failed: false, .. }) => self.succeeded += 1,
            Some(Claim { may_be_more: false, .. }) => self.failed_no += 1,
            Some(Claim { may_be_more: true, .. }) => self.failed_unknown += 1,
        }
        if let Some(writes) = plan.writes {
            self.typed += 1;
            self.count_keys((seed, writes), truth, claim);
            if truth.stray.len() as u64 > truth.overtaken {
                self.stray.push(seed);
            }
            return;
        }
        // A run that was killed says nothing.
        if let Some(claim) = claim {
            let touched = truth.hits + truth.overtaken;
            let surely = if plan.confirms { truth.hits } else { touched };
            if surely < claim.done {
                self.false_success.push(seed);
            }
            self.unconfirmed += claim.done.saturating_sub(truth.hits);
            if touched > claim.done && !claim.may_be_more {
                self.false_no.push(seed);
            }
        }
        let most = claim.map_or(truth.wanted, |claim| claim.done + u64::from(claim.may_be_more));
        if truth.hits > most.min(truth.wanted) {
            self.doubled.push(seed);
        }
        if truth.stray.len() as u64 > truth.overtaken {
            self.stray.push(seed);
        }
    }
}

impl Tally {
    /// Compares what was typed with what each app got.
    fn count_keys(&mut self, (seed, writes): (u64, Writes), truth: &Truth, claim: Option<Claim>) {
        let wanted = usize::try_from(truth.wanted).unwrap();
        let texts = &TEXTS[..wanted];
        let submits = writes != Writes::Text;
        let all = format!("{}{}", truth.line, truth.elsewhere);
        let enters = all.matches('\n').count();
        if texts.iter().any(|text| all.matches(text).count() > 1) || enters > texts.len() {
            self.doubled.push(seed);
        }
        let went_elsewhere = !truth.elsewhere.is_empty();
        self.elsewhere += u64::from(went_elsewhere);
        let Some(claim) = claim else { return };
        let done = usize::try_from(claim.done).unwrap().min(wanted);
        let arrived = |text: &&str| {
            if submits { truth.line.contains(&format!("{text}\n")) } else { truth.line.contains(*text) }
        };
        self.elsewhere_told += u64::from(went_elsewhere && claim.failed && claim.may_be_more);
        let is_told = !went_elsewhere || (claim.failed && claim.may_be_more);
        if !texts[..done].iter().all(arrived) || !is_told {
            self.false_success.push(seed);
        }
        // Of the step that failed with no, nothing may have got anywhere.
        let begun = |text: &&str| all.contains(&text[..1]);
        let most = done * usize::from(submits);
        if claim.failed && !claim.may_be_more && (texts[done..].iter().any(begun) || enters > most) {
            self.false_no.push(seed);
        }
    }
}

/// Runs the campaign. `connect` switches nothing on: it makes the way to a phone
/// that is on.
pub(crate) async fn campaign(lane: Lane, connect: impl AsyncFn(&Arc<Handset>) -> Device) -> Tally {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seeds = match number("CLAWPERATOR_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..number("CLAWPERATOR_CAMPAIGN").unwrap_or(EXECUTIONS),
    };
    let mut tally = Tally::default();
    for seed in seeds {
        let plan = Plan::new(lane, &mut Random(seed));
        let handset = Handset::new(Setup {
            seed,
            apps: vec![Arc::new(app::parse(LINE_FILE).unwrap())],
            ..Setup::default()
        });
        let app = if plan.writes.is_some() { LINE_APP } else { APP };
        handset.with(|phone| phone.start(&Intent::launch(app)).unwrap());
        if lane == Lane::Resident {
            start_server(&connect(&handset).await).await;
        }
        handset.with(|phone| {
            phone.events.clear();
            phone.keys.clear();
        });
        handset.faults(|faults| faults.set_plan(plan.faults.clone()));
        // What breaks a connection is drawn when it begins.
        let device = connect(&handset).await;
        let (ran, used) = one(device, &plan).await;
        tally.on_its_lane += u64::from(used == lane);
        let truth = Truth { wanted: plan.clicks, ..truth(&handset) };
        tally.count((seed, &plan), &truth, ran.as_ref().map(claim));
    }
    tally
}

/// Starts the resident server, and waits until it listens.
async fn start_server(device: &Device) {
    let soon = Deadline::after(Duration::from_secs(60));
    device.shell(SERVER, Bytes::new(), soon).await.unwrap();
    while device.open("tcp:9008", soon).await.is_err() {
        tokio::task::yield_now().await;
    }
}

/// Runs one execution; nothing if it is dropped. The lane that it was on at last.
async fn one(device: Device, plan: &Plan) -> (Option<Result<Envelope, Failure>>, Lane) {
    let mut lease = PhoneLease::new(Phone::new(device, "campaign"), LeaseOptions::default());
    let options = RunOptions { lane: plan.lane, ..RunOptions::default() };
    let execution = plan.execution();
    let stop = async {
        match plan.kill {
            Kill::Stop(after) => turns(after).await,
            Kill::None | Kill::Drop(_) => std::future::pending().await,
        }
    };
    let death = async {
        match plan.kill {
            Kill::Drop(after) => turns(after).await,
            Kill::None | Kill::Stop(_) => std::future::pending().await,
        }
    };
    let ran = tokio::select! {
        biased;
        ran = clawperator_run::run(&mut lease, &execution, &options, Box::pin(stop)) => Some(ran),
        () = death => None,
    };
    (ran, lease.phone().lane())
}

/// Gives others a turn so often: this is how moments are chosen without a clock.
async fn turns(number: u64) {
    for _ in 0..number {
        tokio::task::yield_now().await;
    }
}

impl Plan {
    fn new(lane: Lane, random: &mut Random) -> Self {
        let clicks = 1 + random.below(3);
        // The resident server is asked more often for one click.
        let (points, lane, asked) = match lane {
            Lane::Dump => (FAULTS, LaneWish::Dump, 4),
            Lane::Resident => (RESIDENT_FAULTS, LaneWish::Auto, 8),
        };
        let mut faults: Vec<Fault> = Vec::new();
        for _ in 0..random.below(3) {
            let text = points[random.below(points.len() as u64) as usize];
            let place = match text {
                // Of touches there are as many as clicks.
                OVERTAKEN => random.below(clicks),
                text if text.ends_with('=') => 300 + random.below(9_000),
                _ => random.below(asked * clicks + 1),
            };
            // The value stands before the number of times.
            let text = match text.strip_suffix("x1=") {
                Some(point) => format!("{point}={place}x1"),
                None => format!("{text}{place}"),
            };
            let fault = Fault::parse(&text).unwrap();
            if faults.iter().all(|other| other.point != fault.point) {
                faults.push(fault);
            }
        }
        let after = random.below(MOST_TURNS);
        Self {
            lane,
            clicks,
            attempts: 1 + random.below(3),
            click_type: ["click", "click", "long_click"][random.below(3) as usize],
            faults,
            kill: match random.below(10) {
                0 | 1 => Kill::Stop(after),
                2 | 3 => Kill::Drop(after),
                _ => Kill::None,
            },
            confirms: random.below(2) == 0,
            writes: [None, None, Some(Writes::Text), Some(Writes::Submitted), Some(Writes::ThenBack)]
                [random.below(5) as usize],
        }
    }

    fn execution(&self) -> Execution {
        let click = |number: u64| {
            let mut params = json!({"matcher": {"resourceId": BUTTON}, "clickType": self.click_type,
                "retry": {"maxAttempts": self.attempts}});
            if self.confirms {
                let counter = format!("Counter: {number}");
                params["confirm"] = json!({"appears": {"textEquals": counter}, "timeoutMs": 700});
            }
            json!({"id": format!("click-{number}"), "type": "click", "params": params})
        };
        let write = |number: u64| {
            let text = TEXTS[(number - 1) as usize];
            let submit = self.writes != Some(Writes::Text);
            json!({"id": format!("type-{number}"), "type": "enter_text", "params": {"matcher": {"resourceId": FIELD},
                "text": text, "submit": submit, "retry": {"maxAttempts": self.attempts}}})
        };
        let mut actions: Vec<Value> = match self.writes {
            None => (1..=self.clicks).map(click).collect(),
            Some(_) => (1..=self.clicks).map(write).collect(),
        };
        if self.writes == Some(Writes::ThenBack) {
            actions.push(json!({"id": "back", "type": "press_key", "params": {"key": "back"}}));
        }
        let payload = json!({"commandId": "c", "taskId": "t", "source": "campaign", "timeoutMs": 20_000,
            "expectedFormat": "android-ui-automator", "actions": actions});
        accept(payload.to_string().as_bytes()).unwrap().execution
    }
}

/// What an outcome says.
fn claim(ran: &Result<Envelope, Failure>) -> Claim {
    let (steps, interrupted): (&[StepResult], Option<&str>) = match ran {
        Ok(envelope) => (&envelope.step_results, None),
        Err(failure) => {
            let details = failure.details.as_deref().unwrap();
            (&details.step_results, details.dispatched.as_deref())
        }
    };
    let failed = steps.iter().find(|step| !step.success);
    let failed = failed.map(|step| step.data["dispatched"].as_str()).or(interrupted);
    Claim {
        done: steps.iter().filter(|step| step.success).count() as u64,
        may_be_more: failed.is_some_and(|dispatched| dispatched != "no"),
        failed: failed.is_some(),
    }
}

/// What was clicked since the execution began. A long press on the button is a
/// click as well: it has nothing to do for a longer one.
fn truth(handset: &Handset) -> Truth {
    let mut counts = handset.faults(|faults| faults.counts().collect::<Vec<_>>().into_iter());
    let overtaken = counts.find(|(point, _)| *point == FaultPoint::ServerOvertaken);
    let mut truth =
        Truth { overtaken: overtaken.map_or(0, |(_, (_, struck))| struck.into()), ..Truth::default() };
    handset.with(|phone| {
        for source in phone.events.iter().filter_map(|event| event.source.as_ref()) {
            if source.resource_id == BUTTON {
                truth.hits += 1;
            } else if source.resource_id != FIELD {
                truth.stray.push(source.resource_id.clone());
            }
        }
        for (package, keys) in &phone.keys {
            match package.as_str() {
                LINE_APP => truth.line.push_str(keys),
                _ => truth.elsewhere.push_str(keys),
            }
        }
    });
    truth
}

/// Numbers as good as random, from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ (a >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (b ^ (b >> 31)) % bound
    }
}
