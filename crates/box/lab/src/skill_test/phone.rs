//! The phone of a test: switched on, prepared, and asked afterwards.

use super::world_file::WorldFile;
use clawperator_sim::fault::{Fault, Point};
use clawperator_sim::{Handset, Keys, Latency, Setup, Welcome, ask};
use std::sync::Arc;

/// How the phone of one run behaves.
#[derive(Clone, Debug)]
pub struct Conditions {
    pub latency: Latency,
    pub faults: Vec<Fault>,
    pub seed: u64,
    /// Before which command of the run the phone is interrupted, from one.
    pub interrupted_at: Option<u32>,
}

impl Conditions {
    /// As the file of a world says.
    pub fn of(world: &WorldFile) -> Self {
        Self {
            latency: world.latency,
            faults: world.faults.clone(),
            seed: world.seed,
            interrupted_at: None,
        }
    }

    /// The same with one more fault, unless there is one of its point already.
    pub fn with_own_first(self, fault: Fault) -> Self {
        match self.faults.iter().any(|other| other.point == fault.point) {
            true => self,
            false => self.with(fault),
        }
    }

    /// The same with one more fault; it takes the place of another of its point.
    pub fn with(mut self, fault: Fault) -> Self {
        self.faults.retain(|other| other.point != fault.point);
        self.faults.push(fault);
        self
    }

    /// When the phone was interrupted, for messages.
    pub fn when(&self) -> String {
        let at = self.interrupted_at;
        at.map_or(String::new(), |at| format!("with a call before command {at}: "))
    }
}

/// A phone that is switched on.
#[derive(Clone, Debug)]
pub struct TestPhone {
    pub handset: Arc<Handset>,
    pub welcome: Arc<Welcome>,
}

impl TestPhone {
    /// Switches the phone of a world on and prepares it. From then on things go
    /// wrong as the conditions say, and happen to it as the world does.
    pub async fn switch_on(world: &WorldFile, conditions: &Conditions) -> Result<Self, String> {
        let phone = Self {
            handset: Handset::new(Setup {
                seed: conditions.seed,
                latency: conditions.latency,
                apps: world.apps.clone(),
                ..Setup::default()
            }),
            welcome: Arc::new(Welcome {
                keys: Keys::NotAsked,
                ..Welcome::default()
            }),
        };
        for line in &world.setup {
            phone
                .ask(line)
                .await
                .map_err(|why| format!("setup failed: {why}"))?;
        }
        let plan = conditions.faults.clone();
        phone.handset.faults(|faults| faults.set_plan(plan));
        for one in world.meanwhile.clone() {
            let phone = phone.clone();
            tokio::spawn(async move {
                tokio::time::sleep(one.after()).await;
                // The command may end the connection it came over.
                let _ = phone.ask(&one.run).await;
            });
        }
        Ok(phone)
    }

    /// What the commands of the expectation print once nothing goes wrong any
    /// more, and how many commands the phone got until then.
    pub async fn examine(&self, world: &WorldFile) -> (Result<Vec<String>, String>, u32) {
        let commands = self.handset.faults(|faults| {
            let passed = faults.counts().find(|(point, _)| *point == Point::MissedCall);
            faults.set_plan(Vec::new());
            passed.map_or(0, |(_, (passed, _))| passed)
        });
        let mut said = Vec::new();
        for check in &world.expect.phone {
            match self.ask(&check.run).await {
                Ok(text) => said.push(text),
                Err(why) => return (Err(format!("the phone cannot be asked: {why}")), commands),
            }
        }
        (Ok(said), commands)
    }

    async fn ask(&self, line: &str) -> Result<String, String> {
        ask(&self.handset, &self.welcome, line).await
    }
}
