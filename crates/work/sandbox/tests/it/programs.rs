//! Which programs run: those of the list, and no others, whatever a script does.
//! Each attack would leave a file behind.

use super::*;

/// What the scripts may run. `touch` is what they must not.
const LISTED: &[&str] = &[
    "awk", "basename", "bash", "cat", "chmod", "cp", "echo", "env", "find", "git", "grep", "head", "id",
    "ln", "ls", "make", "mkdir", "mktemp", "mv", "npm", "node", "perl", "printf", "python3", "rm", "sed",
    "sh", "sleep", "sort", "stat", "tar", "tee", "timeout", "tr", "true", "uname", "wc", "which", "xargs",
    "yes",
];

/// Ways to start `touch "$W/ran"`. Without the list, each of them works.
const STARTS: &[&str] = &[
    "touch $W/ran",
    "/usr/bin/touch $W/ran",
    "/bin/touch $W/ran",
    "case x in x) touch $W/ran;; esac",
    "case a in (b) ;; a) touch $W/ran; esac",
    "trap 'touch $W/ran' EXIT",
    "env -S 'touch '$W/ran",
    "env touch $W/ran",
    "mapfile -C 'touch $W/ran; :' -c 1 <<< a",
    "x='a[$(touch $W/ran)0]'; echo $((x))",
    "eval 'to''uch $W/ran'",
    "$(echo touch) $W/ran",
    "t=touch; $t $W/ran",
    "tou\\\nch $W/ran",
    "$'\\x74ouch' $W/ran",
    "{touch,$W/ran}",
    "alias t='touch $W/ran'; shopt -s expand_aliases; eval t",
    "f() { touch $W/ran; }; f",
    "echo | PROMPT_COMMAND='touch $W/ran' bash -i",
    "echo 'touch $W/ran' > s; . ./s",
    "echo 'touch $W/ran' | bash",
    "echo 'touch $W/ran' | sh -s",
    "BASH_ENV=<(echo 'touch $W/ran') bash -c true; echo 'touch $W/ran' > e; BASH_ENV=./e bash -c true",
    "coproc touch $W/ran; wait",
    "exec -a ls touch $W/ran",
    "command touch $W/ran",
    "bash -c 'touch $W/ran'",
    "sh -ec 'touch $W/ran'",
    "echo $W/ran | xargs touch",
    "echo touch | xargs -I X sh -c 'X $W/ran'",
    "find . -maxdepth 0 -exec touch $W/ran ';'",
    "find . -maxdepth 0 -execdir touch $W/ran {} +",
    "timeout -s KILL 5 touch $W/ran",
    "awk 'BEGIN { system(\"touch \" ENVIRON[\"W\"] \"/ran\") }'",
    "awk 'BEGIN { (\"touch \" ENVIRON[\"W\"] \"/ran\") | getline }'",
    "sed -n '1e touch '$W/ran <<< a",
    "perl -e 'exec \"touch\", \"$ENV{W}/ran\"'",
    "perl -e 'system {\"/usr/bin/touch\"} \"ls\", \"$ENV{W}/ran\"'",
    "python3 -c 'import os; os.system(\"touch $W/ran\")'",
    "python3 -c 'import os; os.execv(\"/usr/bin/touch\", [\"touch\", os.environ[\"W\"] + \"/ran\"])'",
    "node -e 'require(\"child_process\").execSync(\"touch $W/ran\")'",
    "tar cf /dev/null --checkpoint=1 --checkpoint-action=exec=\"touch $W/ran\" /etc/passwd",
    "printf 'a:\\n\\ttouch $(W)/ran\\n' > Makefile; make a",
    "git -c alias.x='!touch $W/ran' x",
    "ln -s $(which touch) l; ./l $W/ran",
    "ln -s /usr/bin ls.d; ls.d/touch $W/ran",
    "exec 9<$(which touch); /proc/self/fd/9 $W/ran",
    "/proc/self/root/usr/bin/touch $W/ran",
    "hash -p /usr/bin/touch ls; ls $W/ran",
    "cp $(which touch) copy; ./copy $W/ran",
    "cat $(which touch) > copy; chmod +x copy; ./copy $W/ran",
    "cp $(which touch) /tmp/copy-$$; /tmp/copy-$$ $W/ran",
    "cp $(which touch) /dev/shm/copy-$$; /dev/shm/copy-$$ $W/ran",
    "$LOADER $(which touch) $W/ran",
    "$LOADER --argv0 ls $(which touch) $W/ran",
    "exec 9<$(which touch); $LOADER /proc/self/fd/9 $W/ran",
    "cp $(which touch) copy; $LOADER ./copy $W/ran",
    "cp $(which touch) /dev/shm/copy-$$; $LOADER /dev/shm/copy-$$ $W/ran",
    "bash -c 'exec -a ls $LOADER /usr/bin/touch $W/ran'",
    "ln -s $LOADER ls; ./ls /usr/bin/touch $W/ran",
    "perl -e 'exec {$ENV{LOADER}} \"ls\", \"/usr/bin/touch\", \"$ENV{W}/ran\"'",
    "exec 9<$LOADER; /proc/self/fd/9 /usr/bin/touch $W/ran",
    "cp $LOADER own; ./own /usr/bin/touch $W/ran",
];

/// Ways to run code that the script brings along: `own` is a copy of `touch` that was
/// put beside it.
const BROUGHT: &[&str] = &[
    "./own $W/ran",
    "chmod +x own; ./own $W/ran",
    "cp own /tmp/own-$$; /tmp/own-$$ $W/ran",
    "cp own /dev/shm/own-$$; /dev/shm/own-$$ $W/ran",
    "$LOADER ./own $W/ran",
    "cp own /tmp/own-$$; $LOADER /tmp/own-$$ $W/ran",
    "cp own /dev/shm/own-$$; $LOADER /dev/shm/own-$$ $W/ran",
    "exec 9<own; $LOADER /proc/self/fd/9 $W/ran",
    "exec 9<own; /proc/self/fd/9 $W/ran",
    "mkdir -p bin; cp own bin/ls; PATH=$PWD/bin:$PATH; hash -r; ls $W/ran",
    "perl -e 'my $f = syscall(0 + $ENV{MEMFD}, my $n = \"x\", 0); exit 1 if $f < 0; open(my $o, \">&=\", $f); open(my $i, \"<\", \"own\"); binmode $i; binmode $o; local $/; print {$o} <$i>; close $i; $o->flush; exec \"/proc/$$/fd/$f\", \"$ENV{W}/ran\"'",
    "python3 -c 'import os; f = os.memfd_create(\"x\", 0); os.write(f, open(\"own\", \"rb\").read()); os.execve(f, [\"x\", os.environ[\"W\"] + \"/ran\"], os.environ)'",
    "printf '#!/bin/sh\\n: > $W/ran\\n' > s; chmod +x s; ./s",
    "printf '#!%s/own\\n' $W > ran.sh; chmod +x ran.sh; ./ran.sh $W/ran",
];

/// Where the system's loader is.
pub(crate) fn loader() -> String {
    let text = fs::read("/bin/sh").unwrap();
    let at = text.windows(4).position(|part| part == b"/lib").unwrap();
    let name: Vec<u8> = text[at..].iter().copied().take_while(|byte| *byte != 0).collect();
    String::from_utf8(name).unwrap()
}

fn more() -> [(&'static str, String); 2] {
    #[cfg(target_arch = "x86_64")]
    let memfd = 319;
    #[cfg(not(target_arch = "x86_64"))]
    let memfd = 279;
    [("LOADER", loader()), ("MEMFD", memfd.to_string())]
}

fn listed(place: &Place, script: &str, names: &[&str]) -> Plan {
    let mut plan = place.plan(script, &more());
    plan.variables.push(("HOME".into(), "/tmp".into()));
    plan.programs = Programs::Only(names.iter().map(|name| (*name).to_owned()).collect());
    plan
}

async fn run_listed(place: &Place, script: &str) -> Out {
    run(&listed(place, script, LISTED), Job::within(Duration::from_secs(30))).await
}

/// Whether the interpreter of an attack is there; not every computer has them all.
fn is_possible(script: &str) -> bool {
    let has = |name: &str| {
        Path::new("/usr/bin").join(name).exists() || Path::new("/usr/local/bin").join(name).exists()
    };
    let named = ["perl", "python3", "node", "make", "git", "tar"];
    named
        .iter()
        .filter(|name| script.starts_with(*name) || script.contains(&format!("; {name}")))
        .all(|name| has(name))
}

#[tokio::test]
async fn c15_a_program_that_is_not_listed_does_not_run_however_it_is_started() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for script in STARTS.iter().filter(|script| is_possible(script)) {
        let place = Place::new();
        let free = place.free(script, &more());
        if !place.work().join("ran").exists() {
            wrong.push(format!("the attack does not work at all: {script}: {free:?}"));
        }
        drop(place);
        let place = Place::new();
        let inside = run_listed(&place, script).await;
        if place.work().join("ran").exists() {
            wrong.push(format!("it ran: {script}: {inside:?}"));
        }
        tried += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried >= 40, "{tried}");
    println!("{tried} ways to start a program, none worked");
}

#[tokio::test]
async fn c15_code_that_a_script_brings_along_does_not_run() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for script in BROUGHT.iter().filter(|script| is_possible(script)) {
        // Without the list it runs.
        let own = |place: &Place| fs::copy("/usr/bin/touch", place.work().join("own")).unwrap();
        let place = Place::new();
        own(&place);
        let free = place.free(script, &more());
        if !place.work().join("ran").exists() {
            wrong.push(format!("the attack does not work at all: {script}: {free:?}"));
        }
        drop(place);
        let place = Place::new();
        own(&place);
        let inside = run_listed(&place, script).await;
        if place.work().join("ran").exists() {
            wrong.push(format!("it ran: {script}: {inside:?}"));
        }
        tried += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{tried} ways to run code that was brought along, none worked");
}

/// Wherever a program lies, the loader does not run it: it is no program itself.
#[tokio::test]
async fn c15_the_loader_runs_no_program_wherever_it_lies() {
    let script = r#"
        find /usr/lib /usr/share /usr/src -type f -perm -1 2>/dev/null | while read -r one; do
            "$LOADER" --verify "$one" 2>/dev/null && echo "$one"
        done; "$LOADER" --version 2>/dev/null | head -n 1"#;
    let place = Place::new();
    let free = place.free(script, &more());
    assert!(free.text.contains("ld.so"), "{free:?}");
    let inside = run_listed(&place, script).await;
    // The system may lack numbers for so many processes for a moment, and say so.
    let ran = inside.text.lines().any(|line| !line.starts_with("bash: fork"));
    assert!(!ran, "{inside:?}");
    let inside = run_listed(&place, "$LOADER /bin/cat /etc/passwd").await;
    assert_eq!(inside.ending, Ending::Exited(126), "{inside:?}");
    println!("{} programs and libraries, none ran", free.text.lines().count() - 1);
}

/// Lines that a reader of shell text refused, and others that people write.
#[tokio::test]
async fn c15_honest_lines_run() {
    let mut wrong = Vec::new();
    for (script, expected) in [
        ("printf 'a\\nb\\n' | xargs -I X echo X!", "a!\nb!\n"),
        ("timeout -s KILL 5 echo in time", "in time\n"),
        ("case $((1 + 1)) in 2) echo two;; esac", "two\n"),
        ("f() { local x=$1; echo \"$x\"; }; f hello", "hello\n"),
        ("echo 'echo sourced' > s; . ./s; eval 'echo evaluated'; bash s", "sourced\nevaluated\nsourced\n"),
        ("trap 'echo bye' EXIT; echo hello", "hello\nbye\n"),
        ("mapfile -t lines < <(printf '1\\n2\\n'); echo ${#lines[@]}", "2\n"),
        ("c=ls; $c -d /usr/bin", "/usr/bin\n"),
        ("awk 'BEGIN { print 6 * 7 }'; sed s/a/b/ <<< a; sort <<< x", "42\nb\nx\n"),
        ("awk 'BEGIN { system(\"echo from awk\") }'", "from awk\n"),
        ("find . -maxdepth 0 -exec echo found {} ';'", "found .\n"),
        ("env -i A=1 sh -c 'echo $A'", "1\n"),
        ("mkdir d && echo x > d/f && rm -rf d && ls", ""),
        ("tar cf t.tar /etc/passwd 2>/dev/null && tar tf t.tar", "etc/passwd\n"),
        ("which ls | grep -c ls", "1\n"),
        ("cat $(mktemp); id -u > /dev/null; uname -s", "Linux\n"),
        ("perl -MPOSIX -e 'print floor(2.5), \"\\n\"'", "2\n"),
        ("python3 -c 'import json, math, sqlite3, hashlib; print(json.dumps([1]))'", "[1]\n"),
        (
            "node -e 'console.log(require(\"child_process\").execSync(\"echo child\").toString().trim())'",
            "child\n",
        ),
        ("printf 'a:\\n\\t@echo made\\n' > Makefile; make -s a", "made\n"),
        (
            "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --format=%s && git submodule status",
            "x\n",
        ),
    ] {
        if !is_possible(script) {
            continue;
        }
        let place = Place::new();
        let inside = run_listed(&place, script).await;
        if inside.text != expected || !inside.is_success() {
            wrong.push(format!("{script}: {inside:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn c15_npm_a_script_with_an_interpreter_runs() {
    if !is_possible("node") || !Path::new("/usr/bin/npm").exists() {
        return;
    }
    let place = Place::new();
    let inside = run_listed(&place, "npm --version").await;
    assert!(inside.is_success(), "{inside:?}");
}

#[tokio::test]
async fn c15_a_listed_program_cannot_be_changed_or_replaced() {
    for script in [
        "cat /bin/bash > $(which ls)",
        "ln -f /bin/bash /usr/bin/ls",
        "mv own /usr/local/bin/ls",
        "rm /usr/bin/ls",
        "perl -e 'open(F, \">>\", \"/usr/bin/ls\") or exit 1'",
    ] {
        let place = Place::new();
        fs::write(place.work().join("own"), "x").unwrap();
        let inside = run_listed(&place, script).await;
        assert!(!inside.is_success(), "{script}: {inside:?}");
    }
    // A program of a folder that can be written is none that may run.
    let place = Place::new();
    fs::write(place.work().join("ls"), "#!/bin/sh\n: > $W/ran\n").unwrap();
    let mut plan = listed(&place, "chmod +x ls; ls", LISTED);
    let path = format!("{}:{PATH}", place.work().display());
    plan.variables
        .iter_mut()
        .filter(|(name, _)| name == "PATH")
        .for_each(|(_, value)| *value = path.clone().into());
    run(&plan, Job::within(Duration::from_secs(20))).await;
    assert!(!place.work().join("ran").exists());
}

#[tokio::test]
async fn c15_a_refusal_of_the_kernel_says_what_did_not_run() {
    let place = Place::new();
    let inside = run_listed(&place, "touch x").await;
    assert_eq!(inside.ending, Ending::Exited(126), "{inside:?}");
    assert!(inside.text.contains("touch: Permission denied"), "{inside:?}");
}
