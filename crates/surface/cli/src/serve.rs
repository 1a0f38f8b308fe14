//! `serve`: the server, from what the command line and the environment say.

mod background;

use super::args::Args;
use super::device::device_serial;
use super::engine::serving;
use super::flags::serve as flags;
use super::server_entry::{ServerEntry, listen_failure, surroundings};
use super::world::{Answer, World};
use super::{agent, approvals, operator, pool, report, sim};
use clawperator_background::control::ControlDesk;
use clawperator_background::is_in_background;
use clawperator_contract::{ErrorCode, Failure, LookAfter, text};
use clawperator_private as private;
use clawperator_server::http::{
    Doors, Hosts, ServerEnd, TokenFile, TokenOrigin, route_names, serve as run, token_file,
};
use clawperator_server::{App, Approvals, Closing};
use std::net::{IpAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The host and the port without flags.
pub(super) const HOST: &str = "127.0.0.1";
pub(super) const PORT: u16 = 3000;

/// What every surface of a server gets. It asks for no token; who listens on a network adds one.
pub(super) fn app(args: &Args, world: &mut World) -> Result<App, Failure> {
    Ok(App {
        engine: serving(world),
        version: env!("CARGO_PKG_VERSION"),
        state: world.phones.state.clone(),
        skills: world.skills.clone(),
        device: device_serial(args, world)?,
        journal: report::journal(args, world)?,
        route: operator::route(args, world)?,
        lane: world.phones.lane,
        looks: if args.has(&flags::VIEW) { LookAfter::Always } else { world.looks },
        program: (world.program)().ok(),
        boxed: sim::boxed_phones(world),
        sdk: world.phones.sdk.clone(),
        token: None,
        hosts: Hosts::default(),
        approvals: Approvals::default(),
        agent: agent::of_server(args, world)?,
        pool: None,
        closing: Closing::default(),
    })
}

/// The longest path of a socket that every system takes.
const MAX_SOCKET_PATH: usize = 100;

/// Serves until it is interrupted; or starts a server, or asks about one.
pub(super) fn serve(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    match args.argument() {
        Some("status") => background::status(args, world),
        Some("stop") => background::stop(args, world),
        Some(other) => {
            let (known, shown) = (args.words().join(" or "), text::excerpt(other));
            Err(Failure::of(ErrorCode::Usage, format!("serve takes {known}, not \"{shown}\"")))
        }
        None if args.has(&flags::BACKGROUND) => background::start(args, world),
        None => run_here(args, world),
    }
}

fn run_here(args: &Args, world: &mut World) -> Result<Answer, Failure> {
    let port = args.whole(&flags::PORT, 1..=u16::MAX.into())?;
    let port = port.and_then(|port| u16::try_from(port).ok()).unwrap_or(PORT);
    let host = args.value(&flags::HOST)?.unwrap_or(HOST);
    if text::is_blank(host) {
        return Err(args.fault(ErrorCode::Usage, &flags::HOST, "requires a value"));
    }
    let token = token(args, world)?;
    let mut app = App {
        token: Some(token.token.clone()),
        hosts: Hosts::of(host),
        approvals: Approvals::new(address(host, port), approvals::notifier(args)?),
        ..app(args, world)?
    };
    let listener = listen(host, port)?;
    let socket = socket(args, world)?;
    let secret = secret(world)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .thread_stack_size(super::device::STACK)
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))?;
    let ended = runtime.block_on(async {
        app.pool = pool::of_server(args, world).await?;
        let app = Arc::new(app);
        let doors = open(listener, socket.as_deref())?;
        let desk = ControlDesk::open(secret).map_err(|error| listen_failure("a port", &error))?;
        let entry = ServerEntry {
            address: desk.address.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            surroundings: surroundings(world),
            url: address(host, port),
            socket: socket.clone(),
        };
        // Nothing if this state folder has a server.
        let life = private::folder(&world.phones.state)
            .and_then(|()| ServerEntry::files(&world.phones.state).enter(Duration::ZERO, &entry));
        let life = life.map_err(|error| listen_failure("the state folder", &error))?;
        greet(host, port, world);
        if args.has(&super::flags::VERBOSE) {
            route_names().for_each(|route| (world.note)(&format!("  {route}\n")));
        }
        show(&entry, &token, world)?;
        Ok::<_, Failure>((run(&app, doors, Box::pin(desk.asked_to_end())).await, life))
    });
    if let Some(path) = &socket {
        // It is of no use without the server.
        let _ = std::fs::remove_file(path);
    }
    let (ended, life) = ended?;
    // Last: who waits for our end sees nothing of us any more.
    if let Some(life) = life {
        life.end();
    }
    if let ServerEnd::Cancelled(runs) = ended {
        (world.note)(&format!("the server ended; runs that were cancelled: {runs}\n"));
    }
    Ok(Answer::text(""))
}

/// The socket that the command line names, or else one in the state folder, if
/// its path is short enough and no server has it.
fn socket(args: &Args, world: &World) -> Result<Option<PathBuf>, Failure> {
    if let Some(path) = args.bytes(&flags::SOCKET)? {
        return Ok(Some(path.into()));
    }
    let usual = world.phones.state.join("serve.sock");
    let is_short = usual.as_os_str().len() <= MAX_SOCKET_PATH;
    let is_free = ServerEntry::find(&world.phones.state).is_none();
    Ok((cfg!(unix) && is_short && is_free).then_some(usual))
}

/// A number that cannot be guessed.
fn secret(world: &World) -> Result<u128, Failure> {
    (world.secret)().map_err(|error| Failure::new(ErrorCode::InternalError, error.to_string()))
}

/// The token, made if there is none.
fn token(args: &Args, world: &World) -> Result<TokenFile, Failure> {
    token_file(&token_path(args, world)?, &format!("{:032x}", secret(world)?))
}

pub(super) fn token_path(args: &Args, world: &World) -> Result<PathBuf, Failure> {
    Ok(args.bytes(&flags::TOKEN_FILE)?.map_or_else(|| world.phones.state.join("token"), PathBuf::from))
}

fn listen(host: &str, port: u16) -> Result<TcpListener, Failure> {
    let what = || format!("{}:{port}", text::excerpt(host));
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    let listener = TcpListener::bind((bare, port)).map_err(|error| listen_failure(&what(), &error))?;
    listener.set_nonblocking(true).map_err(|error| listen_failure(&what(), &error))?;
    Ok(listener)
}

/// The listeners of a server, inside its runtime.
#[cfg(unix)]
fn open(tcp: TcpListener, socket: Option<&Path>) -> Result<Doors, Failure> {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
    let tcp = tokio::net::TcpListener::from_std(tcp).map_err(|error| listen_failure("the port", &error))?;
    let Some(path) = socket else {
        return Ok(Doors { tcp: Some(tcp), socket: None });
    };
    let what = path.display().to_string();
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
    // Left by a server that was killed: it does not answer.
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        std::fs::remove_file(path).map_err(|error| listen_failure(&what, &error))?;
    }
    let listener = tokio::net::UnixListener::bind(path).map_err(|error| listen_failure(&what, &error))?;
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(path, private).map_err(|error| listen_failure(&what, &error))?;
    Ok(Doors { tcp: Some(tcp), socket: Some(listener) })
}

#[cfg(not(unix))]
fn open(tcp: TcpListener, socket: Option<&Path>) -> Result<Doors, Failure> {
    if socket.is_some() {
        return Err(Failure::of(ErrorCode::ServeFailed, "this system has no Unix sockets"));
    }
    let tcp = tokio::net::TcpListener::from_std(tcp).map_err(|error| listen_failure("the port", &error))?;
    Ok(Doors { tcp: Some(tcp) })
}

/// The address of a server, as a browser needs it.
fn address(host: &str, port: u16) -> String {
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_unspecified() => format!("http://127.0.0.1:{port}"),
        Ok(IpAddr::V6(ip)) => format!("http://[{ip}]:{port}"),
        Ok(IpAddr::V4(_)) | Err(_) => format!("http://{host}:{port}"),
    }
}

/// Says where the server listens, and what that means.
fn greet(host: &str, port: u16, world: &mut World) {
    (world.note)(&format!("Clawperator API server listening on http://{host}:{port}\n"));
    let is_loopback = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    if !is_loopback {
        (world.note)(
            "Other computers can reach this server. Anyone with the token can use every phone of this \
             computer, and the connection is not encrypted: use it only in a network that you trust.\n",
        );
    }
}

/// Prints the link with the token: the first time, and for a person. In the background standard
/// error is a log; there the process that started this one gets the link.
fn show(entry: &ServerEntry, token: &TokenFile, world: &mut World) -> Result<(), Failure> {
    let link = format!("{}/#token={}", entry.url, token.token);
    if is_in_background() {
        let said = serde_json::json!({"url": entry.url, "link": link, "pid": entry.address.pid, "socket": entry.socket});
        let printed = (world.print)(format!("{said}\n").as_bytes());
        return printed.map_err(|error| listen_failure("standard output", &error));
    }
    if token.origin == TokenOrigin::Made || world.progress == super::Progress::Shown {
        (world.note)(&format!("Open {link}\n"));
    }
    Ok(())
}
