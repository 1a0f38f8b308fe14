//! Commands from a host, on both shell protocols.

use crate::handset::{Handset, shell_user};
use bytes::{Bytes, BytesMut};
use clawperator_adb::shell::ShellPacket;
use clawperator_adb::{AdbError, Receiving, Sending, Stream};
use clawperator_userland::{Ends, Io, Machine, OutputPiece, OutputStream, Shell, Terminal};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// How long a command may go on reading when its host has gone.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How often a command that does not read is looked after: its host may be gone.
const LOOK_FOR_HOST: Duration = Duration::from_millis(100);
/// The exit code of a program that was aborted.
const ABORTED: u8 = 134;

/// Runs `shell,OPTIONS:COMMAND`.
pub(super) async fn serve(
    handset: &Arc<Handset>,
    stream: Stream,
    options: &[&str],
    command: &str,
) -> Result<(), AdbError> {
    let mut shell = new_shell(handset);
    if let Some(terminal) = options.iter().find_map(|option| option.strip_prefix("TERM=")) {
        shell.set_env("TERM", terminal);
    }
    let pty = options.contains(&"pty") || (command.is_empty() && !options.contains(&"raw"));
    let terminal = if pty { Terminal::Echo } else { Terminal::None };
    let (io, ends) = Io::channels();
    let running = run(shell, command, io, terminal);
    if options.contains(&"v2") {
        new_protocol(stream, ends, running, terminal).await
    } else {
        old_protocol(stream, ends, running, terminal).await
    }
}

/// Runs `exec:COMMAND`: its bytes and nothing else.
pub(super) async fn exec(handset: &Arc<Handset>, stream: Stream, command: &str) -> Result<(), AdbError> {
    let (io, ends) = Io::channels();
    let running = run(new_shell(handset), command, io, Terminal::None);
    old_protocol(stream, ends, running, Terminal::None).await
}

/// Runs a command whose output is dropped.
pub(super) async fn run_silently(handset: &Arc<Handset>, command: &str) {
    let (io, mut ends) = Io::channels();
    let running = run(new_shell(handset), command, io, Terminal::None);
    tokio::join!(running, async { while ends.output.recv().await.is_some() {} });
}

fn new_shell(handset: &Arc<Handset>) -> Shell {
    let mut shell = Shell::new(Arc::clone(handset) as Arc<dyn Machine>, shell_user());
    for (name, value) in [
        ("ANDROID_DATA", "/data"),
        ("ANDROID_ROOT", "/system"),
        ("EXTERNAL_STORAGE", "/sdcard"),
        ("USER", "shell"),
        ("LOGNAME", "shell"),
        ("HOSTNAME", "sim"),
    ] {
        shell.set_env(name, value);
    }
    shell
}

/// Runs a command to its end. Should it panic, that is a mistake of ours, and
/// the host must not take it for success.
async fn run(mut shell: Shell, command: &str, io: Io, terminal: Terminal) -> u8 {
    let (command, stderr) = (command.to_owned(), io.stderr.clone());
    // A set of its own ends with the task that waits for it.
    let mut task = JoinSet::new();
    task.spawn(async move {
        if command.is_empty() { shell.interactive(io, terminal).await } else { shell.run(&command, io).await }
    });
    if let Some(Ok(code)) = task.join_next().await {
        return code;
    }
    // A client that reads the exit code needs no text.
    let _ = stderr.write("Aborted: a bug in the simulated phone\n").await;
    ABORTED
}

/// Everything in one stream, no exit code. A host that goes away ends the
/// command, at once if it has a terminal, else as soon as it had the time to
/// read what it was sent: `adb exec-in` sends and goes.
async fn old_protocol(
    mut stream: Stream,
    ends: Ends,
    running: impl Future<Output = u8>,
    terminal: Terminal,
) -> Result<(), AdbError> {
    let Ends { stdin, mut output } = ends;
    let (mut receiving, sending) = stream.split();
    let sent = async {
        while let Some(written) = output.recv().await {
            sending.send(on_terminal(written, terminal).bytes).await?;
        }
        sending.flush().await
    };
    let output = async { tokio::try_join!(async { Ok(running.await) }, sent).map(drop) };
    tokio::pin!(output);
    tokio::select! {
        sent = &mut output => return sent,
        gone = feed(&mut receiving, stdin) => gone?,
    }
    match terminal {
        Terminal::None => tokio::time::timeout(LAST_WORDS, output).await.unwrap_or(Ok(())),
        Terminal::Echo => Ok(()),
    }
}

/// Hands what a host sends to a command, until the host goes away.
async fn feed(receiving: &mut Receiving<'_>, stdin: mpsc::Sender<Bytes>) -> Result<(), AdbError> {
    while let Some(bytes) = receiving.receive().await? {
        if !hand_over(receiving, &stdin, bytes).await {
            break;
        }
    }
    Ok(())
}

/// Hands bytes to a command, which may not want to read them; whether its host is still there.
async fn hand_over(receiving: &Receiving<'_>, stdin: &mpsc::Sender<Bytes>, bytes: Bytes) -> bool {
    let sending = stdin.send(bytes);
    tokio::pin!(sending);
    loop {
        tokio::select! {
            biased;
            // A command that has closed its input may run on.
            _ = &mut sending => return true,
            () = tokio::time::sleep(LOOK_FOR_HOST) => {
                if receiving.is_closed() {
                    return false;
                }
            }
        }
    }
}

/// Streams apart, in the order in which they were written, and the exit code at the end.
async fn new_protocol(
    mut stream: Stream,
    ends: Ends,
    running: impl Future<Output = u8>,
    terminal: Terminal,
) -> Result<(), AdbError> {
    let Ends { stdin, mut output } = ends;
    let (mut receiving, sending) = stream.split();
    let sent = async {
        while let Some(written) = output.recv().await {
            let OutputPiece { stream, bytes } = on_terminal(written, terminal);
            let packet = match stream {
                OutputStream::Stdout => ShellPacket::Stdout(bytes),
                OutputStream::Stderr => ShellPacket::Stderr(bytes),
            };
            send(sending, packet).await?;
        }
        Ok::<_, AdbError>(())
    };
    let output = async {
        let (code, sent) = tokio::join!(running, sent);
        sent?;
        send(sending, ShellPacket::Exit(code)).await?;
        sending.flush().await
    };
    tokio::pin!(output);
    tokio::select! {
        sent = &mut output => return sent,
        gone = feed_packets(&mut receiving, stdin) => gone?,
    }
    // A real phone does not end a command because its host is gone: it sees the end of its input.
    tokio::time::timeout(LAST_WORDS, output).await.unwrap_or(Ok(()))
}

/// What a terminal makes of output: one stream, with a carriage return before each line feed.
fn on_terminal(written: OutputPiece, terminal: Terminal) -> OutputPiece {
    match terminal {
        Terminal::None => written,
        Terminal::Echo => OutputPiece {
            stream: OutputStream::Stdout,
            bytes: written
                .bytes
                .split_inclusive(|byte| *byte == b'\n')
                .flat_map(|line| match line.strip_suffix(b"\n") {
                    Some(rest) => [rest, &b"\r\n"[..]],
                    None => [line, b""],
                })
                .flatten()
                .copied()
                .collect(),
        },
    }
}

async fn send(sending: &Sending, packet: ShellPacket) -> Result<(), AdbError> {
    let mut bytes = BytesMut::new();
    packet.encode(&mut bytes);
    sending.send(bytes.freeze()).await
}

async fn feed_packets(receiving: &mut Receiving<'_>, stdin: mpsc::Sender<Bytes>) -> Result<(), AdbError> {
    let mut stdin = Some(stdin);
    let mut buffer = BytesMut::new();
    while let Some(bytes) = receiving.receive().await? {
        buffer.extend_from_slice(&bytes);
        loop {
            let packet =
                ShellPacket::decode(&mut buffer).map_err(|error| AdbError::Protocol(error.to_string()))?;
            match packet {
                None => break,
                Some(ShellPacket::Stdin(bytes)) => {
                    if let Some(stdin) = &stdin
                        && !hand_over(receiving, stdin, bytes).await
                    {
                        return Ok(());
                    }
                }
                Some(ShellPacket::CloseStdin) => stdin = None,
                // A window's size means nothing here.
                Some(_) => {}
            }
        }
    }
    Ok(())
}
