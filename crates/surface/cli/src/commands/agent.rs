//! The commands of `agent`.

use crate::flags::agent as flags;
use crate::flags::serve::{NOTIFY, WEBHOOK};
use crate::flags::skills::{DENYLIST, SUMMARY};
use crate::flags::{DRY_RUN, NO_JOURNAL, WAIT_FOR_DEVICE};
use crate::spec::AgentCommand as Agent;
use crate::spec::{ArgumentSpec, Command, CommandSpec, FlagGroup, GroupSpec, argument, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "agent",
    synonyms: &[],
    about: "Lets a model use a phone: runs tasks, keeps sessions, compares models.",
    details: "A model sees the screen and calls one tool per step. What it may do is decided by a policy, not by the \
        model and not by what is on the screen. Every task leaves a session in the state folder.",
};

const TASK: ArgumentSpec = argument("TASK", "What is to be done, in your words.");
const SESSION: ArgumentSpec = argument("SESSION", "The session's name, or last.");

const OF_MODEL: FlagGroup = FlagGroup { heading: "Model", flags: flags::OF_MODEL };

/// What a model may do, and who is asked.
const OF_TOOLS: FlagGroup = FlagGroup {
    heading: "Tools",
    flags: &[flags::POLICY, flags::YES, flags::WORKSPACE, flags::SANDBOX, NOTIFY, WEBHOOK, NO_JOURNAL],
};

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    agent(Agent::Run, "run", "Lets a model do a task on a phone.")
        .details("In each step the model sees the screen and calls one tool. It ends when the model calls finish, when \
            the steps or the budget are used up, when the model goes round in circles, or on Ctrl-C. Progress is \
            printed on standard error, and one JSON object at the end. What the policy asks about waits for a person: \
            at the page of a server that runs, or with clawperator approvals in another terminal. Its status finished is what the model says; \
            look at the phone, or use agent eval, to know.")
        .arguments(&[TASK])
        .flags(&[OF_MODEL, OF_TOOLS, options(&[flags::MAX_STEPS, flags::STEP_TIMEOUT, WAIT_FOR_DEVICE])])
        .examples(&[
            "clawperator agent run 'Switch Wi-Fi off' --device sim --model script:wifi.jsonl",
            "clawperator agent run 'What is the battery level?' --model anthropic:NAME --budget 100000tokens",
        ]),
    agent(Agent::Resume, "resume", "Goes on with a session.")
        .details("The model gets the task, the steps so far without their pictures, and the screen as it is now.")
        .arguments(&[SESSION])
        .flags(&[OF_MODEL, OF_TOOLS, options(&[flags::MAX_STEPS, flags::STEP_TIMEOUT, WAIT_FOR_DEVICE])])
        .examples(&[
            "clawperator agent resume last --model openai:NAME --max-steps 20",
            "clawperator agent resume agent-1767260460000-00000000000000ab --model openai:NAME",
        ]),
    agent(Agent::Replay, "replay", "Does the steps of a session again, without a model.")
        .details("Elements are found by what they said when they were touched. --print prints the script that is \
            played; --model script:FILE plays it, too.")
        .arguments(&[SESSION])
        .flags(&[OF_TOOLS, options(&[flags::SCRIPT_ONLY, flags::STEP_TIMEOUT, WAIT_FOR_DEVICE])])
        .examples(&["clawperator agent replay last --device sim", "clawperator agent replay last --print"]),
    agent(Agent::Sessions, "sessions", "Lists the sessions, the newest first.")
        .examples(&["clawperator agent sessions", "clawperator agent sessions --output pretty"]),
    agent(Agent::Show, "show", "Shows a session: each step's thought, action and result.")
        .details("With --report it writes a page with each step's picture, too.")
        .arguments(&[SESSION])
        .flags(&[options(&[flags::SESSION_REPORT])])
        .examples(&[
            "clawperator agent show last --output pretty",
            "clawperator agent show last --report session.html",
        ]),
    agent(Agent::Export, "export", "Makes a skill of a session: a recipe that needs no model.")
        .details("What the model did becomes a recording, and that becomes a recipe as with skills new \
            --from-recording: typed texts become inputs, what a recipe cannot say is left out and told. \
            With --device it also says which versions it was made on, which a recipe needs to be compiled.")
        .arguments(&[SESSION])
        .flags(&[options(&[flags::SKILL, SUMMARY, DENYLIST])])
        .examples(&[
            "clawperator agent export last --skill com.android.settings.wifi-off --device sim",
            "clawperator agent export last --skill com.android.settings.wifi-off --summary 'Switches Wi-Fi off.'",
        ]),
    #[cfg(feature = "sim")]
    agent(Agent::Eval, "eval", "Lets a model do tasks on simulated phones, and tells which it did.")
        .details("Each task has a phone in memory and checks of what must be so afterwards; what the model says of \
            itself does not count. The exit code is 0 if every task was done.")
        .arguments(&[argument("TASKS", "The file with the tasks, such as evals/tasks.yaml.")])
        .flags(&[OF_MODEL, options(&[flags::SCRIPTS, flags::ONLY, flags::EVAL_JOBS, flags::STEP_TIMEOUT])])
        .examples(&[
            "clawperator agent eval evals/tasks.yaml --scripts solution",
            "clawperator agent eval evals/tasks.yaml --model openai:NAME --base-url http://127.0.0.1:11434/v1 --jobs 1",
        ]),
    agent(Agent::Tools, "tools", "Prints the tools as a model sees them.")
        .flags(&[options(&[flags::TOOL_FORMAT])])
        .examples(&["clawperator agent tools", "clawperator agent tools --format anthropic"]),
    agent(Agent::Act, "act", "Does what one tool call asks for.")
        .details("ARGS is the JSON object that a model would send. What is missing or wrong in it is repaired, and \
            the answer lists the repairs; --strict refuses instead. Coordinates are pixels of the phone. What the \
            policy asks a person about is done only with --approve. request_human_auth waits for a person, as in \
            agent run. What a tool starts in the background ends with the command.")
        .arguments(&[
            argument("TOOL", "The tool's name."),
            argument("ARGS", "Its arguments, as a JSON object."),
        ])
        .flags(&[options(&[
            flags::STRICT_CALL,
            flags::APPROVE,
            flags::POLICY,
            flags::WORKSPACE,
            flags::SANDBOX,
            NOTIFY,
            WEBHOOK,
            NO_JOURNAL,
            DRY_RUN,
        ])])
        .examples(&[
            "clawperator agent act tap '{\"x\":540,\"y\":1200}' --device sim",
            "clawperator agent act type_text '{\"text\":\"hello\"}'",
            "clawperator agent act shell '{\"command\":\"getprop\"}' --dry-run",
            "clawperator agent act exec '{\"command\":\"ls\"}' --workspace notes --approve",
        ]),
];

const fn agent(command: Agent, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Agent(command), name, about).inside(GROUP.name)
}
