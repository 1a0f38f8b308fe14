//! What holds for every script, not only for those someone thought of.

use crate::host::host_shell;
use crate::world::finish;
use clawperator_userland::ShellResult;
use proptest::prelude::*;
use std::time::Duration;

/// Runs a script to its end, or fails where it has none.
fn finished(script: &str) -> ShellResult {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let limit = Duration::from_secs(1 << 40);
        tokio::time::timeout(limit, finish(script, b"some input\n")).await.expect("a script that hangs")
    })
}

fn single(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn backslashed(word: &str) -> String {
    let escaped: String = word.chars().flat_map(|next| ['\\', next]).collect();
    if escaped.is_empty() { "''".to_owned() } else { escaped }
}

/// Pieces that mean something to a shell, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("'"),
        Just("\""),
        Just("\\"),
        Just("$"),
        Just("`"),
        Just("("),
        Just(")"),
        Just("(("),
        Just("{"),
        Just("}"),
        Just(" "),
        Just("\n"),
        Just(";"),
        Just("&"),
        Just("|"),
        Just("<"),
        Just(">"),
        Just("<<"),
        Just("E"),
        Just("#"),
        Just("if "),
        Just("then "),
        Just("fi"),
        Just("for x in "),
        Just("do "),
        Just("done"),
        Just("case "),
        Just("esac"),
        Just("echo "),
        Just("a"),
        Just("*"),
        Just("~"),
        Just("${x:-"),
        Just("$(("),
        Just("="),
        Just("1"),
        Just("%"),
        Just("ü"),
        Just("x=$x"),
        Just("cat"),
        Just("ls /"),
        Just("f()"),
        Just("!"),
        Just("2>&1"),
        Just("[ "),
        Just("sed s/a/"),
        Just("\0"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn quoted_words_come_back_as_they_were(words in proptest::collection::vec("[ -~äß€]{0,12}", 1..5)) {
        let expected: String = words.iter().map(|word| format!("{word}\n")).collect();
        for quote in [single, backslashed] {
            let script = format!("printf '%s\\n' {}", words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" "));
            let done = finished(&script);
            prop_assert_eq!(String::from_utf8_lossy(&done.stdout), expected.as_str());
        }
    }

    #[test]
    fn no_text_makes_the_shell_panic_or_hang(script in pieces()) {
        finished(&script);
    }

    #[test]
    fn no_bytes_make_the_shell_panic_or_hang(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        finished(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_pattern_makes_a_command_panic(pattern in "[ -~]{0,16}", text in "[ -~]{0,16}") {
        let (pattern, text) = (single(&pattern), single(&text));
        finished(&format!("x={text}; case $x in $y{pattern}) ;; esac; echo ${{x#{pattern}}} ${{x%%{pattern}}}"));
        finished(&format!("echo {text} | grep -- {pattern}; echo {text} | sed {pattern}; echo {text} | tr {pattern} {text}"));
        finished(&format!("printf {pattern} {text} 1 2; test {pattern} {text}; date +{pattern}; find {pattern}"));
        finished(&format!("cut -f {pattern}; head -n {pattern}; seq {pattern} 3; dd bs={pattern} count=1; chmod {pattern} /"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

    #[test]
    fn quoting_means_what_it_means_to_the_hosts_shell(words in proptest::collection::vec("[ -~]{0,10}", 1..4)) {
        let inside: Vec<String> = words.iter().map(|word| word.replace(['`', '$', '"', '\\', '!'], "_")).collect();
        let doubled: Vec<String> = inside.iter().map(|word| format!("\"{word}\"")).collect();
        for script in [
            format!("printf '<%s>' {}", words.iter().map(|word| single(word)).collect::<Vec<_>>().join(" ")),
            format!("printf '<%s>' {}", words.iter().map(|word| backslashed(word)).collect::<Vec<_>>().join("")),
            format!("set -f; x={}; printf '<%s>' $x \"$x\"", single(&words.join(" "))),
            format!("set -f; printf '<%s>' {}$(printf '%s' {})", doubled.join(""), single(&words.join(" "))),
        ] {
            if let Some((stdout, code)) = host_shell(&script) {
                let ours = finished(&script);
                prop_assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&stdout), "{}", script);
                prop_assert_eq!(i32::from(ours.code), code);
            }
        }
    }
}

#[test]
fn scripts_do_what_the_hosts_shell_does() {
    for script in [
        "x=abcabc; echo ${x#a} ${x##*b} ${x%c} ${x%%b*} ${#x}",
        "IFS=:; x=a::b:; for i in $x; do echo \"[$i]\"; done",
        "IFS=' :'; x=' a : b  c'; for i in $x; do echo \"[$i]\"; done",
        "set -- 'a b' c; for i in $*; do echo $i; done; for i in \"$*\"; do echo $i; done; echo $#",
        "echo $((7/2)) $((-7/2)) $((7%3)) $((1<<3)) $((2>1)) $((!0))",
        "f() { return 4; }; f || echo $?; f && echo no; ! f; echo $?",
        "case x.y in *.z) echo 1;; x.?) echo 2;; esac",
        "i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 3 ] && continue; echo $i; done",
        "(exit 3); echo $?; { echo a; } | { read x; echo $x$x; }",
        "x=1; (x=2; echo $x); echo $x; y=${z:=5}; echo $y$z",
        "echo \"a'b\" 'a\"b' a\\\"b \"a\\\\b\" \"a\\b\" '\\n'",
        "cat <<E\n$((1+1)) \\$x `echo y` \"q\"\nE",
        "echo a | (cat; echo b) | sed s/a/c/",
        "set -e; if false; then :; fi; false || echo ok; (false); echo no",
        "eval echo \\$x; x=3; eval \"echo \\$x\"",
        "printf '%d %s %5.2s|\\n' 3 a bcd 4",
        "trap : INT; echo ${1-none} ${1:-empty} \"${1+set}\"; shift 0; echo $?",
        "x='*'; echo \"$x\"; set -f; echo $x",
        "echo a >&2 2>/dev/null; echo b 2>&1 >/dev/null; echo c",
        "x=a; x=b echo $x; echo $x; unset x; echo ${x-gone}",
        "for i in 1 2 3; do for j in 1 2; do [ $j = 2 ] && continue 2; echo $i$j; done; done",
        "a=$(false); echo $?; a=$(exit 3) b=2; echo $?",
        "test -n '' -o 1 = 1; echo $?; [ ! -z a -a b ]; echo $?; [ a = b ]; echo $?",
        "x=5; echo $((x+1)) $((x*=2)) $x",
        "echo `echo \\`echo nested\\``",
    ] {
        if let Some((stdout, code)) = host_shell(script) {
            let ours = finished(script);
            assert_eq!(String::from_utf8_lossy(&ours.stdout), String::from_utf8_lossy(&stdout), "{script}");
            assert_eq!(i32::from(ours.code), code, "{script}");
        }
    }
}
