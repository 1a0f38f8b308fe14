//! Lines with what the shell of a genuine Android 14 answered to them.

use crate::cases::check;

#[tokio::test(start_paused = true)]
async fn answers_to_quoting_are_genuine() {
    check(&[
        ("echo ~ \"~\" ~root \\~", "", "/ ~ / ~\n", "", 0),
        ("echo a=~ ; x=~/y; echo $x", "", "a=/\n//y\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_variables_are_genuine() {
    check(&[
        ("A=1 eval 'echo $A'; echo \"[$A]\"", "", "1\n[1]\n", "", 0),
        ("readonly R2=3; unset R2; echo $?", "", "1\n", "/system/bin/sh: read-only: R2\n", 0),
        ("(readonly R3=1; R3=2); echo $?", "", "2\n", "/system/bin/sh: read-only: R3\n", 0),
        ("echo $- | tr -d '\\n' | wc -c", "", "2\n", "", 0),
        ("set -- a; shift 2; echo $?", "", "", "/system/bin/sh: shift: nothing to shift\n", 1),
        ("shift; echo \"after $?\"", "", "", "/system/bin/sh: shift: nothing to shift\n", 1),
        ("cd /data/local/tmp; echo $PWD $OLDPWD; cd - ; echo $PWD", "", "/data/local/tmp /\n/\n/\n", "", 0),
        ("echo $SECONDS", "", "0\n", "", 0),
        ("echo $LINENO", "", "0\n", "", 0),
        ("echo ${KSH_VERSION%% *}", "", "@(#)MIRBSD\n", "", 0),
        ("echo $KSH_VERSION | cut -c1-18", "", "@(#)MIRBSD KSH R59\n", "", 0),
        ("typeset -p HOME", "", "typeset -x HOME=/\n", "", 0),
        ("typeset -n n=t; t=3; echo $n", "", "3\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_string_operators_are_genuine() {
    check(&[
        ("x=abcabc; echo ${x/#a/Z} ${x/%c/Z} ${x/b*/_}", "", "Zbcabc abcabZ a_\n", "", 0),
        ("x=HeLLo; typeset -l x; echo $x; typeset -u x; echo $x", "", "hello\nHELLO\n", "", 0),
        ("x=\"it's\"; echo ${x@Q}", "", "'it'\\''s'\n", "", 0),
        ("x=foo.bar; echo ${x%.@(bar|baz)} ${x#+(f|o)}", "", "foo oo.bar\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_functions_are_genuine() {
    check(&[
        (
            "r() { echo touch; }; r 2>&1; echo $?",
            "",
            "/system/bin/sh: fc: history functions not available\n1\n",
            "",
            0,
        ),
        ("type() { echo T; }; type x", "", "x not found\n", "", 1),
        ("local() { echo L; }; local x", "", "", "", 0),
        ("integer() { echo I; }; integer q=5; echo $q", "", "5\n", "", 0),
        ("functions() { echo F; }; functions q", "", "", "", 1),
        ("autoload() { echo A; }; autoload q; echo $?", "", "0\n", "", 0),
        ("nameref() { echo N; }; nameref q=z; echo $?", "", "0\n", "", 0),
        ("f() { }; f", "", "", "", 0),
        ("typeset -f f; echo $?", "", "1\n", "", 0),
        ("f() { getopts a o; echo $o; }; f -a", "", "a\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_aliases_are_genuine() {
    check(&[
        ("alias nope; echo $?", "", "nope alias not found\n1\n", "", 0),
        ("alias x='echo aliased'; eval 'x y'", "", "aliased y\n", "", 0),
        ("alias x=echo; eval \"x 'a b'\"", "", "a b\n", "", 0),
        ("unalias r; r 2>&1; echo $?", "", "/system/bin/sh: fc: history functions not available\n1\n", "", 0),
        ("unalias nope; echo $?", "", "1\n", "", 0),
        ("command -v r", "", "alias r='\\\\builtin fc -e -'\n", "", 0),
        ("type r", "", "r is an alias for '\\\\builtin fc -e -'\n", "", 0),
        ("type functions hash local", "", "functions is an alias for '\\\\builtin typeset -f'\nhash is an alias for '\\\\builtin alias -t'\nlocal is an alias for '\\\\builtin typeset'\n", "", 0),
        ("integer i=3+4; echo $i", "", "7\n", "", 0),
        ("suspend 2>&1 | head -1", "", "", "", 0),
        ("alias g='grep -c'; eval 'echo abc | g b'", "", "1\n", "", 0),
        ("alias | wc -l", "", "11\n", "", 0),
        ("unalias a b c; echo $?", "", "1\n", "", 0),
        ("type -a ls; echo $?", "", "1\n", "/system/bin/sh: whence: -a: unknown option\n", 0),
        ("nameref x=y; y=2; echo $x; x=3; echo $y", "", "2\n3\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_conditions_are_genuine() {
    check(&[
        ("case a in a) echo one;& b) echo two;; c) echo three;; esac", "", "one\ntwo\n", "", 0),
        ("case foo.txt in *.@(txt|md)) echo doc;; *) echo other;; esac", "", "doc\n", "", 0),
        ("break; echo $?", "", "0\n", "/system/bin/sh: break: can't break\n", 0),
        ("continue; echo $?", "", "0\n", "/system/bin/sh: continue: can't continue\n", 0),
        ("for i in 1 2; do break 0; done; echo $?", "", "", "/system/bin/sh: break: 0: bad value\n", 1),
        ("if (exit 3); then :; else echo \"rc $?\"; fi", "", "rc 3\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_test_are_genuine() {
    check(&[
        ("[ a -eq 1 ]; echo $?", "", "1\n", "", 0),
        ("[[ abc = @(abc|def) ]] && echo ext; [[ xy = +([a-z]) ]] && echo plus", "", "ext\nplus\n", "", 0),
        ("[[ -v HOME ]]; echo $?", "", "0\n", "", 0),
        ("[[ -o errexit ]]; echo $?; set -e; [[ -o errexit ]] && echo on", "", "1\non\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_arithmetic_are_genuine() {
    check(&[
        ("echo $((9999999999))", "", "1410065407\n", "", 0),
        ("echo $((08)); echo $?", "", "8\n0\n", "", 0),
        ("x=abc; echo $((x)); echo $?", "", "0\n0\n", "", 0),
        ("x=y; y=7; echo $((x))", "", "7\n", "", 0),
        ("x=1+2; echo $((x*2)) $(($x*2))", "", "6 5\n", "", 0),
        ("echo $((1000*1000*1000*3))", "", "-1294967296\n", "", 0),
        ("typeset -i n=5; n=n+2; echo $n; n=abc; echo $n", "", "7\n0\n", "", 0),
        ("typeset -i16 n=255; echo $n; typeset -i2 m=5; echo $m", "", "16#ff\n2#101\n", "", 0),
        ("typeset -Z5 z=42; echo $z; typeset -R4 r1=7; echo \"[$r1]\"; typeset -L3 l=abcdef; echo \"[$l]\"", "", "00042\n[   7]\n[abc]\n", "", 0),
        ("integer a=7 b=2; echo $((a/b)) $((a%b))", "", "3 1\n", "", 0),
        ("set -A a 1 2 3; echo $((a[0]+a[2]))", "", "4\n", "", 0),
        ("echo $((0-1)) $((0xff&0x0f)) $((0777))", "", "-1 15 777\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_substitution_are_genuine() {
    check(&[("x=${|REPLY=valsub;}; echo $x", "", "valsub\n", "", 0)]).await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_redirections_are_genuine() {
    check(&[("echo a >&-; echo $?", "", "1\n", "", 0)]).await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_pipes_are_genuine() {
    check(&[("true | false | true; echo ${PIPESTATUS[*]}", "", "0 1 0\n", "", 0)]).await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_exit_codes_are_genuine() {
    check(&[
        ("exit abc", "", "", "/system/bin/sh: exit: bad number: abc\n", 1),
        (". /nope; echo $?", "", "", "/system/bin/sh: .: /nope: No such file or directory\n", 1),
        ("kill -9 $$", "", "", "", 137),
        ("kill -15 $$", "", "", "", 143),
        ("kill -1 $$", "", "", "", 129),
        ("kill -2 $$", "", "", "", 130),
        ("kill -PIPE $$", "", "", "", 141),
        ("kill -KILL $$; echo not reached", "", "", "", 137),
        ("sh -c 'kill -15 $$'; echo $?", "", "143\n", "", 0),
        ("sh -c; echo $?", "", "1\n", "sh: -c: requires an argument\n", 0),
        ("sh -z 2>&1 | head -1", "", "sh: sh: -z: unknown option\n", "", 0),
        ("sh -ec 'false; echo no'; echo $?", "", "1\n", "", 0),
        ("sh -xc 'echo a' 2>&1", "", "+ echo a\na\n", "", 0),
        ("sh -nc 'echo a'; echo $?", "", "0\n", "", 0),
        ("echo 'echo $1' | sh -s arg", "", "arg\n", "", 0),
        (
            "time true 2>/dev/null; echo $?",
            "",
            "0\n",
            "    0m00.00s real     0m00.00s user     0m00.00s system\n",
            0,
        ),
        ("umask; umask 022; umask; umask -S", "", "000\n022\nu=rwx,g=rx,o=rx\n", "", 0),
        ("umask 077; umask; umask u=rwx,g=,o=; umask", "", "077\n077\n", "", 0),
        ("umask 8; echo $?", "", "1\n", "/system/bin/sh: umask: bad number\n", 0),
        ("ulimit -f; ulimit -t", "", "unlimited\nunlimited\n", "", 0),
        ("(ulimit -n 20; ulimit -n)", "", "20\n", "", 0),
        ("ulimit -f 1; ulimit -f", "", "1\n", "", 0),
        ("sh -c 'kill -TERM $$' & wait $!; echo $?", "", "143\n", "", 0),
        ("x=$(sh -c 'kill -9 $$'); echo $?", "", "137\n", "Killed \n", 0),
        ("sh -c 'kill -9 $$' | cat; echo $?", "", "0\n", "Killed \n", 0),
        ("sh -c 'kill -PIPE $$'; echo $?", "", "141\n", "", 0),
        ("sh -c 'kill -USR1 $$'; echo $?", "", "138\n", "User signal 1 \n", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_traps_and_jobs_are_genuine() {
    check(&[
        ("trap 'echo t' TERM; kill -TERM $$; echo after", "", "t\nafter\n", "", 0),
        ("trap 'echo i' INT; kill -INT $$; echo after", "", "i\nafter\n", "", 0),
        ("trap 'echo h; exit 5' HUP; kill -HUP $$; echo not reached", "", "h\n", "", 5),
        ("trap 'echo x' TERM; trap - TERM; kill -TERM $$; echo not reached", "", "", "", 143),
        ("trap 'echo a' EXIT TERM; trap", "", "trap -- 'echo a' EXIT\ntrap -- 'echo a' TERM\na\n", "", 0),
        ("trap 'echo \"q \\\" $x\"' INT; trap", "", "trap -- 'echo \"q \\\" $x\"' INT\n", "", 0),
        ("trap 'echo x' NOSUCH; echo $?", "", "1\n", "/system/bin/sh: trap: bad signal 'NOSUCH'\n", 0),
        ("trap -l 2>&1 | head -1", "", "/system/bin/sh: trap: -l: unknown option\n", "", 0),
        ("trap 'echo err' ERR; false; echo after", "", "err\nafter\n", "", 0),
        ("trap 'echo err $?' ERR; (exit 4); true", "", "err 4\n", "", 0),
        ("(trap 'echo sub' EXIT; echo in); echo out", "", "in\nsub\nout\n", "", 0),
        ("trap 'echo bye' EXIT; kill -9 $$", "", "", "", 137),
        ("trap 'echo d' DEBUG; echo a", "", "a\n", "/system/bin/sh: trap: bad signal 'DEBUG'\n", 0),
        (
            "kill -l 9; kill -l 137; kill -l TERM; kill -l 15",
            "",
            "KILL\nKILL\nTERM\n",
            "/system/bin/sh: kill: bad number: TERM\n",
            0,
        ),
        ("sleep 5 & sleep 5 & jobs | wc -l; kill %1 %2", "", "2\n", "", 0),
        ("bg; echo $?", "", "1\n", "/system/bin/sh: bg: job control not enabled\n", 0),
        ("read -p x; echo $?", "", "2\n", "/system/bin/sh: read: -p: no coprocess\n", 0),
        ("sleep 0.3 & sleep 0.1; jobs -p | wc -l; wait", "", "1\n", "", 0),
        ("sleep 5 & p=$!; kill -STOP $p; kill -CONT $p; kill $p; wait $p; echo $?", "", "0\n", "", 0),
        ("timeout 1 sh -c 'trap \"echo got; exit 3\" TERM; kill -TERM $$'; echo $?", "", "got\n3\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_set_options_are_genuine() {
    check(&[
        ("set -u; f() { echo $1; }; f; echo no", "", "no\n", "/system/bin/sh: 1: parameter not set\n", 0),
        ("set -x; echo traced 2>&1", "", "traced\n", "+ 2>&1 \n+ echo traced\n", 0),
        (
            "set -x; x=1; [ $x = 1 ]; for i in a b; do :; done",
            "",
            "",
            "+ x=1 \n+ '[' 1 '=' 1 ']'\n+ :\n+ :\n",
            0,
        ),
        ("set -o | grep -c .", "", "10\n", "", 0),
        (
            "set -o | grep errexit",
            "",
            "errexit        off  noclobber      off  posix          off  vi-esccomplete off\n",
            "",
            0,
        ),
        ("set +o | head -1", "", "set -o .reset -o braceexpand\n", "", 0),
        (
            "set -o errexit; set -o | grep errexit",
            "",
            "errexit        on   noclobber      off  posix          off  vi-esccomplete off\n",
            "",
            0,
        ),
        ("set -o nosuch; echo $?", "", "", "/system/bin/sh: set: nosuch: unknown option\n", 1),
        ("set -q; echo $?", "", "", "/system/bin/sh: set: -q: unknown option\n", 1),
        (
            "set -o noclobber; set -o | grep noclobber",
            "",
            "errexit        off  noclobber      on   posix          off  vi-esccomplete off\n",
            "",
            0,
        ),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_read_are_genuine() {
    check(&[
        ("IFS=, read -A arr <<< 'a,b,c'; echo ${arr[1]} ${#arr[*]}", "", "b 3\n", "", 0),
        ("read -n 3 x <<< abcdef; echo $x", "", "abc\n", "", 0),
        ("read -d : x <<< 'a:b'; echo $x", "", "a\n", "", 0),
        ("read -a x <<< 'a b'; echo \"${x[1]}\"", "", "32\n", "", 0),
        ("read -z x <<< v; echo $?", "", "2\n", "/system/bin/sh: read: -z: unknown option\n", 0),
        ("echo ':a::b:' | { IFS=: read w x y z; echo \"[$w][$x][$y][$z]\"; }", "", "[][a][][b]\n", "", 0),
        ("sh -s x y", "echo $2 $1\n", "y x\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_printf_and_echo_are_genuine() {
    check(&[
        ("printf '%x %X %o %#x\\n' 255 255 8 255", "", "ff FF 10 0xff\n", "", 0),
        ("printf '%.3f %e %g\\n' 3.14159 1234.5 0.0001", "", "3.142 1.234500e+03 0.0001\n", "", 0),
        ("printf '%08.3f|%-8.2f|\\n' 3.14159 2.5", "", "0003.142|2.50    |\n", "", 0),
        ("echo -e 'a\\cb'; echo", "", "ab\n", "", 0),
        ("echo 'a\\cb'; echo", "", "ab\n", "", 0),
        ("echo -e '\\\\' '\\\"' \"\\\\\\\\\"", "", "\\ \\\" \\\n", "", 0),
        ("print -l a b 2>&1; print -u2 err; print -- -x", "", "a\nb\n-x\n", "err\n", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_globs_and_braces_are_genuine() {
    check(&[
        ("mkdir /data/local/tmp/w; cd /data/local/tmp/w; touch x1 x2 y1; echo x[12] [xy]1 [!x]*; echo x{1,2,3}", "", "x1 x2 x1 y1 y1\nx1 x2 x3\n", "", 0),
        ("echo pre{,fix,{x,y}}post", "", "prepost prefixpost prexpost preypost\n", "", 0),
        ("x={a,b}; echo $x", "", "a b\n", "", 0),
        ("echo {a,b}$HOME ${HOME}{a,b}", "", "a/ b/ /a /b\n", "", 0),
        ("echo a{b,c}d{e,f}g", "", "abdeg abdfg acdeg acdfg\n", "", 0),
        ("echo {/system,/data}/local", "", "/system/local /data/local\n", "", 0),
        ("mkdir -p /data/local/tmp/w/{a,b}/c; ls /data/local/tmp/w", "", "a\nb\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_arrays_and_typeset_are_genuine() {
    check(&[
        ("set -A a x y z; echo $a ${a[1]} \"${a[@]}\" ${#a[@]}", "", "x y x y z 3\n", "", 0),
        (
            "a=(1 2 3); unset 'a[1]'; echo ${a[*]} ${#a[@]}; unset a; echo \"[${a[*]}]\"",
            "",
            "1 3 2\n[]\n",
            "",
            0,
        ),
        ("a=(b a c); echo ${a[-1]} 2>&1", "", "\n", "", 0),
        ("typeset -A m; m[k]=v; echo $?", "", "0\n", "/system/bin/sh: typeset: -A: unknown option\n", 0),
        ("typeset -x ev=1; env | grep ev=", "", "ev=1\n", "", 0),
        ("typeset x=1 y; echo $x \"[$y]\"; typeset +x x", "", "1 []\n", "", 0),
        ("x=1; typeset -p x", "", "typeset x=1\n", "", 0),
        ("typeset -i10 d=16#ff; echo $d", "", "255\n", "", 0),
        ("export A=1; typeset +x A; env | grep -c ^A=", "", "0\n", "", 1),
        ("typeset -L5 s=ab; echo \"[$s]\"; typeset -R5 t=ab; echo \"[$t]\"", "", "[ab   ]\n[   ab]\n", "", 0),
        ("typeset -u x; x=abc; echo $x; x=${x}d; echo $x", "", "ABC\nABCD\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_getopts_and_ifs_are_genuine() {
    check(&[
        ("set -- -a -b val rest; while getopts ab: o; do echo \"$o ${OPTARG-none}\"; done; shift $((OPTIND-1)); echo $*", "", "a none\nb val\nrest\n", "", 0),
        ("set -- -x; while getopts a o; do echo \"$o\"; done; echo end", "", "?\nend\n", "/system/bin/sh: -x: unknown option\n", 0),
        ("set -- -x; while getopts :a o; do echo \"$o $OPTARG\"; done", "", "? x\n", "", 0),
        ("set -- -b; while getopts b: o; do echo \"$o\"; done", "", "?\n", "/system/bin/sh: -b: requires an argument\n", 0),
        ("set -- -bval; getopts b: o; echo $o $OPTARG $OPTIND", "", "b val 2\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_command_names_are_genuine() {
    check(&[
        ("command -V sh", "", "sh is a tracked alias for /system/bin/sh\n", "", 0),
        ("whence -p sh", "", "/system/bin/sh\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn answers_to_shell_errors_are_genuine() {
    check(&[
        ("\\", "", "", "", 0),
        ("readonly x=1; x=2", "", "", "/system/bin/sh: read-only: x\n", 2),
        ("readonly x=1; (x=2); echo $?", "", "2\n", "/system/bin/sh: read-only: x\n", 0),
        ("readonly x=1; export x=2; echo no", "", "", "/system/bin/sh: export: read-only: x\n", 2),
        ("export 1x=2; echo $?", "", "", "/system/bin/sh: export: 1x=2: is not an identifier\n", 1),
        ("export a-b; echo $?", "", "", "/system/bin/sh: export: a-b: is not an identifier\n", 1),
        ("unset 1x; echo $?", "", "1\n", "/system/bin/sh: read-only: \n", 0),
        ("unset -z; echo $?", "", "", "/system/bin/sh: unset: -z: unknown option\n", 1),
        ("typeset -Q x; echo $?", "", "1\n", "/system/bin/sh: typeset: -Q: unknown option\n", 0),
        ("shift 5; echo no", "", "", "/system/bin/sh: shift: nothing to shift\n", 1),
        ("break x; echo $?", "", "", "/system/bin/sh: break: bad number: x\n", 1),
        ("exit 1 2", "", "", "/system/bin/sh: exit: too many arguments\n", 1),
        ("cd -; echo $?", "", "2\n", "/system/bin/sh: cd: no OLDPWD\n", 0),
        (
            "trap x y z; echo $?",
            "",
            "1\n",
            "/system/bin/sh: trap: bad signal 'y'\n/system/bin/sh: trap: bad signal 'z'\n",
            0,
        ),
        ("set -o x; echo no", "", "", "/system/bin/sh: set: x: unknown option\n", 1),
        ("getopts x; echo no", "", "no\n", "/system/bin/sh: getopts: name: missing argument\n", 0),
        ("alias 'a b=c'; echo $?", "", "1\n", "/system/bin/sh: alias: a b: invalid alias name\n", 0),
        ("wait x; echo $?", "", "127\n", "/system/bin/sh: wait: x: argument must be %job or process id\n", 0),
        ("fc -l; echo $?", "", "1\n", "/system/bin/sh: fc: history functions not available\n", 0),
        ("bind 2>&1 | head -1", "", "/system/bin/sh: bind: can't bind, not a tty\n", "", 0),
        ("ulimit x; echo $?", "", "1\n", "/system/bin/sh: ulimit: invalid file(blocks) limit: x\n", 0),
        (
            "ulimit -n x; echo $?",
            "",
            "1\n",
            "/system/bin/sh: ulimit: invalid nofiles(descriptors) limit: x\n",
            0,
        ),
        ("umask z; echo $?", "", "1\n", "/system/bin/sh: umask: bad mask\n", 0),
        ("exec < /nope; echo no", "", "", "/system/bin/sh: can't open /nope: No such file or directory\n", 1),
        (
            "exec 3< /nope; echo no",
            "",
            "",
            "/system/bin/sh: can't open /nope: No such file or directory\n",
            1,
        ),
        (": < /nope; echo no", "", "", "/system/bin/sh: can't open /nope: No such file or directory\n", 1),
        ("readonly -q; echo $?", "", "", "/system/bin/sh: readonly: -q: unknown option\n", 1),
        ("print -q; echo $?", "", "1\n", "/system/bin/sh: print: -q: unknown option\n", 0),
        ("command -q; echo $?", "", "1\n", "/system/bin/sh: command: -q: unknown option\n", 0),
        ("read -q; echo $?", "", "2\n", "/system/bin/sh: read: -q: unknown option\n", 0),
        ("let '1 +'; echo $?", "", "2\n", "/system/bin/sh: 1 +: unexpected 'end of expression'\n", 0),
        ("a[-1]=x; echo $?", "", "0\n", "", 0),
    ])
    .await;
}
