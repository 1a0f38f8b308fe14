//! Commands that look at a line and its neighbours, and the machine's own files.

use crate::cases::check;

#[tokio::test(start_paused = true)]
#[rustfmt::skip]
async fn grep_shows_what_is_around() {
    let lines = "1\n2\nx3\n4\n5\n6\n7\nx8\n9\n";
    check(&[
        ("grep -A 1 x", lines, "x3\n4\n--\nx8\n9\n", "", 0),
        ("grep -B 1 x", lines, "2\nx3\n--\n7\nx8\n", "", 0),
        ("grep -C1 x", lines, "2\nx3\n4\n--\n7\nx8\n9\n", "", 0),
        ("grep -C 2 x", lines, "1\n2\nx3\n4\n5\n6\n7\nx8\n9\n", "", 0),
        ("grep -C 9 -A 0 x", lines, lines, "", 0),
        ("grep -n -A1 x", lines, "3:x3\n4-4\n--\n8:x8\n9-9\n", "", 0),
        ("grep -Hn -B1 x -", "a\nx\n", "(standard input)-1-a\n(standard input):2:x\n", "", 0),
        ("grep -m 1 -A 1 x", lines, "x3\n", "", 0),
        ("grep -m 1 -A 5 x", lines, "x3\n", "", 0),
        ("grep -c -A 1 x", lines, "2\n", "", 0),
        ("grep -o -C 1 x", lines, "x\n--\nx\n", "", 0),
        ("grep -v -A 1 '[0-9]'", lines, "", "", 1),
        ("grep -A x x", lines, "", "grep: not integer: x\n", 2),
        ("grep -x -B 99999999999999 x8 | head -n 1", lines, "1\n", "", 0),
        ("seq 6 > /data/local/tmp/a; cd /data/local/tmp; cp a b; grep -A1 3 a b", "", "a:3\na-4\nb:3\nb-4\n", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
#[rustfmt::skip]
async fn sed_branches_and_joins() {
    check(&[
        ("sed '# note\ns/a/b/'", "a\n", "b\n", "", 0),
        ("sed 's/a/b/2'", "aaa\n", "aba\n", "", 0),
        ("sed 's/a/b/2g'", "aaa\n", "aba\n", "", 0),
        ("sed '1a x' | tr '\\n' ,; sed 2q", "1\n2\n", "1,x,2,", "", 0),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_machine_says_how_long_it_runs() {
    check(&[
        ("uptime", "", " 06:00:00 up 1 day,  2:03,  0 users,  load average: 0.00, 0.00, 0.00\n", "", 0),
        ("uptime -s", "", "2026-11-14 03:56:56\n", "", 0),
        ("cat /proc/uptime", "", "93784.00 90000.00\n", "", 0),
        ("cd /proc; read up idle < ./uptime; echo $up", "", "93784.00\n", "", 0),
        ("cat /proc/none", "", "", "cat: /proc/none: No such file or directory\n", 1),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn lines_are_sorted_alike_however_many() {
    check(&[
        (
            "a=$(seq 3000 | md5sum); b=$(seq 3000 | sort -r | sort -n | md5sum); [ \"$a\" = \"$b\" ]; echo $?",
            "",
            "0\n",
            "",
            0,
        ),
        ("seq 3000 | sort -rn | tail -n 1", "", "1\n", "", 0),
        (
            "printf 'b\\na' > /data/local/tmp/a; cd /data/local/tmp; sort a a",
            "",
            "a\na\nb\nb\n",
            "",
            0,
        ),
        (
            "seq 5 | tail -n 2; seq 5 | tail -n +4; seq 5 | tail -n 0",
            "",
            "4\n5\n4\n5\n1\n2\n3\n4\n5\n",
            "",
            0,
        ),
        ("echo abcdef | dd bs=2 skip=1 status=none", "", "cdef\n", "", 0),
    ])
    .await;
}
