//! The bearer token: the file it is in, and how a request shows it.
//!
//! A program sends it in a header. A page cannot do that for everything a
//! browser loads, so it shows the token once and gets a cookie for it.

use axum::http::{HeaderMap, header};
use clawperator_contract::{ErrorCode, Failure};
use clawperator_private as private;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use subtle::ConstantTimeEq as _;

const COOKIE: &str = "clawperator_session";
/// The longest token that is read from a file.
const MAX_TOKEN: u64 = 512;
/// The shortest that is taken.
const MIN_TOKEN: usize = 16;

/// A token, as its hashes. They are compared in constant time.
#[derive(Clone)]
pub(crate) struct Token {
    bearer: [u8; 32],
    cookie: String,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    pub(crate) fn new(token: &str) -> Self {
        let of_cookie = hash(&["clawperator session ", token].concat());
        Self { bearer: hash(token), cookie: of_cookie.iter().map(|byte| format!("{byte:02x}")).collect() }
    }

    pub(crate) fn is(&self, token: &str) -> bool {
        hash(token).ct_eq(&self.bearer).into()
    }

    /// Whether a request shows the token, or the cookie for it.
    pub(crate) fn is_shown(&self, headers: &HeaderMap) -> bool {
        bearer(headers).is_some_and(|token| self.is(token))
            || cookies(headers).any(|value| value.as_bytes().ct_eq(self.cookie.as_bytes()).into())
    }

    /// The header that gives a browser the cookie.
    pub(crate) fn set_cookie(&self) -> String {
        format!("{COOKIE}={}; Path=/; HttpOnly; SameSite=Strict", self.cookie)
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::COOKIE).into_iter();
    let pairs = values.filter_map(|value| value.to_str().ok()).flat_map(|text| text.split(';'));
    pairs.filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// A token of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct TokenFile {
    pub token: String,
    /// Whether the file was there before.
    pub origin: TokenOrigin,
}

/// Where a token comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenOrigin {
    Kept,
    Made,
}

/// The token of a file. If there is no file, `new` becomes the token, in a file
/// that only its owner can read.
///
/// # Errors
/// If the file cannot be read or made, if others can read it, or if what it has is no token.
pub fn token_file(path: &Path, new: &str) -> Result<TokenFile, Failure> {
    let unusable = |why: String| {
        let message = format!("the token file {}: {why}", path.display());
        let hint = "Correct the file, or remove it: the server makes a new one.";
        Failure::new(ErrorCode::StateFolderUnusable, message).hint(hint)
    };
    let made = make(path, new).map_err(|error| unusable(error.to_string()))?;
    let token = read(path).map_err(|error| unusable(error.to_string()))?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~+/=".contains(&byte);
    if token.len() < MIN_TOKEN || !token.bytes().all(plain) {
        let rule =
            format!("it must have at least {MIN_TOKEN} letters, digits or any of -_.~+/= and nothing else");
        return Err(unusable(rule));
    }
    Ok(TokenFile { token, origin: made })
}

fn make(path: &Path, new: &str) -> io::Result<TokenOrigin> {
    if let Some(folder) = path.parent() {
        private::folder(folder)?;
    }
    match private::options().write(true).create_new(true).open(path) {
        Ok(mut file) => {
            file.write_all(format!("{new}\n").as_bytes())?;
            Ok(TokenOrigin::Made)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(TokenOrigin::Kept),
        Err(error) => Err(error),
    }
}

fn read(path: &Path) -> io::Result<String> {
    let file = private::open(path)?;
    #[cfg(unix)]
    if std::os::unix::fs::MetadataExt::mode(&file.metadata()?) & 0o077 != 0 {
        return Err(io::Error::other("others can read it: make it private with chmod 600"));
    }
    let mut text = String::new();
    file.take(MAX_TOKEN).read_to_string(&mut text)?;
    Ok(text.trim().to_owned())
}
