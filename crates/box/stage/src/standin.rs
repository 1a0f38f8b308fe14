//! A command of the phone's framework: it hands its arguments, its input and its files to the
//! simulated phone, and gives back what that answers.

use crate::root::{HEAD, SOCKET};
use bytes::{Bytes, BytesMut};
use clawperator_adb::shell::ShellPacket;
use clawperator_adb::{
    AdbError, Connection, Deadline, Device, HostIdentity, ServiceReader, ServiceStream, ServiceWriter,
};
use std::io::Write;
use std::net::{Ipv6Addr, SocketAddr};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};

/// The class of the resident server, and where it listens by default.
const SERVER: &str = "com.wetest.uia2.Main";
const SERVER_PORT: u16 = 9008;
const START: Duration = Duration::from_millis(300);
/// Words after which a command reads its input.
const READING: &[&str] = &["-S", "-", "install-write", "import", "shell"];
/// Options of `date` with which it does not show what time it is.
const SETTING: &[&str] = &["-d", "-r", "-s", "-D"];
/// What the phone's shell says of a program that a broken pipe has ended.
const BROKEN_PIPE: i32 = 141;
/// The exit code if the simulated phone does not answer.
const LOST: i32 = 255;
const TOYBOX: &str = "/system/bin/toybox";
const PIECE: usize = 64 << 10;

/// Runs the command of that name.
pub(crate) fn run(name: &str, mut words: Vec<String>) -> ExitCode {
    let is_old_head = name == HEAD && words.iter().any(|word| word.starts_with("-c"));
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return ExitCode::FAILURE;
    };
    let genuine = match name {
        HEAD if is_old_head => {
            eprintln!("head: Unknown option c");
            return ExitCode::FAILURE;
        }
        HEAD => true,
        // The phone has a clock of its own.
        "date" => {
            words.iter().any(|word| SETTING.contains(&word.as_str())) || {
                let now = runtime.block_on(Box::pin(said("date +%s.%N"))).unwrap_or_default();
                words.splice(0..0, ["-d".to_owned(), format!("@{}", now.trim())]);
                true
            }
        }
        "ps" => {
            if words.iter().any(|word| word == "-A") {
                return all_processes(
                    &runtime.block_on(Box::pin(said(&line(name, &words)))).unwrap_or_default(),
                    &words,
                );
            }
            true
        }
        _ => false,
    };
    let code = if genuine { LOST } else { runtime.block_on(Box::pin(asked(name, &words))).unwrap_or(LOST) };
    // Apps run on the simulated phone, all else on the stage.
    if genuine || name == "pidof" && code != 0 {
        let error = Command::new(TOYBOX).arg(name).args(words).exec();
        eprintln!("{name}: {error}");
    }
    // A thread may wait for input that never comes.
    std::process::exit(code)
}

/// Lists what runs on the stage, and the apps among what runs on the phone: they have names with dots.
fn all_processes(phone: &str, words: &[String]) -> ExitCode {
    let listed = Command::new(TOYBOX).arg("ps").args(words).status();
    let is_app =
        |line: &&str| line.rsplit(' ').next().is_some_and(|last| last.contains('.') && !last.contains('/'));
    phone.lines().filter(is_app).for_each(|line| println!("{line}"));
    if listed.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the phone says to a line.
async fn said(line: &str) -> Result<String, AdbError> {
    let output = phone().await?.shell(line, Bytes::new(), soon()).await?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

async fn phone() -> Result<Device, AdbError> {
    let (reader, writer) = UnixStream::connect(SOCKET).await?.into_split();
    let banner = "host::features=shell_v2,cmd".to_owned();
    let host = HostIdentity { banner, key: None, name: "stage".to_owned() };
    Ok(Device::Direct(Arc::new(Connection::to_device(reader, writer, &host).await?)))
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The command as a shell's line.
fn line(name: &str, words: &[String]) -> String {
    let words: String = words.iter().map(|word| format!(" {}", quoted(word))).collect();
    format!("{name}{words}")
}

/// Has the phone run the command: its exit code.
async fn asked(name: &str, words: &[String]) -> Result<i32, AdbError> {
    let phone = phone().await?;
    let classes = std::env::var("CLASSPATH").ok().filter(|_| name.starts_with("app_process"));
    let classes: Vec<&str> = classes.iter().flat_map(|list| list.split(':')).collect();
    for file in words.iter().map(String::as_str).filter(|word| word.ends_with(".apk")).chain(classes.clone())
    {
        if let Ok(content) = std::fs::read(file) {
            let folder =
                Path::new(file).parent().map_or_else(String::new, |folder| folder.display().to_string());
            let line = format!("mkdir -p {} && cat > {}", quoted(&folder), quoted(file));
            phone.shell(&line, Bytes::from(content), soon()).await?;
        }
    }
    let mut line = line(name, words);
    if !classes.is_empty() {
        line = format!("CLASSPATH={} {line}", quoted(&classes.join(":")));
    }
    if words.iter().any(|word| word == SERVER) {
        // A script beside it counts on what a virtual machine takes to start.
        tokio::time::sleep(START).await;
        tokio::spawn(listen(phone.clone(), port(words)));
    }
    let reads =
        ["content", "monkey"].contains(&name) || words.iter().any(|word| READING.contains(&word.as_str()));
    let code = carry(&phone, &line, reads).await?;
    if code != 0 {
        return Ok(code);
    }
    for file in written(name, words) {
        fetch(&phone, file).await?;
    }
    Ok(0)
}

/// The files that the command has written on the simulated phone.
fn written<'w>(name: &str, words: &'w [String]) -> Vec<&'w str> {
    if !["screencap", "screenrecord", "uiautomator"].contains(&name) {
        return Vec::new();
    }
    let mut named: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| word.starts_with('/')).collect();
    if named.is_empty() && name == "uiautomator" {
        named.push("/sdcard/window_dump.xml");
    }
    named.retain(|file| !file.starts_with("/dev/") && !file.starts_with("/proc/"));
    named
}

/// Moves a file from the simulated phone to the stage, with the rights of the stage.
async fn fetch(phone: &Device, file: &str) -> Result<(), AdbError> {
    let path = quoted(file);
    let found = phone.shell(&format!("cat {path} && rm -f {path}"), Bytes::new(), soon()).await?;
    if found.exit_code == Some(0)
        && let Err(error) = std::fs::write(Path::new(file), &found.stdout)
    {
        eprintln!("{file}: {error}");
        return Err(AdbError::Closed);
    }
    Ok(())
}

/// Runs a line on the phone, with its input and output carried to and fro.
async fn carry(phone: &Device, line: &str, reads: bool) -> Result<i32, AdbError> {
    let mut stream = phone.open(&format!("shell,v2,raw:{line}"), soon()).await?;
    let (reader, writer) = stream.split();
    let writing = async {
        // Who ends first, or reads no more, has said so by its exit code.
        let _ = feed(writer, reads).await;
        std::future::pending().await
    };
    tokio::select! {
        code = show(reader) => code,
        code = writing => code,
    }
}

async fn feed(mut writer: ServiceWriter<'_>, reads: bool) -> Result<(), AdbError> {
    let mut piece = vec![0; PIECE];
    let mut count = 1;
    while count > 0 {
        count = if reads { tokio::io::stdin().read(&mut piece).await? } else { 0 };
        let packet = match count {
            0 => ShellPacket::CloseStdin,
            count => ShellPacket::Stdin(Bytes::copy_from_slice(&piece[..count])),
        };
        let mut bytes = BytesMut::new();
        packet.encode(&mut bytes);
        writer.send(bytes.freeze()).await?;
    }
    Ok(())
}

async fn show(mut reader: ServiceReader<'_>) -> Result<i32, AdbError> {
    let mut buffer = BytesMut::new();
    while let Some(data) = reader.receive().await? {
        buffer.extend_from_slice(&data);
        while let Some(packet) = ShellPacket::decode(&mut buffer).map_err(|_| AdbError::Closed)? {
            let done = match &packet {
                ShellPacket::Stdout(text) => {
                    let mut out = std::io::stdout().lock();
                    out.write_all(text).and_then(|()| out.flush())
                }
                ShellPacket::Stderr(text) => std::io::stderr().write_all(text),
                ShellPacket::Exit(code) => return Ok((*code).into()),
                ShellPacket::Stdin(_) | ShellPacket::CloseStdin | ShellPacket::WindowSize(_) => Ok(()),
            };
            if done.is_err() {
                return Ok(BROKEN_PIPE);
            }
        }
    }
    Err(AdbError::Closed)
}

/// Where the resident server listens.
fn port(words: &[String]) -> u16 {
    let at = words.iter().position(|word| word == "-p");
    at.and_then(|at| words.get(at + 1)?.parse().ok()).unwrap_or(SERVER_PORT)
}

/// Listens on the stage where the server listens on the simulated phone, as soon as it does.
async fn listen(phone: Device, port: u16) {
    let service = format!("tcp:{port}");
    while phone.open(&service, soon()).await.is_err() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let Ok(listener) = TcpListener::bind(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port))).await else {
        return;
    };
    while let Ok((client, _)) = listener.accept().await {
        if let Ok(server) = phone.open(&service, soon()).await {
            tokio::spawn(join(client, server));
        }
    }
}

async fn join(mut client: TcpStream, mut server: ServiceStream) {
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = server.split();
    let there = async {
        let mut piece = vec![0; PIECE];
        while let Ok(count @ 1..) = from_client.read(&mut piece).await {
            if to_server.send(Bytes::copy_from_slice(&piece[..count])).await.is_err() {
                return;
            }
        }
    };
    let back = async {
        while let Ok(Some(data)) = from_server.receive().await {
            if to_client.write_all(&data).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        () = there => {}
        () = back => {}
    }
}
