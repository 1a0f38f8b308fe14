//! A skill whose recipe is made of a recording, with a world to test it in.

use super::{NewSkill, SkillContents, denylist, new_package, usual_denylist};
use crate::draft::{DraftOrder, RecipeDraft, draft};
use crate::recipe::{Denylist, Findings, Format, LintOptions, lint};
use crate::repo::SkillId;
use crate::world::of_recording;
use clawperator_contract::Failure;
use clawperator_recording::Recording;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SKILL_MD: &str = include_str!("from_recording/SKILL.md");

/// What was made, and what is left to do.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedSkill {
    #[serde(flatten)]
    pub skill: NewSkill,
    #[serde(flatten)]
    pub draft: RecipeDraft,
    pub findings: Findings,
    /// What may not be as it was in the world to test it in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub world_unsure: Vec<String>,
}

/// The world to test a recipe in: its files, and what may not be as it was.
#[derive(Default)]
struct TestWorld {
    files: Vec<(String, String)>,
    unsure: Vec<String>,
}

/// Makes a skill of a recording, and lists it in a registry.
pub fn skill_of_recording(
    registry: &Path,
    recording: &Recording,
    order: &DraftOrder<'_>,
) -> Result<RecordedSkill, Failure> {
    let skill = order.skill;
    let mut draft = draft(recording, order)?;
    let name = format!("artifacts/{}.recipe.yaml", skill.intent);
    let options = LintOptions { denylist: Some(order.denylist), profile: None };
    let findings = lint(&name, &draft.recipe, Format::Yaml, options);
    let test = test_world(recording, &draft).unwrap_or_default();
    if test.files.is_empty() {
        draft.to_do.push("no screen was captured, so there is no world to test it in: write one".to_owned());
    }
    let mut files = vec![
        ("SKILL.md".to_owned(), skill_md(&skill, order.summary, &draft)),
        (name.clone(), draft.recipe.clone()),
    ];
    files.extend(test.files);
    let contents = SkillContents { files, scripts: Vec::new(), artifacts: vec![name] };
    let mut made = new_package(registry, &skill, order.summary, &contents)?;
    made.next = next(skill.id, &draft, &findings);
    Ok(RecordedSkill { skill: made, draft, findings, world_unsure: test.unsure })
}

/// The list of texts that must not be published in a repository: the one that is
/// named, or the one that is usual for it.
pub fn denylist_of(registry: &Path, named: Option<PathBuf>) -> Result<Denylist, Failure> {
    let folder = registry.parent().unwrap_or(registry);
    let usual = || {
        folder.ancestors().find_map(|folder| folder.canonicalize().ok()).and_then(|at| usual_denylist(&at))
    };
    let list = named.or_else(usual);
    list.map_or_else(|| Ok(Denylist::default()), |list| denylist(&list))
}

fn skill_md(skill: &SkillId<'_>, summary: &str, draft: &RecipeDraft) -> String {
    let inputs: String =
        draft.inputs.iter().map(|input| format!("- `{}`: {}\n", input.name, input.description)).collect();
    let given: String = draft.inputs.iter().map(|input| format!(" --input {}=VALUE", input.name)).collect();
    let inputs = if inputs.is_empty() { "It has no inputs.\n".to_owned() } else { inputs };
    SKILL_MD
        .replace("@SKILL_ID@", skill.id)
        .replace("@APPLICATION_ID@", skill.application_id)
        .replace("@SUMMARY@", &summary.replace('\n', " "))
        .replace("@INPUTS@\n", &inputs)
        .replace("@GIVEN@", &given)
}

fn next(id: &str, draft: &RecipeDraft, findings: &Findings) -> String {
    if draft.to_do.is_empty() && !findings.has_errors() && draft.left_out.is_empty() {
        format!("Run clawperator skills test {id}.")
    } else {
        format!(
            "Do what toDo says, see what leftOut names, then run clawperator skills lint {id} and clawperator skills test {id}."
        )
    }
}

/// The screens of the recording as a world, without the texts of the user.
fn test_world(recording: &Recording, draft: &RecipeDraft) -> Option<TestWorld> {
    let value = |name: &str| format!("Example {}", name.replace('_', " "));
    let fill = |template: &str| {
        let mut filled = template.to_owned();
        for input in &draft.inputs {
            filled = filled.replace(&format!("${{inputs.{}}}", input.name), &value(&input.name));
        }
        filled
    };
    let said = draft.named.iter().flat_map(|named| [&named.text, &named.description]);
    let mut words: BTreeMap<String, String> =
        said.flatten().map(|said| (said.value.clone(), fill(&said.template))).collect();
    words.extend(draft.inputs.iter().map(|input| (input.value.clone(), value(&input.name))));
    words.insert(String::new(), String::new());
    let made = of_recording(recording, &words)?;
    let mut world = String::from(
        "about: The screens of the recording; its texts are made up or masked.\napps: [recorded.app.yaml]\n",
    );
    if let Some((width, height)) = made.size {
        world.push_str(&format!("setup:\n  - wm size {width}x{height}\n"));
    }
    if !draft.inputs.is_empty() {
        world.push_str("inputs:\n");
    }
    for input in &draft.inputs {
        world.push_str(&format!("  {}: {}\n", input.name, value(&input.name)));
    }
    world.push_str("expect: {status: success}\n");
    let files = vec![
        ("tests/recorded.world.yaml".to_owned(), world),
        ("tests/recorded.app.yaml".to_owned(), made.apps),
    ];
    Some(TestWorld { files, unsure: made.unsure })
}
