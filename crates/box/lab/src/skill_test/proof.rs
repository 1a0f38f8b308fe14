//! Which acts of a skill its tests prove: a test that passes without an act proves nothing of it.

use super::stage::Stage;
use super::subject::{Subject, SubjectKind};
use super::variant::Conditions;
use clawperator_skills::recipe::{Recipe, RecipeType, without_act};
use serde::Serialize;
use std::collections::BTreeSet;

/// What the touches of a script are called: they are left out together.
const EVERY_TOUCH: &str = "every touch";

/// What a recipe is called that touches nothing, and is an action or reads nothing.
const EVERY_STEP: &str = "every step";

/// The longest that a recipe waits in the place of an act, in milliseconds.
const LONGEST_WAIT_MS: u128 = 30_000;

/// Something that a skill does.
#[derive(Clone, Debug, Serialize)]
pub struct SkillAct {
    pub skill: String,
    /// The recipe's artifact; none for a script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    pub step: String,
    pub proof: Proof,
}

/// Whether a test notices that an act is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    Proven,
    /// No test notices it, and none must: the recipe only goes through screens.
    Unproven,
    /// No test notices it, and the recipe says that it changes something.
    Missing,
}

/// A skill, its artifact and a step of it that a test proves.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProvenStep {
    skill: String,
    artifact: Option<String>,
    step: String,
}

/// The acts that the test of a world proves. It proves none if the skill is not to succeed there.
pub(super) fn proven_acts(stage: &mut Stage<'_>) -> Vec<ProvenStep> {
    if !stage.world.expect.is_success() {
        return Vec::new();
    }
    let skill = stage.job.subject.id.clone();
    // What goes wrong by the file must not be why a shorter run fails.
    let faults = std::mem::take(&mut stage.world.faults);
    let calm = stage.world.conditions();
    if !faults.is_empty() && !stage.passes(&calm) {
        return Vec::new();
    }
    let SubjectKind::Recipe(name, whole) = &stage.kind else {
        let noticed = !stage.passes(&stage.world.conditions().untouched());
        let all = || ProvenStep { skill, artifact: None, step: EVERY_TOUCH.to_owned() };
        return noticed.then(all).into_iter().collect();
    };
    let (name, whole) = (name.clone(), whole.clone());
    // What happens meanwhile may do what the act is for, if it is waited for.
    let happens = stage.world.meanwhile.iter().map(|one| one.after().as_millis());
    let last = happens.max().map(|last| last.min(LONGEST_WAIT_MS) as u32 + 1);
    let mut proven = Vec::new();
    for index in touches(&whole) {
        let mut noticed = [Some(0), last].into_iter().flatten().map(|wait| {
            stage.kind = SubjectKind::Recipe(name.clone(), Box::new(without_act(&whole, index, wait)));
            !stage.passes(&calm)
        });
        if noticed.all(|noticed| noticed) {
            proven.push(ProvenStep {
                skill: skill.clone(),
                artifact: Some(name.clone()),
                step: whole.steps[index].id.clone(),
            });
        }
    }
    proven
}

/// The acts of a skill, in their order.
pub(super) fn acts(subject: &Subject, proven: &BTreeSet<ProvenStep>) -> Vec<SkillAct> {
    let act = |artifact: Option<&String>, step: &str, without: Proof| {
        let (skill, artifact, step) = (subject.id.clone(), artifact.cloned(), step.to_owned());
        let act = ProvenStep { skill, artifact, step };
        let proof = if proven.contains(&act) { Proof::Proven } else { without };
        SkillAct { skill: act.skill, artifact: act.artifact, step: act.step, proof }
    };
    if subject.recipes.is_empty() {
        return vec![act(None, EVERY_TOUCH, Proof::Unproven)];
    }
    let mut acts = Vec::new();
    for (name, recipe) in &subject.recipes {
        let without = match recipe.recipe_type {
            RecipeType::Action => Proof::Missing,
            RecipeType::Probe | RecipeType::Flow => Proof::Unproven,
        };
        let reads = recipe.steps.iter().any(|step| step.output.is_some());
        if touches(recipe).next().is_none() && (!reads || recipe.recipe_type == RecipeType::Action) {
            acts.push(act(Some(name), EVERY_STEP, without));
        }
        acts.extend(touches(recipe).map(|index| act(Some(name), &recipe.steps[index].id, without)));
    }
    acts
}

fn touches(recipe: &Recipe) -> impl Iterator<Item = usize> + '_ {
    let steps = recipe.steps.iter().enumerate();
    steps.filter_map(|(index, step)| step.touch().map(|_| index))
}

impl Stage<'_> {
    fn passes(&self, conditions: &Conditions) -> bool {
        let (outcome, _) = self.run(conditions);
        outcome.is_ok_and(|outcome| self.world.expect.problems(&outcome).is_empty())
    }
}
