//! The sockets of a server: takes connections, bounds them in number and time,
//! and ends without losing what runs.

use super::crowd::{Crowd, WatchedStream};
use super::guard::Peer;
use super::limits::{AGAIN, GRACE, HEAD_TIME, LAST_ANSWERS, MAX_HEAD, MAX_HEADERS, most_connections};
use crate::App;
use crate::approvals::show_others;
use axum::Router;
use axum::body::Body;
use futures_core::future::BoxFuture;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower::ServiceExt as _;

/// Where a server listens.
#[derive(Debug)]
pub struct Doors {
    pub tcp: Option<TcpListener>,
    /// A socket in the file system, for the same user.
    #[cfg(unix)]
    pub socket: Option<tokio::net::UnixListener>,
}

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerEnd {
    /// Everything that ran came to its end.
    Quietly,
    /// So many runs had to be cancelled.
    Cancelled(usize),
}

/// Serves until `end`. What runs then has some time to finish; after that it is cancelled.
pub fn serve<'f>(app: &'f Arc<App>, doors: Doors, end: BoxFuture<'f, ()>) -> BoxFuture<'f, ServerEnd> {
    Box::pin(async move {
        let mut server = HttpServer {
            app: app.clone(),
            routes: crate::router(app),
            crowd: Arc::new(Crowd::new(most_connections())),
            connections: JoinSet::new(),
        };
        let others = async {
            if let Err(failure) = show_others(app).await {
                let trouble = format!("requests of other processes are not shown: {}\n", failure.message);
                if let Some(tell) = app.approvals.notifier.trouble {
                    tell(&trouble);
                }
            }
            std::future::pending::<()>().await;
        };
        let end = async {
            tokio::select! {
                () = end => {}
                () = others => {}
            }
        };
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                () = &mut end => break,
                () = server.take_one(&doors) => {}
            }
        }
        drop(doors);
        app.closing.close();
        server.finish().await
    })
}

struct HttpServer {
    app: Arc<App>,
    routes: Router,
    crowd: Arc<Crowd>,
    connections: JoinSet<()>,
}

impl HttpServer {
    async fn take_one(&mut self, doors: &Doors) {
        while self.connections.try_join_next().is_some() {}
        let taken = tokio::select! {
            taken = tcp(doors) => taken.map(|(stream, ip)| self.talk(stream, Peer::Network, Some(ip))),
            taken = socket(doors) => taken.map(|stream| self.talk(stream, Peer::Local, None)),
        };
        if taken.is_err() {
            // Too many open files, for example.
            self.crowd.make_room();
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Answers the requests of a connection, in a task of its own.
    fn talk<S>(&mut self, stream: S, peer: Peer, address: Option<IpAddr>)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        // Without a place it is closed: every other one is being answered.
        let Some(line) = self.crowd.join(address) else {
            return;
        };
        let stream = WatchedStream { stream, line: line.clone(), stall: None };
        let (routes, closing) = (self.routes.clone(), self.app.closing.clone());
        let (crowd, asking) = (self.crowd.clone(), line.clone());
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(asking.clone());
            routes.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_TIME)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        self.connections.spawn(async move {
            tokio::pin!(connection);
            // What goes wrong with a connection is its client's to notice.
            let _ = tokio::select! {
                ended = connection.as_mut() => ended,
                () = line.wait_for_end() => Ok(()),
                () = closing.closed() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            crowd.leave(&line);
        });
    }

    /// Lets everything end that runs, in the time there is for it.
    async fn finish(mut self) -> ServerEnd {
        let ended = match timeout(GRACE, self.quiet()).await {
            Ok(()) => ServerEnd::Quietly,
            Err(_) => {
                let cancelled = self.app.engine.cancel_all();
                // What does not end now is cut off.
                let _ = timeout(LAST_ANSWERS, self.quiet()).await;
                ServerEnd::Cancelled(cancelled)
            }
        };
        let _ = timeout(LAST_ANSWERS, self.app.agent.bench.close()).await;
        ended
    }

    async fn quiet(&mut self) {
        self.app.engine.idle().await;
        while self.connections.join_next().await.is_some() {}
    }
}

async fn tcp(doors: &Doors) -> io::Result<(tokio::net::TcpStream, IpAddr)> {
    let Some(listener) = &doors.tcp else {
        return std::future::pending().await;
    };
    let (stream, address) = listener.accept().await?;
    // One that is gone already fails here; its task notices.
    let _ = stream.set_nodelay(true);
    Ok((stream, address.ip()))
}

#[cfg(unix)]
async fn socket(doors: &Doors) -> io::Result<tokio::net::UnixStream> {
    let Some(listener) = &doors.socket else {
        return std::future::pending().await;
    };
    let (stream, _) = listener.accept().await?;
    // Whatever the file's permissions are: only this user needs no token.
    if stream.peer_cred()?.uid() != nix::unistd::getuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    Ok(stream)
}

#[cfg(not(unix))]
async fn socket(_: &Doors) -> io::Result<tokio::net::TcpStream> {
    std::future::pending().await
}
