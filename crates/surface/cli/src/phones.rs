//! How phones are reached, and where what belongs to them is kept, as the environment says.

use crate::environment::Environment;
use clawperator_background::folder_of_user;
use clawperator_contract::{ErrorCode, Failure, LaneWish, RouteChoice, text, words};
use clawperator_phone::vault::is_name;
use clawperator_phone::{Reach, ServerEnvironment};
use clawperator_server::Sdk;
use std::path::PathBuf;

/// The variable that says whether executions write a journal.
const JOURNAL: &str = "CLAWPERATOR_JOURNAL";
/// The variable that names the Operator app to run through.
pub(crate) const OPERATOR_PACKAGE: &str = "CLAWPERATOR_OPERATOR_PACKAGE";

/// The variable that names the pool whose phones to use.
pub(crate) const POOL: &str = "CLAWPERATOR_POOL";
/// The variable that says what runs the steps.
const ROUTE: &str = "CLAWPERATOR_ROUTE";
/// The variable that says where trees come from.
const LANE: &str = "CLAWPERATOR_LANE";
/// The variable that names the program that is Python.
const PYTHON: &str = "CLAWPERATOR_PYTHON";
/// The variable that names the folder of locks.
const LOCK_FOLDER: &str = "CLAWPERATOR_LOCK_DIR";

/// The variable with which a skill's script tells which run its executions are a part of.
pub(crate) const SKILL_RUN: &str = "CLAWPERATOR_SKILL_RUN";
/// The variable that names the caller's session.
const SESSION: &str = "CLAWPERATOR_SESSION";
/// The longest id of a run.
const MAX_SKILL_RUN: usize = 80;

/// How phones are reached, as the environment says.
pub(crate) struct Phones {
    pub(crate) environment: ServerEnvironment,
    /// Where Android's SDK may be.
    pub(crate) sdk: Sdk,
    /// The phone to use if none is named.
    pub(crate) serial: Option<String>,
    /// The pool to use if none is named.
    pub(crate) pool: Option<String>,
    pub(crate) key_file: PathBuf,
    pub(crate) name: String,
    /// The state folder: what is kept from one run to the next.
    pub(crate) state: PathBuf,
    /// Whether executions write a journal by default.
    pub(crate) journal: Journaling,
    /// The Operator app to run through, unchecked.
    pub(crate) operator_package: Option<String>,
    /// What runs the steps if the command line does not say.
    pub(crate) route: RouteChoice,
    /// Where trees come from; the command line goes over the environment.
    pub(crate) lane: LaneWish,
    /// The run of a skill that executions are a part of.
    pub(crate) skill_run: Option<String>,
    /// The session whose values texts may name.
    pub(crate) session: String,
    /// The folder of screenshots without a path.
    pub(crate) folder: PathBuf,
    pub(crate) locks: PathBuf,
    pub(crate) python: PathBuf,
    /// The virtual environment of Python that is active.
    pub(crate) python_environment: Option<PathBuf>,
}

words! {
    /// Whether executions write a journal. Any other word is refused, so that a
    /// misspelt `off` does not turn the journal on.
    #[derive(Default)]
    pub(crate) Journaling {
        #[default]
        On = "on",
        Off = "off",
    }
}

/// What a variable chooses from a few words.
pub(crate) fn word_choice<T: Default>(
    environment: Environment<'_>,
    name: &str,
    words: &[&str],
    from_word: fn(&str) -> Option<T>,
) -> Result<T, Failure> {
    let set = environment.text(name)?.filter(|word| !word.is_empty());
    let Some(word) = set else {
        return Ok(T::default());
    };
    from_word(&word).ok_or_else(|| {
        let (known, shown) = (words.join(", "), text::excerpt(&word));
        let message = format!("{name} must be one of: {known}; not \"{shown}\"");
        Failure::new(ErrorCode::Usage, message).hint(format!("Set {name} to one of them, or unset it."))
    })
}

/// The run of a skill that the environment names.
fn skill_run(environment: Environment<'_>) -> Result<Option<String>, Failure> {
    let set = environment.text(SKILL_RUN)?.filter(|id| !id.is_empty());
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    match set {
        Some(id) if id.len() > MAX_SKILL_RUN || !id.bytes().all(plain) => {
            let message = format!("{SKILL_RUN} is not the id of a run: \"{}\"", text::excerpt(&id));
            let hint = format!("Unset {SKILL_RUN}: clawperator skills run sets it for its scripts.");
            Err(Failure::new(ErrorCode::Usage, message).hint(hint))
        }
        set => Ok(set),
    }
}

fn session(environment: Environment<'_>) -> Result<String, Failure> {
    match environment.text(SESSION)?.filter(|name| !name.is_empty()) {
        Some(name) if !is_name(&format!("cli.{name}")) => {
            let message = format!("{SESSION} is no session's name: \"{}\"", text::excerpt(&name));
            let hint = "Use letters, digits, '.', '_' and '-', at most 60.";
            Err(Failure::new(ErrorCode::Usage, message).hint(hint))
        }
        // The script of a skill has the session of who runs it.
        Some(name) if ["cli.", "http.", "mcp."].iter().any(|surface| name.starts_with(surface)) => Ok(name),
        set => Ok(format!("cli.{}", set.as_deref().unwrap_or("default"))),
    }
}

impl Phones {
    /// What the environment says.
    ///
    /// # Errors
    /// `USAGE` if a variable that must be text is not valid UTF-8.
    pub(crate) fn from_environment(environment: Environment<'_>) -> Result<Self, Failure> {
        // Never the current folder.
        let home = environment.path("HOME").or_else(std::env::home_dir).unwrap_or_else(std::env::temp_dir);
        let label = |name: &str, usual: &str| environment.label(name).unwrap_or_else(|| usual.to_owned());
        let (user, host) = (label("USER", "clawperator"), label("HOSTNAME", "localhost"));
        let adb = environment.path("ADB_PATH").unwrap_or_else(|| "adb".into());
        Ok(Self {
            sdk: Sdk::from_environment(environment.0, &home, adb.clone()),
            environment: ServerEnvironment {
                socket: environment.text("ADB_SERVER_SOCKET")?,
                address: environment.text("ANDROID_ADB_SERVER_ADDRESS")?,
                port: environment.text("ANDROID_ADB_SERVER_PORT")?,
                program: adb,
            },
            serial: environment.text("ANDROID_SERIAL")?,
            pool: environment.text(POOL)?.filter(|pool| !pool.is_empty()),
            key_file: home.join(".android/adbkey"),
            name: format!("{user}@{host}"),
            state: environment.path("CLAWPERATOR_HOME").unwrap_or_else(|| home.join(".clawperator")),
            journal: word_choice(environment, JOURNAL, Journaling::WORDS, Journaling::from_word)?,
            operator_package: environment.text(OPERATOR_PACKAGE)?,
            route: word_choice(environment, ROUTE, RouteChoice::WORDS, RouteChoice::from_word)?,
            lane: word_choice(environment, LANE, LaneWish::WORDS, LaneWish::from_word)?,
            skill_run: skill_run(environment)?,
            session: session(environment)?,
            folder: std::env::temp_dir(),
            locks: environment.path(LOCK_FOLDER).unwrap_or_else(|| folder_of_user("locks")),
            python: environment.path(PYTHON).unwrap_or_else(|| "python3".into()),
            python_environment: environment.path("VIRTUAL_ENV"),
        })
    }

    /// What is needed to reach phones.
    pub(crate) fn reach(&self) -> Reach<'_> {
        Reach { environment: &self.environment, key_file: &self.key_file, name: &self.name }
    }
}
