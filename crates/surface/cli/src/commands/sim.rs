//! The commands of `sim`, and their flags.

use crate::spec::SimCommand as Sim;
use crate::spec::{
    ArgumentSpec, Command, CommandSpec, FlagSpec, GroupSpec, Often, Takes, argument, options, row, setting,
    switch,
};
use clawperator_host::TIMES;
use clawperator_sim::Latency;

pub(super) const GROUP: GroupSpec = GroupSpec {
    name: "sim",
    synonyms: &[],
    about: "Runs simulated phones on this computer.",
    details: "A simulated phone is a phone in memory that speaks adb: apps, windows, input, screen, files and a \
        shell, with faults and time under your control. It listens on 127.0.0.1 only and ends by itself when \
        it is not used.",
};

const NAME: ArgumentSpec =
    argument("NAME", "The phone's name, serial or port; without it, the phone that was used last.");

pub(crate) const PORT: FlagSpec =
    setting("port", "PORT", "The first phone's port; without it, or with 0, the system chooses.");
pub(crate) const COUNT: FlagSpec = setting("count", "N", "How many phones, each on its own port.");
pub(crate) const APPS: FlagSpec =
    setting("apps", "DIR", "Also install the apps of the YAML files in this folder, or of one file.");
pub(crate) const SEED: FlagSpec = setting("seed", "N", "The seed of everything random about the phone.");
pub(crate) const LATENCY: FlagSpec =
    setting("latency", "PROFILE", "How slow it is: none (the default), pixel-like, or slow.")
        .words(Latency::WORDS.split_at(2).0);
pub(crate) const TIME: FlagSpec =
    setting("time", "KIND", "How time passes: real (the default), or virtual: only with sim advance.")
        .words(&[TIMES[0].1, TIMES[1].1]);
pub(crate) const FAULT: FlagSpec =
    setting("fault", "SPEC", "Inject a fault; repeat it or use commas for several. See sim faults.")
        .takes(Takes::Several("SPEC"));
pub(crate) const IDLE: FlagSpec = setting(
    "idle",
    "MINUTES",
    "End after this time without use; 0 is never [default: 30, with --foreground 0].",
);
pub(crate) const AUTH: FlagSpec = switch("auth", "Ask hosts for a key, and accept every key.");
const NO_AUTH: FlagSpec = switch("no-auth", "Accept hosts without a key, which is the default.");
pub(crate) const FOREGROUND: FlagSpec =
    switch("foreground", "Run here until interrupted, not in the background.");

pub(crate) const SCREEN_OUT: FlagSpec =
    setting("out", "FILE", "Save the screen as a PNG file; - is standard output.");
pub(crate) const DUMP_OUT: FlagSpec =
    setting("out", "FILE", "Write the app file of the screens, and show nothing.");
pub(crate) const TREE: FlagSpec = switch("tree", "Print the elements of the screen.");
pub(crate) const COLUMNS: FlagSpec =
    setting("columns", "N", "Draw the screen in the terminal, this many characters wide.");
pub(crate) const SET: FlagSpec =
    setting("set", "SPEC", "Replace the faults by these; repeat it or use commas for several.")
        .takes(Takes::Several("SPEC"));
pub(crate) const CLEAR: FlagSpec = switch("clear", "Remove all faults.");
pub(crate) const POINTS: FlagSpec = switch("points", "List the faults there are, not those of a phone.");
pub(crate) const EVERY_PHONE: FlagSpec = switch("all", "Stop every simulated phone.");

/// The commands, in the order of the help.
pub(super) const COMMANDS: &[CommandSpec] = &[
    sim(Sim::Start, "start", "Starts a simulated phone in the background.")
        .details("Prints the phone's name and serial once it is ready. Faults are written \
            POINT[=VALUE][@PERCENT%][xTIMES][+SKIP].")
        .flags(&[options(&[PORT, COUNT, APPS, SEED, LATENCY, TIME, FAULT, IDLE, AUTH, NO_AUTH, FOREGROUND])])
        .examples(&[
            "clawperator sim start",
            "clawperator sim start --count 3 --latency pixel-like --fault input_dropped@5% --seed 7",
        ]),
    sim(Sim::Stop, "stop", "Stops a simulated phone.")
        .arguments(&[NAME])
        .flags(&[options(&[EVERY_PHONE])])
        .examples(&["clawperator sim stop sim-1", "clawperator sim stop --all"]),
    sim(Sim::List, "list", "Lists the simulated phones that run.")
        .examples(&["clawperator sim list", "clawperator sim list --output pretty"]),
    sim(Sim::Status, "status", "Prints the state of a simulated phone: its app, screen, time and faults.")
        .arguments(&[NAME])
        .examples(&["clawperator sim status", "clawperator sim status sim-2 --output pretty"]),
    sim(Sim::Screen, "screen", "Shows the screen of a simulated phone.")
        .details("Starts a phone if none runs. In a terminal the screen is drawn there. Prints text \
            unless --json or --output asks for JSON.")
        .arguments(&[NAME])
        .flags(&[options(&[SCREEN_OUT, TREE, COLUMNS])])
        .examples(&[
            "clawperator sim screen --out screen.png --tree",
            "clawperator sim screen sim-1 --columns 60",
        ]),
    sim(Sim::Dump, "dump", "Shows dumps of a real phone as screens of a simulated one.")
        .details("A dump is the XML that uiautomator dump writes. The phone gets the size of \
            the first dump's screen and shows it, so that selectors, views and refs can be tried on it. Starts a \
            phone if none runs; --device names another. With several dumps, a click on anything leads to the \
            next screen, and from the last to the first.")
        .arguments(&[argument("FILE", "The dumps, such as window_dump.xml.").often(Often::Many)])
        .flags(&[options(&[DUMP_OUT])])
        .examples(&[
            "clawperator sim dump window_dump.xml",
            "clawperator sim dump login.xml home.xml --out world.yaml",
        ]),
    sim(Sim::Check, "check", "Checks app files, and shows each problem in place.")
        .details("Prints text unless --json or --output asks for JSON.")
        .arguments(&[argument("FILE", "The app files, or folders of them.").often(Often::Many)])
        .examples(&[
            "clawperator sim check shop.yaml",
            "clawperator sim check apps/shop.yaml apps/chat.yaml --json",
        ]),
    sim(Sim::Faults, "faults", "Lists or sets the faults of a phone.")
        .details("If no phone runs it lists the faults there are, as with --points. Faults are written \
            POINT[=VALUE][@PERCENT%][xTIMES][+SKIP].")
        .arguments(&[NAME])
        .flags(&[options(&[SET, CLEAR, POINTS])])
        .examples(&[
            "clawperator sim faults --points",
            "clawperator sim faults sim-1 --set dump_null_root@20%x3,input_dropped",
        ]),
    sim(Sim::Finger, "finger", "Sends touches through the phone's kernel, as a real finger does.")
        .details("What a finger does is seen by getevent and can be recorded; what input does is not. Actions: \
            tap X Y, touch LABEL, hold X Y [MS], swipe X1 Y1 X2 Y2 [MS], type TEXT (on the keyboard that is shown), \
            key NAME (BACK, HOME, APP_SWITCH, POWER, VOLUME_UP, VOLUME_DOWN). The phone is named with --device.")
        .arguments(&[argument("ACTION", "What the finger does, such as tap 540 1200.").often(Often::Many)])
        .examples(&[
            "clawperator sim finger touch Settings",
            "clawperator sim finger swipe 540 1800 540 600 300 --device sim-1",
        ]),
    sim(Sim::Advance, "advance", "Moves the time of a phone with virtual time forward.")
        .arguments(&[argument("MS", "By how much, in milliseconds; a day at most."), NAME])
        .examples(&["clawperator sim advance 5000", "clawperator sim advance 250 sim-2"]),
];

const fn sim(command: Sim, name: &'static str, about: &'static str) -> CommandSpec {
    row(Command::Sim(command), name, about).inside(GROUP.name)
}
