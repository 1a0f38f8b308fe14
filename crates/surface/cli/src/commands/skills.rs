//! The commands of `skills`.

use crate::flags::skills as flags;
use crate::flags::{NO_JOURNAL, REPORT, WAIT_FOR_DEVICE};
use crate::spec::SkillsCommand as Skills;
use crate::spec::{ArgumentSpec, Command, CommandSpec, GroupSpec, Often, argument, options, row};

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "skills",
    synonyms: &["skill"],
    about: "Finds, checks and makes skills.",
    details: "A skill is a package of a skills repository; the registry, skills/skills-registry.json, lists them. \
        CLAWPERATOR_SKILLS_REGISTRY names the registry; without it, that of this folder is used, else the one \
        that skills install keeps in the state folder (CLAWPERATOR_HOME, or ~/.clawperator).",
};

const ID: ArgumentSpec = argument("SKILL", "The skill's id, such as com.example.app.read-balance.");

const HOOK_ACTION: ArgumentSpec =
    argument("ACTION", "What to do: install, or scan.").words(&["install", "scan"]);
const RECIPE: ArgumentSpec = argument("SKILL|FILE", "The skill's id, or the file of a recipe.");

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    skills(Skills::List, "list", "Lists the skills of the registry.")
        .examples(&["clawperator skills list", "clawperator skills list --output pretty"]),
    skills(Skills::Get, "get", "Shows the registry's entry for a skill.").arguments(&[ID]).examples(&[
        "clawperator skills get com.example.app.read-balance",
        "clawperator skills get com.example.app.read-balance --output pretty",
    ]),
    skills(Skills::Search, "search", "Searches the skills, the best first.")
        .details("Every word must be in the id, the keywords, the summary or the app; the order says how well a skill \
            fits. --app and --intent are exact.")
        .arguments(&[argument("WORDS", "What to search for.")])
        .flags(&[options(&[flags::SEARCHED_APP, flags::INTENT, flags::KEYWORD])])
        .examples(&[
            "clawperator skills search balance",
            "clawperator skills search --app com.example.app --keyword read",
        ]),
    skills(Skills::New, "new", "Makes the files of a new skill and lists it in the registry.")
        .details("The id is the app's package and an intent, joined by a dot. The skill is made in the registry that \
            CLAWPERATOR_SKILLS_REGISTRY names, else in the folder skills below this one, which is made if it is \
            not there. With --from-recording it has a recipe: texts of the user become inputs, what was seen after \
            a touch becomes its confirmation, and what a recipe cannot say is left out and told.")
        .arguments(&[ID])
        .flags(&[options(&[flags::SUMMARY, flags::FROM_RECORDING, flags::DENYLIST])])
        .examples(&[
            "clawperator skills new com.example.app.read-balance",
            "clawperator skills new com.example.app.send --from-recording session.ndjson --device sim",
            "clawperator skills new com.example.app.read-balance --summary 'Reads the balance.'",
        ]),
    skills(Skills::Validate, "validate", "Checks that a skill is complete and agrees with the registry.")
        .details("Every file that the registry names must be there and inside the repository, and skill.json must say \
            what the registry says. All that is wrong is reported at once.")
        .arguments(&[ID])
        .flags(&[options(&[flags::EVERY_SKILL, flags::CHECK_PAYLOADS])])
        .examples(&[
            "clawperator skills validate com.example.app.read-balance --dry-run",
            "clawperator skills validate --all",
        ]),
    skills(Skills::Run, "run", "Runs a skill.")
        .details("Checks the skill. A recipe runs on the phone that --device names, in this process, and its declared \
            outputs come back. Otherwise runs the first .js script with Node.js, else its first .sh, else its first \
            script. The script gets the phone that --device names, then what follows -- and whatever else is no \
            flag of this command. It has 120 s, or as long as the skill or --timeout says; then all of its \
            processes are ended.")
        .arguments(&[ID, argument("ARGS", "What the script gets.").often(Often::Rest)])
        .flags(&[options(&[
            flags::EXPECT_CONTAINS,
            flags::INPUT,
            flags::INPUTS_FILE,
            flags::RECIPE,
            flags::PROFILE,
            flags::ALLOW,
            flags::SANDBOX,
            flags::SKIP_VALIDATE,
            REPORT,
            NO_JOURNAL,
            WAIT_FOR_DEVICE,
        ]), super::flat::POOL])
        .examples(&[
            "clawperator skills run com.example.app.read-balance --device sim -- Savings",
            "clawperator skills run com.example.app.read-balance --input account=Savings --timeout 60000",
            "clawperator skills run com.example.app.read-balance --pool local --on any:phone",
            "clawperator skills run draft.recipe.yaml --device sim --allow purchase_risk",
            "clawperator skills run com.example.app.read-balance --device sim --sandbox",
        ]),
    skills(
        Skills::Doctor,
        "doctor",
        "Tells which selector of a recipe no longer fits the phone, and how to change it.",
    )
    .details("Runs the recipe up to its first side effect, which is looked for and not done unless --allow names what \
            it needs. Where an element is not there, or not the only one, shows the nearest elements and proposes \
            the change of one value as a diff. Nothing is changed without --write. Exits with 0 only if every step \
            was done, or the change was written.")
    .arguments(&[RECIPE])
    .flags(&[options(&[
        flags::INPUT,
        flags::INPUTS_FILE,
        flags::RECIPE,
        flags::PROFILE,
        flags::ALLOW,
        flags::WRITE,
        NO_JOURNAL,
        WAIT_FOR_DEVICE,
    ])])
    .examples(&[
        "clawperator skills doctor com.example.app.read-balance --device sim --input account=Savings",
        "clawperator skills doctor draft.recipe.yaml --device sim --allow click --write",
    ]),
    skills(Skills::CompileArtifact, "compile-artifact", "Compiles a template of a skill into an execution.")
        .details("Replaces every {{NAME}} in the artifact with its value, checks the execution and prints it. COMMAND_ID \
            and TASK_ID come from a hash of the template's name and the values if they are not given.")
        .arguments(&[ID])
        .flags(&[options(&[flags::SKILL_ID, flags::ARTIFACT, flags::VARS])])
        .examples(&[
            "clawperator skills compile-artifact com.example.app.read-balance --artifact read",
            "clawperator skills compile-artifact com.example.app.read-balance --artifact read --vars '{\"ACCOUNT\":\"Savings\"}'",
        ]),
    skills(Skills::Lint, "lint", "Shows everything that is wrong or unwise in recipes.")
        .details("Each finding has a file, a line, a column, what is wrong and how to fix it. A file can be given \
            instead of a skill. It ends with 1 if there is an error. On a terminal it prints text, else JSON.")
        .arguments(&[RECIPE])
        .flags(&[options(&[flags::EVERY_RECIPE, flags::PROFILE, flags::DENYLIST, flags::FINDINGS])])
        .examples(&[
            "clawperator skills lint com.example.app.read-balance",
            "clawperator skills lint draft.recipe.yaml --format text",
            "clawperator skills lint --all --format sarif",
        ]),
    skills(Skills::Compile, "compile", "Compiles a recipe with its inputs, and prints the execution.")
        .details("Nothing reaches a phone. The same recipe and inputs give the same bytes. clawperator exec runs what \
            is printed; clawperator skills run does both.")
        .arguments(&[RECIPE])
        .flags(&[options(&[flags::RECIPE, flags::INPUT, flags::INPUTS_FILE])])
        .examples(&[
            "clawperator skills compile com.example.app.read-balance --input account=Savings",
            "clawperator skills compile draft.recipe.yaml --inputs-file inputs.yaml",
        ]),
    skills(Skills::Index, "index", "Writes the registry and its indexes from the packages.")
        .details("Reads every skill.json below the registry's folder and writes the registry and the folder generated. \
            A package's path must be its folder, and every file that it names must be there; otherwise nothing is \
            written. The same packages give the same bytes: generatedAt is kept if the registry has one, and \
            renewed only when a skill has changed.")
        .flags(&[options(&[flags::CHECK_INDEX])])
        .examples(&["clawperator skills index", "clawperator skills index --check"]),
    skills(Skills::Install, "install", "Gets a skills repository with git.")
        .details("Clones it into skills of the state folder; a repository that is there already is moved forward. What comes must \
            have a registry that can be read, otherwise what was there stays. --timeout limits each call of git.")
        .flags(&[options(flags::REPOSITORY)])
        .examples(&[
            "clawperator skills install",
            "clawperator skills install --from https://example.com/our-skills.git --ref v2",
        ]),
    skills(Skills::Update, "update", "Moves the installed skills repository forward.")
        .details("The same as skills install. Commits and changes of your own are never lost: if they are in the way, nothing is \
            done.")
        .flags(&[options(flags::REPOSITORY)])
        .examples(&["clawperator skills update", "clawperator skills update --ref main"]),
    skills(Skills::Sync, "sync", "Brings the installed skills repository to a state.")
        .details("The same as skills install.")
        .flags(&[options(flags::REPOSITORY)])
        .examples(&[
            "clawperator skills sync --ref v2",
            "clawperator skills sync --from ../our-skills --ref main",
        ]),
    skills(Skills::Hook, "hook", "Keeps private texts out of the commits of a repository.")
        .details("install sets a pre-commit hook in the git repository of this folder; scan is what the hook runs. It looks \
            for serials of phones and for the texts of .git/info/clawperator-denylist in the lines that a commit \
            would add, and refuses the commit with file and line if it finds one.")
        .arguments(&[HOOK_ACTION])
        .examples(&["clawperator skills hook install", "clawperator skills hook scan"]),
    skills(Skills::Test, "test", "Tests a skill on simulated phones.")
        .details("Each tests/*.world.yaml of the skill's package is a phone, what the skill is given, and what must \
            come of it. Each is run as the file says, and on a slow, a restless and an interrupted phone, \
            unless the file names other variants. No phone and no adb is needed, and nothing is left running. With \
            --pool, each recipe runs once on the next free phone of --on any:CLASS, those that took longest first; \
            what needs a simulated phone is skipped. A phone or host that is lost is an error, not a failed test.")
        .arguments(&[ID])
        .flags(&[
            options(&[flags::TEST_ALL, flags::JUNIT, REPORT, flags::JOBS, flags::TEST_SEED]),
            options(&[flags::SHARDS, flags::PROFILE, flags::ALLOW]),
            super::flat::POOL,
        ])
        .examples(&[
            "clawperator skills test com.example.app.read-balance --output pretty",
            "clawperator skills test --all --junit results.xml",
            "clawperator skills test --all --pool lab.json --on any:pixel --shards 8 --report tests.html",
        ]),
    skills(Skills::Ci, "ci", "Runs every check on a skills repository.")
        .details("Eleven checks: metadata, index, registry, cross-check, frontmatter, steps, deterministic compile, private \
            data, capability policy, literals and inputs. Nothing is written but the file of --junit. --profile \
            judges what recipes may do. The exit code is 1 if a check fails.")
        .flags(&[options(&[flags::JUNIT, flags::PROFILE])])
        .examples(&["clawperator skills ci --output pretty", "clawperator skills ci --junit skills.xml"]),
];

const fn skills(command: Skills, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Skills(command), name, about).inside(GROUP.name)
}
