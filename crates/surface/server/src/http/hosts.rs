//! Where a request may be addressed to, and where it may come from.
//!
//! A page of another server can make a browser send requests to this one. With
//! DNS rebinding it can do so under its own name, so the name is checked.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, header};
use clawperator_contract::{ErrorCode, Failure};
use std::net::IpAddr;

/// The names that this computer always has for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The names under which a server may be addressed. A name of this computer
/// itself is always one of them.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    /// The host that the server listens on.
    bound: Option<String>,
}

impl Hosts {
    /// The names of a server that listens on this host. One that listens on every address may be
    /// addressed by any address: only a name can be made to lead here by others.
    pub fn of(host: &str) -> Self {
        Self { bound: Some(host.to_ascii_lowercase()) }
    }

    fn has(&self, name: &str) -> bool {
        let bound = self.bound.as_deref().unwrap_or_default();
        let listens_everywhere = bound.parse().is_ok_and(|ip: IpAddr| ip.is_unspecified());
        LOOPBACK.contains(&name) || name == bound || listens_everywhere && name.parse::<IpAddr>().is_ok()
    }

    /// Checks to whom a request is addressed, and where it comes from.
    pub(super) fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
        let host = only(headers, header::HOST).and_then(authority);
        let host = host.filter(|host| uri.authority().is_none_or(|named| named == host));
        let host = host.filter(|host| self.has(&name_of(host))).ok_or_else(|| {
            Failure::of(ErrorCode::HostRefused, "the Host header does not name this server")
        })?;
        if !headers.contains_key(header::ORIGIN)
            || only(headers, header::ORIGIN).is_some_and(|it| is_of(it, &host))
        {
            return Ok(());
        }
        Err(Failure::of(ErrorCode::OriginRefused, "the Origin header names another server"))
    }
}

fn only(headers: &HeaderMap, name: header::HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    let text = value.to_str().ok()?;
    // A user's name has no place in a Host header.
    text.parse().ok().filter(|_| !text.contains('@'))
}

/// The name without brackets, in small letters.
fn name_of(host: &Authority) -> String {
    let name = host.host();
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    name.trim_end_matches('.').to_ascii_lowercase()
}

/// Whether an origin is the server of this host.
fn is_of(origin: &HeaderValue, host: &Authority) -> bool {
    let origin = origin.to_str().unwrap_or_default();
    let Some((scheme, place)) = origin.split_once("://") else {
        return false;
    };
    ["http", "https"].contains(&scheme) && place.eq_ignore_ascii_case(host.as_str())
}
