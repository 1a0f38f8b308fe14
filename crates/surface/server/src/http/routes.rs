//! The table of routes. What is not here is no route for programs, and what is
//! here is in the OpenAPI document.

use super::agent::MAX_PERSON_MS;
use super::execute::MAX_WAIT_MS;
use super::route::FieldShape::{Execution, Flag, Object, Package, Text, Texts, Whole, Words};
use super::route::{
    AnswerKey, HttpRoute, RouteField, Success, delete, get, key, maybe, optional, post, put, required,
};
use super::{
    agent, approvals, devices, emulators, events, execute, page, pool, records, runs, sessions, skills,
    status,
};
use axum::routing as on;
use clawperator_agent::action::Capability;
use clawperator_agent::snapshot::ImageKind;
use clawperator_agent::tool::Format;
use clawperator_contract::{ErrorCode as Code, LaneWish};
use clawperator_pool::Priority;

const DEVICE: RouteField =
    optional("deviceId", Text, "The phone, by serial or name; without it, the only one there is.");
const PACKAGE: RouteField =
    optional("operatorPackage", Package, "The Operator app to run through, if it is ready.");
const LANE: RouteField = optional(
    "lane",
    Words(LaneWish::WORDS),
    "Where the screen's tree comes from: dump, resident, or auto: the resident server if it runs or was set up.",
);
const PICTURE: RouteField =
    optional("path", Text, "The file to write, inside the folder screenshots of the state folder.");
const RUN_QUERY: &[RouteField] = EXECUTE_QUERY.split_at(1).1;
const EXECUTE_QUERY: &[RouteField] = &[
    optional(
        "view",
        Flag,
        "Add a last step, view: what changed on the screen, if something acts [default: as the server was started].",
    ),
    optional("strict", Flag, "Refuse a matcher that fits more than one element."),
    optional(
        "wait_for_device_ms",
        Whole(0, MAX_WAIT_MS),
        "How long to wait while another execution runs on the phone; without it, such a phone is refused.",
    ),
    optional(
        "cancel_on_disconnect",
        Flag,
        "Cancel the run if the caller goes away. Without it, the run goes on.",
    ),
];
const KEY: RouteField = optional(
    "Idempotency-Key",
    Text,
    "The same key with the same body returns the first outcome, also after the server was started again; \
     with another body it is IDEMPOTENCY_CONFLICT.",
);
const SESSION: RouteField = optional(
    super::ask::SESSION,
    Text,
    "The caller's session, whose values {{secret:NAME}} in a typed text names [default: default].",
);
const RUN_HEADERS: &[RouteField] = &[
    KEY,
    SESSION,
    optional(
        "Prefer",
        Text,
        "respond-async: answer 202 with the name of the run at once; the run waits for its phone.",
    ),
];
const RUN_ERRORS: &[Code] = &[
    Code::MissingExecution,
    Code::ExecutionValidationFailed,
    Code::InvalidBody,
    Code::InvalidJson,
    Code::InvalidDeviceId,
    Code::InvalidOperatorPackage,
    Code::InvalidRequest,
    Code::InvalidPath,
    Code::NoDevices,
    Code::DeviceNotFound,
    Code::MultipleDevices,
    Code::DeviceOffline,
    Code::DeviceUnauthorized,
    Code::AdbNotFound,
    Code::AdbServerFailed,
    Code::ExecutionConflict,
    Code::ExecutionCancelled,
    Code::ResultEnvelopeTimeout,
    Code::IdempotencyConflict,
    Code::ExecutionOutcomeUnknown,
    Code::SecretUnknown,
    Code::SecretRefused,
];
const LIMIT: RouteField = optional("limit", Whole(0, records::MOST), "How many at most [default: 50].");
const NOTE: RouteField = optional("note", Text, "A note to the agent, beside the decision.");
const DECISION_ERRORS: &[Code] = &[
    Code::InvalidBody,
    Code::InvalidJson,
    Code::ApprovalNotFound,
    Code::ApprovalClosed,
    Code::ApprovalInvalid,
];
const APPROVAL: &[AnswerKey] = &[
    key("id", "string", "Its name."),
    key("state", "string", "pending, approved, rejected or timeout."),
    key("capability", "string", "What is asked for."),
    key("instruction", "string", "What the person should do, and why."),
    key("page", "object", "What its page shows."),
    key("expiresMs", "integer", "When it ends, in milliseconds since 1970."),
    maybe("given", "array", "What the person gave: kinds, lengths and names, without the values."),
    maybe("note", "string", "What the person wrote."),
    maybe("dropped", "string", "Why what was given is not there any more."),
];
const COUNT: AnswerKey = key("count", "integer", "How many there are.");

/// The routes, in the order of the document.
pub(crate) const ROUTES: &[HttpRoute] = &[
    get("Phones", "/devices", "listDevices", || on::get(devices::devices))
        .about("Lists the phones that can be reached.")
        .answer(&[key("devices", "array", "serial, state, and sim: the name of a simulated phone.")])
        .errors(&[Code::AdbServerFailed]),
    get("Phones", "/devices/{id}/observe", "observeDevice", || on::get(devices::observe))
        .about("Shows the screen of a phone as a model sees it: a scaled picture and the elements on it.")
        .details("The phone is named by its serial or, if it is simulated, by its name. The request waits while an \
            execution runs on it.")
        .query(&[
            optional("som", Flag, "Also the picture with a numbered box around each element."),
            optional("image", Words(ImageKind::WORDS), "How pictures are written [default: png]."),
            optional(
                "model",
                Text,
                "The model that it is for: the size of the picture follows from its name.",
            ),
            optional("packages", Flag, "Also the apps that have an icon."),
        ])
        .answer(&[
            key("deviceId", "string", "The serial of the phone."),
            key("currentApp", "string", "The package in front, or unknown."),
            key("width", "integer", "The width of the screen in pixels."),
            key("height", "integer", "The height of the screen in pixels."),
            key("screenshotBase64", "string", "The scaled picture."),
            key("somScreenshotBase64", "string|null", "The same with boxes; null without any."),
            key("capturedAt", "string", "When the picture was taken."),
            key("scaleX", "number", "Pixels of the phone for one of the picture, across."),
            key("scaleY", "number", "Pixels of the phone for one of the picture, down."),
            key("scaledWidth", "integer", "The width of the picture."),
            key("scaledHeight", "integer", "The height of the picture."),
            maybe("installedPackages", "array", "The apps that have an icon."),
            key("uiElements", "array", "The elements; every one with a box is here."),
            key("captureMetrics", "object", "What it took."),
            maybe("secureWindows", "array", "The windows that forbid pictures, so they are black."),
        ])
        .errors(&[
            Code::InvalidRequest,
            Code::DeviceNotFound,
            Code::DeviceOffline,
            Code::DeviceUnauthorized,
            Code::AdbNotFound,
            Code::AdbServerFailed,
            Code::DeviceShellUnavailable,
            Code::ExecutionConflict,
        ]),
    get("Agents", "/agent/tools", "listAgentTools", || on::get(agent::tools))
        .about("Lists the tools that a model drives a phone with, as the model sees them.")
        .query(&[optional("format", Words(Format::WORDS), "In whose words [default: openai].")])
        .answer(&[key("tools", "array", "The tools.")])
        .errors(&[Code::InvalidRequest]),
    post("Agents", "/agent/act", "agentAct", || on::post(agent::act))
        .about("Does what one tool call asks for, as far as the policy and a person allow it.")
        .details("The answer is 200 also if the tool failed: read result.ok. The rules are those of policy.yaml in the \
            state folder. What they ask about waits for a person, until timeoutMs is over, or is answered with 202 at \
            once (Prefer: respond-async); then result.error.approval names the request, and the same call goes on \
            once it is decided. Coordinates are pixels of the phone.")
        .headers(&[
            optional("Prefer", Text, "respond-async: answer 202 at once if a person is asked first."),
            SESSION,
        ])
        .body(&[
            required("tool", Text, "The tool's name."),
            optional("args", Object, "Its arguments."),
            optional("strict", Flag, "Refuse a call that needs repairs."),
            optional("dryRun", Flag, "Only tell the action, its repairs and the decision."),
            optional(
                "timeoutMs",
                Whole(1, MAX_PERSON_MS),
                "How long to wait for a person [default: 300000].",
            ),
            DEVICE,
        ])
        .answer(&[
            key("action", "object", "The action, every field filled in."),
            key("repairs", "array", "The arguments that were missing, wrong or of no use."),
            key("decision", "string", "allow, deny or ask."),
            maybe("capability", "string", "What a person is asked for."),
            maybe("reason", "string", "Why it is denied or asked about."),
            maybe("result", "object", "What came of it."),
            maybe("journal", "string", "The journal of what was done on the phone."),
        ])
        .errors(&[
            Code::InvalidBody,
            Code::InvalidJson,
            Code::InvalidRequest,
            Code::InvalidDeviceId,
            Code::ExecutionValidationFailed,
            Code::FileReadFailed,
            Code::MultipleDevices,
            Code::NoDevices,
            Code::DeviceNotFound,
            Code::DeviceOffline,
            Code::DeviceUnauthorized,
            Code::DeviceShellUnavailable,
            Code::AdbNotFound,
            Code::AdbServerFailed,
            Code::ExecutionConflict,
        ]),
    post("Executions", "/execute", "execute", || on::post(execute::execute))
        .about("Runs an execution on a phone.")
        .details("The answer is 200 also if a step failed: read envelope.status.")
        .query(EXECUTE_QUERY)
        .headers(RUN_HEADERS)
        .body(&[required("execution", Execution, "The execution."), DEVICE, PACKAGE, LANE])
        .success(Success::Execution)
        .errors(RUN_ERRORS),
    post("Executions", "/snapshot", "snapshot", || on::post(execute::snapshot))
        .about("Reads the screen: an execution of one snapshot_ui.")
        .query(RUN_QUERY)
        .headers(RUN_HEADERS)
        .body(&[DEVICE, PACKAGE, LANE])
        .success(Success::Execution)
        .errors(RUN_ERRORS),
    post("Executions", "/screenshot", "screenshot", || on::post(execute::screenshot))
        .about("Takes a picture of the screen: an execution of one take_screenshot.")
        .query(RUN_QUERY)
        .headers(RUN_HEADERS)
        .body(&[DEVICE, PACKAGE, LANE, PICTURE])
        .success(Success::Execution)
        .errors(RUN_ERRORS),
    get("Runs", "/runs", "listRuns", || on::get(runs::list))
        .about("Lists the runs of this server, the newest first.")
        .query(&[
            optional("limit", Whole(0, runs::MOST), "How many at most [default: 50]."),
            optional("device", Text, "Only those on the phone of this serial."),
            optional("state", Words(&["waiting", "running", "ended"]), "Only those in this state."),
        ])
        .answer(&[COUNT, key("runs", "array", "What is known of each.")])
        .errors(&[Code::InvalidRequest]),
    get("Runs", "/runs/{id}", "getRun", || on::get(runs::get))
        .about("Shows a run, and its outcome if it has ended.")
        .details("A run with a key is also known after the server was started again. httpStatus and result are what \
            a caller that had waited would have got.")
        .answer(&[
            key("runId", "string", "Its name."),
            key("state", "string", "waiting, running or ended."),
            maybe("status", "string", "success, failed, or error: there is no envelope."),
            maybe("httpStatus", "integer", "The status of its answer."),
            maybe("result", "object", "Its answer."),
            maybe("commandId", "string", "The caller's id of the execution."),
            maybe("deviceId", "string", "The phone."),
            maybe("journal", "string", "The name of its journal."),
        ])
        .errors(&[Code::RunNotFound]),
    post("Runs", "/runs/{id}/cancel", "cancelRun", || on::post(runs::cancel))
        .about("Cancels a run. Its outcome comes all the same.")
        .answer(CANCELLED)
        .errors(&[Code::RunNotFound, Code::ExecutionConflict]),
    delete("Runs", "/runs/{id}", "deleteRun", || on::delete(runs::cancel))
        .about("Cancels a run, as POST /runs/{id}/cancel does.")
        .answer(CANCELLED)
        .errors(&[Code::RunNotFound, Code::ExecutionConflict]),
    get("Runs", "/events", "events", || on::get(events::events))
        .about("Tells what came of each execution, as server-sent events.")
        .details("heartbeat comes at once and then every 15 seconds. clawperator:result has the envelope, \
            clawperator:execution the execution without what it types, and the answer. gap says what was lost.")
        .query(&[
            optional("device", Text, "Only executions on the phone of this serial."),
            optional("run", Text, "Only this run."),
        ])
        .headers(&[optional("Last-Event-ID", Text, "Begin after this event, as far as later ones are kept.")])
        .success(Success::Events)
        .errors(&[Code::InvalidRequest]),
    get("Skills", "/skills", "listSkills", || on::get(skills::list))
        .about("Lists the skills that fit a query.")
        .query(&[
            optional("app", Text, "Only skills for this application id."),
            optional("intent", Text, "Only skills with this intent."),
            optional("keyword", Text, "Only skills that have these words; the best first."),
        ])
        .answer(&[key("skills", "array", "Their entries in the registry."), COUNT])
        .errors(&[Code::RegistryReadFailed]),
    get("Skills", "/skills/{id}", "getSkill", || on::get(skills::get))
        .about("Shows a skill.")
        .answer(&[key("skill", "object", "Its entry in the registry.")])
        .errors(&[Code::SkillNotFound, Code::RegistryReadFailed]),
    post("Skills", "/skills/{id}/run", "runSkill", || on::post(skills::run))
        .about("Runs a skill: its recipe, or else its script.")
        .details("A script answers with output, exitCode and durationMs, a recipe with its outputs and the envelope.")
        .headers(&[KEY, SESSION])
        .body(&[
            DEVICE,
            optional("args", Texts, "Arguments of a script."),
            optional("inputs", Object, "Inputs by their names."),
            optional("allow", Texts, "Capabilities of the recipe that the caller agrees to."),
            optional("timeoutMs", Whole(1, 1 << 53), "How long it may take."),
            optional("expectContains", Text, "What the output of a script must contain."),
        ])
        .answer(&[
            maybe("skillId", "string", "The skill that has a script."),
            maybe("output", "string", "What the script printed."),
            maybe("exitCode", "integer", "The exit code of the script."),
            maybe("durationMs", "integer", "How long the script took."),
            maybe("outputs", "object", "What the recipe read."),
        ])
        .errors(&[
            Code::InvalidBody,
            Code::InvalidJson,
            Code::InvalidArgs,
            Code::InvalidDeviceId,
            Code::InvalidTimeoutMs,
            Code::InvalidExpectContains,
            Code::InvalidRequest,
            Code::SkillNotFound,
            Code::SkillScriptNotFound,
            Code::SkillExecutionFailed,
            Code::SkillExecutionTimeout,
            Code::SkillOutputAssertionFailed,
            Code::SkillResultParseFailed,
            Code::SkillValidationFailed,
            Code::SkillAgentCliUnavailable,
            Code::RecipeInvalid,
            Code::RecipeInputMissing,
            Code::RecipeInputInvalid,
            Code::CapabilityDenied,
            Code::RegistryReadFailed,
            Code::NoDevices,
            Code::DeviceNotFound,
            Code::MultipleDevices,
            Code::ExecutionConflict,
            Code::ExecutionCancelled,
            Code::ExecutionOutcomeUnknown,
            Code::IdempotencyConflict,
            Code::ResultEnvelopeTimeout,
        ]),
    post("Approvals", "/approvals", "createApproval", || on::post(approvals::create))
        .about("Asks a person for their word, and for what only a person has.")
        .details("The link opens the page of this request, once. With deviceId the request is bound to the screen that \
            this phone shows now, and the page has its picture. The server is the one that waits for the answer.")
        .body(&[
            required("capability", Words(Capability::WORDS), "What is asked for."),
            required("instruction", Text, "What the person should do, and why."),
            optional("timeoutSec", Whole(30, 1800), "How long the person has [default: 300]."),
            optional("uiTemplate", Object, "How the page looks; see docs/approvals.md."),
            optional("deviceId", Text, "The phone that it is about."),
            optional("origin", Text, "Who asks, as the page says it."),
        ])
        .answer(&[
            key("id", "string", "Its name."),
            key("link", "string", "Its page, with the token behind the #."),
            key("expiresMs", "integer", "When it ends, in milliseconds since 1970."),
            maybe("repairs", "array", "What of it was cut or left out."),
        ])
        .errors(&[
            Code::InvalidBody,
            Code::InvalidJson,
            Code::ApprovalInvalid,
            Code::InvalidDeviceId,
            Code::DeviceNotFound,
            Code::ExecutionConflict,
            Code::DeviceShellUnavailable,
        ]),
    get("Approvals", "/approvals", "listApprovals", || on::get(approvals::list))
        .about("Lists requests for a person's word, the newest first.")
        .query(&[
            optional("limit", Whole(0, approvals::MOST), "How many at most [default: 50]."),
            optional(
                "state",
                Words(&["pending", "approved", "rejected", "timeout"]),
                "Only those in this state.",
            ),
        ])
        .answer(&[COUNT, key("approvals", "array", "What is known of each.")])
        .errors(&[Code::InvalidRequest]),
    get("Approvals", "/approvals/events", "approvalEvents", || on::get(approvals::changes))
        .about("Tells of each request that is made or decided, as server-sent events.")
        .details("clawperator:approval has id, state, capability and instruction.")
        .success(Success::Events),
    get("Approvals", "/approvals/{id}", "getApproval", || on::get(approvals::get))
        .about("Shows a request, and what came of it. What a person gave is described, without the values.")
        .answer(APPROVAL)
        .errors(&[Code::ApprovalNotFound]),
    post("Approvals", "/approvals/{id}/approve", "approve", || on::post(approvals::approve))
        .about("Approves a request, as the user.")
        .body(&[optional("answer", Object, "What is given: fields, text, location, files."), NOTE])
        .answer(APPROVAL)
        .errors(DECISION_ERRORS),
    post("Approvals", "/approvals/{id}/reject", "reject", || on::post(approvals::reject))
        .about("Rejects a request, as the user.")
        .body(&[NOTE])
        .answer(APPROVAL)
        .errors(DECISION_ERRORS),
    post("Approvals", "/approvals/{id}/apply", "applyApproval", || on::post(approvals::apply))
        .about("Uses on the phone what a person gave: types a text, sets a location, stores files.")
        .details("If the screen has changed since the person was asked, nothing is done, and the person is asked again.")
        .headers(&[SESSION])
        .body(&[DEVICE])
        .answer(&[
            maybe(
                "names",
                "array",
                "How the values are written in a text that is typed later in this session.",
            ),
            maybe("dropped", "string", "Why what was given is not there any more; then given describes it."),
            key("applied", "array", "What was done with each thing that was given."),
            maybe("askedAgain", "object", "The new request, if the screen has changed."),
        ])
        .errors(&[
            Code::ApprovalNotFound,
            Code::ApprovalClosed,
            Code::ApprovalNotApplied,
            Code::ExecutionConflict,
            Code::DeviceShellUnavailable,
        ]),
    get("Emulators", "/android/emulators", "listEmulators", || on::get(emulators::list))
        .about("Lists the emulators: virtual devices of Android's SDK, and simulated phones.")
        .answer(&[key(
            "avds",
            "array",
            "name, type (emulator or simulated), running, serial, apiLevel, abi, deviceProfile and playStore of each.",
        )]),
    get("Emulators", "/android/emulators/running", "listRunningEmulators", || on::get(emulators::running))
        .about("Lists the emulators that are running.")
        .answer(&[key("devices", "array", "serial, avdName and type of each.")]),
    post("Emulators", "/android/emulators/create", "createEmulator", || on::post(emulators::create))
        .about("Makes an emulator, which does not run yet.")
        .details("Where Android's SDK is, its system image is installed first if need be, which can take minutes. \
                  A licence that is not accepted yet stops it.")
        .body(EMULATOR)
        .answer(&[
            key("type", "string", "emulator or simulated."),
            key("avdName", "string", "Its name."),
            key("created", "boolean", "That it was made."),
            maybe("ignored", "array", "The fields that mean nothing for a simulated phone."),
        ])
        .errors(&[
            Code::InvalidBody,
            Code::InvalidJson,
            Code::InvalidRequest,
            Code::EmulatorAlreadyExists,
            Code::AndroidSdkToolMissing,
            Code::AndroidSystemImageInstallFailed,
            Code::AndroidAvdCreateFailed,
        ]),
    get("Emulators", "/android/emulators/{name}", "getEmulator", || on::get(emulators::get))
        .about("Shows an emulator; also one that does not exist.")
        .answer(&[
            key("name", "string", "Its name."),
            key("exists", "boolean", "Whether it exists."),
            key("running", "boolean", "Whether it runs."),
            maybe("serial", "string", "Its serial while it runs."),
            maybe("type", "string", "emulator or simulated."),
            maybe("apiLevel", "integer", "The level of Android's interface, if it is known."),
            maybe("abi", "string", "The processor of its system image, if it is known."),
            maybe("deviceProfile", "string", "What device it looks like, if it is known."),
            maybe("playStore", "boolean", "Whether it has the Play Store, if it is known."),
        ]),
    delete("Emulators", "/android/emulators/{name}", "deleteEmulator", || on::delete(emulators::delete))
        .about("Removes an emulator, and stops it first.")
        .answer(&[key("avdName", "string", "Its name."), key("deleted", "boolean", "That it was removed.")])
        .errors(&[
            Code::EmulatorNotFound,
            Code::EmulatorStopFailed,
            Code::EmulatorDeleteFailed,
            Code::AndroidSdkToolMissing,
        ]),
    post("Emulators", "/android/emulators/{name}/start", "startEmulator", || on::post(emulators::start))
        .about("Starts an emulator and waits until it can be used.")
        .answer(STARTED)
        .errors(&[
            Code::EmulatorNotFound,
            Code::EmulatorAlreadyRunning,
            Code::EmulatorStartFailed,
            Code::EmulatorBootTimeout,
            Code::AndroidSdkToolMissing,
            Code::SimStartFailed,
        ]),
    post("Emulators", "/android/emulators/{name}/stop", "stopEmulator", || on::post(emulators::stop))
        .about("Stops an emulator.")
        .answer(&[key("avdName", "string", "Its name."), key("stopped", "boolean", "That it was stopped.")])
        .errors(&[Code::EmulatorNotFound, Code::EmulatorNotRunning, Code::EmulatorStopFailed]),
    post("Emulators", "/android/provision/emulator", "provisionEmulator", || on::post(emulators::provision))
        .about("Sees to it that an emulator runs: one that does, one that is there, or a new one.")
        .body(EMULATOR)
        .answer(STARTED)
        .errors(&[
            Code::InvalidBody,
            Code::InvalidJson,
            Code::InvalidRequest,
            Code::EmulatorAlreadyRunning,
            Code::EmulatorUnsupported,
            Code::EmulatorStartFailed,
            Code::EmulatorBootTimeout,
            Code::AndroidSdkToolMissing,
            Code::AndroidSystemImageInstallFailed,
            Code::AndroidAvdCreateFailed,
            Code::SimStartFailed,
        ]),
    get("Records", "/journals", "listJournals", || on::get(records::journals))
        .about("Lists the journals of executions, the newest first.")
        .query(&[LIMIT])
        .answer(&[key("journals", "array", "What each is about."), COUNT])
        .errors(&[Code::InvalidRequest, Code::JournalUnusable]),
    get("Records", "/journals/{id}", "getJournal", || on::get(records::journal))
        .about("Shows the events of a journal, by its name or command id.")
        .answer(&[
            key("name", "string", "Its name."),
            key("status", "string", "How the execution ended."),
            key("verdict", "string", "Whether it was changed."),
            key("events", "array", "Its lines."),
            maybe("executions", "array", "The journals of the executions of a skill's run."),
        ])
        .errors(&[Code::JournalNotFound, Code::JournalUnusable]),
    get("Records", "/journals/{id}/report", "getReport", || on::get(records::report_page))
        .about("Shows a journal as a page.")
        .success(Success::Text("text/html"))
        .errors(&[Code::JournalNotFound, Code::JournalUnusable]),
    get("Records", "/recordings", "listRecordings", || on::get(records::recordings))
        .about("Lists the recordings on this computer.")
        .query(&[LIMIT])
        .answer(&[key("recordings", "array", "sessionId and bytes of each."), COUNT])
        .errors(&[Code::InvalidRequest]),
    get("Records", "/recordings/{id}", "getRecording", || on::get(records::recording))
        .about("Sends a recording: one line of JSON for each event.")
        .success(Success::Text("application/x-ndjson"))
        .errors(&[Code::RecordingSessionNotFound]),
    get("Records", "/sessions", "listSessions", || on::get(sessions::sessions))
        .about("Lists the sessions of agents, the newest first.")
        .query(&[LIMIT])
        .answer(&[key("sessions", "array", "What each is about."), COUNT])
        .errors(&[Code::InvalidRequest, Code::AgentSessionUnusable]),
    get("Records", "/sessions/{id}", "getSession", || on::get(sessions::session))
        .about("Shows what a model was shown, what it thought and what it did.")
        .answer(&[
            key("begin", "object", "The task, the model and the phone."),
            key("steps", "array", "The steps."),
            maybe("end", "object", "How it ended; missing if it runs or was cut off."),
            key("unreadable", "integer", "How many lines cannot be read."),
        ])
        .errors(&[Code::AgentSessionNotFound, Code::AgentSessionUnusable]),
    get("Records", "/sessions/{id}/report", "getSessionReport", || on::get(sessions::report_page))
        .about("Shows a session as a page.")
        .success(Success::Text("text/html"))
        .errors(&[Code::AgentSessionNotFound, Code::AgentSessionUnusable]),
    get("Pool", "/pool/phones", "listPoolPhones", || on::get(pool::phones))
        .about("Lists the phones of the pool, and what each is doing.")
        .details("Every route of the pool needs a server that was started with --pool.")
        .query(POOL_LIMIT)
        .answer(&[COUNT, key("phones", "array", "phone (HOST/SERIAL), state, model, classes, and the job on it.")])
        .errors(POOL_ERRORS),
    put("Pool", "/pool/phones/{host}/{serial}/reservation", "reservePhone", || on::put(pool::reserve))
        .about("Keeps a phone for jobs that name it.")
        .body(&[
            required("forMs", Whole(1, pool::MAX_RESERVATION_MS), "How long."),
            required("why", Text, "Why, for people: at most 200 letters."),
        ])
        .answer(&[
            key("phone", "string", "The phone."),
            key("forMs", "integer", "How long."),
            key("why", "string", "Why."),
        ])
        .errors(WISH_ERRORS),
    delete("Pool", "/pool/phones/{host}/{serial}/reservation", "endReservation", || {
        on::delete(pool::end_reservation)
    })
    .about("Ends the reservation of a phone.")
    .answer(&[key("phone", "string", "The phone.")])
    .errors(WISH_ERRORS),
    get("Pool", "/pool/hosts", "listPoolHosts", || on::get(pool::hosts))
        .about("Lists the hosts of the pool.")
        .query(POOL_LIMIT)
        .answer(&[COUNT, key("hosts", "array", "host, version, phones, running, and drains.")])
        .errors(POOL_ERRORS),
    put("Pool", "/pool/hosts/{host}/drain", "drainHost", || on::put(pool::drain))
        .about("Has a host take no more jobs.")
        .answer(DRAINS)
        .errors(WISH_ERRORS),
    delete("Pool", "/pool/hosts/{host}/drain", "endDrain", || on::delete(pool::end_drain))
        .about("Has a host take jobs again.")
        .answer(DRAINS)
        .errors(WISH_ERRORS),
    get("Pool", "/pool/jobs", "listJobs", || on::get(pool::jobs::list))
        .about("Lists the jobs that have not ended: those that wait, and why, and those that hosts have in hand.")
        .query(&[optional("limit", Whole(0, pool::jobs::MOST), "How many of each at most [default: 100].")])
        .answer(&[
            key("waitingCount", "integer", "How many wait."),
            key("runningCount", "integer", "How many hosts have in hand."),
            key("waiting", "array", "Those that come first first; why has the reason as a code and in words."),
            key("running", "array", "host, phone and stage (claimed or started) of each."),
        ])
        .errors(POOL_ERRORS),
    post("Pool", "/pool/jobs", "sendJob", || on::post(pool::jobs::submit))
        .about("Sends a job: an execution on a phone of the pool.")
        .details("The id of a job is made of the commandId: the same one with the same execution is the same job, also \
            if it has ended. The answer is that of POST /execute, with jobId and phone; or 202 with jobId and \
            location if wait is false, or the job takes longer than its deadline and timeoutMs together. With all:CLASS \
            there is a job for each phone, with @HOST/SERIAL behind the commandId, and jobs lists them.")
        .query(EXECUTE_QUERY.split_at(2).0)
        .body(&[
            required("execution", Execution, "The execution."),
            required("on", Text, "Where: any:CLASS, all:CLASS or HOST/SERIAL."),
            optional("priority", Words(Priority::WORDS), "Which jobs come first [default: normal]."),
            optional(
                "deadlineMs",
                Whole(1, pool::jobs::MAX_DEADLINE_MS),
                "How long it may wait for its phone [default: 3600000].",
            ),
            optional(
                "repeatable",
                Flag,
                "Whether it may be run again if it is not known what came of it [default: false].",
            ),
            optional("label", Text, "What the job is called in lists."),
            optional("wait", Flag, "Whether the answer comes at the end of the job [default: true]."),
            LANE,
        ])
        .success(Success::Jobs)
        .errors(JOB_ERRORS),
    get("Pool", "/pool/jobs/{id}", "getJob", || on::get(pool::jobs::get))
        .about("Shows a job, by its id or its commandId.")
        .answer(&[
            key("id", "string", "Its id."),
            key("state", "string", "waiting, running or ended."),
            maybe("why", "object", "Why it waits: reason is a code, text says it in words."),
            maybe("ahead", "integer", "How many jobs come before it."),
            maybe("stage", "string", "claimed, or started: from then on it may have touched the phone."),
            maybe("host", "string", "The host that has it in hand."),
            maybe("phone", "string|null", "Its phone."),
            maybe("status", "string", "success, failed, or error: there is no envelope."),
            maybe("httpStatus", "integer", "The status of its answer."),
            maybe("result", "object", "Its answer, as POST /execute has it."),
            maybe("waitedMs", "integer", "How long it waited."),
            maybe("tookMs", "integer", "How long it took."),
        ])
        .errors(FOUND_ERRORS),
    delete("Pool", "/pool/jobs/{id}", "cancelJob", || on::delete(pool::jobs::cancel))
        .about("Cancels a job, whether it waits or runs. Its result comes all the same.")
        .answer(&[key("id", "string", "Its id."), key("cancelled", "boolean", "Whether it had not ended yet.")])
        .errors(FOUND_ERRORS),
    get("Pool", "/pool/jobs/{id}/report", "getJobReport", || on::get(pool::jobs::report))
        .about("Shows the report of a job that has ended, as a page. Its host makes it now.")
        .success(Success::Text("text/html"))
        .errors(&[
            Code::PoolUnavailable,
            Code::PoolRefused,
            Code::PoolFull,
            Code::JobNotFound,
            Code::ExecutionConflict,
        ]),
    get("Pool", "/pool/events", "poolEvents", || on::get(pool::events))
        .about("Tells what happens in the pool from now on, as server-sent events.")
        .details("clawperator:job has what happened to a job, clawperator:phone a phone whose state has changed, as in \
            GET /pool/phones. gap says that something was lost: list again.")
        .success(Success::Events)
        .errors(POOL_ERRORS),
    get("Pool", "/pool/metrics", "poolMetrics", || on::get(pool::metrics::metrics))
        .about("Counts hosts, phones and jobs of the pool, in the text format of Prometheus.")
        .success(Success::Text("text/plain"))
        .errors(POOL_ERRORS),
    get("Server", "/ready", "ready", || on::get(status::ready))
        .about("Tells whether the server takes executions, and what it is doing.")
        .answer(&[
            key("version", "string", "The version of the program."),
            key("uptimeMs", "integer", "How long it has been running."),
            key("activeRuns", "integer", "How many runs are under way."),
            key("eventReaders", "integer", "How many readers of events there are."),
            key("pool", "boolean", "Whether it was started with a pool."),
        ]),
    get("Server", "/metrics", "metrics", || on::get(status::metrics))
        .about("Counts requests, runs and readers, in the text format of Prometheus.")
        .success(Success::Text("text/plain")),
    get("Server", "/openapi.json", "openapi", || on::get(page::openapi))
        .about("Describes these routes, as an OpenAPI 3.1 document.")
        .success(Success::Text("application/json")),
    get("Server", "/docs/api", "docs", || on::get(page::page))
        .about("Describes these routes for people.")
        .success(Success::Text("text/html")),
];

const POOL_LIMIT: &[RouteField] =
    &[optional("limit", Whole(0, pool::MOST_PHONES), "How many at most [default: 1000].")];
const POOL_ERRORS: &[Code] = &[Code::PoolUnavailable, Code::PoolRefused, Code::PoolFull];
const FOUND_ERRORS: &[Code] = &[Code::PoolUnavailable, Code::PoolRefused, Code::PoolFull, Code::JobNotFound];
const WISH_ERRORS: &[Code] = &[
    Code::PoolUnavailable,
    Code::PoolRefused,
    Code::PoolFull,
    Code::DeviceNotFound,
    Code::ExecutionConflict,
    Code::InvalidBody,
    Code::InvalidJson,
];
const JOB_ERRORS: &[Code] = &[
    Code::PoolUnavailable,
    Code::PoolRefused,
    Code::PoolFull,
    Code::JobExpired,
    Code::LeaseLost,
    Code::DeviceNotFound,
    Code::MissingExecution,
    Code::ExecutionValidationFailed,
    Code::ExecutionCancelled,
    Code::ExecutionOutcomeUnknown,
    Code::IdempotencyConflict,
    Code::ResultEnvelopeTimeout,
    Code::PolicyDenied,
    Code::SecretUnknown,
    Code::Usage,
    Code::InvalidBody,
    Code::InvalidJson,
];
const DRAINS: &[AnswerKey] =
    &[key("host", "string", "The host."), key("drains", "boolean", "Whether it takes no more jobs.")];
const EMULATOR: &[RouteField] = &[
    optional("name", Text, "Its name: letters, digits, -, _ and . [default: clawperator-pixel]."),
    optional(
        "type",
        Words(emulators::Kind::WORDS),
        "emulator: a virtual device of Android's SDK. simulated: a phone in the box. Without it, what an emulator of \
         that name is, or else emulator where the SDK's tools are.",
    ),
    optional(
        "apiLevel",
        Whole(emulators::API_LEVELS.0, emulators::API_LEVELS.1),
        "The level of Android's interface [default: 35].",
    ),
    optional("abi", Words(emulators::ABIS), "The processor of the system image [default: this computer's]."),
    optional(
        "deviceProfile",
        Text,
        "What device it looks like; avdmanager list device shows them [default: pixel_7].",
    ),
    optional("playStore", Flag, "Whether it has the Play Store [default: true]."),
];
const STARTED: &[AnswerKey] = &[
    key("type", "string", "emulator or simulated."),
    key("avdName", "string", "Its name."),
    key("serial", "string", "Its serial, by which executions name it."),
    key("booted", "boolean", "That it can be used."),
    key("created", "boolean", "Whether it was made now."),
    key("started", "boolean", "Whether it was started now."),
    key("reused", "boolean", "Whether it was running already."),
];
const CANCELLED: &[AnswerKey] =
    &[key("runId", "string", "Its name."), key("cancelled", "boolean", "Whether it was under way.")];
