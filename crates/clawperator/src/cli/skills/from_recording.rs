//! `skills new --from-recording`: a skill whose recipe is made of a recording.

use crate::cli::args::Args;
use crate::cli::device::{block_on_unless_asked, reached, wanted};
use crate::cli::flags::{self, skills as own};
use crate::cli::record::recording;
use crate::cli::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_recording::Recording;
use clawperator_runtime::Deadline;
use clawperator_skills::draft::{Draft, DraftOrder, Facts, draft};
use clawperator_skills::recipe::{Denylist, Findings, Format, LintOptions, lint};
use clawperator_skills::repo::{
    Contents, NewSkill, SkillId, denylist, new_package, summary_of, usual_denylist,
};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a phone may take to answer.
const ASK: Duration = Duration::from_secs(10);
const SKILL_MD: &str = include_str!("from_recording/SKILL.md");

/// What was made, and what is left to do.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Made {
    #[serde(flatten)]
    skill: NewSkill,
    #[serde(flatten)]
    draft: Draft,
    /// What lint says of the recipe.
    findings: Findings,
    /// What may not be as it was in the world to test it in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    world_unsure: Vec<String>,
}

/// The world to test a recipe in: its files, and what may not be as it was.
#[derive(Default)]
struct TestWorld {
    files: Vec<(String, String)>,
    unsure: Vec<String>,
}

pub(super) fn new(id: &str, file: &str, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let skill = SkillId::parse_or_refuse(id)?;
    let recording = recording(Path::new(file))?;
    let registry = world.skills.registry_to_extend()?;
    let list = denied(args, &registry)?;
    let facts = facts(&skill, args, world)?;
    let summary = summary_of(id, args.value(&own::SUMMARY)?);
    let order = DraftOrder {
        skill,
        summary: &summary,
        denylist: &list,
        facts: &facts,
    };
    let mut draft = draft(&recording, &order)?;
    let name = format!("artifacts/{}.recipe.yaml", skill.intent);
    let options = LintOptions {
        denylist: Some(&list),
        profile: None,
    };
    let findings = lint(&name, &draft.recipe, Format::Yaml, options);
    let test = test_world(&recording, &draft);
    if test.files.is_empty() {
        draft
            .to_do
            .push("no screen was captured, so there is no world to test it in: write one".to_owned());
    }
    let mut files = vec![
        ("SKILL.md".to_owned(), skill_md(&skill, &summary, &draft)),
        (name.clone(), draft.recipe.clone()),
    ];
    files.extend(test.files);
    let contents = Contents {
        files,
        scripts: Vec::new(),
        artifacts: vec![name],
    };
    let mut made = new_package(&registry, &skill, &summary, &contents)?;
    made.next = next(id, &draft, &findings);
    let made = Made {
        skill: made,
        draft,
        findings,
        world_unsure: test.unsure,
    };
    Ok(Answer::value(&made, args, world))
}

fn denied(args: &Args, registry: &Path) -> Result<Denylist, Failure> {
    let folder = registry.parent().unwrap_or(registry);
    let usual = || {
        folder
            .ancestors()
            .find_map(|folder| folder.canonicalize().ok())
            .and_then(|at| usual_denylist(&at))
    };
    let list = args.value(&own::DENYLIST)?.map(PathBuf::from).or_else(usual);
    list.map_or_else(|| Ok(Denylist::default()), |list| denylist(&list))
}

/// What the phone says of the app and of itself, if one is named. A recording
/// does not know it.
fn facts(skill: &SkillId<'_>, args: &Args, world: &mut World) -> Result<Facts, Failure> {
    if !args.has(&flags::DEVICE) {
        return Ok(Facts::default());
    }
    let device = wanted(args, world)?;
    let vitals = block_on_unless_asked(async {
        let phone = reached(device.as_deref(), world).await?;
        let vitals = phone.vitals(skill.application_id, Deadline::after(ASK)).await;
        vitals.map_err(|error| Failure::new(ErrorCode::DeviceShellUnavailable, error.to_string()))
    })??;
    Ok(Facts {
        version_name: vitals.operator.version,
        version_code: vitals.operator.version_code,
        android_api: vitals.sdk.map(u64::from),
        device_model: vitals.model,
        locale: None,
    })
}

fn skill_md(skill: &SkillId<'_>, summary: &str, draft: &Draft) -> String {
    let inputs: String = draft
        .inputs
        .iter()
        .map(|input| format!("- `{}`: {}\n", input.name, input.description))
        .collect();
    let given: String = draft
        .inputs
        .iter()
        .map(|input| format!(" --input {}=VALUE", input.name))
        .collect();
    let inputs = if inputs.is_empty() {
        "It has no inputs.\n".to_owned()
    } else {
        inputs
    };
    SKILL_MD
        .replace("@SKILL_ID@", skill.id)
        .replace("@APPLICATION_ID@", skill.application_id)
        .replace("@SUMMARY@", &summary.replace('\n', " "))
        .replace("@INPUTS@\n", &inputs)
        .replace("@GIVEN@", &given)
}

fn next(id: &str, draft: &Draft, findings: &Findings) -> String {
    match draft.to_do.is_empty() && !findings.has_errors() && draft.left_out.is_empty() {
        true => format!("Run clawperator skills test {id}."),
        false => format!(
            "Do what toDo says, see what leftOut names, then run clawperator skills lint {id} and clawperator skills test {id}."
        ),
    }
}

/// The screens of the recording as a world, without the texts of the user.
#[cfg(feature = "sim")]
fn test_world(recording: &Recording, draft: &Draft) -> TestWorld {
    use std::collections::BTreeMap;
    let value = |name: &str| format!("Example {}", name.replace('_', " "));
    let fill = |template: &str| {
        let mut filled = template.to_owned();
        for input in &draft.inputs {
            filled = filled.replace(&format!("${{inputs.{}}}", input.name), &value(&input.name));
        }
        filled
    };
    let said = draft
        .named
        .iter()
        .flat_map(|named| [&named.text, &named.description]);
    let mut words: BTreeMap<String, String> = said
        .flatten()
        .map(|said| (said.value.clone(), fill(&said.template)))
        .collect();
    words.extend(
        draft
            .inputs
            .iter()
            .map(|input| (input.value.clone(), value(&input.name))),
    );
    words.insert(String::new(), String::new());
    let Some(made) = clawperator_skills::world::of_recording(recording, &words) else {
        return TestWorld::default();
    };
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
    TestWorld {
        files: vec![
            ("tests/recorded.world.yaml".to_owned(), world),
            ("tests/recorded.app.yaml".to_owned(), made.apps),
        ],
        unsure: made.unsure,
    }
}

/// Without the simulated phone there is nothing to test it on.
#[cfg(not(feature = "sim"))]
fn test_world(_: &Recording, _: &Draft) -> TestWorld {
    TestWorld::default()
}
