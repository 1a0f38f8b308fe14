//! The phone of a test: switched on, prepared, and asked afterwards.

use super::variant::Conditions;
use super::world_file::WorldFile;
use clawperator_phone::{LeaseOptions, Phone, PhoneLease};
use clawperator_sim::fault::FaultPoint;
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, ask, link};
use std::sync::Arc;

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
            welcome: Arc::new(Welcome { keys: HostKeys::NotAsked, ..Welcome::default() }),
        };
        for line in &world.setup {
            phone.ask(line).await.map_err(|why| format!("setup failed: {why}"))?;
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
            let passed = faults.counts().find(|(point, _)| *point == FaultPoint::MissedCall);
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

    /// The phone as one that is ours for a run, under this name.
    pub async fn lease(&self, serial: &str) -> Result<PhoneLease, String> {
        let device = link(&self.handset, &self.welcome).await;
        let device = device.map_err(|error| format!("the phone cannot be reached: {error}"))?;
        Ok(PhoneLease::new(Phone::new(device, serial), LeaseOptions::default()))
    }

    async fn ask(&self, line: &str) -> Result<String, String> {
        ask(&self.handset, &self.welcome, line).await
    }
}
