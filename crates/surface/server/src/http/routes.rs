//! The table of routes. What is not here is no route for programs, and what is
//! here is in the OpenAPI document.

use super::agent::MAX_PERSON_MS;
use super::execute::MAX_WAIT_MS;
use super::route::{
    AnswerKey, FieldNeed, FieldShape, HttpRoute, RouteField, Success, Verb, key, maybe, optional,
};
use super::{
    agent, approvals, devices, emulators, events, execute, page, records, runs, sessions, skills, status,
};
use axum::routing::{delete, get, post};
use clawperator_agent::action::Capability;
use clawperator_agent::snapshot::ImageKind;
use clawperator_agent::tool::Format;
use clawperator_contract::{ErrorCode as Code, LaneWish};

/// What a row has where it says nothing.
const PLAIN: HttpRoute = HttpRoute {
    method: Verb::Get,
    path: "",
    name: "",
    group: "",
    about: "",
    details: "",
    query: &[],
    headers: &[],
    body: None,
    success: Success::Empty,
    errors: &[],
    handler: || get(status::ready),
};

const DEVICE: RouteField = optional(
    "deviceId",
    FieldShape::Text,
    "The phone, by serial or name; without it, the only one there is.",
);
const PACKAGE: RouteField =
    optional("operatorPackage", FieldShape::Package, "The Operator app to run through, if it is ready.");
const LANE: RouteField = optional(
    "lane",
    FieldShape::Words(LaneWish::WORDS),
    "Where the screen's tree comes from: dump, resident, or auto: the resident server if it runs or was set up.",
);
const PICTURE: RouteField = optional(
    "path",
    FieldShape::Text,
    "The file to write, inside the folder screenshots of the state folder.",
);
const RUN_QUERY: &[RouteField] = EXECUTE_QUERY.split_at(1).1;
const EXECUTE_QUERY: &[RouteField] = &[
    optional(
        "view",
        FieldShape::Flag,
        "Add a last step, view: what changed on the screen, if something acts [default: as the server was started].",
    ),
    optional("strict", FieldShape::Flag, "Refuse a matcher that fits more than one element."),
    optional(
        "wait_for_device_ms",
        FieldShape::Whole(0, MAX_WAIT_MS),
        "How long to wait while another execution runs on the phone; without it, such a phone is refused.",
    ),
    optional(
        "cancel_on_disconnect",
        FieldShape::Flag,
        "Cancel the run if the caller goes away. Without it, the run goes on.",
    ),
];
const KEY: RouteField = optional(
    "Idempotency-Key",
    FieldShape::Text,
    "The same key with the same body returns the first outcome, also after the server was started again; \
     with another body it is IDEMPOTENCY_CONFLICT.",
);
const SESSION: RouteField = optional(
    super::ask::SESSION,
    FieldShape::Text,
    "The caller's session, whose values {{secret:NAME}} in a typed text names [default: default].",
);
const RUN_HEADERS: &[RouteField] = &[
    KEY,
    SESSION,
    optional(
        "Prefer",
        FieldShape::Text,
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
const LIMIT: RouteField =
    optional("limit", FieldShape::Whole(0, records::MOST), "How many at most [default: 50].");
const NOTE: RouteField = optional("note", FieldShape::Text, "A note to the agent, beside the decision.");
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
    HttpRoute {
        path: "/devices",
        name: "listDevices",
        group: "Phones",
        about: "Lists the phones that can be reached.",
        success: Success::Object(&[key(
            "devices",
            "array",
            "serial, state, and sim: the name of a simulated phone.",
        )]),
        errors: &[Code::AdbServerFailed],
        handler: || get(devices::devices),
        ..PLAIN
    },
    HttpRoute {
        path: "/devices/{id}/observe",
        name: "observeDevice",
        group: "Phones",
        about: "Shows the screen of a phone as a model sees it: a scaled picture and the elements on it.",
        details: "The phone is named by its serial or, if it is simulated, by its name. The request waits while an \
            execution runs on it.",
        query: &[
            optional("som", FieldShape::Flag, "Also the picture with a numbered box around each element."),
            optional(
                "image",
                FieldShape::Words(ImageKind::WORDS),
                "How pictures are written [default: png].",
            ),
            optional(
                "model",
                FieldShape::Text,
                "The model that it is for: the size of the picture follows from its name.",
            ),
            optional("packages", FieldShape::Flag, "Also the apps that have an icon."),
        ],
        success: Success::Object(&[
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
        ]),
        errors: &[
            Code::InvalidRequest,
            Code::DeviceNotFound,
            Code::DeviceOffline,
            Code::DeviceUnauthorized,
            Code::AdbNotFound,
            Code::AdbServerFailed,
            Code::DeviceShellUnavailable,
            Code::ExecutionConflict,
        ],
        handler: || get(devices::observe),
        ..PLAIN
    },
    HttpRoute {
        path: "/agent/tools",
        name: "listAgentTools",
        group: "Agents",
        about: "Lists the tools that a model drives a phone with, as the model sees them.",
        query: &[optional("format", FieldShape::Words(Format::WORDS), "In whose words [default: openai].")],
        success: Success::Object(&[key("tools", "array", "The tools.")]),
        errors: &[Code::InvalidRequest],
        handler: || get(agent::tools),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/agent/act",
        name: "agentAct",
        group: "Agents",
        about: "Does what one tool call asks for, as far as the policy and a person allow it.",
        details: "The answer is 200 also if the tool failed: read result.ok. The rules are those of policy.yaml in the \
            state folder. What they ask about waits for a person, until timeoutMs is over, or is answered with 202 at \
            once (Prefer: respond-async); then result.error.approval names the request, and the same call goes on \
            once it is decided. Coordinates are pixels of the phone.",
        headers: &[
            optional(
                "Prefer",
                FieldShape::Text,
                "respond-async: answer 202 at once if a person is asked first.",
            ),
            SESSION,
        ],
        body: Some(&[
            RouteField {
                name: "tool",
                shape: FieldShape::Text,
                need: FieldNeed::Required,
                doc: "The tool's name.",
            },
            optional("args", FieldShape::Object, "Its arguments."),
            optional("strict", FieldShape::Flag, "Refuse a call that needs repairs."),
            optional("dryRun", FieldShape::Flag, "Only tell the action, its repairs and the decision."),
            optional(
                "timeoutMs",
                FieldShape::Whole(1, MAX_PERSON_MS),
                "How long to wait for a person [default: 300000].",
            ),
            DEVICE,
        ]),
        success: Success::Object(&[
            key("action", "object", "The action, every field filled in."),
            key("repairs", "array", "The arguments that were missing, wrong or of no use."),
            key("decision", "string", "allow, deny or ask."),
            maybe("capability", "string", "What a person is asked for."),
            maybe("reason", "string", "Why it is denied or asked about."),
            maybe("result", "object", "What came of it."),
            maybe("journal", "string", "The journal of what was done on the phone."),
        ]),
        errors: &[
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
        ],
        handler: || post(agent::act),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/execute",
        name: "execute",
        group: "Executions",
        about: "Runs an execution on a phone.",
        details: "The answer is 200 also if a step failed: read envelope.status.",
        query: EXECUTE_QUERY,
        headers: RUN_HEADERS,
        body: Some(&[
            RouteField {
                name: "execution",
                shape: FieldShape::Execution,
                need: FieldNeed::Required,
                doc: "The execution.",
            },
            DEVICE,
            PACKAGE,
            LANE,
        ]),
        success: Success::Execution,
        errors: RUN_ERRORS,
        handler: || post(execute::execute),
    },
    HttpRoute {
        method: Verb::Post,
        path: "/snapshot",
        name: "snapshot",
        group: "Executions",
        about: "Reads the screen: an execution of one snapshot_ui.",
        query: RUN_QUERY,
        headers: RUN_HEADERS,
        body: Some(&[DEVICE, PACKAGE, LANE]),
        success: Success::Execution,
        errors: RUN_ERRORS,
        handler: || post(execute::snapshot),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/screenshot",
        name: "screenshot",
        group: "Executions",
        about: "Takes a picture of the screen: an execution of one take_screenshot.",
        query: RUN_QUERY,
        headers: RUN_HEADERS,
        body: Some(&[DEVICE, PACKAGE, LANE, PICTURE]),
        success: Success::Execution,
        errors: RUN_ERRORS,
        handler: || post(execute::screenshot),
        ..PLAIN
    },
    HttpRoute {
        path: "/runs",
        name: "listRuns",
        group: "Runs",
        about: "Lists the runs of this server, the newest first.",
        query: &[
            optional("limit", FieldShape::Whole(0, runs::MOST), "How many at most [default: 50]."),
            optional("device", FieldShape::Text, "Only those on the phone of this serial."),
            optional(
                "state",
                FieldShape::Words(&["waiting", "running", "ended"]),
                "Only those in this state.",
            ),
        ],
        success: Success::Object(&[COUNT, key("runs", "array", "What is known of each.")]),
        errors: &[Code::InvalidRequest],
        handler: || get(runs::list),
        ..PLAIN
    },
    HttpRoute {
        path: "/runs/{id}",
        name: "getRun",
        group: "Runs",
        about: "Shows a run, and its outcome if it has ended.",
        details: "A run with a key is also known after the server was started again. httpStatus and result are what \
            a caller that had waited would have got.",
        success: Success::Object(&[
            key("runId", "string", "Its name."),
            key("state", "string", "waiting, running or ended."),
            maybe("status", "string", "success, failed, or error: there is no envelope."),
            maybe("httpStatus", "integer", "The status of its answer."),
            maybe("result", "object", "Its answer."),
            maybe("commandId", "string", "The caller's id of the execution."),
            maybe("deviceId", "string", "The phone."),
            maybe("journal", "string", "The name of its journal."),
        ]),
        errors: &[Code::RunNotFound],
        handler: || get(runs::get),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/runs/{id}/cancel",
        name: "cancelRun",
        group: "Runs",
        about: "Cancels a run. Its outcome comes all the same.",
        success: Success::Object(CANCELLED),
        errors: &[Code::RunNotFound, Code::ExecutionConflict],
        handler: || post(runs::cancel),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Delete,
        path: "/runs/{id}",
        name: "deleteRun",
        group: "Runs",
        about: "Cancels a run, as POST /runs/{id}/cancel does.",
        success: Success::Object(CANCELLED),
        errors: &[Code::RunNotFound, Code::ExecutionConflict],
        handler: || delete(runs::cancel),
        ..PLAIN
    },
    HttpRoute {
        path: "/events",
        name: "events",
        group: "Runs",
        about: "Tells what came of each execution, as server-sent events.",
        details: "heartbeat comes at once and then every 15 seconds. clawperator:result has the envelope, \
            clawperator:execution the execution without what it types, and the answer. gap says what was lost.",
        query: &[
            optional("device", FieldShape::Text, "Only executions on the phone of this serial."),
            optional("run", FieldShape::Text, "Only this run."),
        ],
        headers: &[optional(
            "Last-Event-ID",
            FieldShape::Text,
            "Begin after this event, as far as later ones are kept.",
        )],
        success: Success::Events,
        errors: &[Code::InvalidRequest],
        handler: || get(events::events),
        ..PLAIN
    },
    HttpRoute {
        path: "/skills",
        name: "listSkills",
        group: "Skills",
        about: "Lists the skills that fit a query.",
        query: &[
            optional("app", FieldShape::Text, "Only skills for this application id."),
            optional("intent", FieldShape::Text, "Only skills with this intent."),
            optional("keyword", FieldShape::Text, "Only skills that have these words; the best first."),
        ],
        success: Success::Object(&[key("skills", "array", "Their entries in the registry."), COUNT]),
        errors: &[Code::RegistryReadFailed],
        handler: || get(skills::list),
        ..PLAIN
    },
    HttpRoute {
        path: "/skills/{id}",
        name: "getSkill",
        group: "Skills",
        about: "Shows a skill.",
        success: Success::Object(&[key("skill", "object", "Its entry in the registry.")]),
        errors: &[Code::SkillNotFound, Code::RegistryReadFailed],
        handler: || get(skills::get),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/skills/{id}/run",
        name: "runSkill",
        group: "Skills",
        about: "Runs a skill: its recipe, or else its script.",
        details: "A script answers with output, exitCode and durationMs, a recipe with its outputs and the envelope.",
        headers: &[KEY, SESSION],
        body: Some(&[
            DEVICE,
            optional("args", FieldShape::Texts, "Arguments of a script."),
            optional("inputs", FieldShape::Object, "Inputs by their names."),
            optional("allow", FieldShape::Texts, "Capabilities of the recipe that the caller agrees to."),
            optional("timeoutMs", FieldShape::Whole(1, 1 << 53), "How long it may take."),
            optional("expectContains", FieldShape::Text, "What the output of a script must contain."),
        ]),
        success: Success::Object(&[
            maybe("skillId", "string", "The skill that has a script."),
            maybe("output", "string", "What the script printed."),
            maybe("exitCode", "integer", "The exit code of the script."),
            maybe("durationMs", "integer", "How long the script took."),
            maybe("outputs", "object", "What the recipe read."),
        ]),
        errors: &[
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
        ],
        handler: || post(skills::run),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/approvals",
        name: "createApproval",
        group: "Approvals",
        about: "Asks a person for their word, and for what only a person has.",
        details: "The link opens the page of this request, once. With deviceId the request is bound to the screen that \
            this phone shows now, and the page has its picture. The server is the one that waits for the answer.",
        body: Some(&[
            RouteField {
                name: "capability",
                shape: FieldShape::Words(Capability::WORDS),
                need: FieldNeed::Required,
                doc: "What is asked for.",
            },
            RouteField {
                name: "instruction",
                shape: FieldShape::Text,
                need: FieldNeed::Required,
                doc: "What the person should do, and why.",
            },
            optional("timeoutSec", FieldShape::Whole(30, 1800), "How long the person has [default: 300]."),
            optional("uiTemplate", FieldShape::Object, "How the page looks; see docs/approvals.md."),
            optional("deviceId", FieldShape::Text, "The phone that it is about."),
            optional("origin", FieldShape::Text, "Who asks, as the page says it."),
        ]),
        success: Success::Object(&[
            key("id", "string", "Its name."),
            key("link", "string", "Its page, with the token behind the #."),
            key("expiresMs", "integer", "When it ends, in milliseconds since 1970."),
            maybe("repairs", "array", "What of it was cut or left out."),
        ]),
        errors: &[
            Code::InvalidBody,
            Code::InvalidJson,
            Code::ApprovalInvalid,
            Code::InvalidDeviceId,
            Code::DeviceNotFound,
            Code::ExecutionConflict,
            Code::DeviceShellUnavailable,
        ],
        handler: || post(approvals::create),
        ..PLAIN
    },
    HttpRoute {
        path: "/approvals",
        name: "listApprovals",
        group: "Approvals",
        about: "Lists requests for a person's word, the newest first.",
        query: &[
            optional("limit", FieldShape::Whole(0, approvals::MOST), "How many at most [default: 50]."),
            optional(
                "state",
                FieldShape::Words(&["pending", "approved", "rejected", "timeout"]),
                "Only those in this state.",
            ),
        ],
        success: Success::Object(&[COUNT, key("approvals", "array", "What is known of each.")]),
        errors: &[Code::InvalidRequest],
        handler: || get(approvals::list),
        ..PLAIN
    },
    HttpRoute {
        path: "/approvals/events",
        name: "approvalEvents",
        group: "Approvals",
        about: "Tells of each request that is made or decided, as server-sent events.",
        details: "clawperator:approval has id, state, capability and instruction.",
        success: Success::Events,
        handler: || get(approvals::changes),
        ..PLAIN
    },
    HttpRoute {
        path: "/approvals/{id}",
        name: "getApproval",
        group: "Approvals",
        about: "Shows a request, and what came of it. What a person gave is described, without the values.",
        success: Success::Object(APPROVAL),
        errors: &[Code::ApprovalNotFound],
        handler: || get(approvals::get),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/approvals/{id}/approve",
        name: "approve",
        group: "Approvals",
        about: "Approves a request, as the user.",
        body: Some(&[
            optional("answer", FieldShape::Object, "What is given: fields, text, location, files."),
            NOTE,
        ]),
        success: Success::Object(APPROVAL),
        errors: DECISION_ERRORS,
        handler: || post(approvals::approve),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/approvals/{id}/reject",
        name: "reject",
        group: "Approvals",
        about: "Rejects a request, as the user.",
        body: Some(&[NOTE]),
        success: Success::Object(APPROVAL),
        errors: DECISION_ERRORS,
        handler: || post(approvals::reject),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/approvals/{id}/apply",
        name: "applyApproval",
        group: "Approvals",
        about: "Uses on the phone what a person gave: types a text, sets a location, stores files.",
        details: "If the screen has changed since the person was asked, nothing is done, and the person is asked again.",
        headers: &[SESSION],
        body: Some(&[DEVICE]),
        success: Success::Object(&[
            maybe(
                "names",
                "array",
                "How the values are written in a text that is typed later in this session.",
            ),
            maybe("dropped", "string", "Why what was given is not there any more; then given describes it."),
            key("applied", "array", "What was done with each thing that was given."),
            maybe("askedAgain", "object", "The new request, if the screen has changed."),
        ]),
        errors: &[
            Code::ApprovalNotFound,
            Code::ApprovalClosed,
            Code::ApprovalNotApplied,
            Code::ExecutionConflict,
            Code::DeviceShellUnavailable,
        ],
        handler: || post(approvals::apply),
        ..PLAIN
    },
    HttpRoute {
        path: "/android/emulators",
        name: "listEmulators",
        group: "Emulators",
        about: "Lists the emulators: virtual devices of Android's SDK, and simulated phones.",
        success: Success::Object(&[key(
            "avds",
            "array",
            "name, type (emulator or simulated), running, serial, apiLevel, abi, deviceProfile and playStore of each.",
        )]),
        handler: || get(emulators::list),
        ..PLAIN
    },
    HttpRoute {
        path: "/android/emulators/running",
        name: "listRunningEmulators",
        group: "Emulators",
        about: "Lists the emulators that are running.",
        success: Success::Object(&[key("devices", "array", "serial, avdName and type of each.")]),
        handler: || get(emulators::running),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/android/emulators/create",
        name: "createEmulator",
        group: "Emulators",
        about: "Makes an emulator, which does not run yet.",
        details: "Where Android's SDK is, its system image is installed first if need be, which can take minutes. \
                  A licence that is not accepted yet stops it.",
        body: Some(EMULATOR),
        success: Success::Object(&[
            key("type", "string", "emulator or simulated."),
            key("avdName", "string", "Its name."),
            key("created", "boolean", "That it was made."),
            maybe("ignored", "array", "The fields that mean nothing for a simulated phone."),
        ]),
        errors: &[
            Code::InvalidBody,
            Code::InvalidJson,
            Code::InvalidRequest,
            Code::EmulatorAlreadyExists,
            Code::AndroidSdkToolMissing,
            Code::AndroidSystemImageInstallFailed,
            Code::AndroidAvdCreateFailed,
        ],
        handler: || post(emulators::create),
        ..PLAIN
    },
    HttpRoute {
        path: "/android/emulators/{name}",
        name: "getEmulator",
        group: "Emulators",
        about: "Shows an emulator; also one that does not exist.",
        success: Success::Object(&[
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
        handler: || get(emulators::get),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Delete,
        path: "/android/emulators/{name}",
        name: "deleteEmulator",
        group: "Emulators",
        about: "Removes an emulator, and stops it first.",
        success: Success::Object(&[
            key("avdName", "string", "Its name."),
            key("deleted", "boolean", "That it was removed."),
        ]),
        errors: &[
            Code::EmulatorNotFound,
            Code::EmulatorStopFailed,
            Code::EmulatorDeleteFailed,
            Code::AndroidSdkToolMissing,
        ],
        handler: || delete(emulators::delete),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/android/emulators/{name}/start",
        name: "startEmulator",
        group: "Emulators",
        about: "Starts an emulator and waits until it can be used.",
        success: Success::Object(STARTED),
        errors: &[
            Code::EmulatorNotFound,
            Code::EmulatorAlreadyRunning,
            Code::EmulatorStartFailed,
            Code::EmulatorBootTimeout,
            Code::AndroidSdkToolMissing,
            Code::SimStartFailed,
        ],
        handler: || post(emulators::start),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/android/emulators/{name}/stop",
        name: "stopEmulator",
        group: "Emulators",
        about: "Stops an emulator.",
        success: Success::Object(&[
            key("avdName", "string", "Its name."),
            key("stopped", "boolean", "That it was stopped."),
        ]),
        errors: &[Code::EmulatorNotFound, Code::EmulatorNotRunning, Code::EmulatorStopFailed],
        handler: || post(emulators::stop),
        ..PLAIN
    },
    HttpRoute {
        method: Verb::Post,
        path: "/android/provision/emulator",
        name: "provisionEmulator",
        group: "Emulators",
        about: "Sees to it that an emulator runs: one that does, one that is there, or a new one.",
        body: Some(EMULATOR),
        success: Success::Object(STARTED),
        errors: &[
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
        ],
        handler: || post(emulators::provision),
        ..PLAIN
    },
    HttpRoute {
        path: "/journals",
        name: "listJournals",
        group: "Records",
        about: "Lists the journals of executions, the newest first.",
        query: &[LIMIT],
        success: Success::Object(&[key("journals", "array", "What each is about."), COUNT]),
        errors: &[Code::InvalidRequest, Code::JournalUnusable],
        handler: || get(records::journals),
        ..PLAIN
    },
    HttpRoute {
        path: "/journals/{id}",
        name: "getJournal",
        group: "Records",
        about: "Shows the events of a journal, by its name or command id.",
        success: Success::Object(&[
            key("name", "string", "Its name."),
            key("status", "string", "How the execution ended."),
            key("verdict", "string", "Whether it was changed."),
            key("events", "array", "Its lines."),
            maybe("executions", "array", "The journals of the executions of a skill's run."),
        ]),
        errors: &[Code::JournalNotFound, Code::JournalUnusable],
        handler: || get(records::journal),
        ..PLAIN
    },
    HttpRoute {
        path: "/journals/{id}/report",
        name: "getReport",
        group: "Records",
        about: "Shows a journal as a page.",
        success: Success::Text("text/html"),
        errors: &[Code::JournalNotFound, Code::JournalUnusable],
        handler: || get(records::report_page),
        ..PLAIN
    },
    HttpRoute {
        path: "/recordings",
        name: "listRecordings",
        group: "Records",
        about: "Lists the recordings on this computer.",
        query: &[LIMIT],
        success: Success::Object(&[key("recordings", "array", "sessionId and bytes of each."), COUNT]),
        errors: &[Code::InvalidRequest],
        handler: || get(records::recordings),
        ..PLAIN
    },
    HttpRoute {
        path: "/recordings/{id}",
        name: "getRecording",
        group: "Records",
        about: "Sends a recording: one line of JSON for each event.",
        success: Success::Text("application/x-ndjson"),
        errors: &[Code::RecordingSessionNotFound],
        handler: || get(records::recording),
        ..PLAIN
    },
    HttpRoute {
        path: "/sessions",
        name: "listSessions",
        group: "Records",
        about: "Lists the sessions of agents, the newest first.",
        query: &[LIMIT],
        success: Success::Object(&[key("sessions", "array", "What each is about."), COUNT]),
        errors: &[Code::InvalidRequest, Code::AgentSessionUnusable],
        handler: || get(sessions::sessions),
        ..PLAIN
    },
    HttpRoute {
        path: "/sessions/{id}",
        name: "getSession",
        group: "Records",
        about: "Shows what a model was shown, what it thought and what it did.",
        success: Success::Object(&[
            key("begin", "object", "The task, the model and the phone."),
            key("steps", "array", "The steps."),
            maybe("end", "object", "How it ended; missing if it runs or was cut off."),
            key("unreadable", "integer", "How many lines cannot be read."),
        ]),
        errors: &[Code::AgentSessionNotFound, Code::AgentSessionUnusable],
        handler: || get(sessions::session),
        ..PLAIN
    },
    HttpRoute {
        path: "/sessions/{id}/report",
        name: "getSessionReport",
        group: "Records",
        about: "Shows a session as a page.",
        success: Success::Text("text/html"),
        errors: &[Code::AgentSessionNotFound, Code::AgentSessionUnusable],
        handler: || get(sessions::report_page),
        ..PLAIN
    },
    HttpRoute {
        path: "/ready",
        name: "ready",
        group: "Server",
        about: "Tells whether the server takes executions, and what it is doing.",
        success: Success::Object(&[
            key("version", "string", "The version of the program."),
            key("uptimeMs", "integer", "How long it has been running."),
            key("activeRuns", "integer", "How many runs are under way."),
            key("eventReaders", "integer", "How many readers of events there are."),
        ]),
        handler: || get(status::ready),
        ..PLAIN
    },
    HttpRoute {
        path: "/metrics",
        name: "metrics",
        group: "Server",
        about: "Counts requests, runs and readers, in the text format of Prometheus.",
        success: Success::Text("text/plain"),
        handler: || get(status::metrics),
        ..PLAIN
    },
    HttpRoute {
        path: "/openapi.json",
        name: "openapi",
        group: "Server",
        about: "Describes these routes, as an OpenAPI 3.1 document.",
        success: Success::Text("application/json"),
        handler: || get(page::openapi),
        ..PLAIN
    },
    HttpRoute {
        path: "/docs/api",
        name: "docs",
        group: "Server",
        about: "Describes these routes for people.",
        success: Success::Text("text/html"),
        handler: || get(page::page),
        ..PLAIN
    },
];

const EMULATOR: &[RouteField] = &[
    optional("name", FieldShape::Text, "Its name: letters, digits, -, _ and . [default: clawperator-pixel]."),
    optional(
        "type",
        FieldShape::Words(emulators::Kind::WORDS),
        "emulator: a virtual device of Android's SDK. simulated: a phone in the box. Without it, what an emulator of \
         that name is, or else emulator where the SDK's tools are.",
    ),
    optional(
        "apiLevel",
        FieldShape::Whole(emulators::API_LEVELS.0, emulators::API_LEVELS.1),
        "The level of Android's interface [default: 35].",
    ),
    optional(
        "abi",
        FieldShape::Words(emulators::ABIS),
        "The processor of the system image [default: this computer's].",
    ),
    optional(
        "deviceProfile",
        FieldShape::Text,
        "What device it looks like; avdmanager list device shows them [default: pixel_7].",
    ),
    optional("playStore", FieldShape::Flag, "Whether it has the Play Store [default: true]."),
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
