//! Shells that are spoken to line by line, and streams with someone at the other end.

use crate::world::{machine, user};
use bytes::Bytes;
use clawperator_userland::{Ends, Io, Shell, Terminal};

async fn session(lines: &'static [&'static str], terminal: Terminal) -> (String, String, u8) {
    let (
        io,
        Ends {
            stdin,
            mut stdout,
            mut stderr,
        },
    ) = Io::channels();
    let mut shell = Shell::new(machine(), user());
    let feed = async move {
        for line in lines {
            if stdin.send(Bytes::from_static(line.as_bytes())).await.is_err() {
                break;
            }
        }
    };
    let run = async move {
        let code = shell.interactive(io, terminal).await;
        drop(shell);
        code
    };
    let out = async {
        let mut all = Vec::new();
        while let Some(piece) = stdout.recv().await {
            all.extend_from_slice(&piece);
        }
        String::from_utf8_lossy(&all).into_owned()
    };
    let err = async {
        let mut all = Vec::new();
        while let Some(piece) = stderr.recv().await {
            all.extend_from_slice(&piece);
        }
        String::from_utf8_lossy(&all).into_owned()
    };
    let ((), code, out, err) = tokio::join!(feed, run, out, err);
    (out, err, code)
}

#[tokio::test(start_paused = true)]
async fn a_session_runs_each_command_as_soon_as_it_is_whole() {
    let lines = &[
        "x=1\necho $x\nif true\n",
        "then echo yes\nfi; re",
        "ad y\nfor me\n",
        "echo $y\nexit 3\n",
        "echo no\n",
    ];
    assert_eq!(
        session(lines, Terminal::None).await,
        ("1\nyes\nfor me\n".to_owned(), String::new(), 3)
    );
    assert_eq!(session(&["false\n"], Terminal::None).await.2, 1);
    assert_eq!(session(&["echo last"], Terminal::None).await.0, "last\n");
}

#[tokio::test(start_paused = true)]
async fn a_terminal_shows_a_prompt_and_what_is_typed() {
    let (out, _, code) = session(&["echo a\n", "exit\n"], Terminal::Echo).await;
    assert_eq!(out, "localhost:/ $ echo a\r\na\nlocalhost:/ $ exit\r\n");
    assert_eq!(code, 0);
}

#[tokio::test(start_paused = true)]
async fn merged_streams_keep_their_order() {
    let (io, mut ends) = Io::merged();
    drop(ends.stdin);
    let mut shell = Shell::new(machine(), user());
    let run = async move { shell.run("echo a; echo b >&2; echo c", io).await };
    let out = async {
        let mut all = Vec::new();
        while let Some(piece) = ends.stdout.recv().await {
            all.extend_from_slice(&piece);
        }
        all
    };
    let (code, out) = tokio::join!(run, out);
    assert_eq!((code, out.as_slice()), (0, &b"a\nb\nc\n"[..]));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_leaves_ends_the_writer() {
    let (io, ends) = Io::channels();
    drop(ends);
    assert_eq!(Shell::new(machine(), user()).run("logcat", io).await, 141);
}
