//! What the genuine Android 14 answered to lines about its applets.

use crate::cases::check;

/// The files that the lines are about, in a folder of their own.
const FILES: &str = concat!(
    "cd /data/local/tmp; umask 0; mkdir w w/sub; cd w; ",
    r"printf 'one\ntwo\nthree\n' > a.txt; printf 'beta\nalpha\ngamma\nalpha\n' > b.txt; ",
    r"printf 'id,name,qty\n1,apple,3\n2,pear,10\n3,fig,7\n' > c.csv; : > e.txt; ",
    r"printf 'E first\nW second\nE third\nI fourth\n' > sub/x.log; echo why > sub/y.txt; ",
    r"printf 'no newline' > nonl.txt; printf 'a\r\nb\r\n' > win.txt; chmod 644 *.txt c.csv sub/*; chmod 755 sub; ",
);

/// line, stdout, stderr, exit code
const LINES: &[(&str, &str, &str, u8)] = {
    #[rustfmt::skip]
    let lines: &[(&str, &str, &str, u8)] = &[
        ("head -n 0 a.txt; head -n -1 a.txt; head -n 99 a.txt", "one\ntwo\nthree\n", "head: -n < 0 (see \"head --help\")\n", 0),
        ("head nope; echo $?; head -n x a.txt; echo $?", "1\n1\n", "head: nope: No such file or directory\nhead: not integer: x\n", 0),
        ("tail a.txt b.txt", "==> a.txt <==\none\ntwo\nthree\n\n==> b.txt <==\nbeta\nalpha\ngamma\nalpha\n", "", 0),
        ("tail -r a.txt; echo $?", "1\n", "tail: not integer: -r\n", 0),
        ("seq 3 | tac 2>&1; seq 3 | nl 2>&1", "3\n2\n1\n     1\t1\n     2\t2\n     3\t3\n", "", 0),
        ("wc a.txt; wc -l a.txt b.txt; wc -c < a.txt; wc -w c.csv", "3 3 14 a.txt\n      3 a.txt\n      4 b.txt\n      7 total\n14\n4 c.csv\n", "", 0),
        ("od -c a.txt | head -2; od -An -tx1 nonl.txt; od -x e.txt", "0000000   o   n   e  \\n   t   w   o  \\n   t   h   r   e   e  \\n\n0000016\n 6e 6f 20 6e 65 77 6c 69 6e 65\n0000000\n", "", 0),
        ("printf 'ab' | od -An -tu1; printf 'ab' | od -An -td2; printf 'abc' | od -c", "  97  98\n   25185\n0000000   a   b   c\n0000003\n", "", 0),
        ("echo aGVsbG8= | base64 -d; echo; echo 'bad!!' | base64 -d > /dev/null; echo $?", "hello\n0\n", "", 0),
        ("md5sum a.txt > sums; md5sum -c sums; echo $?; echo x >> a.txt; md5sum -c sums; echo $?", "a.txt: OK\n0\na.txt: FAILED\n1\n", "", 0),
        ("cmp a.txt b.txt; echo $?; cmp a.txt a.txt; echo $?; cmp a.txt nope; echo $?", "a.txt b.txt differ: char 1, line 1\n1\n0\n2\n", "cmp: nope: No such file or directory\n", 0),
        ("comm a.txt a.txt; comm -12 a.txt a.txt | wc -l", "\t\tone\n\t\ttwo\n\t\tthree\n3\n", "", 0),
        ("grep -E 'one|three' a.txt; grep 'one\\|three' a.txt; egrep 'o|x' a.txt; fgrep '.' c.csv; echo $?", "one\nthree\none\ntwo\n1\n", "", 0),
        ("grep sub; grep E sub; echo $?", "1\n", "grep: sub: Is a directory\n", 0),
        ("echo abc | grep; echo $?", "2\n", "grep: no REGEX\n", 0),
        ("echo abc | grep '['; echo $?", "2\n", "grep: bad regex '[': brackets ([ ]) not balanced\n", 0),
        ("echo abc | grep -E '('; echo $?", "2\n", "grep: bad regex '(': parentheses not balanced\n", 0),
        ("echo abc | grep -P 'b'; echo $?", "2\n", "grep: Unknown option 'P' (see \"grep --help\")\n", 0),
        ("echo abc | grep -z b | od -An -c", "   a   b   c  \\n  \\0\n", "", 0),
        ("sed -i s/one/1/ a.txt; cat a.txt; sed -i.bak s/two/2/ a.txt; ls a.txt*", "1\ntwo\nthree\na.txt\na.txt.bak\n", "", 0),
        ("sed 'a\\after' a.txt; sed '1i\\before' a.txt; sed '2c\\changed' a.txt", "one\n\x07fter\ntwo\n\x07fter\nthree\n\x07fter\n\x08efore\none\ntwo\nthree\none\nchanged\nthree\n", "", 0),
        ("sed N\\;s/\\\\n/-/ a.txt; sed -n '$=' a.txt; sed '$!d' a.txt; sed '1!G;h;$!d' a.txt", "one-two\nthree\n3\nthree\nthree\ntwo\none\n", "", 0),
        ("sed 's/x' a.txt; echo $?", "1\n", "sed: bad pattern 's/x'@2 (/)\n", 0),
        ("sed -n; echo $?; sed '' a.txt | wc -l; sed p e.txt; sed 's/$/!/' nonl.txt", "1\n3\nno newline!", "sed: no pattern\n", 0),
        ("sed '/^$/d' a.txt | wc -l; sed -n '/t/p' a.txt; sed '0~2d' a.txt; sed -n '1~2p' a.txt", "3\ntwo\nthree\n", "sed: bad pattern '0~2d'@3 (2)\nsed: bad pattern '1~2p'@3 (2)\n", 1),
        ("sed --expression=2p -n a.txt; sed -s -n 1p a.txt b.txt; sed -n l win.txt", "one\nbeta\na\\r$\nb\\r$\n", "sed: Unknown option 'expression=2p' (see \"sed --help\")\n", 0),
        ("sed '/one/s/o/0/;/two/{s/t/T/;s/o/O/}' a.txt; sed ':a;N;$!ba;s/\\n/,/g' a.txt", "0ne\nTwO\nthree\none,two,three\n", "", 0),
        ("cut --output-delimiter=- -d, -f1,2 c.csv; cut -O - -d, -f1,2 c.csv; cut -F 2 <<< 'a  b c'; cut -D -d, -f3,1 c.csv", "id-name\n1-apple\n2-pear\n3-fig\nid-name\n1-apple\n2-pear\n3-fig\nb\nqty,id\n3,1\n10,2\n7,3\n", "", 0),
        ("sort -k2 sub/x.log; sort -c b.txt; echo $?; sort -o out b.txt; head -1 out", "E first\nI fourth\nW second\nE third\n1\nalpha\n", "sort: b.txt: Check line 2\n", 0),
        ("tr; echo $?; tr a; echo $?; tr -d '[:space:]' <<< ' a b '; echo; tr '\\000' x < /dev/null", "1\n0\nab\n", "tr: Needs 1 argument (see \"tr --help\")\n", 0),
        ("printf '10K\\n2M\\n' | sort -h 2>&1; printf 'x\\n' | sort -R 2>&1 | wc -l; printf 'a\\0b\\0' | sort -z | od -An -c", "sort: Unknown option 'h' (see \"sort --help\")\n1\n   a  \\0   b  \\0\n", "", 0),
        ("dirname /a/b/c; dirname a; dirname /; dirname a/b/; dirname ''; basename; echo $?; dirname; echo $?", "/a/b\n.\n/\na\n.\n1\n1\n", "basename: Needs 1 argument (see \"basename --help\")\ndirname: Needs 1 argument (see \"dirname --help\")\n", 0),
        ("touch -d 2020-01-02T03:04:05 a.txt; chmod 644 a.txt; ls -ln a.txt; ls -lg a.txt 2>&1; ls -lo a.txt 2>&1", "-rw-r--r-- 1 2000 2000 14 2020-01-02 03:04 a.txt\n-rw-r--r-- 1 shell 14 2020-01-02 03:04 a.txt\n-rw-r--r-- 1 shell 14 2020-01-02 03:04 a.txt\n", "", 0),
        ("touch -d 2020-01-02T03:04:05 a.txt; chmod 644 a.txt; ls -lh a.txt; ls -ll a.txt", "-rw-r--r-- 1 shell shell 14 2020-01-02 03:04 a.txt\n-rw-r--r-- 1 shell shell 14 2020-01-02 03:04:05.000000000 +0000 a.txt\n", "", 0),
        ("mkdir a/b; echo $?; mkdir; echo $?; mkdir -m 700 p; ls -ld p | cut -c1-10", "1\n1\ndrwx------\n", "mkdir: 'a/b': No such file or directory\nmkdir: Needs 1 argument (see \"mkdir --help\")\n", 0),
        ("cp sub d; echo $?; cp -r sub d; ls d; cp -R sub d; ls d; cp a.txt b.txt nope; echo $?", "1\nx.log\ny.txt\nsub\nx.log\ny.txt\n1\n", "cp: Skipped dir 'd': No such file or directory\ncp: 'nope' not directory\n", 0),
        ("cp a.txt; echo $?; cp; echo $?; cp a.txt a.txt; echo $?; cp -v a.txt z; cp -n b.txt z; cat z", "1\n1\n1\ncp 'a.txt'\none\ntwo\nthree\n", "cp: Needs 2 arguments\ncp: Needs 1 argument (see \"cp --help\")\ncp: 'a.txt' is 'a.txt'\n", 0),
        ("realpath a.txt ./sub/../b.txt; realpath nope; echo $?; readlink -f a.txt; readlink -f nope; readlink -f nope/x; echo $?; readlink -e nope; echo $?", "/data/local/tmp/w/a.txt\n/data/local/tmp/w/b.txt\n/data/local/tmp/w/nope\n0\n/data/local/tmp/w/a.txt\n/data/local/tmp/w/nope\n1\n1\n", "", 0),
        ("mkdir d; touch d/f; chmod -R 700 d; stat -c %a d d/f; chmod u=rwx,g=rx,o= d; stat -c %a d; chmod +t d; stat -c %a d; chmod -x d; ls d", "700\n700\n750\n1750\nf\n", "", 0),
        ("touch f; chown root f; echo $?; chown shell f; echo $?; chgrp shell f; echo $?; chown nosuch f; echo $?", "255\n0\n0\n1\n", "chown: 'f' to 'root:': Operation not permitted\nchown: bad user 'nosuch'\n", 0),
        ("find . -perm 644 -name a.txt; chmod 600 a.txt; find . -perm 600; find . -type f -perm -600 -name a.txt; find . -user shell -name a.txt; find . -printf '%f\\n' 2>&1 | head -1 | wc -l", "./a.txt\n./a.txt\n./a.txt\n./a.txt\n1\n", "", 0),
        ("printf 'a b\\0c\\0' | xargs -0 -n 1 echo; echo | xargs echo none; echo | xargs -r echo none; xargs echo x < /dev/null; echo a | xargs false; echo $?; echo a | xargs nosuch; echo $?", "a b\nc\nnone\nx\n123\n127\n", "xargs: exec nosuch: No such file or directory\n", 0),
        ("echo \"a 'b c' \\\"d e\\\"\" | xargs -n 1 echo; printf '1\\n2\\n3\\n' | xargs -L 1 echo 2>&1; echo a | xargs -t echo; printf '%s\\n' a b | xargs -P 2 -n 1 echo 2>&1 | sort; echo a | xargs -p echo < /dev/null; echo $?", "a\n'b\nc'\n\"d\ne\"\nxargs: Unknown option 'L' (see \"xargs --help\")\na\na\nb\n1\n", "echo a \necho ?xargs: No file /dev/tty: No such device or address\n", 0),
        ("tar cvf t.tar a.txt b.txt; rm a.txt b.txt; tar xvf t.tar; tar xOf t.tar a.txt; tar tf t.tar a.txt; tar cf - a.txt | tar tf -; tar cf e.tar nope; echo $?; tar c a.txt | tar t; echo $?", "a.txt\nb.txt\na.txt\nb.txt\none\ntwo\nthree\na.txt\na.txt\n1\na.txt\n0\n", "tar: nope: No such file or directory\ntar: had errors\n", 0),
        ("gzip -k b.txt; ls b.txt*; zcat b.txt.gz | wc -l; gzip -dc b.txt.gz | head -1; gzip nope; echo $?; gunzip a.txt; echo $?; gzip -l b.txt.gz >/dev/null; echo $?; gzip -1 -c a.txt | gzip -dc | wc -l; gzip -t b.txt.gz; echo $?", "b.txt\nb.txt.gz\n4\nbeta\n1\n1\n1\n3\n0\n", "gzip: nope: No such file or directory\ngunzip: no .gz: a.txt\ngzip: Unknown option 'l' (see \"gzip --help\")\n", 0),
        ("truncate -s 3 a.txt; cat a.txt; echo; truncate -s +2 a.txt; stat -c %s a.txt; truncate -s 1K n; stat -c %s n; truncate; echo $?; truncate -s x f; echo $?", "one\n5\n1024\n1\n1\n", "truncate: Needs 1 argument (see \"truncate --help\")\ntruncate: not integer: x\n", 0),
        ("sleep x; echo $?", "1\n", "sleep: Not a number 'x'\n", 0),
        ("timeout -s KILL 0.2 sleep 5; echo $?", "137\n", "", 0),
        ("timeout 5 nosuch; echo $?", "127\n", "timeout: exec nosuch: No such file or directory\n", 0),
        ("timeout; echo $?", "125\n", "timeout: Need 2 arguments (see \"timeout --help\")\n", 0),
        ("timeout x true; echo $?", "125\n", "timeout: Not a number 'x'\n", 0),
        ("uname; uname -s; uname -o 2>&1; uname -z; echo $?", "Linux\nLinux\nToybox\n1\n", "uname: Unknown option 'z' (see \"uname --help\")\n", 0),
        ("date 010203042020; echo $?; date -s @0; echo $?; date -z; echo $?; date -r /nope; echo $?; date -D %Y 2020 +%Y; echo $?; TZ=UTC date -d @0 +%Z; TZ=GMT-2 date -d @0 +%H", "Thu Jan  2 03:04:00 GMT 2020\n1\nThu Jan  1 00:00:00 GMT 1970\n1\n1\n1\n1\nUTC\n02\n", "date: cannot set date: Operation not permitted\ndate: cannot set date: Operation not permitted\ndate: Unknown option 'z' (see \"date --help\")\ndate: Can't stat /nope: No such file or directory\ndate: bad date 2020\n", 0),
        ("chroot / true; echo $?", "125\n", "chroot: /: Operation not permitted\n", 0),
        ("tty; echo $?; stty size; echo $?", "not a tty\n1\n1\n", "stty: tcgetattr standard input: Inappropriate ioctl for device\n", 0),
        ("which; echo $?", "1\n", "which: Needs 1 argument (see \"which --help\")\n", 0),
        ("toybox --help | head -1", "Toybox 0.8.9-android multicall binary (see https://landley.net/toybox)\n", "", 0),
        ("ls --help | head -1", "Toybox 0.8.9-android multicall binary (see toybox --help)\n", "", 0),
        ("ls --version", "toybox 0.8.9-android\n", "", 0),
        ("grep --nosuch x; echo $?", "2\n", "grep: Unknown option 'nosuch' (see \"grep --help\")\n", 0),
    ];
    lines
};

#[tokio::test(start_paused = true)]
async fn applets_answer_what_a_phone_does() {
    let mut cases = Vec::new();
    for (line, stdout, stderr, code) in LINES {
        let script: &'static str = format!("{FILES}{line}").leak();
        cases.push((script, "", *stdout, *stderr, *code));
    }
    check(&cases).await;
}
