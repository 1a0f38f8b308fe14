//! How the server answers: JSON, and failures in one shape.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use clawperator_contract::{ErrorCode, Failure};
use serde::Serialize;
use serde_json::{Value, json};

/// A request that failed: `{ok: false, error}`, with the status of its code.
#[derive(Debug)]
pub(crate) struct HttpError {
    pub(crate) failure: Box<Failure>,
    /// What stands beside the error.
    pub(crate) beside: Vec<(&'static str, Value)>,
}

/// What a route answers, or why it does not.
pub(crate) type HttpResult<T = Response> = Result<T, HttpError>;

impl From<Failure> for HttpError {
    fn from(failure: Failure) -> Self {
        Self { failure: Box::new(failure), beside: Vec::new() }
    }
}

impl HttpError {
    /// A request that failed, with the hint of its code.
    pub(crate) fn of(code: ErrorCode, message: impl Into<String>) -> Self {
        Failure::of(code, message).into()
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let code = self.failure.code;
        let mut body = json!({"ok": false, "error": self.failure});
        for (key, value) in self.beside {
            body[key] = value;
        }
        let mut response = (status(code), Json(body)).into_response();
        let header = match code {
            ErrorCode::Unauthorized => (header::WWW_AUTHENTICATE, "Bearer"),
            ErrorCode::ServerBusy => (header::RETRY_AFTER, "1"),
            // What was not read must not be taken for the next request.
            ErrorCode::RequestTimeout | ErrorCode::PayloadTooLarge => (header::CONNECTION, "close"),
            _ => return response,
        };
        response.headers_mut().insert(header.0, HeaderValue::from_static(header.1));
        response
    }
}

pub(crate) fn status(code: ErrorCode) -> StatusCode {
    StatusCode::from_u16(code.row().http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A success: the object, with `ok: true` before everything else.
pub(crate) fn ok(value: impl Serialize) -> Response {
    let mut body = json!({"ok": true});
    // Texts and numbers can always be written.
    if let (Some(body), Ok(Value::Object(value))) = (body.as_object_mut(), serde_json::to_value(value)) {
        body.extend(value);
    }
    Json(body).into_response()
}
