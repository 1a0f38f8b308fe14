//! The jobs of a test: each taps points that no other job taps, so that the phones' records
//! say which job touched what, and how often.

use crate::farm::{Farm, FarmPhone, host_name};
use crate::random::Random;
use clawperator_contract::{ErrorCode, accept};
use clawperator_engine::Request;
use clawperator_pool::{Caller, JobId, JobWish, Priority};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

/// How many taps a job has.
pub(crate) const TOUCHES: usize = 3;
/// How many jobs are being sent at once.
const SENDERS: usize = 48;
/// The corner of the part of the screen that jobs tap, and its width.
const CORNER: (i32, i32) = (20, 300);
const WIDTH: i32 = 1_000;

/// A job that is to be sent.
#[derive(Clone, Debug)]
pub(crate) struct JobPlan {
    pub(crate) number: usize,
    pub(crate) id: JobId,
    command_id: String,
    pub(crate) wish: JobWish,
    /// How long it waits between two taps.
    pause: Duration,
    cancelled_after: Option<Duration>,
    is_sent_twice: bool,
}

impl JobPlan {
    /// The jobs of a seed.
    pub(crate) fn all(seed: u64, number: usize, phones: &[FarmPhone]) -> Vec<Self> {
        let mut random = Random::new(seed, 1);
        (0..number).map(|number| Self::new(number, &mut random, phones)).collect()
    }

    fn new(number: usize, random: &mut Random, phones: &[FarmPhone]) -> Self {
        let phone = &phones[random.index(phones.len())];
        let target = match random.within(0..10) {
            0 | 1 => {
                let host = phone.hosts[random.index(phone.hosts.len())];
                format!("{}/{}", host_name(host), phone.address)
            }
            2..6 => "any:phone".to_owned(),
            _ => format!("any:{}", phone.class),
        };
        let pause = match random.within(0..100) {
            0 => random.millis(4_000..9_000),
            1..25 => random.millis(100..1_000),
            _ => Duration::ZERO,
        };
        let mut wish = JobWish::new(target.parse().unwrap());
        wish.priority = Priority::ALL[random.index(Priority::ALL.len())];
        wish.repeatable = random.percent(25);
        if random.percent(3) {
            wish.deadline = Duration::from_secs(5);
        }
        let command_id = format!("job-{number}");
        Self {
            number,
            id: JobId::of(&command_id),
            command_id,
            wish,
            pause,
            cancelled_after: random.percent(8).then(|| random.millis(0..4_000)),
            is_sent_twice: random.percent(10),
        }
    }

    /// What it does.
    pub(crate) fn request(&self) -> Request {
        let mut actions = Vec::new();
        for touch in 0..TOUCHES {
            let (x, y) = point_of(self.number, touch);
            if touch > 0 && !self.pause.is_zero() {
                let pause_ms = u64::try_from(self.pause.as_millis()).unwrap();
                let params = json!({"durationMs": pause_ms});
                actions.push(json!({"id": format!("pause-{touch}"), "type": "sleep", "params": params}));
            }
            let params = json!({"coordinate": {"x": x, "y": y}});
            actions.push(json!({"id": format!("tap-{touch}"), "type": "click", "params": params}));
        }
        request(&self.command_id, &Value::from(actions))
    }

    /// Sends it, again and again until the pool has it. Says how often it was sent.
    async fn send(&self, caller: &Caller) -> usize {
        let mut times = 0;
        let wanted = if self.is_sent_twice { 2 } else { 1 };
        let mut taken = 0;
        while taken < wanted {
            times += 1;
            match caller.submit(self.request(), &self.wish).await {
                Ok(_) => taken += 1,
                Err(failure) => {
                    assert_eq!(failure.code, ErrorCode::PoolUnavailable, "{}", failure.message);
                    sleep(Duration::from_millis(300)).await;
                }
            }
        }
        if let Some(wait) = self.cancelled_after {
            sleep(wait).await;
            // The broker may be away, or the job may have ended: then it is not cancelled.
            let _ = caller.cancel(&self.id).await;
        }
        times
    }
}

/// An execution of these actions.
pub(crate) fn request(id: &str, actions: &Value) -> Request {
    let payload = json!({"commandId": id, "taskId": "t", "source": "test", "timeoutMs": 60_000,
        "expectedFormat": "android-ui-automator", "actions": actions});
    Request::new(accept(payload.to_string().as_bytes()).unwrap())
}

/// Where a job taps.
pub(crate) fn point_of(job: usize, touch: usize) -> (i32, i32) {
    let number = |number: usize| i32::try_from(number).unwrap();
    let (row, column) = (number(job) / WIDTH, number(job) % WIDTH);
    (CORNER.0 + column, CORNER.1 + row * number(TOUCHES) + number(touch))
}

/// Which job taps there, and its how many-th tap it is.
pub(crate) fn tapped_by(x: i32, y: i32) -> (usize, usize) {
    let (column, below) = (x - CORNER.0, y - CORNER.1);
    let touches = i32::try_from(TOUCHES).unwrap();
    let job = below / touches * WIDTH + column;
    (usize::try_from(job).unwrap(), usize::try_from(below % touches).unwrap())
}

/// Sends all jobs within this time; says how often jobs were sent.
pub(crate) async fn send_all(farm: &Farm, plans: &[JobPlan], within: Duration) -> usize {
    let places = Arc::new(Semaphore::new(SENDERS));
    let mut callers = Vec::new();
    for _ in 0..4 {
        callers.push(farm.caller().await);
    }
    let began = Instant::now();
    let mut sending = JoinSet::new();
    for plan in plans {
        let share = f64::from(u32::try_from(plan.number).unwrap()) / plans.len() as f64;
        sleep_until(began + within.mul_f64(share)).await;
        let place = places.clone().acquire_owned().await.unwrap();
        let (plan, caller) = (plan.clone(), callers[plan.number % callers.len()].clone());
        sending.spawn(async move {
            let times = plan.send(&caller).await;
            drop(place);
            times
        });
    }
    sending.join_all().await.into_iter().sum()
}
