//! What a phone says of the resident server and of others that want what it needs. PURE.

use super::Whose;

/// The port that the server listens at, as the kernel writes it.
const PORT: &str = ":2330";
const LISTENS: &str = "0A";
/// The users of a phone that no app is: root and the shell.
const TRUSTED: [u32; 2] = [0, 2000];

/// How the command line of our script ends, and what may run it.
const SCRIPT: &str = "/clawperator-lane/server.sh";
const SHELLS: [&str; 2] = ["sh", "nohup"];

/// What is asked in the server's folder, part by part.
pub(super) const PARTS: &[&str] = &[
    "cat running 2>/dev/null",
    "cat log 2>/dev/null",
    "sha256sum u2.jar 2>/dev/null",
    "cat /proc/net/tcp /proc/net/tcp6 2>/dev/null",
    "ps -A -o PID,PPID,USER,ARGS 2>/dev/null",
    "date +%s",
];

/// Programs that hold the UiAutomation slot while they run: what their command
/// line has in it, what they are called, how to end them.
const HOLDERS: &[(&str, &str, &str)] = &[
    (
        SERVER_CLASS,
        "uiautomator2",
        "end the program that uses uiautomator2, or run clawperator lane stop --any",
    ),
    (
        "io.appium.uiautomator2.server",
        "Appium",
        "end the Appium session, or run adb shell am force-stop io.appium.uiautomator2.server",
    ),
    (
        "dev.mobile.maestro",
        "Maestro",
        "end the Maestro run, or run adb shell am force-stop dev.mobile.maestro",
    ),
    (
        "com.callstack.agentdevice.snapshothelper",
        "agent-device",
        "close the session of agent-device, or run adb shell am force-stop com.callstack.agentdevice.snapshothelper",
    ),
    (
        "com.mobilenext.mobilecli.DeviceServer",
        "mobilecli",
        "end mobilecli or mobile-mcp, and its server: adb shell pkill -f mobilecli.DeviceServer",
    ),
    ("com.github.uiautomator", "an old uiautomator2", "run adb shell am force-stop com.github.uiautomator"),
    ("com.android.commands.uiautomator", "uiautomator", "wait until it has ended"),
];

const SERVER_CLASS: &str = "com.wetest.uia2.Main";

/// How it is with the resident server on a phone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerState {
    /// The server that we started, if it runs.
    pub ours: Option<ServerProcess>,
    /// The SHA-256 of our file on the phone.
    pub jar: Option<String>,
    /// The user of the phone to whom the port belongs.
    pub port_owner: Option<u32>,
    /// Who may hold the UiAutomation slot; our server is among them.
    pub holders: Vec<Holder>,
    /// Our scripts that run. One whose server is gone runs on for a while.
    pub scripts: Vec<u32>,
    /// What our server printed when it began.
    pub printed: String,
    /// The phone's time, in seconds since 1970.
    pub now: Option<u64>,
}

/// A server that we started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerProcess {
    pub server: u32,
    /// The process that watches it.
    pub script: u32,
    /// When, by the phone's clock, in seconds since 1970.
    pub since: u64,
    /// After how many minutes without use it ends.
    pub idle_minutes: u32,
}

/// A program that can hold the UiAutomation slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    pub pid: u32,
    pub program: &'static str,
    pub end: &'static str,
    parent: u32,
    /// Whether it is a resident server.
    pub is_server: bool,
}

impl ServerState {
    /// Reads the answers to the parts; `None` if they are not all there.
    pub fn parse(values: &[&str]) -> Option<Self> {
        let [running, printed, jar, sockets, processes, now, _] = values else {
            return None;
        };
        // Old phones know no columns, and what they list is another table, or nothing.
        let first = processes.split_whitespace().next()?;
        if first != "PID" && first.parse::<u32>().is_err() {
            return None;
        }
        let holders: Vec<Holder> = processes.lines().filter_map(holder).collect();
        // The number of a process comes again: it must still be the server.
        let runs = |started: &ServerProcess| holders.iter().any(|holder| holder.pid == started.server);
        Some(Self {
            ours: started(running).filter(runs),
            jar: jar.split_whitespace().next().map(str::to_owned),
            port_owner: sockets.lines().find_map(listener),
            printed: printed.trim().to_owned(),
            now: now.trim().parse().ok(),
            scripts: processes.lines().filter_map(script).collect(),
            holders,
        })
    }

    /// Whether something listens that no app on the phone can be: an app could
    /// show us a screen that is not there.
    pub fn is_trusted(&self) -> bool {
        self.port_owner.is_some_and(is_trusted)
    }

    /// Who may hold the slot and is not our server.
    pub fn others(&self) -> impl Iterator<Item = &Holder> {
        let ours = self.ours.map(|ours| ours.server);
        self.holders.iter().filter(move |holder| Some(holder.pid) != ours)
    }

    /// The resident servers that run: those that we started, or all.
    pub(super) fn servers(&self, whose: Whose) -> impl Iterator<Item = u32> {
        let ours = self.ours.map(|ours| ours.server);
        let wanted = move |holder: &&Holder| {
            let is_ours = Some(holder.pid) == ours || self.scripts.contains(&holder.parent);
            holder.is_server && (whose == Whose::Any || is_ours)
        };
        self.holders.iter().filter(wanted).map(|holder| holder.pid)
    }

    /// Whether this process is a server or a script of ours.
    pub(super) fn has(&self, pid: u32) -> bool {
        let mut holders = self.holders.iter();
        self.scripts.contains(&pid) || holders.any(|holder| holder.pid == pid)
    }
}

fn started(line: &str) -> Option<ServerProcess> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [server, script, since, minutes] = words[..] else {
        return None;
    };
    Some(ServerProcess {
        server: server.parse().ok()?,
        script: script.parse().ok()?,
        since: since.parse().ok()?,
        idle_minutes: minutes.parse().ok()?,
    })
}

pub(in crate::phone) fn is_trusted(user: u32) -> bool {
    TRUSTED.contains(&user)
}

/// The user who listens at the port, if a line of `/proc/net/tcp` says so.
pub(in crate::phone) fn listener(line: &str) -> Option<u32> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [_, local, _, LISTENS, _, _, _, user, ..] = words[..] else {
        return None;
    };
    // A user that is no number is not one that is trusted.
    local.ends_with(PORT).then(|| user.parse().unwrap_or(u32::MAX))
}

/// The process of our script, if a line of `ps` is of one.
fn script(line: &str) -> Option<u32> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // A shell that starts the script has its name in the middle of its line.
    let [pid, _, _, first, .., last] = words[..] else {
        return None;
    };
    let name = first.rsplit('/').next().unwrap_or(first);
    (SHELLS.contains(&name) && last.ends_with(SCRIPT)).then_some(pid)?.parse().ok()
}

/// What a line of `ps` tells.
fn holder(line: &str) -> Option<Holder> {
    let mut words = line.split_whitespace();
    let pid = words.next()?.parse().ok()?;
    let parent = words.next()?.parse().ok()?;
    let command: Vec<&str> = words.skip(1).collect();
    // A shell that starts or looks for such a program has its name in its line.
    let is_shell = command.first().is_some_and(|first| {
        let name = first.rsplit('/').next().unwrap_or(first);
        matches!(name, "sh" | "nohup" | "setsid" | "grep" | "ps" | "pkill")
    });
    let named = |needle: &str| command.iter().any(|word| word.starts_with(needle));
    let (needle, program, end) = HOLDERS.iter().find(|(needle, ..)| !is_shell && named(needle))?;
    Some(Holder { pid, program, end, parent, is_server: *needle == SERVER_CLASS })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOCKETS: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   0: 0100007F:13AD 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0\n   1: 0100007F:B1E2 0100007F:2330 06 00000000:00000000 00:00000000 00000000  2000        0 2 1 0\n   1: 00000000000000000000000000000000:2330 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  2000        0 3 1 0\n";
    const PROCESSES: &str = "  PID  PPID USER         ARGS\n    1     0 root         /system/bin/init second_stage\n  811     1 shell        sh -c CLASSPATH=/data/local/tmp/u2.jar app_process / com.wetest.uia2.Main\n  812   811 shell        app_process / com.wetest.uia2.Main -p 9008\n  900   300 u0_a181      io.appium.uiautomator2.server\n";

    #[test]
    fn our_server_is_told_from_the_rest() {
        let values = [
            "812 811 1794820000 20\n",
            "[server] INFO: Starting\n",
            "87c8ac  u2.jar\n",
            SOCKETS,
            PROCESSES,
            "1794820060\n",
            "",
        ];
        let state = ServerState::parse(&values).unwrap();
        let ours = ServerProcess { server: 812, script: 811, since: 1_794_820_000, idle_minutes: 20 };
        assert_eq!((state.ours, state.port_owner), (Some(ours), Some(2000)));
        assert_eq!(state.jar.as_deref(), Some("87c8ac"));
        assert!(state.is_trusted());
        let others: Vec<_> = state.others().map(|holder| holder.program).collect();
        assert_eq!(others, ["Appium"]);
        assert_eq!(state.servers(Whose::Any).collect::<Vec<_>>(), [812]);
    }

    #[test]
    fn a_server_of_our_script_is_ours_without_its_mark() {
        let processes = "  1     0 root  init\n 810 300 shell sh -c nohup sh /data/local/tmp/clawperator-lane/server.sh &\n 811     1 shell sh /data/local/tmp/clawperator-lane/server.sh\n 812   811 shell app_process / com.wetest.uia2.Main -p 9008\n 820   300 shell app_process / com.wetest.uia2.Main -p 9009\n 830 300 shell cat /data/local/tmp/clawperator-lane/server.sh\n";
        let state = ServerState::parse(&["", "", "", "", processes, "", ""]).unwrap();
        assert_eq!((state.ours, &state.scripts[..]), (None, &[811][..]));
        assert_eq!(state.servers(Whose::Ours).collect::<Vec<_>>(), [812]);
        assert_eq!(state.servers(Whose::Any).collect::<Vec<_>>(), [812, 820]);
    }

    #[test]
    fn a_mark_of_a_server_that_is_gone_counts_for_nothing() {
        let state = ServerState::parse(&["1 2 3 20\n", "", "", "", PROCESSES, "1\n", ""]).unwrap();
        assert_eq!((state.ours, state.port_owner), (None, None));
        let others: Vec<_> = state.others().map(|holder| holder.program).collect();
        assert_eq!(others, ["uiautomator2", "Appium"]);
    }

    #[test]
    fn an_app_that_listens_there_is_not_trusted() {
        let sockets = SOCKETS.replace("  2000        0 3", " 10234        0 3");
        let state = ServerState::parse(&["", "", "", &sockets, PROCESSES, "", ""]).unwrap();
        assert_eq!((state.port_owner, state.is_trusted()), (Some(10_234), false));
    }

    #[test]
    fn half_an_answer_is_none() {
        assert_eq!(ServerState::parse(&["", ""]), None);
        for processes in ["", "USER  PID PPID VSZ RSS WCHAN ADDR S NAME\nroot 1 0 9 9 0 0 S init\n"] {
            let values = ["", "", "", "", processes, "", ""];
            assert_eq!(ServerState::parse(&values), None, "{processes}");
        }
        assert_eq!(ServerState::parse(&[]), None);
    }
}
