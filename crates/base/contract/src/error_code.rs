//! The closed table of error codes: what each means to HTTP, to a shell and to
//! a caller that decides whether to try again.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Where a code shows up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeScope {
    /// As `code` of a top-level error object: no envelope exists. A check of
    /// `doctor` may have such a code, too.
    Host,
    /// As `data.error` of a failed step, and as the envelope's `errorCode`.
    Step,
    /// As the envelope's `errorCode` with no step to blame.
    Envelope,
    /// As `code` of one entry in `details.problems`.
    Problem,
    /// As `code` of one check of `doctor`, and nowhere else.
    Check,
}

/// Whether sending the same thing again can help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// The same input gives the same failure.
    Never,
    /// The world may have changed; the same input may succeed.
    Later,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct ErrorRow {
    pub code: ErrorCode,
    /// The code as it is written.
    pub name: &'static str,
    /// The HTTP status of a response that carries it.
    pub http_status: u16,
    /// The exit code of a process that prints it.
    pub exit_code: u8,
    /// Whether trying again can help.
    pub retry: Retry,
    pub scope: CodeScope,
    /// Where else it shows up.
    pub also: &'static [CodeScope],
    pub meaning: &'static str,
    /// What to do about it.
    pub hint: &'static str,
}

/// The exit code of every failure; success is 0 and there is no third.
pub const FAILURE_EXIT_CODE: u8 = 1;

macro_rules! error_codes {
    ($($variant:ident $name:literal $http:literal $retry:ident $scope:ident
        $(+ $also:ident)* $meaning:literal $hint:literal;)*) => {
        /// A stable name for one kind of failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $variant,)*
        }

        /// Every code, in the order of the documentation.
        pub const ERROR_CODES: &[ErrorRow] = &[
            $(ErrorRow {
                code: ErrorCode::$variant,
                name: $name,
                http_status: $http,
                exit_code: FAILURE_EXIT_CODE,
                retry: Retry::$retry,
                scope: CodeScope::$scope,
                also: &[$(CodeScope::$also),*],
                meaning: $meaning,
                hint: $hint,
            },)*
        ];
    };
}

error_codes! {
    // The payload and the command line.
    ExecutionValidationFailed "EXECUTION_VALIDATION_FAILED" 400 Never Host + Step
        "The payload or a flag breaks a rule of the contract."
        "Read details.path and details.problems, correct the payload, send it again.";
    ExecutionActionUnsupported "EXECUTION_ACTION_UNSUPPORTED" 400 Never Problem
        "An action type is not one of the canonical types or their aliases."
        "Use one of the canonical action types.";
    PayloadTooLarge "PAYLOAD_TOO_LARGE" 413 Never Host
        "The payload is larger than the limit."
        "Split it into several executions, or move inline data out of it.";
    MissingArgument "MISSING_ARGUMENT" 400 Never Host
        "A required value is missing."
        "Run the command with --help to see its arguments.";
    MissingSelector "MISSING_SELECTOR" 400 Never Host
        "The command needs a selector."
        "Add --text, --id, --desc, --role, one of their variants, --ref, --where or --selector.";
    Usage "USAGE" 400 Never Host
        "The command line cannot be parsed."
        "Run the command with --help to see its flags.";
    UnknownCommand "UNKNOWN_COMMAND" 400 Never Host
        "There is no command with that name."
        "Run clawperator --help to see the commands.";
    InternalError "INTERNAL_ERROR" 500 Later Host
        "Something failed inside clawperator; this is a bug."
        "Report the bug with the command that caused it.";
    Unknown "UNKNOWN" 400 Never Host
        "The input cannot be read, and no other code fits."
        "Read the message: it says what was found and where.";

    // The phone and the way to it.
    NoDevices "NO_DEVICES" 404 Later Host
        "No phone is connected."
        "Connect a phone, or use a simulated one with --device sim.";
    DeviceNotFound "DEVICE_NOT_FOUND" 404 Later Host
        "The named phone is not connected, or not ready."
        "List the phones with clawperator devices; choose a serial whose state is device.";
    MultipleDevices "MULTIPLE_DEVICES_DEVICE_ID_REQUIRED" 400 Never Host
        "More than one phone is connected and none was named."
        "Choose one with --device.";
    DeviceUnauthorized "DEVICE_UNAUTHORIZED" 500 Later Host
        "The phone has not accepted this computer's key."
        "Allow USB debugging in the dialog on the phone's screen.";
    DeviceOffline "DEVICE_OFFLINE" 500 Later Host
        "adb lists the phone, but the phone does not respond."
        "Reconnect the phone, or run adb reconnect; then check clawperator devices.";
    DeviceShellUnavailable "DEVICE_SHELL_UNAVAILABLE" 500 Later Host + Step
        "The phone's shell refused the command or closed the connection."
        "Read the message. Check the connection, and that the phone has finished booting and has Android 7 or newer.";
    LaneUnavailable "LANE_UNAVAILABLE" 409 Later Host + Step
        "The resident server was asked for, or is needed for toasts, and cannot be used on that phone; the failed step has done nothing."
        "Read the message: end the program it names, or, if no server is set up, run clawperator lane setup. Or run without --lane resident and without wait_for_toast.";
    AdbNotFound "ADB_NOT_FOUND" 500 Never Host
        "The adb program is needed but was not found."
        "Install adb or set ADB_PATH.";
    AdbServerFailed "ADB_SERVER_FAILED" 500 Later Host
        "The adb server does not start or does not respond."
        "Restart it with adb kill-server and adb start-server.";
    ExecutionConflict "EXECUTION_CONFLICT_IN_FLIGHT" 423 Later Host
        "Another execution is running on that phone."
        "Wait until it ends; --wait-for-device MS waits for you.";
    ResultEnvelopeTimeout "RESULT_ENVELOPE_TIMEOUT" 504 Later Host
        "The execution did not end within its timeout."
        "Raise timeoutMs if the step that was running needs longer; look at the screen before you send it again.";
    ExecutionCancelled "EXECUTION_CANCELLED" 503 Later Host
        "The execution was cancelled before it finished."
        "The message names the step that may be half done; look at the screen before you go on.";
    IdempotencyConflict "IDEMPOTENCY_CONFLICT" 409 Never Host
        "The same key was used before with another payload or another phone."
        "Use a new commandId for a new payload; to get the stored outcome, send the first payload again.";
    ExecutionOutcomeUnknown "EXECUTION_OUTCOME_UNKNOWN" 500 Never Host
        "The outcome of an execution with a key is not stored: its process ended first, or could not store it."
        "Check the phone before you run it again. What has a key (exec --once, Idempotency-Key) runs again only under a new one.";
    LeaseLost "LEASE_LOST" 409 Later Host + Step
        "The host's lease on the phone may have ended, so it did not act any more."
        "See what the phone shows, then send the job again with a new commandId.";
    PoolUnavailable "POOL_UNAVAILABLE" 503 Later Host
        "The broker of the pool does not answer."
        "Check the address and that the broker runs: clawperator pool doctor --pool FILE.";
    PoolRefused "POOL_REFUSED" 403 Never Host
        "The key of this caller may not do that in the pool."
        "Use the pool file of the role that may: pool init writes one for each role.";
    PoolFull "POOL_FULL" 429 Later Host
        "The tenant's quota in the pool is used up."
        "Wait until jobs have ended, or have the account's limits raised.";
    PoolNotBuilt "POOL_NOT_BUILT" 501 Never Host
        "This build of clawperator has no client for a pool's broker."
        "Build it with: cargo install --path crates/clawperator --features pool.";
    JobNotFound "JOB_NOT_FOUND" 404 Never Host
        "The pool has no job with that id."
        "clawperator pool jobs lists those that wait and run. One that has ended is found for 30 days by the jobId of its answer, and for an hour by its commandId.";
    JobExpired "JOB_EXPIRED" 504 Later Host
        "The job did not begin before its deadline."
        "See why jobs wait with clawperator pool jobs, then send it again with a longer deadline; if it was sent with --once or over HTTP, with a new commandId.";
    ResultEnvelopeMalformed "RESULT_ENVELOPE_MALFORMED" 500 Later Host
        "The Operator app answered with something that is not an envelope."
        "Check that the app's version is compatible: clawperator version --check-compat.";
    BroadcastFailed "BROADCAST_FAILED" 500 Later Host
        "The payload could not be sent to the Operator app."
        "Check that the app is installed and the phone is awake.";
    OperatorNotInstalled "OPERATOR_NOT_INSTALLED" 500 Never Host
        "The Operator app is not installed on the phone."
        "Install it with clawperator operator setup, or run without it.";
    OperatorVariantMismatch "OPERATOR_VARIANT_MISMATCH" 500 Never Host
        "Another variant of the Operator app is installed."
        "Name the installed variant with --operator-package.";
    OperatorApkNotFound "OPERATOR_APK_NOT_FOUND" 400 Never Host
        "The Operator app's APK file cannot be read."
        "Name an APK file with --apk.";
    OperatorInstallFailed "OPERATOR_INSTALL_FAILED" 500 Later Host
        "The phone did not install the Operator app."
        "Read the message: it quotes the phone's answer.";
    OperatorGrantFailed "OPERATOR_GRANT_FAILED" 500 Later Host
        "The Operator app did not get the permissions it needs."
        "Run clawperator grant-device-permissions, or switch its accessibility service on in the phone's settings.";
    OperatorVerifyFailed "OPERATOR_VERIFY_FAILED" 500 Later Host
        "After the installation the phone does not list the Operator app."
        "Check that the file is the Operator app, and name its package with --operator-package.";
    LaneJarNotFound "LANE_JAR_NOT_FOUND" 400 Never Host
        "The file of the resident server was not found or cannot be read."
        "Install the Python package uiautomator2, add --download, or name its u2.jar with --jar.";
    LaneJarRefused "LANE_JAR_REFUSED" 400 Never Host
        "The file is not one that is known to be the resident server."
        "Use the u2.jar of a version of uiautomator2 that the message names. If you trust your own file, add --allow-unknown.";
    LaneDownloadFailed "LANE_DOWNLOAD_FAILED" 500 Later Host
        "The file of the resident server could not be downloaded."
        "Check that Python has pip and that its package index can be reached, or name a u2.jar with --jar.";
    LaneSlotTaken "LANE_SLOT_TAKEN" 500 Later Host
        "Another program holds the phone's one UiAutomation slot."
        "End that program: clawperator lane status lists who can hold the slot, and how to end it.";
    LaneStartFailed "LANE_START_FAILED" 500 Later Host
        "The resident server could not be put on the phone, started or ended."
        "Read the message, then run clawperator lane status.";
    ApkVersionUnreadable "APK_VERSION_UNREADABLE" 500 Later Host
        "The version of the installed Operator app cannot be read from the phone."
        "Reinstall the app with clawperator operator setup.";
    ApkVersionInvalid "APK_VERSION_INVALID" 500 Never Host
        "The Operator app's version is not of the form 1.2.3."
        "Install a released version of the app.";
    VersionIncompatible "VERSION_INCOMPATIBLE" 500 Never Host
        "The Operator app's version is not compatible with this program."
        "Install the version that clawperator version --check-compat shows.";
    DeviceNotBooted "DEVICE_NOT_BOOTED" 500 Later Check
        "The phone has not finished booting."
        "Wait until it shows its home screen.";
    DeviceScreenOff "DEVICE_SCREEN_OFF" 200 Later Step + Check
        "The phone's screen is off."
        "Run clawperator doctor --fix, or press the phone's power key.";
    DeviceLocked "DEVICE_LOCKED" 200 Later Step + Check
        "The phone is locked."
        "Unlock the phone; clawperator doctor --fix does it if the lock has no PIN.";
    DeviceStorageLow "DEVICE_STORAGE_LOW" 500 Later Check
        "The phone has almost no free storage."
        "Free some storage on the phone.";
    DeviceDevOptionsDisabled "DEVICE_DEV_OPTIONS_DISABLED" 500 Later Check
        "The phone's developer options are off."
        "In the phone's settings, tap the build number seven times.";
    DeviceUsbDebuggingDisabled "DEVICE_USB_DEBUGGING_DISABLED" 500 Later Check
        "USB debugging is off on the phone."
        "Switch USB debugging on in the developer options.";
    DeviceAccessibilityNotRunning "DEVICE_ACCESSIBILITY_NOT_RUNNING" 500 Later Check
        "The Operator app's accessibility service is off."
        "Run clawperator grant-device-permissions.";
    SmokeOpenSettingsFailed "SMOKE_OPEN_SETTINGS_FAILED" 500 Later Check
        "The phone's Settings app does not open."
        "Take a screenshot to see what the phone shows instead.";
    StateFolderUnusable "STATE_FOLDER_UNUSABLE" 500 Later Host
        "One of clawperator's folders is not writable."
        "Make it writable, or set CLAWPERATOR_HOME to another folder.";
    StaleLocks "STALE_LOCKS" 500 Later Check
        "Executions that ended without cleaning up left locks or files on a phone."
        "Run clawperator doctor --fix.";
    LogcatUnavailable "LOGCAT_UNAVAILABLE" 500 Later Host
        "The phone's log ended before the Operator app answered."
        "Check the phone before trying again: the payload was sent.";
    ServiceUnavailable "SERVICE_UNAVAILABLE" 200 Later Envelope
        "The phone's accessibility service is not running."
        "Switch the service on in the phone's settings.";

    // The simulated phone.
    SimNotRunning "SIM_NOT_RUNNING" 404 Later Host
        "No simulated phone is running, or none has that name."
        "Start one with clawperator sim start; clawperator sim list shows the running ones.";
    SimNotBuilt "SIM_NOT_BUILT" 501 Never Host
        "This build of clawperator has no simulated phone."
        "Use a phone, or install clawperator with its default features.";
    SimAmbiguous "SIM_AMBIGUOUS" 400 Never Host
        "Several simulated phones are running and none was named."
        "Choose one by its name or serial; the message lists them.";
    SimStartFailed "SIM_START_FAILED" 500 Later Host
        "A simulated phone could not be started."
        "Read the message for the cause; if the port is in use, choose another.";
    SimAppInvalid "SIM_APP_INVALID" 400 Never Host
        "An app file of the simulated phone cannot be used."
        "Correct the problems in details.problems; clawperator sim check shows each in the file.";
    SimRegistryUnsafe "SIM_REGISTRY_UNSAFE" 500 Never Host
        "The folder that lists the simulated phones is not safe to use."
        "Remove the folder, or set CLAWPERATOR_SIM_DIR to a folder that only you can write to.";
    SimRegistryFailed "SIM_REGISTRY_FAILED" 500 Later Host
        "The folder that lists the simulated phones cannot be read or written."
        "Make the folder writable or free some space, or set CLAWPERATOR_SIM_DIR to another folder.";
    SimOutOfFiles "SIM_OUT_OF_FILES" 500 Later Host
        "The simulated phone needs more open files than the system allows."
        "Run fewer phones at a time, or raise the limit on open files (ulimit -n).";
    SimControlFailed "SIM_CONTROL_FAILED" 500 Later Host
        "A simulated phone is running but does not respond correctly."
        "Try again; if it still fails, stop the phone and start another.";
    SimRequestRefused "SIM_REQUEST_REFUSED" 400 Never Host
        "The simulated phone refused the request."
        "Read the message for the reason.";
    FileReadFailed "FILE_READ_FAILED" 400 Never Host
        "A file cannot be read."
        "Check its name and its rights.";
    FileWriteFailed "FILE_WRITE_FAILED" 500 Later Host
        "A file could not be written."
        "Check that the folder exists and is writable.";
    JournalNotFound "JOURNAL_NOT_FOUND" 404 Never Host
        "There is no journal for that execution."
        "List the journals with clawperator journal list.";
    JournalUnusable "JOURNAL_UNUSABLE" 500 Never Host
        "The journal cannot be read, or lacks data that the command needs."
        "Check it with clawperator journal verify.";

    // Recordings.
    RecordingSessionNotFound "RECORDING_SESSION_NOT_FOUND" 404 Never Host
        "There is no recording with that name, or no recording at all."
        "Record something first, or name an existing recording.";
    RecordingPullFailed "RECORDING_PULL_FAILED" 500 Later Host
        "The recording could not be copied."
        "Check that the target folder is writable and the phone is connected.";
    RecordingParseFailed "RECORDING_PARSE_FAILED" 400 Never Host
        "The file is not a recording, or one of its lines is not an event."
        "See details.line; it counts only lines that are not blank.";
    RecordingSchemaVersionUnsupported "RECORDING_SCHEMA_VERSION_UNSUPPORTED" 400 Never Host
        "The recording has a schema version that this program does not support."
        "Use a version of clawperator that supports it, or record again.";
    RecordingCompileFailed "RECORDING_COMPILE_FAILED" 400 Never Host
        "The recording cannot be compiled into an execution."
        "Read the message for the cause; if the recording is too long, record shorter parts.";

    // Skills and recipes.
    RegistryReadFailed "REGISTRY_READ_FAILED" 500 Never Host
        "The skills registry cannot be found, read or understood."
        "Set CLAWPERATOR_SKILLS_REGISTRY to a skills-registry.json, or run clawperator skills install.";
    SkillNotFound "SKILL_NOT_FOUND" 404 Never Host
        "The registry has no skill with that id."
        "List the skills with clawperator skills list.";
    SkillIdInvalid "SKILL_ID_INVALID" 400 Never Host
        "A skill's id must be an application id and an intent, joined by a dot."
        "Write it like com.example.app.read-balance.";
    SkillAlreadyExists "SKILL_ALREADY_EXISTS" 400 Never Host
        "There is a skill with that id, or a folder in its place."
        "Choose another id, or edit the skill that is there.";
    SkillsScaffoldFailed "SKILLS_SCAFFOLD_FAILED" 500 Later Host
        "The files of a new skill could not be written."
        "Check that the skills folder is writable.";
    SkillValidationFailed "SKILL_VALIDATION_FAILED" 400 Never Host
        "A skill package is incomplete or disagrees with the registry."
        "Correct what details names, then run clawperator skills validate again.";
    SkillScriptNotFound "SKILL_SCRIPT_NOT_FOUND" 400 Never Host
        "The skill has no script to run, or the script is missing."
        "Check scripts in skill.json and in the registry.";
    SkillExecutionFailed "SKILL_EXECUTION_FAILED" 400 Later Host
        "The skill's script could not be started, or it exited with an error."
        "Read stderr and exitCode.";
    SkillExecutionTimeout "SKILL_EXECUTION_TIMEOUT" 400 Later Host
        "The skill did not end in time and was stopped."
        "Raise --timeout, or make the skill do less.";
    SkillOutputAssertionFailed "SKILL_OUTPUT_ASSERTION_FAILED" 400 Later Host
        "The skill's output does not contain the expected text."
        "Compare output with expectedSubstring.";
    SkillResultParseFailed "SKILL_RESULT_PARSE_FAILED" 400 Never Host
        "The skill did not print exactly one valid result frame as its last output."
        "Print the frame's marker line and one line of JSON, once, at the end.";
    SkillAgentCliUnavailable "SKILL_AGENT_CLI_UNAVAILABLE" 400 Later Host
        "The agent program that the skill needs cannot be found."
        "Install it, or set agent.cliPath in skill.json.";
    SkillsSyncFailed "SKILLS_SYNC_FAILED" 500 Later Host
        "The skills repository could not be cloned or updated; the old one is still in place."
        "Read the message for git's reason.";
    SkillsGitNotFound "SKILLS_GIT_NOT_FOUND" 500 Never Host
        "The git program cannot be found."
        "Install git, or put it on the PATH.";
    SkillsHookFailed "SKILLS_HOOK_FAILED" 500 Later Host
        "The pre-commit hook could not be installed, or could not look at the staged changes."
        "Read the message for the cause.";
    SensitiveLiteralFound "SENSITIVE_LITERAL_FOUND" 400 Never Host
        "A staged change has a text that must not be published."
        "Replace it with an input, or unstage the file.";
    ArtifactNotFound "ARTIFACT_NOT_FOUND" 404 Never Host
        "The skill has no artifact with that name."
        "See artifacts in clawperator skills get.";
    CompileVarMissing "COMPILE_VAR_MISSING" 400 Never Host
        "A placeholder of the template has no value."
        "Give it with --vars.";
    CompileVarsParseFailed "COMPILE_VARS_PARSE_FAILED" 400 Never Host
        "The value of --vars is not a JSON object."
        "Write it like {\"NAME\":\"value\"}.";
    CompileValidationFailed "COMPILE_VALIDATION_FAILED" 400 Never Host
        "The artifact does not compile to a valid execution."
        "Correct what details.problems names.";
    RecipeInvalid "RECIPE_INVALID" 400 Never Host
        "The recipe breaks a rule of its format, or compiles to something that cannot be run."
        "Correct what details.problems names; clawperator skills lint shows each place.";
    RecipeInputMissing "RECIPE_INPUT_MISSING" 400 Never Host
        "A required input of the recipe has no value."
        "Give it with --input NAME=VALUE.";
    RecipeInputInvalid "RECIPE_INPUT_INVALID" 400 Never Host
        "The recipe has no such input, or its value is of another type or too long."
        "See inputs in the recipe.";
    CapabilityDenied "CAPABILITY_DENIED" 403 Never Host
        "The profile does not allow what the recipe does."
        "Allow the capability with --allow if the profile asks, or use another profile.";

    // The agent's tools.
    MemoryUnusable "MEMORY_UNUSABLE" 500 Later Host
        "The agent's memory, or its index, cannot be read."
        "Read the message for the cause; symbolic links in the memory are not followed.";
    // Tasks of a model.
    AgentStuck "AGENT_STUCK" 409 Never Host
        "A model did the same on the same screens again and again, so it was not done once more."
        "Do something else, or finish and say what is in the way.";
    AgentStepTimeout "AGENT_STEP_TIMEOUT" 504 Later Host
        "A tool did not end within the time of its step."
        "Look at the screen before trying again: the tool may have acted.";
    AgentSessionNotFound "AGENT_SESSION_NOT_FOUND" 404 Never Host
        "There is no session of that name."
        "List the sessions with clawperator agent sessions.";
    AgentSessionUnusable "AGENT_SESSION_UNUSABLE" 500 Later Host
        "A session cannot be read or written, or another process is writing it."
        "Read the message for the cause.";
    AgentTasksInvalid "AGENT_TASKS_INVALID" 400 Never Host
        "The file with the tasks of an evaluation cannot be used."
        "Correct what the message names; see docs/agent.md.";

    // The server.
    InvalidBody "INVALID_BODY" 400 Never Host
        "The body of a request is not a JSON object, or is not declared as one."
        "Send a JSON object with Content-Type: application/json.";
    InvalidJson "INVALID_JSON" 400 Never Host
        "The body of a request is not valid JSON."
        "Correct the JSON; the message says where it breaks.";
    MissingExecution "MISSING_EXECUTION" 400 Never Host
        "The body of a request has no execution."
        "Send the execution under the key execution.";
    InvalidDeviceId "INVALID_DEVICE_ID" 400 Never Host
        "A request names a phone with something that is no name."
        "Send deviceId as a string that is not blank, or leave it out.";
    InvalidOperatorPackage "INVALID_OPERATOR_PACKAGE" 400 Never Host
        "A request names an Operator app with something that is no package."
        "Send operatorPackage as the name of a package, or leave it out.";
    InvalidPath "INVALID_PATH" 400 Never Host
        "A path in a request is not one that the server may use."
        "Send a plain name of a file or a path inside the server's picture folder, or leave it out.";
    InvalidArgs "INVALID_ARGS" 400 Never Host
        "The arguments for a skill are not a list of strings."
        "Send args as a list of strings, or leave it out.";
    InvalidTimeoutMs "INVALID_TIMEOUT_MS" 400 Never Host
        "A time limit in a request is not a positive whole number."
        "Send timeoutMs as a whole number of milliseconds above 0, or leave it out.";
    InvalidExpectContains "INVALID_EXPECT_CONTAINS" 400 Never Host
        "The text that a skill's output must contain is no text."
        "Send expectContains as a string that is not empty, or leave it out.";
    InvalidRequest "INVALID_REQUEST" 400 Never Host
        "A header, a query or a field of a request has a value that means nothing."
        "Read the message: it names the value and what it may be.";
    Unauthorized "UNAUTHORIZED" 401 Never Host
        "The request has no valid token."
        "Send Authorization: Bearer TOKEN; the server says at its start where the token is.";
    HostRefused "HOST_REFUSED" 403 Never Host
        "The request is addressed to a name that is not this server's."
        "Use the address that the server printed at its start.";
    OriginRefused "ORIGIN_REFUSED" 403 Never Host
        "The request comes from a page of another server."
        "Open the page that this server has, or send no Origin header.";
    RouteNotFound "ROUTE_NOT_FOUND" 404 Never Host
        "The server has no such route."
        "Read /openapi.json for the routes that there are.";
    MethodNotAllowed "METHOD_NOT_ALLOWED" 405 Never Host
        "The route is not for this method."
        "Read /openapi.json for the methods of the route.";
    RunNotFound "RUN_NOT_FOUND" 404 Never Host
        "The server knows no run of that name."
        "List the runs with GET /runs; only runs with a key are known after the server was started again.";
    RequestTimeout "REQUEST_TIMEOUT" 408 Later Host
        "The body of a request did not come in time."
        "Send the request again, all of it at once.";
    ServerBusy "SERVER_BUSY" 503 Later Host
        "The server has as many requests or readers as it takes, or is about to end."
        "Send the request again in a second.";
    ApprovalNotFound "APPROVAL_NOT_FOUND" 404 Never Host
        "There is no approval request of that name."
        "See clawperator approvals list.";
    ApprovalTokenRefused "APPROVAL_TOKEN_REFUSED" 403 Never Host
        "The token is not the one of this approval request."
        "Open the whole link of the request; it is for this request only.";
    ApprovalClosed "APPROVAL_CLOSED" 409 Never Host
        "The approval request was decided before, or its time is up."
        "Ask again: a request is decided once.";
    ApprovalNotYours "APPROVAL_NOT_YOURS" 403 Never Host
        "Another session made the approval request, so what was given for it is for that one."
        "Ask a person in this session; or send the session's name that asked (Clawperator-Session over HTTP).";
    ApprovalInvalid "APPROVAL_INVALID" 400 Never Host
        "The approval request or the answer to it does not fit."
        "Read the message: it names each field and what it takes.";
    ApprovalNotApplied "APPROVAL_NOT_APPLIED" 409 Later Host
        "What a person gave could not be used on the phone."
        "Read the message; bring the phone to the right screen, with the text field in focus, and try again.";
    SecretUnknown "SECRET_UNKNOWN" 400 Never Host
        "A text names a value that no person gave in this session, or whose time is over."
        "Use a name that an approved request told, ask a person with request_human_auth, or set it with clawperator secrets set.";
    SecretRefused "SECRET_REFUSED" 403 Never Host + Step
        "A value that a person gave was not typed: another app than the one it was given for is in front, or the Operator app would get it."
        "Bring the app to the front that the value is for; or set one for every app with clawperator secrets set.";
    ApprovalTooFast "APPROVAL_TOO_FAST" 429 Later Host
        "The approval page was asked too often in a short time."
        "Wait some seconds, then open the link again.";
    EmulatorNotFound "EMULATOR_NOT_FOUND" 404 Never Host
        "There is no emulator of that name."
        "List them with GET /android/emulators, or make one with POST /android/emulators/create.";
    EmulatorNotRunning "EMULATOR_NOT_RUNNING" 404 Later Host
        "The emulator is not running."
        "Start it with POST /android/emulators/NAME/start.";
    EmulatorAlreadyRunning "EMULATOR_ALREADY_RUNNING" 409 Never Host
        "The emulator is running already."
        "Use it: GET /android/emulators/running has its serial.";
    EmulatorAlreadyExists "EMULATOR_ALREADY_EXISTS" 409 Never Host
        "There is an emulator of that name already, or there are too many."
        "Choose another name, or delete one.";
    EmulatorUnsupported "EMULATOR_UNSUPPORTED" 409 Never Host
        "There is an emulator of that name, but it is not what is wanted."
        "Choose another name, or leave out what differs.";
    EmulatorStartFailed "EMULATOR_START_FAILED" 500 Later Host
        "The emulator ended before it could be used, or adb did not see it in time."
        "Read the message: it has the emulator's last words; all of them are in its log in the state folder.";
    EmulatorBootTimeout "EMULATOR_BOOT_TIMEOUT" 500 Later Host
        "The emulator runs, but Android did not start up in time."
        "Wait and look at GET /android/emulators/running, or stop it and start it again.";
    EmulatorStopFailed "EMULATOR_STOP_FAILED" 500 Later Host
        "The emulator could not be stopped, or was still there afterwards."
        "Try again, or close its window.";
    EmulatorDeleteFailed "EMULATOR_DELETE_FAILED" 500 Later Host
        "The SDK's avdmanager did not remove the emulator."
        "Read the message: it has the last words of avdmanager.";
    AndroidAvdCreateFailed "ANDROID_AVD_CREATE_FAILED" 500 Never Host
        "The SDK's avdmanager did not make the emulator."
        "Read the message: it has the last words of avdmanager. avdmanager list device shows the device profiles.";
    AndroidSystemImageInstallFailed "ANDROID_SYSTEM_IMAGE_INSTALL_FAILED" 500 Later Host
        "The SDK's sdkmanager did not install the system image."
        "Read the message. If a licence is not accepted, accept it with sdkmanager --licenses.";
    AndroidSdkToolMissing "ANDROID_SDK_TOOL_MISSING" 500 Never Host
        "A tool of Android's SDK is not there."
        "Install the SDK's command-line tools and emulator, set ANDROID_HOME and start the server again; simulated phones need none of it.";
    ServerNotRunning "SERVER_NOT_RUNNING" 404 Later Host
        "No server of this state folder is running in the background."
        "Start one with clawperator serve --background.";
    ServeFailed "SERVE_FAILED" 500 Later Host
        "The server cannot be started."
        "Read the message; another program may use the port: choose one with --port.";

    // One step.
    VerifyFailed "VERIFY_FAILED" 200 Never Step
        "What a recipe had to see after its step was not seen."
        "Take a snapshot to see what the phone shows before you run the recipe again.";
    RecipeOutputInvalid "RECIPE_OUTPUT_INVALID" 200 Later Step
        "A text was read, but it is not a value of the output's type."
        "Give the step a pattern that finds the value in the text.";
    ActionFailed "ACTION_FAILED" 200 Later Step
        "The Operator app stopped before the end and did not report the step."
        "Read the app's message in error, and take a snapshot.";
    CommandTimeout "COMMAND_TIMEOUT" 200 Later Step
        "The Operator app did not finish all steps within the timeout."
        "Raise timeoutMs, or send fewer steps per execution.";
    NodeNotFound "NODE_NOT_FOUND" 200 Later Step
        "No element on the screen fits the matcher."
        "Take a snapshot and compare it with the matcher.";
    NodeNotClickable "NODE_NOT_CLICKABLE" 200 Later Step
        "The element was found but cannot be clicked."
        "Choose an element that is enabled and takes clicks: a snapshot shows which do.";
    NodeCovered "NODE_COVERED" 200 Later Step
        "Another element covers the whole of it, and would take the touch."
        "Act on what covers it, or close that first; --force (force: true) touches all the same.";
    NodeAmbiguous "NODE_AMBIGUOUS" 200 Never Step
        "Several elements fit the matcher, and strict allows only one."
        "Add fields to the matcher until it fits one element.";
    RefStale "REF_STALE" 200 Never Step
        "The ref's element cannot be found again with certainty."
        "Take a new snapshot or search again, and use the new ref.";
    NodeStillPresent "NODE_STILL_PRESENT" 200 Later Step
        "The element is still on the screen after the wait for it to disappear."
        "Wait longer, or take a snapshot to see why it stays.";
    ToastNotSeen "TOAST_NOT_SEEN" 200 Later Step
        "No toast with the text was seen in time."
        "Read data.toasts for what was seen instead, wait longer, or act again: a toast counts from the last act on.";
    ContainerNotFound "CONTAINER_NOT_FOUND" 200 Later Step
        "No element on the screen fits the container matcher, or nothing on it can be scrolled."
        "Take a snapshot and compare it with the matcher.";
    ContainerNotScrollable "CONTAINER_NOT_SCROLLABLE" 200 Later Step
        "The container cannot be scrolled."
        "Name a scrollable container, or leave container out.";
    ContainerLost "CONTAINER_LOST" 200 Later Step
        "The container disappeared while it was being scrolled."
        "Wait for the screen to settle before scrolling.";
    TargetNotFound "TARGET_NOT_FOUND" 200 Later Step
        "Scrolling ended before the target came into view."
        "Check the matcher and the direction.";
    GestureFailed "GESTURE_FAILED" 200 Later Step
        "The phone did not perform the gesture."
        "Check that the screen is on and unlocked, and that the point is on the screen.";
    ScreenChanged "SCREEN_CHANGED" 200 Later Step
        "Another window came to the front, or the phone was turned, between the look and the touch or the keys. data.dispatched says whether keys may have gone there; a touch was not done."
        "Take a snapshot to see what is in front, then decide whether to try again.";
    EffectNotConfirmed "EFFECT_NOT_CONFIRMED" 200 Never Step
        "The phone accepted the act, but the effect that confirm asks for was not seen in time."
        "Take a snapshot to see what the phone shows before you act again.";
    GlobalActionFailed "GLOBAL_ACTION_FAILED" 200 Later Step
        "The phone did not accept the key press."
        "Check that the screen is on and unlocked.";
    NavigationTimeout "NAVIGATION_TIMEOUT" 200 Later Step
        "The expected app or element did not appear in time."
        "Raise the timeout, or take a snapshot to see what the phone shows.";
    ValueNodeNotFound "VALUE_NODE_NOT_FOUND" 200 Later Step
        "The label was found, but there is no value beside it."
        "Take a snapshot to see where the value is.";
    ValidatorMismatch "VALIDATOR_MISMATCH" 200 Later Step
        "The text was read but does not pass the validator."
        "Compare what the element shows with the validator or the pattern.";
    SnapshotExtractionFailed "SNAPSHOT_EXTRACTION_FAILED" 200 Later Step
        "The phone returned no complete view hierarchy."
        "A picture (screenshot) shows the screen, and its points can be clicked. If the fast lane is not in use, it reads screens that never rest: clawperator lane setup.";
    AppNotStarted "APP_NOT_STARTED" 200 Later Step
        "The app did not start."
        "clawperator packages list shows what is installed; the app needs an activity to launch.";
    AppNotClosed "APP_NOT_CLOSED" 200 Later Step
        "The app could not be stopped."
        "Check the package name: clawperator packages list shows what is installed.";
    UriNotHandled "URI_NOT_HANDLED" 200 Never Step
        "No app on the phone can open the URI."
        "Install an app that opens it, or use another URI.";
    TextNotEntered "TEXT_NOT_ENTERED" 200 Later Step
        "The field does not show the text that was typed."
        "Read what the field shows: the app may change text as it is typed, or take it from keys of its own.";
    ScreenshotFailed "SCREENSHOT_FAILED" 200 Later Step
        "The screenshot could not be taken or written."
        "Check the path, and that the app allows screenshots.";
    RecordingAlreadyInProgress "RECORDING_ALREADY_IN_PROGRESS" 200 Never Step
        "A recording is already running."
        "Stop it before starting another.";
    RecordingNotInProgress "RECORDING_NOT_IN_PROGRESS" 200 Never Step
        "No recording is running."
        "Start one with start_recording.";
    RecordingStartFailed "RECORDING_START_FAILED" 200 Later Step
        "The recording could not be started."
        "Read the message for the cause; a name may contain only letters, digits, - and _.";
    RecordingStopFailed "RECORDING_STOP_FAILED" 200 Later Step
        "The recording did not stop cleanly."
        "Its file is valid up to the last line; the next start cleans up.";
    RecordingStorageUnavailable "RECORDING_STORAGE_UNAVAILABLE" 200 Later Step
        "The folder for recordings cannot be used."
        "Make the folder writable, or set CLAWPERATOR_HOME to another folder.";
    RecordingUnavailable "RECORDING_UNAVAILABLE" 200 Never Step
        "This runtime cannot record."
        "Send the action with the clawperator program, which can record.";

    // The agent's workspace.
    WorkspacePathOutside "WORKSPACE_PATH_OUTSIDE" 400 Never Host
        "A path leads out of the workspace, by itself or through a link."
        "Use a path inside the workspace.";
    WorkspaceFileFailed "WORKSPACE_FILE_FAILED" 400 Later Host
        "A file of the workspace cannot be read or written."
        "Check the path; the message says what is wrong with it.";
    WorkspaceEditFailed "WORKSPACE_EDIT_FAILED" 400 Never Host
        "The text to replace is not in the file, or it is there several times."
        "Read the file, and give the text exactly as it is there.";
    WorkspacePatchFailed "WORKSPACE_PATCH_FAILED" 400 Never Host
        "The patch is not well formed, or its lines are not in the file; nothing was changed."
        "Read the file, and write the patch with the lines that it has.";
    CommandDenied "COMMAND_DENIED" 403 Never Host
        "A command is not allowed in the workspace."
        "Use an allowed command, or let the user change what is allowed.";
    CommandFailed "COMMAND_FAILED" 400 Later Host
        "A command ran and did not succeed."
        "Read its exit code and its output.";
    TooManyProcesses "TOO_MANY_PROCESSES" 429 Later Host
        "Too many commands run in the background."
        "End one with process kill, or wait for one.";
    ProcessNotFound "PROCESS_NOT_FOUND" 404 Never Host
        "There is no background command with that id."
        "See the ids with process list.";
    ProcessInputRefused "PROCESS_INPUT_REFUSED" 409 Later Host
        "The command has ended, its input is closed, or it has not read what it was given."
        "See what it does with process poll.";
    SandboxUnavailable "SANDBOX_UNAVAILABLE" 503 Never Host
        "This system lacks a part of the sandbox, so the program was not started."
        "Use a system that has it, or accept the loss with --sandbox=best-effort.";
    SandboxFailed "SANDBOX_FAILED" 500 Later Host
        "The sandbox could not start the program."
        "Read the message: it says what could not be started.";

    // The agent's tools.
    PolicyDenied "POLICY_DENIED" 403 Never Host
        "A rule of the policy forbids what a tool call or a step asks for."
        "Do something else, or change the rule in the policy's file.";
    ApprovalRequired "APPROVAL_REQUIRED" 403 Never Host
        "The policy asks a person before what a tool call or a step asks for is done."
        "A person decides the request that the message names: clawperator approvals approve ID, or reject. Then send the same again. With agent act, --approve is the yes.";
    ApprovalRejected "APPROVAL_REJECTED" 403 Never Host
        "A person was asked and did not agree, or did not answer in time."
        "Do not try it in another way. Do something else, or finish.";
    ToolUnavailable "TOOL_UNAVAILABLE" 400 Never Host
        "Nothing is there that could carry out the tool call."
        "Name a phone with --device or a folder with --workspace, as the tool needs.";
}

impl ErrorRow {
    /// Everywhere it shows up.
    pub fn scopes(&self) -> impl Iterator<Item = CodeScope> {
        std::iter::once(self.scope).chain(self.also.iter().copied())
    }
}

impl ErrorCode {
    /// The code's row.
    pub fn row(self) -> &'static ErrorRow {
        // The macro writes enum and table in one order; a test walks both.
        &ERROR_CODES[self as usize]
    }

    /// The code that is written so.
    pub fn from_name(name: &str) -> Option<Self> {
        let row = ERROR_CODES.iter().find(|row| row.name == name)?;
        Some(row.code)
    }

    /// The code as it is written.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl JsonSchema for ErrorCode {
    fn schema_name() -> Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<_> = ERROR_CODES.iter().map(|row| row.name).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_is_its_code_s_row() {
        for row in ERROR_CODES {
            assert_eq!(row.code.row().name, row.name);
            assert_eq!(ErrorCode::from_name(row.name), Some(row.code));
            assert!(row.name.bytes().all(|b| b == b'_' || b.is_ascii_uppercase()));
            assert!((200..600).contains(&row.http_status), "{}", row.name);
            assert_eq!(row.exit_code, FAILURE_EXIT_CODE);
            assert!(!row.also.contains(&row.scope), "{}", row.name);
            assert!(row.meaning.ends_with('.') && row.hint.ends_with('.'), "{}", row.name);
        }
        let names: BTreeSet<_> = ERROR_CODES.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), ERROR_CODES.len());
        assert_eq!(ErrorCode::from_name("usage"), None);
    }

    #[test]
    fn only_what_reaches_http_as_an_error_has_an_error_status() {
        for row in ERROR_CODES {
            // What shows up in two places has the status of the first.
            let in_envelope = matches!(row.scope, CodeScope::Step | CodeScope::Envelope);
            assert_eq!(row.http_status == 200, in_envelope, "{}", row.name);
        }
    }
}
