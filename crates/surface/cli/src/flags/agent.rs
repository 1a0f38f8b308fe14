//! The flags of `agent`.

use super::super::spec::{FlagSpec, Takes, ValueKind, setting, switch};
use clawperator_agent::tool::Format;

pub(crate) const MODEL: FlagSpec = setting(
    "model",
    "MODEL",
    "openai:NAME, responses:NAME, anthropic:NAME, or script:FILE [default: CLAWPERATOR_MODEL].",
);
pub(crate) const BASE_URL: FlagSpec = setting(
    "base-url",
    "URL",
    "Where the model's server is, such as http://127.0.0.1:11434/v1 [default: OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the company's].",
);
pub(crate) const KEY_FILE: FlagSpec = setting(
    "key-file",
    "FILE",
    "A file with the model's key that only you can read [default: OPENAI_API_KEY or ANTHROPIC_API_KEY].",
);
pub(crate) const NO_STREAM: FlagSpec = switch("no-stream", "Ask for answers at once, not in pieces.");
pub(crate) const MAX_STEPS: FlagSpec =
    setting("max-steps", "N", "The most steps, from 1 to 1000 [default: 50].");
pub(crate) const STEP_TIMEOUT: FlagSpec = setting(
    "step-timeout",
    "SECONDS",
    "How long looking, thinking and acting may take in one step [default: 180].",
);
pub(crate) const BUDGET: FlagSpec = setting(
    "budget",
    "LIMIT",
    "What may be spent: 200000tokens, or 1.50usd if prices are given; repeat it for both.",
)
.takes(Takes::Several("LIMIT"));
pub(crate) const PRICE: FlagSpec = setting(
    "price",
    "IN,OUT",
    "Dollars for a million tokens read and written; IN,CACHED,OUT tells those from a cache apart.",
);
pub(crate) const PRICES: FlagSpec = setting(
    "prices",
    "FILE",
    "Prices of models as JSON: {\"NAME\": {\"input\": 1, \"cached\": 0.1, \"output\": 4}}.",
);
pub(crate) const SKILL: FlagSpec =
    setting("skill", "SKILL", "The id of the skill to make, such as com.example.app.send.");
pub(crate) const SCRIPT_ONLY: FlagSpec = switch("print", "Print the script and touch no phone.");
#[cfg(feature = "sim")]
pub(crate) const SCRIPTS: FlagSpec = setting(
    "scripts",
    "WHICH",
    "Play each task's own script instead of a model: solution, or trap (the script that falls for an injection).",
)
.words(&["solution", "trap"]);
#[cfg(feature = "sim")]
pub(crate) const ONLY: FlagSpec = setting("only", "TEXT", "Only tasks whose id contains this.");
#[cfg(feature = "sim")]
pub(crate) const EVAL_JOBS: FlagSpec =
    setting("jobs", "N", "How many phones at a time [default: one per core].");

/// What chooses a model and what it may cost.
pub(crate) const OF_MODEL: &[FlagSpec] = &[MODEL, BASE_URL, KEY_FILE, NO_STREAM, PRICE, PRICES, BUDGET];
pub(crate) const SESSION_REPORT: FlagSpec =
    setting("report", "FILE", "Write a page about the session to this file.");
pub(crate) const YES: FlagSpec = switch(
    "yes",
    "Do what the policy asks a person about without asking: purchases, messages, permissions, commands. What a rule denies is still not done, and a request of the model itself still waits for a person.",
);

// `agent tools` and `agent act`.
pub(crate) const TOOL_FORMAT: FlagSpec =
    setting("tool-format", "MODEL", "Whose words to use [default: openai]; --format does the same here.")
        .aliases_by_value(&["format"])
        .words(Format::WORDS);
pub(crate) const STRICT_CALL: FlagSpec = switch("strict", "Refuse a call that needs repairs.");
pub(crate) const APPROVE: FlagSpec =
    switch("approve", "Do it even if the policy asks a person: you are that person.");
pub(crate) const POLICY: FlagSpec = setting(
    "policy",
    "FILE|LEVEL",
    "The user's rules, as YAML or JSON, instead of policy.yaml in the state folder; or how much is asked about: none, money or full.",
)
.value(ValueKind::Bytes);
pub(crate) const LEVEL: FlagSpec = setting(
    "policy",
    "LEVEL",
    "What a person is asked about before it is done, on every surface: none, money (what pays, installs or deletes an \
     account) or full (also messages and permissions). Usually money over MCP, full for the tools of an agent, none for \
     executions over HTTP.",
);
pub(crate) const WORKSPACE: FlagSpec = setting(
    "workspace",
    "DIR",
    "The folder of files that tools may read and change, and in which commands run confined.",
)
.value(ValueKind::Bytes);
pub(crate) const SANDBOX: FlagSpec = setting(
    "sandbox",
    "",
    "How commands of the workspace are confined: strict, or best-effort where the system lacks a part of the sandbox [default: strict].",
)
.takes(Takes::Maybe("LEVEL"));
