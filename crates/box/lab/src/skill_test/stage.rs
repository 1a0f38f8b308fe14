//! A skill in a world, run as often as its tests ask for.

use super::expectation::TestOutcome;
use super::phone::TestPhone;
use super::script_run::ScriptHost;
use super::subject::{Subject, SubjectKind};
use super::variant::Conditions;
use super::world_file::WorldFile;
use super::{recipe_run, script_run};
use clawperator_skills::repo::Repository;
use std::path::Path;
use tokio::runtime;

/// What a test run is asked to do.
#[derive(Clone, Debug)]
pub struct TestOptions {
    pub jobs: usize,
    /// The seed for every world, in place of its own.
    pub seed: Option<u64>,
    pub host: ScriptHost,
}

/// One world of one skill.
pub(super) struct TestJob<'s> {
    pub(super) repo: &'s Repository,
    pub(super) subject: &'s Subject,
    pub(super) file: &'s Path,
    pub(super) shown: String,
}

/// A skill in a world.
pub(super) struct Stage<'s> {
    pub(super) job: &'s TestJob<'s>,
    pub(super) options: &'s TestOptions,
    pub(super) world: WorldFile,
    pub(super) kind: SubjectKind,
}

impl<'s> Stage<'s> {
    /// Reads the world and what it tests, or says what is wrong with them.
    pub(super) fn of(job: &'s TestJob<'s>, options: &'s TestOptions) -> Result<Self, Vec<String>> {
        let mut world = WorldFile::read(job.file, &job.shown)?;
        world.seed = options.seed.unwrap_or(world.seed);
        let kind = job.subject.kind(job.repo, world.artifact.as_deref());
        let kind = kind.map_err(|why| vec![format!("{}: {why}", job.shown)])?;
        Ok(Self { job, options, world, kind })
    }

    /// Runs the skill once: what came of it, and how many commands the phone got.
    pub(super) fn run(&self, conditions: &Conditions) -> (Result<TestOutcome, String>, u32) {
        let runtime = match &self.kind {
            SubjectKind::Recipe(..) => {
                runtime::Builder::new_current_thread().enable_time().start_paused(true).build()
            }
            SubjectKind::Script => {
                runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
            }
        };
        match runtime {
            Ok(runtime) => runtime.block_on(Box::pin(self.play(conditions))),
            Err(error) => (Err(format!("no test can be started: {error}")), 0),
        }
    }

    async fn play(&self, conditions: &Conditions) -> (Result<TestOutcome, String>, u32) {
        let phone = match TestPhone::switch_on(&self.world, conditions).await {
            Ok(phone) => phone,
            Err(why) => return (Err(why), 0),
        };
        let ran = match &self.kind {
            SubjectKind::Recipe(_, recipe) => {
                recipe_run::run(recipe, &self.world, &phone, conditions.seed).await
            }
            SubjectKind::Script => script_run::run(self, &phone).await,
        };
        let (said, commands) = phone.examine(&self.world).await;
        (ran.and_then(|outcome| Ok(TestOutcome { phone: said?, ..outcome })), commands)
    }
}
