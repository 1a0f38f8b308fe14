//! The scripts, on shells of this computer.

use super::*;
use crate::phone::Precondition;
use crate::phone::shell::{Client, Printed, mksh, run, run_in, shells};

/// The names that a text gives to functions and variables.
fn names(text: &str) -> Vec<String> {
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut names = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        // What is between quotes is a pattern or a text.
        let bare: String = line.split('\'').step_by(2).collect();
        for part in bare.split(['{', ';', '(', '&', '|']).map(str::trim) {
            let words: Vec<&str> = part.split_whitespace().collect();
            // With a command behind it, it is a variable of that command alone.
            let assigned = words
                .first()
                .filter(|word| words.len() == 1 && !word.ends_with(')'))
                .and_then(|word| word.split_once('='));
            let assigned = assigned.map(|(name, _)| name);
            let counted = (words.first() == Some(&"for")).then(|| words.get(1).copied()).flatten();
            let read = words.iter().position(|word| *word == "read");
            let read = read.and_then(|_| words.iter().rev().find(|word| !word.contains('<')).copied());
            names.extend([assigned, counted, read].into_iter().flatten().map(str::to_owned));
        }
        names.extend(line.split_once("()").map(|(name, _)| name.to_owned()));
    }
    names.retain(|name| is_name(name));
    names
}

/// The names in a text that are not ours.
fn foreign_names(text: &str) -> Vec<String> {
    names(text).into_iter().filter(|name| !name.starts_with("cl_")).collect()
}

#[test]
fn no_name_is_one_of_the_shell_itself() {
    for file in FILES {
        assert_eq!(foreign_names(file.text), Vec::<String>::new(), "{}.sh", file.name);
    }
    // The check finds them.
    let planted = "r() { t=1; for z in 1; do read -t 1 x <&3; done; }";
    assert_eq!(foreign_names(planted), ["t", "z", "x", "r"]);
    let Some(mksh) = mksh() else { return };
    let printed = run_in(&mksh, "", "r() { echo ours; }; r", Client::Waits);
    assert_ne!(printed.out, "ours\n", "an alias goes before a function of its name");
    let alias = run_in(&mksh, "", "alias", Client::Waits).out;
    assert!(alias.contains("r=") && !alias.contains("cl_"), "{alias}");
}

#[test]
fn every_file_is_read_by_the_shells() {
    for file in FILES {
        let text: String = file.lines().map(|line| format!("{line}\n")).collect();
        for shell in shells() {
            let read = std::process::Command::new(&shell).args(["-n", "-c", &text]).output().unwrap();
            assert!(read.status.success() && read.stderr.is_empty(), "{} {read:?}", file.name);
        }
    }
}

#[test]
fn what_varies_is_a_word_whatever_is_in_it() {
    let odd = "a'b\"c $(reboot) `reboot` $HOME \\ \n;&|<>*?{a,b}~ é日本";
    let script = Script::of(&[]).value("odd", odd).unwrap().words([odd, "", odd]).unwrap();
    let text = script.text() + "printf '<%s>' \"$cl_odd\" \"$#\" \"$@\"";
    assert_eq!(run("", &text, Client::Waits).out, format!("<{odd}><3><{odd}><><{odd}>"));
    assert!(Script::of(&[]).value("odd", "\0").is_err());
}

/// A phone whose own commands say what they are called with.
const PHONE: &str = "dumpsys() { :; }; sleep() { echo sleep $1; }
    for cl_stub in input am cmd pm monkey logcat log getevent date pidof; do eval \"$cl_stub() { echo $cl_stub \\\"\\$@\\\"; }\"; done";

fn text(file: ScriptFile, values: &[(&str, &str)], words: &[&str]) -> String {
    let script = Precondition::OnScreen.script(file).unwrap().words(words).unwrap();
    let set = |script: Script, (name, value): &(&str, &str)| script.value(name, value).unwrap();
    values.iter().fold(script, set).text()
}

fn said(out: &str) -> Printed {
    Printed { out: out.to_owned(), err: String::new(), code: Some(0) }
}

#[test]
fn fingers_and_keys_say_what_they_do() {
    let begins = "clawperator: begins\n";
    for (file, values, words, wanted) in [
        (TOUCH, &[][..], &["tap", "5", "6"][..], "input tap 5 6\n"),
        (TOUCH, &[], &["swipe", "5", "6", "7", "8", "300"], "input swipe 5 6 7 8 300\n"),
        (PRESS, &[("global", "1")], &["4"], "input keyevent 4\n"),
        (PRESS, &[("global", "")], &["66"], "input keyevent 66\n"),
        (KEYS, &[("clear", "")], &["text", "a b", "$c"], "input text a b\ninput text $c\n"),
        (KEYS, &[("clear", "2")], &[], "input keyevent 123 67 67\n"),
        (KEYS, &[("clear", "1")], &["text", "x"], "input keyevent 123 67\ninput text x\n"),
        (KEYS, &[("clear", "")], &["am", "broadcast", "-p", "x y"], "am broadcast -p x y\n"),
    ] {
        let text = text(file, values, words);
        assert_eq!(run(PHONE, &text, Client::Waits), said(&format!("{begins}{wanted}")), "{words:?}");
        // A computer that is gone gets nothing done.
        let gone = run(PHONE, &text, Client::Gone);
        assert_eq!((gone.out.as_str(), gone.err.as_str()), ("", ""), "{words:?}");
    }
    let modern = "dumpsys() { :; }; input() { case $1 in keycombination) ;; *) echo \"$@\";; esac; }";
    let empty = text(KEYS, &[("clear", "9")], &[]);
    assert_eq!(run(modern, &empty, Client::Waits), said(&format!("{begins}keyevent 67\n")));
}

#[test]
fn what_lasts_ends_with_its_time_or_its_client() {
    let ended = "clawperator: ended, since it took too long\n";
    let lasting = |seconds: &str, command: &str| {
        let text = Script::of(&[LISTENS]).text();
        format!("{text}\ncl_lasting {seconds} {command} 2>/dev/null; echo then")
    };
    for (seconds, command, client, wanted) in [
        ("9", "echo done", Client::Waits, "done\nthen\n".to_owned()),
        ("9", "ls /not/there", Client::Waits, "then\n".to_owned()),
        ("0.05", "sleep 9", Client::Waits, format!("{ended}then\n")),
        ("9", "sleep 9", Client::Gone, "then\n".to_owned()),
    ] {
        let printed = run("", &lasting(seconds, command), client);
        let out: String = printed
            .out
            .lines()
            .filter(|line| !line.contains("/not/there"))
            .fold(String::new(), |all, line| all + line + "\n");
        assert_eq!(out, wanted, "{command}");
    }
}

#[test]
fn a_look_tells_what_is_in_front_and_ends_in_time() {
    let phone = "dumpsys() { echo '  mCurrentFocus=Window{a1 u0 com.x/.Main}'; }
        uiautomator() { case $dump in late) exec sleep 9;; *) echo \"$@\";; esac; }
        cat() { echo the file; }; rm() { :; }";
    let front = "clawperator: in front: ,,a1 com.x/.Main}\n";
    let look = |seconds: &str, words: &[&str]| {
        let script = Script::of(&[LISTENS, SCREEN, DUMP]).value("way", "file").unwrap();
        let script = script.value("file", "/w").unwrap().value("seconds", seconds).unwrap();
        script.words(words).unwrap().text()
    };
    let seen = run(phone, &look("9", &["--compressed"]), Client::Waits);
    assert!(seen.out.starts_with(front) && seen.out.ends_with(front), "{seen:?}");
    assert!(seen.out.contains("dump --compressed /w\n") && seen.out.contains("the file\n"), "{seen:?}");
    let late = run(&format!("dump=late; {phone}"), &look("0.05", &[]), Client::Waits);
    assert!(late.out.contains("clawperator: ended, since it took too long\n"), "{late:?}");
}

#[test]
fn an_app_is_launched_as_far_as_the_phone_knows_it() {
    for (phone, wanted) in [
        (
            "cmd() { echo com.x/.Main; }",
            "am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -f 0x10200000 -n com.x/.Main\n",
        ),
        (
            "cmd() { echo No activity found; }; pm() { echo package:/x; }",
            "monkey -p com.x -c android.intent.category.LAUNCHER --pct-syskeys 0 1\n",
        ),
        ("cmd() { :; }; pm() { :; }", "clawperator: not installed\n"),
        ("cmd() { :; }; pm() { echo starting; }", "Error: starting\n"),
    ] {
        let printed =
            run(&format!("{PHONE}; {phone}"), &text(LAUNCH, &[("package", "com.x")], &[]), Client::Waits);
        let started = printed.out.strip_prefix("clawperator: begins\n").unwrap();
        assert_eq!(started.split("clawperator: shown:").next(), Some(wanted));
    }
    let text = text(OPEN_URI, &[("uri", "x:a b'$c")], &[]);
    let opened = run(PHONE, &text, Client::Waits).out;
    let wanted =
        "clawperator: begins\nam start -W -a android.intent.action.VIEW -d x:a b'$c\nclawperator: shown:\n";
    assert!(opened.starts_with(wanted), "{opened}");
    assert_eq!(run(PHONE, &text, Client::Gone).out, "");
}

#[test]
fn the_newest_token_acts_and_older_ones_go() {
    let folder = std::env::temp_dir().join(format!("clawperator-fence-{}", std::process::id()));
    let path = folder.to_str().unwrap();
    let script = |file, token: &str| {
        let script = Script::of(&[file]).value("tokens", path).unwrap();
        script.value("token", token).unwrap().text() + "\necho then"
    };
    let fenced = "clawperator: not done: fenced\n";
    for (file, token, wanted) in [
        (RAISE_FENCE, "05", "05\nthen\n"),
        (FENCE, "05", "then\n"),
        (RAISE_FENCE, "07", "07\nthen\n"),
        (FENCE, "05", fenced),
        (RAISE_FENCE, "06", "07\nthen\n"),
        (FENCE, "07", "then\n"),
    ] {
        assert_eq!(run("", &script(file, token), Client::Waits), said(wanted), "{} {token}", file.name);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    // A phone without the folder has lost the right.
    assert_eq!(run("", &script(FENCE, "07"), Client::Waits), said(fenced));
}

#[test]
fn a_payload_is_sent_while_the_computer_waits() {
    let script = Script::of(&[LISTENS, DISPATCH]).value("package", "com.x").unwrap();
    let script = script.value("payload", "{\"a\": \"b c\"}").unwrap();
    let text = script.value("mark", "m-1").unwrap().value("tag", "T").unwrap().text();
    let phone =
        PHONE.replace("date pidof", "x") + "; date() { echo 01-31 09:41:00.000; }; pidof() { echo 12 13; }";
    let sent = run(&phone, &text, Client::Waits).out;
    for wanted in [
        "--es payload {\"a\": \"b c\"} ",
        "\nm-1 0 marked [01-31 09:41:00.000] 12 13\n",
        "\nlogcat -b main -v threadtime -T 01-31 09:41:00.000\n",
    ] {
        assert!(sent.contains(wanted), "{wanted}: {sent}");
    }
    let gone = run(&phone, &text, Client::Gone).out;
    assert!(!gone.contains("broadcast"), "{gone}");
}
