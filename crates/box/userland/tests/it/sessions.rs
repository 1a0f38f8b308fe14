//! Shells that are spoken to line by line, and streams with someone at the other end.

use crate::world::{machine, user};
use bytes::Bytes;
use clawperator_userland::{Ends, Io, OutputPiece, OutputStream, Shell, Terminal};
use tokio::sync::mpsc::Receiver;

/// What both streams said, in order, until they ended.
async fn written(mut output: Receiver<OutputPiece>) -> Vec<(OutputStream, String)> {
    let mut all = Vec::new();
    while let Some(OutputPiece { stream, bytes }) = output.recv().await {
        all.push((stream, String::from_utf8_lossy(&bytes).into_owned()));
    }
    all
}

fn only(written: &[(OutputStream, String)], stream: OutputStream) -> String {
    let pieces = written.iter().filter(|(one, _)| *one == stream);
    pieces.map(|(_, text)| text.as_str()).collect()
}

async fn session(lines: &'static [&'static str], terminal: Terminal) -> (String, String, u8) {
    let (io, Ends { stdin, output }) = Io::channels();
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
    let ((), code, said) = tokio::join!(feed, run, written(output));
    (only(&said, OutputStream::Stdout), only(&said, OutputStream::Stderr), code)
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
    assert_eq!(session(lines, Terminal::None).await, ("1\nyes\nfor me\n".to_owned(), String::new(), 3));
    assert_eq!(session(&["false\n"], Terminal::None).await.2, 1);
    assert_eq!(session(&["echo last"], Terminal::None).await.0, "last\n");
}

#[tokio::test(start_paused = true)]
async fn a_terminal_shows_a_prompt_and_what_is_typed() {
    let (out, _, code) = session(&["echo a\n", "exit\n"], Terminal::Echo).await;
    assert_eq!(out, "localhost:/ $ echo a\na\nlocalhost:/ $ exit\n");
    assert_eq!(code, 0);
}

#[tokio::test(start_paused = true)]
async fn both_streams_keep_their_order() {
    let script = "echo a; echo b >&2; ls /nope; (cat /nope; echo c) | cat; { x; } 2>&1; echo d >&2; echo e";
    let (io, ends) = Io::channels();
    drop(ends.stdin);
    let mut shell = Shell::new(machine(), user());
    let run = async move { shell.run(script, io).await };
    let (code, said) = tokio::join!(run, written(ends.output));
    let said: Vec<_> = said.iter().map(|(stream, text)| (*stream, text.as_str())).collect();
    let (out, err) = (OutputStream::Stdout, OutputStream::Stderr);
    let expected = [
        (out, "a\n"),
        (err, "b\n"),
        (err, "ls: /nope: No such file or directory\n"),
        (err, "cat: /nope: No such file or directory\n"),
        (out, "c\n"),
        (out, "/system/bin/sh: x: inaccessible or not found\n"),
        (err, "d\n"),
        (out, "e\n"),
    ];
    assert_eq!((code, said.as_slice()), (0, &expected[..]));
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_leaves_ends_the_writer() {
    let (io, ends) = Io::channels();
    drop(ends);
    assert_eq!(Shell::new(machine(), user()).run("logcat", io).await, 141);
}
