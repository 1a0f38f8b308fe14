//! `skills new --from-recording`: a skill whose recipe is made of a recording.

use crate::args::Args;
use crate::device::{block_on_unless_asked, device_serial, reached};
use crate::flags::{self, skills as own};
use crate::record::recording;
use crate::world::{Answer, World};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_phone::Deadline;
use clawperator_recording::Recording;
use clawperator_skills::draft::{DraftOrder, Facts};
use clawperator_skills::repo::{SkillId, denylist_of, skill_of_recording, summary_of};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a phone may take to answer.
const ASK: Duration = Duration::from_secs(10);

pub(super) fn new(id: &str, file: &str, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let skill = NewSkill { id, summary: None };
    draft(&skill, || recording(Path::new(file)), args, world)
}

/// The skill to make.
pub(crate) struct NewSkill<'s> {
    pub(crate) id: &'s str,
    /// Its summary, unless the line says one.
    pub(crate) summary: Option<&'s str>,
}

pub(crate) fn draft(
    new: &NewSkill<'_>,
    recording: impl FnOnce() -> Result<Recording, Failure>,
    args: &Args,
    world: &mut World,
) -> Result<Answer, Failure> {
    let skill = SkillId::parse_or_refuse(new.id)?;
    let recording = recording()?;
    let registry = world.skills.registry_to_extend()?;
    let denylist = denylist_of(&registry, args.value(&own::DENYLIST)?.map(PathBuf::from))?;
    let facts = facts(&skill, args, world)?;
    let summary = summary_of(new.id, args.value(&own::SUMMARY)?.or(new.summary));
    let order = DraftOrder { skill, summary: &summary, denylist: &denylist, facts: &facts };
    let made = skill_of_recording(&registry, &recording, &order)?;
    Ok(Answer::value(&made, args, world))
}

/// What the phone says of the app and of itself, if one is named. A recording does not know it.
fn facts(skill: &SkillId<'_>, args: &Args, world: &mut World) -> Result<Facts, Failure> {
    if !args.has(&flags::DEVICE) {
        return Ok(Facts::default());
    }
    let device = device_serial(args, world)?;
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
        locale: vitals.locale,
    })
}
