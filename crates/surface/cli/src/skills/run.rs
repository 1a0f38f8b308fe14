//! `skills run`: runs a skill and prints what came of it.

use super::super::args::Args;
use super::super::device::{asked_to_end, block_on, device_serial};
use super::super::engine::engine;
use super::super::flags::{self as shared, skills as flags};
use super::super::output::Format;
use super::super::progress::Progress;
use super::super::spec::FlagSpec;
use super::super::world::{Answer, World};
use super::super::{operator, report};
use super::recipe::{inputs, is_file};
use super::{run_recipe, sandbox};
use clawperator_contract::{Failure, text};
use clawperator_engine::{ScriptRan, ScriptRequest};
use clawperator_phone::PackageName;
use clawperator_run::operator::RouteWish;
use clawperator_skills::repo::{Payloads, RecipeFile, Repository, validate};
use clawperator_skills::script::{self, ProcessChannel, ScriptCall, ScriptSkill, Variables, inherited};
use serde_json::json;
use std::io::Write as _;
use std::path::Path;

pub(super) fn run(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let id = args.skill_id()?;
    if is_file(id) {
        refuse(args, &[&flags::SANDBOX], "a recipe")?;
        return run_recipe::run(&RecipeFile::read(Path::new(id))?, args, world);
    }
    let inputs = inputs(args)?;
    let by_name = inputs.as_json();
    let repository = world.skills.open()?;
    let entry = repository.skill(id)?;
    if !args.has(&flags::SKIP_VALIDATE) {
        validate(&repository, id, Payloads::Checked)?;
    }
    if repository.runs_recipe(entry) {
        let file = repository.recipe(id, args.value(&flags::RECIPE)?)?;
        refuse(args, &[&flags::EXPECT_CONTAINS, &flags::SANDBOX], "a recipe")?;
        return run_recipe::run(&file, args, world);
    }
    refuse(
        args,
        &[&flags::PROFILE, &flags::ALLOW, &shared::pool::POOL, &shared::pool::ON],
        "a skill that is a script",
    )?;
    let arguments: Vec<String> = args.arguments().into_iter().skip(1).map(str::to_owned).collect();
    let variables = variables(args, world, &repository)?;
    let mut device = args.value(&shared::DEVICE)?.map(str::to_owned);
    let mut skill = ScriptSkill::of(&repository, entry)?;
    if let Some(level) = sandbox::level(args)? {
        // A simulated phone that is started inside would end with the script.
        device = device_serial(args, world)?;
        let confinement = sandbox::confinement(level, &variables.program, device.as_deref(), world)?;
        skill = skill.confined(confinement)?;
    }
    let request = ScriptRequest {
        skill,
        call: ScriptCall {
            device: device.as_deref(),
            arguments: &arguments,
            inputs: by_name.as_ref(),
            timeout: args.time_limit()?,
            expect: args.value(&flags::EXPECT_CONTAINS)?,
            variables,
        },
        journal: report::journal(args, world)?,
    };
    let is_shown = args.format == Format::Pretty || world.progress == Progress::Shown;
    let (mut out, mut err) = (Harmless::default(), Harmless::default());
    let mut live = |channel: ProcessChannel, bytes: &[u8]| {
        if is_shown {
            let shown = match channel {
                ProcessChannel::Out => out.text(bytes),
                ProcessChannel::Err => err.text(bytes),
            };
            // Without standard error there is nowhere to show it.
            let _ = std::io::stderr().write_all(shown.as_bytes());
        }
    };
    let engine = engine(world);
    let ran = block_on(async {
        let asked = asked_to_end()?;
        Ok::<_, Failure>(engine.run_script(request, &mut live, Box::pin(asked)).await)
    })??;
    answer(ran, is_shown, args, world)
}

/// Finishes the report, shows what the skill said of its progress, and answers.
fn answer(ran: ScriptRan, is_shown: bool, args: &Args, world: &mut World) -> Result<Answer, Failure> {
    if let Some(problem) = ran.journal_problem {
        (world.note)(&format!("cannot write the journal: {problem}\n"));
    }
    let (run, said) = match &ran.result {
        Ok(result) => (result.skill_run.as_deref(), result.skill_result.as_ref()),
        Err(failure) => {
            let skill = failure.skill.as_ref();
            (
                skill.and_then(|skill| skill.skill_run.as_deref()),
                skill.and_then(|skill| skill.skill_result.as_ref()),
            )
        }
    };
    report::finish_run(args, run, world);
    for checkpoint in script::checkpoints(said).iter().filter(|_| is_shown) {
        let note = checkpoint.note.as_ref().map_or(String::new(), |note| format!(": {note}"));
        let line = format!("{} {}{note}", checkpoint.status.word(), checkpoint.id);
        (world.note)(&format!("{}\n", text::visible(&line)));
    }
    let mut answer = json!(ran.result?);
    if args.format == Format::Pretty
        && let Some(answer) = answer.as_object_mut()
    {
        // It was shown as it came.
        answer.remove("output");
    }
    Ok(Answer::value(&answer, args, world))
}

/// Refuses flags that would have no effect on this kind of skill.
fn refuse(args: &Args, without_use: &[&'static FlagSpec], kind: &str) -> Result<(), Failure> {
    match without_use.iter().find(|flag| args.has(flag)) {
        None => Ok(()),
        Some(flag) => Err(args.usage(flag, format!("--{} has no effect on {kind}", flag.name))),
    }
}

fn variables(args: &Args, world: &World, repository: &Repository) -> Result<Variables, Failure> {
    let program = world.this_program()?;
    let package = operator::operator_package(args, world)?.unwrap_or_else(PackageName::usual_operator);
    Ok(Variables {
        inherited: inherited(std::env::vars_os()),
        program,
        operator_package: package.to_string(),
        // The package is always set, so that scripts can name it. What it means
        // for the route must not change by that.
        route: match operator::route(args, world)? {
            RouteWish::Host => "host",
            RouteWish::Auto(_) => "auto",
            RouteWish::Operator(_) => "operator",
        },
        lane: world.phones.lane.word(),
        session: world.phones.session.clone(),
        registry: repository.registry_path.clone(),
        run: None,
    })
}

/// Output without what could steer a terminal, piece by piece.
#[derive(Default)]
struct Harmless {
    /// The beginning of a letter whose end is in the next piece.
    rest: Vec<u8>,
}

impl Harmless {
    fn text(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let mut chunks = all.utf8_chunks().peekable();
        let mut text = String::new();
        while let Some(chunk) = chunks.next() {
            let safe = |letter: char| match letter {
                '\n' | '\t' => letter,
                _ if letter.is_control() => '?',
                _ => letter,
            };
            text.extend(chunk.valid().chars().map(safe));
            let broken = chunk.invalid();
            let is_begun = std::str::from_utf8(broken).is_err_and(|error| error.error_len().is_none());
            if chunks.peek().is_none() && is_begun {
                self.rest = broken.to_owned();
            } else if !broken.is_empty() {
                text.push('?');
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Harmless;

    #[test]
    fn live_output_has_no_controls_and_whole_letters() {
        for (pieces, wanted) in [
            (&[&b"a\tb\n\x1b[2J\x07"[..]][..], "a\tb\n?[2J?"),
            (&["\u{9b}2J \u{85}é".as_bytes()], "?2J ?é"),
            (&[&b"\xc2"[..], &b"\x9b2J"[..]], "?2J"),
            (&[&b"\xe5\xb1"[..], &b"\xb1!"[..]], "山!"),
            (&[&b"\x9b2J\xff"[..]], "?2J?"),
        ] {
            let mut harmless = Harmless::default();
            let text: String = pieces.iter().map(|piece| harmless.text(piece)).collect();
            assert_eq!(text, wanted, "{pieces:?}");
        }
    }
}
