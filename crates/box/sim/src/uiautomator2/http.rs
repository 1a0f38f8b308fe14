//! Requests and responses of HTTP/1.1: as much of it as a JSON-RPC client uses.

/// The longest head and body of a request.
const MAX_HEAD: usize = 16 << 10;
const MAX_BODY: usize = 4 << 20;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) keep_alive: bool,
    pub(super) body: Vec<u8>,
}

/// What the bytes that came so far are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RequestParse {
    /// A request, and how long it is.
    Request(HttpRequest, usize),
    More,
    /// Nothing that could become one; the status to answer with.
    Wrong(u16),
}

/// Reads the first request of what came so far.
pub(super) fn parse(bytes: &[u8]) -> RequestParse {
    let window = &bytes[..bytes.len().min(MAX_HEAD)];
    let Some(end) = window.windows(4).position(|four| four == b"\r\n\r\n") else {
        return if bytes.len() >= MAX_HEAD { RequestParse::Wrong(431) } else { RequestParse::More };
    };
    let Ok(head) = std::str::from_utf8(&bytes[..end]) else {
        return RequestParse::Wrong(400);
    };
    let mut lines = head.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(path), Some(version)) = (first.next(), first.next(), first.next()) else {
        return RequestParse::Wrong(400);
    };
    let mut keep_alive = version == "HTTP/1.1";
    let mut length = 0;
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return RequestParse::Wrong(400);
        };
        match (name.to_ascii_lowercase().as_str(), value.trim()) {
            ("content-length", value) => match value.parse::<usize>() {
                Ok(value) if value <= MAX_BODY => length = value,
                Ok(_) => return RequestParse::Wrong(413),
                Err(_) => return RequestParse::Wrong(400),
            },
            ("transfer-encoding", _) => return RequestParse::Wrong(501),
            ("connection", value) => keep_alive = keep_alive && !value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    let start = end + 4;
    let Some(body) = bytes.get(start..start + length) else {
        return RequestParse::More;
    };
    let path = path.split('?').next().unwrap_or(path);
    let request =
        HttpRequest { method: method.to_owned(), path: path.to_owned(), keep_alive, body: body.to_vec() };
    RequestParse::Request(request, start + length)
}

pub(super) fn response(status: u16, kind: &str, body: &[u8], keep_alive: bool) -> Vec<u8> {
    let reason = match status {
        200 => "OK",
        404 => "Not Found",
        413 => "Payload Too Large",
        431 => "Request Header Fields Too Large",
        501 => "Not Implemented",
        _ => "Bad Request",
    };
    let connection = if keep_alive { "keep-alive" } else { "close" };
    let head = format!(
        "HTTP/1.1 {status} {reason} \r\nContent-Type: {kind}\r\nConnection: {connection}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}
