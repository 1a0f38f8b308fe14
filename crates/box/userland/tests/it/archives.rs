//! `expr`, `gzip` and `tar`.

use crate::cases::check;
use crate::world::finish;

#[tokio::test(start_paused = true)]
async fn expr_reckons_and_compares() {
    check(&[
        ("expr 1 + 2 \\* 3", "", "7\n", "", 0),
        ("expr \\( 1 + 2 \\) \\* 3", "", "9\n", "", 0),
        ("expr 7 / 2; expr 7 % 2; expr 3 - 3", "", "3\n1\n0\n", "", 1),
        ("expr a = a; expr 2 '<' 10; expr b '>' a", "", "1\n1\n1\n", "", 0),
        ("expr abc : 'a.'; expr abc : 'a\\(.*\\)'; expr abc : x", "", "2\nbc\n0\n", "", 1),
        ("expr '' '|' x; expr 0 '&' 1", "", "x\n0\n", "", 1),
        ("expr 1 +", "", "", "expr: syntax error\n", 2),
        ("expr", "", "", "expr: syntax error\n", 2),
        ("expr a + 1", "", "", "expr: non-integer argument\n", 2),
        ("expr 1 / 0", "", "", "expr: division by zero\n", 2),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn gzip_packs_and_unpacks() {
    check(&[
        ("echo hello | gzip | gunzip", "", "hello\n", "", 0),
        (
            "cd /sdcard; echo hello > f; gzip f; ls f*; zcat f.gz; gunzip f.gz; cat f",
            "",
            "f.gz\nhello\nhello\n",
            "",
            0,
        ),
        ("cd /sdcard; echo a > g; gzip -k g; gzip -dc g.gz; ls g*", "", "a\ng\ng.gz\n", "", 0),
        ("echo nonsense | gunzip", "", "", "gunzip: not gzip\n", 1),
        (
            "gzip -d /nowhere; gzip /nowhere",
            "",
            "",
            "gzip: no .gz: /nowhere\ngzip: /nowhere: No such file or directory\n",
            1,
        ),
    ])
    .await;
}

#[tokio::test(start_paused = true)]
async fn tar_copies_trees() {
    let make = "cd /sdcard; mkdir -p d/e; echo one > d/f; echo two > d/e/g; chmod 600 d/f; touch -d '2020-01-02 03:04:05' d/f; ";
    let long = "n".repeat(120);
    for (script, wanted) in [
        ("tar cf - d | tar tf -".to_owned(), "d/\nd/e/\nd/e/g\nd/f\n".to_owned()),
        (
            "tar -cf a.tar d; mkdir out; tar -xf a.tar -C out; cat out/d/f out/d/e/g; ls -l out/d/f | cut -c1-10".to_owned(),
            "one\ntwo\n-rw-------\n".to_owned(),
        ),
        ("tar -czf - -C d e f | tar -xzO f".to_owned(), "one\n".to_owned()),
        ("tar c d | tar x -C / sdcard 2>&1; tar -c -C d f | tar t".to_owned(), "f\n".to_owned()),
        (
            format!("echo long > d/{long}; tar cz d/{long} > b.tgz; tar tf b.tgz"),
            format!("d/{long}\n"),
        ),
        ("tar cf a.tar nothing 2>&1; tar c 2>&1; echo x | tar x 2>&1".to_owned(),
            "tar: nothing: No such file or directory\ntar: had errors\ntar: empty archive\ntar: Not tar\n".to_owned()),
        ("mkdir u; tar c d/f | tar x -C u; stat -c %Y u/d/f".to_owned(), "1577934245\n".to_owned()),
    ] {
        let done = finish(&format!("{make}{script}"), b"").await;
        assert_eq!(String::from_utf8_lossy(&done.stdout), wanted, "{script}");
    }
}
