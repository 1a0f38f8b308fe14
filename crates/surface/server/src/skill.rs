//! Runs a skill for a caller: its recipe, or else its script.

use crate::App;
use crate::agent::judge;
use crate::phone::{blocking, phone_name};
use clawperator_agent::policy::Level;
use clawperator_contract::{ErrorCode, Failure, accept_within};
use clawperator_engine::{
    KeyedWork, Once, Outcome, OutcomeKind, RecipeRun, Request, ScriptRequest, StoredOutcome, WorkResult,
};
use clawperator_phone::PackageName;
use clawperator_run::operator::RouteWish;
use clawperator_skills::recipe::{Capability, Inputs, Profile};
use clawperator_skills::repo::Repository;
use clawperator_skills::script::{ScriptCall, ScriptSkill, Variables, inherited};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How long to wait while the same skill runs for the same key.
const WAIT: Duration = Duration::from_secs(120);

/// A skill that a caller wants to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkillOrder {
    pub(crate) id: String,
    /// The phone, if the caller names one.
    pub(crate) device: Option<String>,
    /// The arguments of a script.
    pub(crate) args: Vec<String>,
    pub(crate) inputs: Inputs,
    /// What the caller agrees to.
    pub(crate) allow: Vec<Capability>,
    /// How long it may take.
    pub(crate) timeout: Option<Duration>,
    /// What the output of a script must contain.
    pub(crate) expect: Option<String>,
    pub(crate) session: String,
}

impl SkillOrder {
    /// All of it: two orders with the same bytes want the same.
    fn to_bytes(&self) -> Vec<u8> {
        let allow: Vec<_> = self.allow.iter().map(|capability| capability.word()).collect();
        let timeout = self.timeout.map(|timeout| timeout.as_millis() as u64);
        let order = json!({"skill": self.id, "device": self.device, "args": self.args,
            "inputs": self.inputs.as_json(), "allow": allow, "timeoutMs": timeout, "expect": self.expect});
        order.to_string().into_bytes()
    }
}

enum PreparedSkill {
    Recipe(Box<RecipeRun>),
    Script(Repository),
}

/// Why a skill has no answer.
pub(crate) enum NoAnswer {
    /// For certain no phone was sent anything.
    NothingSent(Failure),
    /// Something may have been sent.
    Failed(Failure),
}

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        Self::NothingSent(failure)
    }
}

impl From<NoAnswer> for Failure {
    fn from(none: NoAnswer) -> Self {
        match none {
            NoAnswer::NothingSent(failure) | NoAnswer::Failed(failure) => failure,
        }
    }
}

/// Runs a skill to its end, also if the caller goes away; the answer is an object.
pub(crate) async fn run(app: &Arc<App>, order: SkillOrder) -> Result<Value, Failure> {
    let app = app.clone();
    let running = tokio::spawn(async move { run_here(&app, Arc::new(order)).await });
    Ok(running.await.map_err(|error| broke_off(&error))??)
}

pub(crate) async fn run_once(app: &Arc<App>, order: SkillOrder, key: String) -> Result<Once, Failure> {
    let app = app.clone();
    let running = tokio::spawn(async move {
        let order = Arc::new(order);
        let bytes = order.to_bytes();
        let keyed = KeyedWork { key: &key, order: &bytes, wait: order.timeout.unwrap_or(WAIT) };
        let work = async {
            match run_here(&app, order.clone()).await {
                Ok(answer) => WorkResult::Something(StoredOutcome {
                    kind: OutcomeKind::Success,
                    json: answer.to_string(),
                }),
                Err(NoAnswer::NothingSent(failure)) => WorkResult::Nothing(failure),
                Err(NoAnswer::Failed(failure)) => WorkResult::unclear_failure(&failure),
            }
        };
        app.engine.once(keyed, Box::pin(work), Box::pin(app.closing.closed())).await
    });
    running.await.map_err(|error| broke_off(&error))?
}

fn broke_off(error: &tokio::task::JoinError) -> Failure {
    Failure::of(ErrorCode::InternalError, error.to_string())
}

async fn run_here(app: &Arc<App>, order: Arc<SkillOrder>) -> Result<Value, NoAnswer> {
    let (places, wanted) = (app.skills.clone(), order.clone());
    match blocking(move || prepare(places.open()?, &wanted)).await? {
        PreparedSkill::Recipe(recipe) => run_recipe(app, *recipe, &order).await,
        PreparedSkill::Script(repository) => run_script(app, &repository, &order).await,
    }
}

fn prepare(repository: Repository, order: &SkillOrder) -> Result<PreparedSkill, Failure> {
    let entry = repository.skill(&order.id)?;
    if !repository.runs_recipe(entry) {
        return Ok(PreparedSkill::Script(repository));
    }
    let file = repository.recipe(&order.id, None)?;
    let mut run = RecipeRun::new(&file, order.inputs.clone())?;
    let profile = Profile::standard();
    if let Some(denied) = profile.decide(&run.recipe, &order.allow).failure(&profile.name) {
        return Err(denied);
    }
    if let Some(limit) = order.timeout {
        let ms = limit.as_secs_f64() * 1000.0;
        run.compiled.checked = accept_within(run.compiled.payload.as_bytes(), Some(ms))?;
    }
    Ok(PreparedSkill::Recipe(Box::new(run)))
}

async fn run_recipe(app: &Arc<App>, recipe: RecipeRun, order: &SkillOrder) -> Result<Value, NoAnswer> {
    let request = Request {
        device: phone_name(app, order.device.clone()).await?,
        route: app.route.clone(),
        lane: app.lane,
        journal: app.journal,
        judge: judge(app, Level::None, "HTTP client", &order.session).await?,
        ..Request::of_recipe(recipe)
    };
    let finished = app.engine.execute(request).outcome.await;
    if let Outcome::Error(failure) = finished.outcome {
        // A run that never began has no events.
        return Err(match finished.event_log {
            None => NoAnswer::NothingSent(*failure),
            Some(_) => NoAnswer::Failed(*failure),
        });
    }
    let mut answer = json!(finished.recipe);
    if let (Some(answer), Value::Object(result)) = (answer.as_object_mut(), json!(finished.outcome)) {
        answer.extend(result);
    }
    Ok(answer)
}

async fn run_script(app: &Arc<App>, repository: &Repository, order: &SkillOrder) -> Result<Value, NoAnswer> {
    let entry = repository.skill(&order.id).map_err(Failure::from)?;
    let inputs = order.inputs.as_json();
    let device = order.device.clone().or_else(|| app.device.clone());
    let request = ScriptRequest {
        skill: ScriptSkill::of(repository, entry)?,
        call: ScriptCall {
            device: device.as_deref(),
            arguments: &order.args,
            inputs: inputs.as_ref(),
            timeout: order.timeout,
            expect: order.expect.as_deref(),
            variables: variables(app, repository, &order.session)?,
        },
        journal: app.journal,
    };
    let ran = app.engine.run_script(request, &mut |_, _| (), Box::pin(app.closing.closed())).await;
    Ok(json!(ran.result.map_err(NoAnswer::Failed)?))
}

/// The environment of a script.
pub(crate) fn variables(app: &App, repository: &Repository, session: &str) -> Result<Variables, Failure> {
    let unknown = || Failure::of(ErrorCode::InternalError, "cannot tell where this program is");
    let usual = PackageName::usual_operator();
    let (route, package) = match &app.route {
        RouteWish::Host => ("host", &usual),
        RouteWish::Auto(package) => ("auto", package),
        RouteWish::Operator(package) => ("operator", package),
    };
    Ok(Variables {
        inherited: inherited(std::env::vars_os()),
        program: app.program.clone().ok_or_else(unknown)?,
        operator_package: package.to_string(),
        route,
        lane: app.lane.word(),
        session: session.to_owned(),
        registry: repository.registry_path.clone(),
        run: None,
    })
}
