//! Scripts with what they must write and return.

use crate::world::finish;

/// script, stdin, stdout, stderr, exit code
pub(crate) type Case = (&'static str, &'static str, &'static str, &'static str, u8);

pub(crate) async fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (script, stdin, stdout, stderr, code) in cases {
        let done = finish(script, stdin.as_bytes()).await;
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
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
        ("x=1; echo $x ${x} \"$x\" '$x' ${y:-2} ${y-3} ${x:+4}", "", "1 1 1 $x 2 3 4\n", "", 0),
        ("echo ${y:=5} $y", "", "5 5\n", "", 0),
        ("x='a  b'; echo $x \"$x\"", "", "a b a  b\n", "", 0),
        (
            "x=/a/b/c.tar.gz; echo ${x##*/} ${x#*/} ${x%.*} ${x%%.*} ${#x}",
            "",
            "c.tar.gz a/b/c.tar.gz /a/b/c.tar /a/b/c 13\n",
            "",
            0,
        ),
        ("x=hello; echo ${x/l/L} ${x//l/L} ${x:1:3} ${x: -2}", "", "heLlo heLLo ell lo\n", "", 0),
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
        ("set --; for i in \"$@\"; do echo x; done; echo end", "", "end\n", "", 0),
        ("echo ~; HOME=/sdcard; echo ~/x '~'", "", "/\n/sdcard/x ~\n", "", 0),
        ("IFS=:; x=a:b::c; set -- $x; echo $#", "", "4\n", "", 0),
        ("echo \"\" '' | cat", "", " \n", "", 0),
        ("echo $'a\\tb\\x41'", "", "a\tbA\n", "", 0),
        ("echo a#b # c", "", "a#b\n", "", 0),
        ("echo {a,b}", "", "a b\n", "", 0),
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
        ("true && echo a || echo b; false && echo c || echo d", "", "a\nd\n", "", 0),
        ("! true; echo $?", "", "1\n", "", 0),
        ("if false; then echo a; elif true; then echo b; else echo c; fi", "", "b\n", "", 0),
        ("i=0; while [ $i -lt 3 ]; do echo $i; i=$((i+1)); done", "", "0\n1\n2\n", "", 0),
        ("i=0; until [ $i = 2 ]; do i=$((i+1)); done; echo $i", "", "2\n", "", 0),
        (
            "for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; echo $i; done",
            "",
            "1\n3\n",
            "",
            0,
        ),
        ("for i in 1 2; do for j in 1 2; do break 2; done; done; echo $i$j", "", "11\n", "", 0),
        ("case abc in a) echo 1;; a*|b) echo 2;; *) echo 3;; esac", "", "2\n", "", 0),
        ("f() { echo $1; return 3; }; f x; echo $?", "", "x\n3\n", "", 0),
        ("f() { local a=1; echo $a; }; a=2; f; echo $a", "", "1\n2\n", "", 0),
        ("(x=1; exit 4); echo $? $x", "", "4\n", "", 0),
        ("{ echo a; echo b; } | cat", "", "a\nb\n", "", 0),
        ("exit 7; echo no", "", "", "", 7),
        ("set -e; false; echo no", "", "", "", 1),
        ("set -e; false || true; if false; then :; fi; echo yes", "", "yes\n", "", 0),
        ("((1 > 2)); echo $?; ((3)); echo $?", "", "1\n0\n", "", 0),
        ("echo a b c | while read x y; do echo $y $x; done", "", "b c a\n", "", 0),
        ("read a b; echo $b; cat", "1 2 3\nrest\n", "2 3\nrest\n", "", 0),
        ("eval 'x=1; echo $x'; unset x; echo [$x]", "", "1\n[]\n", "", 0),
        ("A=1 eval 'echo $A'; echo [$A]", "", "1\n[1]\n", "", 0),
        ("sleep 100 & wait; echo done", "", "done\n", "", 0),
        ("(sleep 5; exit 3) & wait $!; echo $?", "", "3\n", "", 0),
        ("exec echo a; echo b", "", "a\n", "", 0),
        ("shift; echo $?", "", "", "/system/bin/sh: shift: nothing to shift\n", 1),
        ("type echo; command -v cat", "", "echo is a shell builtin\n/system/bin/cat\n", "", 0),
        ("trap 'echo x' EXIT; ulimit -n 10; umask; umask 077; umask", "", "000\n077\nx\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn streams_go_where_they_are_sent() {
    check(&[
        ("cd /data/local/tmp; echo a > f; echo b >> f; cat < f; cat f | cat", "", "a\nb\na\nb\n", "", 0),
        ("nope 2>/dev/null; echo $?", "", "127\n", "", 0),
        ("nope 2>&1 | cat", "", "/system/bin/sh: nope: inaccessible or not found\n", "", 0),
        ("{ echo a; echo b >&2; } >/dev/null", "", "", "b\n", 0),
        ("{ echo a; echo b >&2; } 2>&1 >/dev/null", "", "b\n", "", 0),
        ("cat </dev/null; echo ok", "x", "ok\n", "", 0),
        ("exec 2>&1; nope", "", "/system/bin/sh: nope: inaccessible or not found\n", "", 127),
        ("exec 3>&1; echo a >&3", "", "a\n", "", 0),
        ("echo a > /system/x", "", "", "/system/bin/sh: can't create /system/x: Read-only file system\n", 1),
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
        ("nope", "", "", "/system/bin/sh: nope: inaccessible or not found\n", 127),
        ("/none/x", "", "", "/system/bin/sh: /none/x: inaccessible or not found\n", 127),
        (
            "/system/bin/notes",
            "",
            "",
            "/system/bin/sh: /system/bin/notes: can't execute: Permission denied\n",
            126,
        ),
        ("if true", "", "", "/system/bin/sh: syntax error: unexpected 'EOF'\n", 1),
        ("echo a | | b", "", "", "/system/bin/sh: syntax error: unexpected '|'\n", 1),
        (")", "", "", "/system/bin/sh: syntax error: unexpected ')'\n", 1),
        ("done", "", "", "/system/bin/sh: syntax error: unexpected 'done'\n", 1),
        ("echo 'a", "", "", "/system/bin/sh: syntax error: unexpected 'EOF'\n", 1),
        ("cd /none", "", "", "/system/bin/sh: cd: /none: No such file or directory\n", 2),
        ("echo ${x?gone}; echo no", "", "", "/system/bin/sh: x: gone\n", 1),
        ("echo $((1/0))", "", "", "/system/bin/sh: 1/0: zero divisor\n", 1),
        ("f() { f; }; f", "", "", "/system/bin/sh: nested too deep\n", 1),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn files_are_made_changed_and_removed() {
    check(&[
        ("cd /data/local/tmp; mkdir -p a/b; echo x > a/b/f; cp -r a c; ls -R c; rm -rf a; ls", "", "c:\nb\n\nc/b:\nf\nc\n", "", 0),
        ("cat x", "", "", "cat: x: No such file or directory\n", 1),
        ("rm x", "", "", "rm: x: No such file or directory\n", 1),
        ("rm -f x; echo $?", "", "0\n", "", 0),
        ("ls /data/secret", "", "", "ls: /data/secret: Permission denied\n", 1),
        ("mkdir /data/local/tmp/a; rmdir /data/local/tmp/a; ls /data/local/tmp", "", "", "", 0),
        ("mkdir /data/x", "", "", "mkdir: '/data/x': Permission denied\n", 1),
        ("cd /data/local/tmp; touch f; chmod 640 f; ls -l f", "", "-rw-r----- 1 shell shell 0 2026-11-15 06:00 f\n", "", 0),
        ("ls -ld /sdcard", "", "drwxrwx--- 2 u0_a12 sdcard_rw 3452 2026-11-15 06:00 /sdcard\n", "", 0),
        ("cd /data/local/tmp; echo 12345 > f; mv -f f g; stat -c '%n %s %a %U' g; chmod u+x,go= g; stat -c %A g", "", "g 6 666 shell\n-rwx------\n", "", 0),
        ("cd /data/local/tmp; ln -s /system l; readlink l; readlink -f l/etc/hosts; ls -l l", "", "/system\n/system/etc/hosts\nlrwxrwxrwx 1 shell shell 7 2026-11-15 06:00 l -> /system\n", "", 0),
        ("cd /data/local/tmp; ln -s l l; cat l", "", "", "cat: l: Too many symbolic links encountered\n", 1),
        ("basename /a/b.c .c; dirname /a/b; dirname x; realpath /system/../data", "", "b\n/a\n.\n/data\n", "", 0),
        ("cd /data/local/tmp; touch b a .h; echo * ; ls -a; ls -1; echo [ab] *.x", "", "a b\n.\n..\n.h\na\nb\na\nb\na b *.x\n", "", 0),
        ("cd /data/local/tmp; mkdir d; touch d/a.txt d/b; find . -name '*.txt'; find d -type f | wc -l; find . -maxdepth 1", "", "./d/a.txt\n2\n.\n./d\n", "", 0),
        ("dd if=/dev/zero of=/data/local/tmp/z bs=1024 count=3 2>/dev/null; wc -c /data/local/tmp/z; wc -c < /data/local/tmp/z", "", "3072 /data/local/tmp/z\n3072\n", "", 0),
        ("dd if=/dev/zero of=/data/local/tmp/z bs=1m 2>&1", "", "dd: write: No space left on device\n", "", 1),
        ("yes > /data/local/tmp/y", "", "", "yes: write: No space left on device\n", 1),
        ("cd /data/local/tmp; echo a > f; cat f >> f; cat f", "", "a\na\n", "", 0),
        ("cd /data/local/tmp; printf 'echo $0 $1\\n' > s; sh s x; chmod +x s; ./s y", "", "s x\n./s y\n", "", 0),
        ("which cat getprop nope; echo $?", "", "/system/bin/cat\n/system/bin/getprop\n1\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn text_is_cut_sorted_and_searched() {
    check(&[
        ("echo 'Physical density: 420' | cut -d ' ' -f 3", "", "420\n", "", 0),
        ("grep -n b", "a\nb\ncb\n", "2:b\n3:cb\n", "", 0),
        ("grep -c -v b; grep x /none", "a\nb\n", "1\n", "grep: /none: No such file or directory\n", 2),
        ("grep -o '[0-9]\\+' ; echo $?", "a12b3\n", "1\n", "", 0),
        ("grep -E '^(a|b)$'", "a\nab\nb\n", "a\nb\n", "", 0),
        ("grep -F 'a.b'", "a.b\naxb\n", "a.b\n", "", 0),
        ("grep -q a && echo yes || echo no", "b\n", "no\n", "", 0),
        ("sed -e 's/a/b/g' -e 2d", "aa\nx\nca\n", "bb\ncb\n", "", 0),
        ("sed -n '2,3p;$='", "1\n2\n3\n4\n", "2\n3\n4\n", "", 0),
        ("sed 's/\\(.*\\)-\\(.*\\)/\\2 \\1 &/'", "a-b\n", "b a a-b\n", "", 0),
        ("sed -E '/x/s|a+|<&>|'", "aax\naa\n", "<aa>x\naa\n", "", 0),
        ("tr a-z A-Z | tr -d '\\r' | tr -s A", "aab\r\n", "AB\n", "", 0),
        ("sort -n | uniq -c", "10\n9\n10\n", "      1 9\n      2 10\n", "", 0),
        ("sort -r -u", "a\nb\na\n", "b\na\n", "", 0),
        ("head -n 1; tail -n 1", "a\nb\nc\n", "a\n", "", 0),
        ("tail -c 2; head -c 3 /system/etc/hosts", "abc\n", "c\n127", "", 0),
        ("wc; seq 3 | wc -l", "a b\nc\n", "      2       3       6\n3\n", "", 0),
        ("echo a | tee /data/local/tmp/t; cat /data/local/tmp/t", "", "a\na\n", "", 0),
        ("seq 3 | xargs echo x; seq 4 | xargs -n 2; echo 'a b' | xargs -I {} echo '<{}>'", "", "x 1 2 3\n1 2\n3 4\n", "xargs: Unknown option 'I' (see \"xargs --help\")\n", 1),
        ("printf '%s-%03d|%5s|%-3s|%x\\n' a 7 b c 255; printf '%s\\n' a b", "", "a-007|    b|c  |ff\na\nb\n", "", 0),
        ("echo -n a; echo -e 'b\\tc'; echo -x", "", "ab\tc\n-x\n", "", 0),
        ("printf abc | md5sum; printf abc | sha1sum; printf abc | sha256sum", "", "900150983cd24fb0d6963f7d28e17f72  -\na9993e364706816aba3e25717850c26c9cd0d89d  -\nba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n", "", 0),
        ("printf abc | base64; echo YWJj | base64 -d", "", "YWJj\nabc", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_machine_tells_about_itself() {
    check(&[
        ("id", "", "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),3003(inet)\n", "", 0),
        ("id -u; whoami; uname -m", "", "2000\nshell\naarch64\n", "", 0),
        ("date; date +%s; date -u '+%Y-%m-%dT%H:%M:%SZ'", "", "Sun Nov 15 06:00:00 GMT 2026\n1794722400\n2026-11-15T06:00:00Z\n", "", 0),
        ("A=1 env | grep ^A=; export B=2; env | grep -c ^B=2", "", "A=1\n1\n", "", 0),
        ("timeout 1 sleep 100; echo $?; timeout 5 true; echo $?", "", "124\n0\n", "", 0),
        ("sleep 100 & sleep 1; kill $!; wait $!; echo $?", "", "143\n", "Terminated \n", 0),
        ("sleep 1000 & sleep 1; pkill -f 'sleep 1000'; wait; pgrep sleep; echo $?", "", "1\n", "", 0),
        ("kill 1", "", "", "/system/bin/sh: kill: 1: No such process\n", 1),
        ("kill -9 $$; echo not reached", "", "", "", 137),
        ("sh -c 'kill -9 $$; echo not reached'; echo $?", "", "137\n", "Killed \n", 0),
        ("ls -z", "", "", "ls: Unknown option 'z' (see \"ls --help\")\n", 1),
        ("toybox echo a; toybox nope; echo $?", "", "a\n127\n", "toybox: Unknown command nope (see \"toybox --help\")\n", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_real_clients_send_works() {
    check(&[
        ("echo ping", "", "ping\n", "", 0),
        ("echo hi; echo X4EXIT:$?", "", "hi\nX4EXIT:0\n", "", 0),
        ("export ANDROID_LOG_TAGS=''; exec logcat '-d' | head -n 1", "", "line 0\n", "", 0),
        ("n=0; while getprop sys.boot_completed 2>/dev/null; do sleep 1; n=$((n+1)); [ $n = 2 ] && break; done", "", "1\n1\n", "", 0),
        ("rm '/data/local/tmp/x.apk' </dev/null", "", "", "rm: /data/local/tmp/x.apk: No such file or directory\n", 1),
        ("cp /dev/null /data/local/tmp/w.xml && getprop x >/dev/null && cat /data/local/tmp/w.xml; ls /data/local/tmp", "", "w.xml\n", "", 0),
        ("rm -f /data/local/tmp/uidump.xml; getprop sys.boot_completed && echo success", "", "1\nsuccess\n", "", 0),
        ("echo && getprop sys.boot_completed 2>/dev/null", "", "\n1\n", "", 0),
        ("/system/bin/getprop 'sys.boot_completed'", "", "1\n", "", 0),
        ("pkill -f '[D]eviceServer'; CLASSPATH=/data/x.dex nohup logcat / com.DeviceServer >/dev/null 2>&1 &", "", "", "", 0),
        ("toybox md5sum /system/etc/hosts", "", "0eea71665fb6890c06421fd13aa3f849  /system/etc/hosts\n", "", 0),
        ("mkdir -p /data/local/tmp/a/b && chmod 777 /data/local/tmp/a && cp -aR /data/local/tmp/a /data/local/tmp/c && ls /data/local/tmp/c", "", "b\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_shell_has_what_scripts_for_phones_use() {
    check(&[
        ("eval() { echo mine; }; eval 'echo hi'", "", "hi\n", "", 0),
        ("f() { exec 3>&1; }; f; echo y >&3", "", "y\n", "", 0),
        ("echo $(exit 5) $?; x=$(exit 4); echo $?", "", "0\n4\n", "", 0),
        ("trap 'echo e' ERR; f() { false; }; f; { false; }; for i in 1; do (exit 3); done; echo x", "", "e\ne\ne\nx\n", "", 0),
        ("echo \"${ pwd;}\" ${ x=5; echo a b;} $x", "", "/ a b 5\n", "", 0),
        ("cat |& print -p hello; read -p x; echo $x", "", "hello\n", "", 0),
        ("case foo.txt in !(*.md)) echo y;; esac; x='@(a|b)'; case a in $x) echo no;; *) echo n;; esac", "", "y\nn\n", "", 0),
        ("x='a b.txt'; [[ $x == *.txt && -n $x ]] && echo yes; [[ $x = 'a*' ]] || echo no", "", "yes\nno\n", "", 0),
        ("[[ ! -e /nope && ( 3 -gt 2 || a < b ) ]]; echo $?; [[ b < a ]]; echo $?; [[ -d /sdcard ]] && echo dir", "", "0\n1\ndir\n", "", 0),
        ("[[ a", "", "", "/system/bin/sh: syntax error: unexpected 'EOF'\n", 1),
        ("read a b <<< 'one two'; echo $b; x=3; cat <<<\"$x!\"", "", "two\n3!\n", "", 0),
        ("let a=1+2 'b=a*2'; echo $a $b $?; let 0; echo $?", "", "3 6 0\n1\n", "", 0),
        ("print -n a; print -r 'b\\n'; print 'c\\td' --", "", "ab\\n\nc\td --\n", "", 0),
        ("trap 'echo bye $?' EXIT; echo hi; exit 3", "", "hi\nbye 3\n", "", 3),
        ("trap 'echo bye' EXIT; (echo in); trap - EXIT; sh -c 'trap \"exit 7\" EXIT'; echo $?", "", "in\n7\n", "", 0),
        ("cd /data/local/tmp; touch -t 202001020304.05 a; touch -r a b; touch -at 0001020304 -mt 0102030405 c; stat -c %Y a b c; touch -t x d", "", "1577934245\n1577934245\n981173100\n", "touch: bad date x\n", 1),
        ("f=$(mktemp); g=$(mktemp -d); echo ${#f} ${#g}; [ -f $f -a -d $g -a $f != $g ] && mktemp -d ./a.XXXX", "", "30 30\n", "mktemp: Failed to create directory ./a.XXXX: Invalid argument\n", 1),
        ("cat /proc/uptime; cd /proc; ls; [ $(readlink self) -gt 0 ] && echo self; ls /proc/u*", "", "93784.00 90000.00\nself\nuptime\nself\n/proc/uptime\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn arrays_hold_values_by_number() {
    check(&[
        ("a=(1 2); echo ${a[1]} ${#a[@]} $a", "", "2 2 1\n", "", 0),
        ("a=('x y' z); for i in \"${a[@]}\"; do echo \"<$i>\"; done", "", "<x y>\n<z>\n", "", 0),
        ("a=(x y); IFS=,; echo \"${a[*]}\"", "", "x,y\n", "", 0),
        ("a[5]=five; i=5; echo ${a[i]} ${a[$i]} ${#a[*]} ${!a[@]}", "", "five five 1 5\n", "", 0),
        ("i=2; a[i+1]=x; a[$i]=y; echo ${!a[@]}", "", "2 3\n", "", 0),
        ("a=(1 2); a+=(3 4); echo ${a[@]} ${#a[1]}", "", "1 2 3 4 1\n", "", 0),
        ("a=x; a+=y; echo $a ${a[0]} ${#a[@]}", "", "xy xy 1\n", "", 0),
        ("a=(); echo \"<${a[@]}>\" ${#a[@]}; set -- \"${a[@]}\"; echo $#", "", "<> 0\n0\n", "", 0),
        ("a=($(echo p q)\n r); echo ${a[2]}", "", "r\n", "", 0),
        ("a=(abc); echo ${a[0]%c} ${a[7]:-none}", "", "ab none\n", "", 0),
        ("a=(1 2); a=(3); echo ${a[@]}; unset a; echo ${#a[@]}", "", "3\n0\n", "", 0),
        ("x=1 y=$x; echo $y", "", "1\n", "", 0),
        ("a=(1 2) echo done", "", "done\n", "", 0),
        ("echo ${a[-1]}", "", "\n", "", 0),
        ("a=($(seq 20000)); echo ${#a[@]}", "", "", "/system/bin/sh: a: no room for its value\n", 1),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_class_of_a_pattern_may_have_a_slash() {
    check(&[(
        "t='u0 com.android.settings/.Settings}'; t=${t#* }; echo ${t%%[!0-9A-Za-z_./]*}",
        "",
        "com.android.settings/.Settings\n",
        "",
        0,
    )])
    .await;
}
