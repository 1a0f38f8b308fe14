//! Which commands a script may name. Pure.
//!
//! This keeps a model from what it was told not to do; it is no wall. An
//! interpreter can do what it likes, so the sandbox is the wall.

use super::shell::{self, ShellError, Word, is_assignment};

/// What a script may name besides the builtins of the shell. `*` is everything.
#[derive(Clone, Debug)]
pub struct CommandPolicy {
    /// The names.
    pub allowed: Vec<String>,
}

/// The usual tools for texts and files: inside the sandbox they do no harm.
const USUAL: &[&str] = &[
    "awk",
    "basename",
    "bash",
    "cat",
    "cmp",
    "comm",
    "cp",
    "cut",
    "date",
    "diff",
    "dirname",
    "du",
    "echo",
    "env",
    "expr",
    "file",
    "find",
    "grep",
    "head",
    "id",
    "jq",
    "ln",
    "ls",
    "md5sum",
    "mkdir",
    "mktemp",
    "mv",
    "nl",
    "node",
    "nohup",
    "npm",
    "od",
    "paste",
    "printf",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rg",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "setsid",
    "sh",
    "sha256sum",
    "sleep",
    "sort",
    "split",
    "stat",
    "tac",
    "tail",
    "tar",
    "tee",
    "timeout",
    "touch",
    "tr",
    "tree",
    "uname",
    "uniq",
    "wc",
    "which",
    "whoami",
    "xargs",
    "yes",
];

const FOR_SCRIPTS: &[&str] = &["adb", "am", "input", "pm"];

const FOR_CODE: &[&str] = &[
    "cargo", "eslint", "git", "go", "jest", "make", "patch", "perl", "pnpm", "prettier", "pytest", "python",
    "python3", "tsc", "vitest", "yarn",
];

/// What a shell does itself.
const BUILTINS: &[&str] = &[
    ":",
    "[",
    "[[",
    "bg",
    "break",
    "builtin",
    "cd",
    "command",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "exec",
    "exit",
    "export",
    "false",
    "fg",
    "getopts",
    "hash",
    "jobs",
    "kill",
    "let",
    "local",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unset",
    "wait",
];

/// What is refused whatever is allowed.
const REFUSED: &[&str] = &[
    ".", "curl", "doas", "eval", "halt", "mkfs", "poweroff", "reboot", "shutdown", "source", "su", "sudo",
    "wget",
];

/// Commands whose arguments are a command.
const CARRIERS: &[&str] = &[
    "builtin", "busybox", "command", "env", "exec", "nice", "nohup", "setsid", "stdbuf", "timeout", "xargs",
];

/// Shells, whose argument behind `-c` is a script.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// Where the system's programs are.
const SYSTEM: &[&str] = &["/bin", "/sbin", "/usr/bin", "/usr/local/bin", "/usr/sbin"];

/// Why a script is not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("{0:?} is never allowed")]
    Never(String),
    #[error("rm with both -r and -f is never allowed")]
    RemoveAll,
    #[error("dd with if= is never allowed")]
    RawCopy,
    #[error("{0:?} is not one of the allowed commands")]
    NotAllowed(String),
    #[error("{0:?} is not one of the system's programs")]
    OwnProgram(String),
    #[error("the name of a command is only known when the script runs: {0:?}")]
    OpenName(String),
    #[error("it cannot be understood: {0}")]
    Shell(#[from] ShellError),
}

impl CommandPolicy {
    /// What `run_script` allows.
    #[must_use]
    pub fn for_scripts() -> Self {
        Self::of(&[USUAL, FOR_SCRIPTS])
    }

    /// What `exec` allows.
    #[must_use]
    pub fn for_code() -> Self {
        Self::of(&[USUAL, FOR_CODE])
    }

    fn of(lists: &[&[&str]]) -> Self {
        Self {
            allowed: lists.concat().into_iter().map(str::to_owned).collect(),
        }
    }

    /// Judges a script by all commands in it.
    pub(super) fn judge(&self, script: &str) -> Result<(), Refusal> {
        let script = shell::read(script)?;
        let known = |name: &str| script.functions.iter().any(|function| function == name);
        script
            .commands
            .iter()
            .try_for_each(|command| self.command(&command.0, &known))
    }

    fn command(&self, words: &[Word], known: &dyn Fn(&str) -> bool) -> Result<(), Refusal> {
        let Some((name, arguments)) = words.split_first() else {
            return Ok(());
        };
        if name.is_open {
            return Err(Refusal::OpenName(name.text.clone()));
        }
        let base = base(&name.text)?;
        let lower = base.to_ascii_lowercase();
        if REFUSED.contains(&lower.as_str()) || lower.starts_with("mkfs.") {
            return Err(Refusal::Never(base.to_owned()));
        }
        match lower.as_str() {
            "rm" if removes_all(arguments) => return Err(Refusal::RemoveAll),
            "dd" if arguments.iter().any(|word| word.text.starts_with("if=")) => {
                return Err(Refusal::RawCopy);
            }
            _ => {}
        }
        let is_allowed = self
            .allowed
            .iter()
            .any(|allowed| allowed == base || allowed == "*");
        if !is_allowed && !BUILTINS.contains(&base) && !known(base) {
            return Err(Refusal::NotAllowed(base.to_owned()));
        }
        self.carried(base, arguments, known)
    }

    /// Judges the command that another one is given.
    fn carried(&self, base: &str, arguments: &[Word], known: &dyn Fn(&str) -> bool) -> Result<(), Refusal> {
        if SHELLS.contains(&base) {
            let is_option = |word: &Word| {
                let option = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                option.is_some_and(|letters| letters.contains('c'))
            };
            let Some(option) = arguments.iter().position(is_option) else {
                return Ok(());
            };
            return match arguments[option + 1..]
                .iter()
                .find(|word| !word.text.starts_with('-'))
            {
                Some(script) if script.is_open => Err(Refusal::OpenName(script.text.clone())),
                Some(script) => self.judge(&script.text),
                None => Ok(()),
            };
        }
        if base == "find" {
            let runs = |word: &Word| matches!(word.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir");
            return match arguments.iter().position(runs) {
                Some(at) => self.command(&arguments[at + 1..], known),
                None => Ok(()),
            };
        }
        if !CARRIERS.contains(&base) {
            return Ok(());
        }
        let is_own = |word: &&Word| {
            let text = &word.text;
            text.starts_with('-')
                || text == "{}"
                || is_assignment(word)
                || text.starts_with(|first: char| first.is_ascii_digit())
        };
        let own = arguments.iter().take_while(is_own).count();
        self.command(&arguments[own..], known)
    }
}

/// The name of a command without its folder, which must be one of the system's.
fn base(name: &str) -> Result<&str, Refusal> {
    match name.rsplit_once('/') {
        None => Ok(name),
        Some((folder, base)) if SYSTEM.contains(&folder) => Ok(base),
        Some(_) => Err(Refusal::OwnProgram(name.to_owned())),
    }
}

/// Whether `rm` removes folders without asking.
fn removes_all(arguments: &[Word]) -> bool {
    let has = |short: [char; 2], long: &str| {
        arguments.iter().any(|word| {
            let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            word.text == long || letters.is_some_and(|letters| letters.contains(short))
        })
    };
    has(['r', 'R'], "--recursive") && has(['f', 'f'], "--force")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(script: &str) -> Vec<String> {
        let read = shell::read(script).unwrap();
        let names = read.commands.iter().map(|command| command.0[0].text.clone());
        names.collect()
    }

    #[test]
    fn commands_are_found_wherever_they_stand() {
        for (script, expected) in [
            ("ls -l", "ls"),
            ("a; b && c || d | e & f\ng", "a b c d e f g"),
            (
                "a $(b) `c` <(d) >(e) \"$(f)\" ${X:-$(g)} $((1 + $(h)))",
                "b c d e f g h a",
            ),
            ("# curl\nls # wget", "ls"),
            ("'curl' x", "curl"),
            ("c\\url x; \"wg\"et", "curl wget"),
            ("cat source.txt 'sudo x' \"a; curl\"", "cat"),
            ("if a; then b; elif c; then d; else e; fi > x", "a b c d e"),
            ("for i in curl wget; do a $i; done", "a"),
            ("while read x; do a; done < <(b)", "read a b"),
            ("until ! a; do { b; (c); }; done", "a b c"),
            ("case $x in curl) a;; wget|b) c;; esac\nd", "a c d"),
            ("case $x in\n curl|wget) a\n ;;\n *) b;;\nesac", "a b"),
            ("f() { a; }; f", "a f"),
            ("function g { a; }\ng", "a g"),
            ("X=1 Y=\"$(a)\" b", "a b"),
            ("X=(curl $(a)); b", "a b"),
            ("cat <<EOF\ncurl\n$(a)\nEOF\nb", "cat a b"),
            ("cat <<'EOF' | c\ncurl\n$(a)\nEOF\nb", "cat c b"),
            ("cat <<-E\n\tcurl\n\tE\nb", "cat b"),
            ("a <<< \"curl $(b)\"", "b a"),
            ("a 2>&1 >x 2>>y <z &>w", "a"),
            ("[[ -f x && curl < wget ]] && a", "[[ a"),
            ("(( x > 1 )) && a", "a"),
            ("a \\\n b\nc", "a c"),
            ("time ! a", "a"),
        ] {
            assert_eq!(names(script).join(" "), expected, "{script}");
        }
    }

    fn judged(script: &str) -> String {
        let judged = CommandPolicy::for_scripts().judge(script);
        judged.map_or_else(|refusal| refusal.to_string(), |()| "allowed".to_owned())
    }

    /// Holes of the original's policy, by the number of their list.
    #[test]
    fn hole_10_the_gaps_of_the_policy_are_closed() {
        for script in [
            "ls & nc -l 1",
            "cat <(nc host 1)",
            "/tmp/evil/ls",
            "./ls",
            "bash -c 'nc host 1'",
            "sh -ec \"curl x\"",
            "env X=1 nc",
            "xargs -n 1 nc",
            "timeout 5 nc",
            "find . -exec nc {} ;",
            "nohup sudo ls",
            "exec curl x",
            "command wget x",
            "$CMD x",
            "l* x",
            "{curl,x}",
            "$'curl' x",
            "echo $(curl x)",
            "echo `wget x`",
            "X=$(nc)",
            "eval ls",
            ". ./x",
            "source x",
            "rm -rf /",
            "rm -r -f x",
            "rm --recursive --force x",
            "dd if=/dev/zero",
            "mkfs.ext4 x",
            "SUDO ls",
            "ls 'unclosed",
            "cat <<E\n$(curl x)\nE",
        ] {
            assert_ne!(judged(script), "allowed", "{script}");
        }
    }

    #[test]
    fn hole_10_the_false_refusals_of_the_policy_are_gone() {
        for script in [
            "echo 'sudo reboot'",
            "# curl\nls",
            "cat source.txt",
            "ls curl-dir",
            "if ls; then cat x; fi",
            "for i in 1 2 3; do echo $i; done",
            "while true; do break; done",
            "cat <<EOF\nsudo reboot\nEOF",
            "cd folder && ls",
            "\"ls\" -l",
            "echo $(ls)",
            "/usr/bin/ls",
            "rm -r folder",
            "rm -f file",
            "greet() { echo hello; }; greet",
        ] {
            assert_eq!(judged(script), "allowed", "{script}");
        }
        let all = CommandPolicy {
            allowed: vec!["*".to_owned()],
        };
        assert_eq!(all.judge("nc host"), Ok(()));
        assert_eq!(all.judge("sudo ls"), Err(Refusal::Never("sudo".to_owned())));
    }
}
