//! `serve` as a process: it starts, says where it is, answers and ends.

use crate::sim::Place;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Stdio};

/// A server that ends with its test.
pub(crate) struct Server {
    pub(crate) port: u16,
    /// What it said before it was ready.
    pub(crate) said: Vec<String>,
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Server {
    /// Starts a server and waits for its first line; with these arguments.
    pub(crate) fn start(place: &Place, args: &[&str]) -> Self {
        let port = free_port();
        let mut child = place
            .program()
            .args(["serve", "--port", &port.to_string()])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        Self {
            port,
            said: vec![line],
            child,
            stderr,
        }
    }

    pub(crate) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// Interrupts it and waits for its end; tells the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.signal(Signal::SIGTERM);
        self.child.wait().unwrap().code()
    }

    /// The answer to a request over the port.
    pub(crate) fn get(&self, path: &str, token: Option<&str>) -> String {
        ask(
            TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap(),
            path,
            token,
        )
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody listens on.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

fn ask(mut stream: impl Read + Write, path: &str, token: Option<&str>) -> String {
    let token = token.map_or(String::new(), |token| {
        format!("Authorization: Bearer {token}\r\n")
    });
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{token}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

pub(crate) fn token_of(place: &Place) -> String {
    let file: PathBuf = place.folder.join("state/token");
    std::fs::read_to_string(file).unwrap().trim().to_owned()
}

#[test]
fn a_server_says_where_it_is_and_shows_its_token_once() {
    let place = Place::new();
    let socket = place.folder.join("socket");
    let mut server = Server::start(&place, &["--socket", socket.to_str().unwrap()]);
    let port = server.port;
    assert_eq!(
        server.said,
        [format!(
            "Clawperator API server listening on http://127.0.0.1:{port}\n"
        )]
    );
    let token = token_of(&place);
    assert_eq!(token.len(), 32);
    let link = format!("Open http://127.0.0.1:{port}/#token={token}\n");
    assert_eq!(server.next_line(), link);
    assert!(server.get("/health", None).starts_with("HTTP/1.1 200"));
    assert!(server.get("/devices", None).starts_with("HTTP/1.1 401"));
    let devices = server.get("/devices", Some(&token));
    assert!(devices.ends_with(r#"{"ok":true,"devices":[]}"#), "{devices}");
    // Who can open the socket is the same user, who could read the token.
    let local = ask(UnixStream::connect(&socket).unwrap(), "/devices", None);
    assert!(local.starts_with("HTTP/1.1 200"), "{local}");
    assert_eq!(server.end(), Some(0));
    assert!(!socket.exists());

    let mut again = Server::start(&place, &["--host", "0.0.0.0"]);
    assert!(again.said[0].contains("http://0.0.0.0:"));
    let warning = again.next_line();
    assert!(
        warning.starts_with("Other computers can reach this server."),
        "{warning}"
    );
    assert!(again.get("/devices", Some(&token)).starts_with("HTTP/1.1 200"));
    again.signal(Signal::SIGINT);
    let mut rest = String::new();
    again.stderr.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "", "the token is shown once");
}

#[test]
fn a_server_that_cannot_listen_says_why() {
    let place = Place::new();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    for (args, code) in [
        (&["--port", &port][..], "SERVE_FAILED"),
        (&["--host", "192.0.2.1"], "SERVE_FAILED"),
        (&["--port", "0"], "USAGE"),
        (&["--port", "65536"], "USAGE"),
        (&["--port", "x"], "USAGE"),
        (&["--host", ""], "USAGE"),
    ] {
        let output = place.program().arg("serve").args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains(&format!("\"code\":\"{code}\"")), "{args:?}: {said}");
    }
}
