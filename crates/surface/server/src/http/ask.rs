//! A request, as its route reads it: the query, the headers and the body.

use super::answer::{HttpError, HttpResult};
use crate::App;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use clawperator_contract::{ErrorCode, Failure, text};
use clawperator_phone::vault::{Vault, is_name};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The header that names the caller's session.
pub(super) const SESSION: &str = "Clawperator-Session";

/// A request.
#[derive(Debug)]
pub(crate) struct Ask {
    headers: HeaderMap,
    query: Vec<(String, String)>,
    body: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for Ask {
    type Rejection = HttpError;

    async fn from_request(request: Request, state: &S) -> HttpResult<Self> {
        let (parts, body) = request.into_parts();
        let query = query(&parts)?;
        // The guard has read it, so it is short and here.
        let body = Bytes::from_request(Request::new(body), state).await;
        let body = body.map_err(|error| invalid(&format!("the body cannot be read: {error}")))?;
        Ok(Self { headers: parts.headers, query, body })
    }
}

/// A request that makes no sense.
pub(crate) fn invalid(message: &str) -> HttpError {
    HttpError::of(ErrorCode::InvalidRequest, message)
}

pub(crate) fn query(parts: &Parts) -> HttpResult<Vec<(String, String)>> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    Ok(pairs.map_err(|_| invalid("the query cannot be read"))?.0)
}

/// The last part of a path that has one variable part.
pub(crate) struct Name(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = HttpError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> HttpResult<Self> {
        let name = Path::<String>::from_request_parts(parts, state).await;
        match name {
            Ok(Path(name)) => Ok(Self(name)),
            Err(_) => Err(invalid("the path is not valid UTF-8")),
        }
    }
}

impl Ask {
    /// A header, if it is there and is text.
    pub(crate) fn header(&self, name: &str) -> HttpResult<Option<&str>> {
        let Some(value) = self.headers.get(name) else {
            return Ok(None);
        };
        let value = value.to_str().map_err(|_| invalid(&format!("the header {name} is not plain text")))?;
        Ok(Some(value))
    }

    pub(crate) fn session(&self) -> HttpResult<String> {
        let session = format!("http.{}", self.header(SESSION)?.unwrap_or("default"));
        if is_name(&session) {
            Ok(session)
        } else {
            Err(invalid("the name of a session has letters, digits, '.', '_' and '-', at most 50"))
        }
    }

    /// What people gave in the caller's session.
    pub(crate) fn vault(&self, app: &App) -> HttpResult<Arc<Vault>> {
        Ok(app.vault(&self.session()?))
    }

    /// A text in the query; the last one counts.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.query.iter().rev().find(|pair| pair.0 == name).map(|pair| pair.1.as_str())
    }

    /// Whether the query has a word that means yes. The table was asked before
    /// whether it is such a word; so it is for the others here.
    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.text(name), Some("true" | "1"))
    }

    /// A whole number in the query.
    pub(crate) fn whole(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// A word of the query, as what it stands for.
    pub(crate) fn word<T>(&self, name: &str, of: impl Fn(&str) -> Option<T>) -> Option<T> {
        of(self.text(name)?)
    }

    /// The fields of the body. Only JSON is read; a list has no fields.
    pub(crate) fn fields(&self) -> HttpResult<BodyFields> {
        match self.json()? {
            Value::Object(fields) => Ok(BodyFields(fields)),
            _ => Ok(BodyFields(Map::new())),
        }
    }

    /// The fields of the body, which must be an object.
    pub(crate) fn object(&self) -> HttpResult<BodyFields> {
        match self.json()? {
            Value::Object(fields) => Ok(BodyFields(fields)),
            _ => Err(no_body()),
        }
    }

    /// The body as it came.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// The fields of the body, if there is one.
    pub(crate) fn fields_if_any(&self) -> HttpResult<BodyFields> {
        if self.body.is_empty() { Ok(BodyFields(Map::new())) } else { self.object() }
    }

    fn json(&self) -> HttpResult<Value> {
        let kind = self.headers.get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(no_body());
        }
        if self.body.is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        match serde_json::from_slice(&self.body) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) => Ok(value),
            Ok(_) => Err(HttpError::of(ErrorCode::InvalidJson, "the body must be a JSON object")),
            Err(error) => {
                let (line, column) = (error.line(), error.column());
                let message = format!("the body is not valid JSON at line {line}, column {column}");
                let failure = Failure::of(ErrorCode::InvalidJson, message).with(|details| {
                    details.line = Some(line);
                    details.column = Some(column);
                });
                Err(failure.into())
            }
        }
    }
}

fn no_body() -> HttpError {
    HttpError::of(
        ErrorCode::InvalidBody,
        "the body must be a JSON object with Content-Type: application/json",
    )
}

/// The fields of a body.
#[derive(Debug)]
pub(crate) struct BodyFields(Map<String, Value>);

impl BodyFields {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// A text that is not blank; anything else is refused with this code.
    pub(crate) fn name(&self, name: &str, code: ErrorCode) -> HttpResult<Option<String>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) if !text::is_blank(text) => Ok(Some(text.clone())),
            Some(_) => Err(HttpError::of(code, format!("{name} must be a string that is not blank"))),
        }
    }

    pub(crate) fn positive(&self, name: &str, code: ErrorCode) -> HttpResult<Option<u64>> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        // 5.0 is a whole number, too.
        let whole = value.as_u64().or_else(|| {
            let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
            (1.0..9e15).contains(&number).then_some(number as u64)
        });
        let number = whole.filter(|number| *number > 0);
        number.map(Some).ok_or_else(|| HttpError::of(code, format!("{name} must be a positive whole number")))
    }

    pub(crate) fn flag(&self, name: &str, code: ErrorCode) -> HttpResult<Option<bool>> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(HttpError::of(code, format!("{name} must be true or false"))),
        }
    }

    pub(crate) fn texts(&self, name: &str, code: ErrorCode) -> HttpResult<Vec<String>> {
        let Some(value) = self.get(name) else {
            return Ok(Vec::new());
        };
        let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let texts: Option<Vec<String>> = list.iter().map(|text| Some(text.as_str()?.to_owned())).collect();
        texts
            .filter(|_| value.is_array())
            .ok_or_else(|| HttpError::of(code, format!("{name} must be a list of strings")))
    }
}
