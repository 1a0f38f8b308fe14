//! Scripts with what they must write and return.

use crate::world::finish;

/// script, stdin, stdout, stderr, exit code
type Case = (&'static str, &'static str, &'static str, &'static str, u8);

async fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (script, stdin, stdout, stderr, code) in cases {
        let done = finish(script, stdin.as_bytes()).await;
        let (out, err) = (
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr),
        );
        if (&*out, &*err, done.code) != (*stdout, *stderr, *code) {
            wrong.push(format!(
                "{script:?}\n  wanted {stdout:?} {stderr:?} {code}\n  got    {out:?} {err:?} {}",
                done.code
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn words_are_quoted_and_expanded() {
    check(&[
        ("echo hello", "", "hello\n", "", 0),
        ("echo 'a  b' \"c  d\" e\\ f", "", "a  b c  d e f\n", "", 0),
        ("echo 'a b'\"'\"'c'", "", "a b'c\n", "", 0),
        (
            "x=1; echo $x ${x} \"$x\" '$x' ${y:-2} ${y-3} ${x:+4}",
            "",
            "1 1 1 $x 2 3 4\n",
            "",
            0,
        ),
        ("echo ${y:=5} $y", "", "5 5\n", "", 0),
        ("x='a  b'; echo $x \"$x\"", "", "a b a  b\n", "", 0),
        (
            "x=/a/b/c.tar.gz; echo ${x##*/} ${x#*/} ${x%.*} ${x%%.*} ${#x}",
            "",
            "c.tar.gz a/b/c.tar.gz /a/b/c.tar /a/b/c 13\n",
            "",
            0,
        ),
        (
            "x=hello; echo ${x/l/L} ${x//l/L} ${x:1:3} ${x: -2}",
            "",
            "heLlo heLLo ell lo\n",
            "",
            0,
        ),
        ("echo $(echo a; echo b) `echo c`", "", "a b c\n", "", 0),
        ("echo \"$(echo \"a  b\")\"", "", "a  b\n", "", 0),
        ("echo $((1 + 2 * 3)) $(( (1+2) * 3 ))", "", "7 9\n", "", 0),
        ("false; echo $?; true; echo $?", "", "1\n0\n", "", 0),
        (
            "set -- a 'b c' d; echo $# $1 \"$2\"; for i in \"$@\"; do echo \"<$i>\"; done",
            "",
            "3 a b c\n<a>\n<b c>\n<d>\n",
            "",
            0,
        ),
        ("set -- a b; IFS=,; echo \"$*\"", "", "a,b\n", "", 0),
        (
            "set --; for i in \"$@\"; do echo x; done; echo end",
            "",
            "end\n",
            "",
            0,
        ),
        (
            "echo ~; HOME=/sdcard; echo ~/x '~'",
            "",
            "/\n/sdcard/x ~\n",
            "",
            0,
        ),
        ("IFS=:; x=a:b::c; set -- $x; echo $#", "", "4\n", "", 0),
        ("echo \"\" '' | cat", "", " \n", "", 0),
        ("echo $'a\\tb\\x41'", "", "a\tbA\n", "", 0),
        ("echo a#b # c", "", "a#b\n", "", 0),
        ("echo {a,b}", "", "{a,b}\n", "", 0),
        ("echo \"${x:-\"a b\"}\" ${x:-c  d}", "", "a b c d\n", "", 0),
        ("cat <<E\na $((1+1))\nE", "", "a 2\n", "", 0),
        ("cat <<'E'\na $x\nE\necho b", "", "a $x\nb\n", "", 0),
        ("cat <<-E\n\ta\n\tE\n", "", "a\n", "", 0),
        ("x=$(cat <<E\nin\nE\n); echo $x", "", "in\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn commands_join_branch_and_loop() {
    check(&[
        (
            "true && echo a || echo b; false && echo c || echo d",
            "",
            "a\nd\n",
            "",
            0,
        ),
        ("! true; echo $?", "", "1\n", "", 0),
        (
            "if false; then echo a; elif true; then echo b; else echo c; fi",
            "",
            "b\n",
            "",
            0,
        ),
        (
            "i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done",
            "",
            "0\n1\n2\n",
            "",
            0,
        ),
        (
            "i=0; until [ $i = 2 ]; do i=$((i+1)); done; echo $i",
            "",
            "2\n",
            "",
            0,
        ),
        (
            "for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done",
            "",
            "1\n3\n",
            "",
            0,
        ),
        (
            "for i in 1 2; do for j in 1 2; do break 2; done; done; echo $i$j",
            "",
            "11\n",
            "",
            0,
        ),
        (
            "case abc in a) echo 1;; a*|b) echo 2;; *) echo 3;; esac",
            "",
            "2\n",
            "",
            0,
        ),
        ("f() { echo $1; return 3; }; f x; echo $?", "", "x\n3\n", "", 0),
        (
            "f() { local a=1; echo $a; }; a=2; f; echo $a",
            "",
            "1\n2\n",
            "",
            0,
        ),
        ("(x=1; exit 4); echo $? $x", "", "4 \n", "", 0),
        ("{ echo a; echo b; } | cat", "", "a\nb\n", "", 0),
        ("exit 7; echo no", "", "", "", 7),
        ("set -e; false; echo no", "", "", "", 1),
        (
            "set -e; false || true; if false; then :; fi; echo yes",
            "",
            "yes\n",
            "",
            0,
        ),
        ("((1 > 2)); echo $?; ((3)); echo $?", "", "1\n0\n", "", 0),
        (
            "echo a b c | while read x y; do echo $y $x; done",
            "",
            "b c a\n",
            "",
            0,
        ),
        ("read a b; echo $b; cat", "1 2 3\nrest\n", "2 3\nrest\n", "", 0),
        ("eval 'x=1; echo $x'; unset x; echo [$x]", "", "1\n[]\n", "", 0),
        ("A=1 eval 'echo $A'; echo [$A]", "", "1\n[]\n", "", 0),
        ("sleep 100 & wait; echo done", "", "done\n", "", 0),
        ("(sleep 5; exit 3) & wait $!; echo $?", "", "3\n", "", 0),
        ("exec echo a; echo b", "", "a\n", "", 0),
        (
            "shift; echo $?",
            "",
            "1\n",
            "/system/bin/sh: shift: nothing to shift\n",
            0,
        ),
        (
            "type echo; command -v cat",
            "",
            "echo is a shell builtin\n/system/bin/cat\n",
            "",
            0,
        ),
        (
            "trap 'echo x' EXIT; ulimit -n 10; umask; umask 077; umask",
            "",
            "0022\n0077\n",
            "",
            0,
        ),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn streams_go_where_they_are_sent() {
    check(&[
        (
            "cd /data/local/tmp; echo a > f; echo b >> f; cat < f; cat f | cat",
            "",
            "a\nb\na\nb\n",
            "",
            0,
        ),
        ("nope 2>/dev/null; echo $?", "", "127\n", "", 0),
        (
            "nope 2>&1 | cat",
            "",
            "/system/bin/sh: nope: inaccessible or not found\n",
            "",
            0,
        ),
        ("{ echo a; echo b >&2; } >/dev/null", "", "", "b\n", 0),
        ("{ echo a; echo b >&2; } 2>&1 >/dev/null", "", "b\n", "", 0),
        ("cat </dev/null; echo ok", "x", "ok\n", "", 0),
        (
            "exec 2>&1; nope",
            "",
            "/system/bin/sh: nope: inaccessible or not found\n",
            "",
            127,
        ),
        ("exec 3>&1; echo a >&3", "", "a\n", "", 0),
        (
            "echo a > /system/x",
            "",
            "",
            "/system/bin/sh: can't create /system/x: Read-only file system\n",
            1,
        ),
        (
            "cat < /none; echo $?",
            "",
            "1\n",
            "/system/bin/sh: can't open /none: No such file or directory\n",
            0,
        ),
        ("echo a >/dev/tty", "", "a\n", "", 0),
        ("logcat | head -1", "", "line 0\n", "", 0),
        ("yes | head -n 2; echo $?", "", "y\ny\n0\n", "", 0),
        ("while :; do echo x; done | head -1", "", "x\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_is_said_as_the_phone_says_it() {
    check(&[
        (
            "nope",
            "",
            "",
            "/system/bin/sh: nope: inaccessible or not found\n",
            127,
        ),
        (
            "/none/x",
            "",
            "",
            "/system/bin/sh: /none/x: inaccessible or not found\n",
            127,
        ),
        (
            "/system/bin/notes",
            "",
            "",
            "/system/bin/sh: /system/bin/notes: can't execute: Permission denied\n",
            126,
        ),
        (
            "if true",
            "",
            "",
            "/system/bin/sh: syntax error: unexpected 'EOF'\n",
            1,
        ),
        (
            "echo a | | b",
            "",
            "",
            "/system/bin/sh: syntax error: unexpected '|'\n",
            1,
        ),
        (")", "", "", "/system/bin/sh: syntax error: unexpected ')'\n", 1),
        (
            "done",
            "",
            "",
            "/system/bin/sh: syntax error: unexpected 'done'\n",
            1,
        ),
        (
            "echo 'a",
            "",
            "",
            "/system/bin/sh: syntax error: unexpected 'EOF'\n",
            1,
        ),
        (
            "cd /none",
            "",
            "",
            "/system/bin/sh: cd: /none: No such file or directory\n",
            2,
        ),
        ("echo ${x?gone}; echo no", "", "", "/system/bin/sh: x: gone\n", 1),
        ("echo $((1/0))", "", "", "/system/bin/sh: 1/0: zero divisor\n", 1),
        ("f() { f; }; f", "", "", "/system/bin/sh: nested too deep\n", 1),
    ])
    .await;
}
