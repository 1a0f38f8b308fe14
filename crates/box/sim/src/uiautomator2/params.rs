//! What a method is called with, and why it has no result.

use super::selector;
use crate::automation::LOST;
use crate::command::INPUT_REFUSED;
use clawperator_ui::Point;
use serde_json::{Value, json};

/// The code of whatever a method throws.
const THROWN: i32 = -32001;

/// Why a method has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MethodError {
    /// What is called is no JSON-RPC.
    Request,
    NoMethod(String),
    /// The method needs something else.
    Params(String),
    /// Nothing on the screen is meant by the selector.
    NoObject(String),
    /// The server does not watch the screen any more.
    NotConnected,
    /// The server may not inject input.
    Refused,
}

impl MethodError {
    pub(super) fn describe(&self) -> Value {
        let (code, message, data) = match self {
            Self::Request => (-32600, "invalid request", String::new()),
            Self::NoMethod(name) => (-32601, "method not found", name.clone()),
            Self::Params(what) => (-32602, "method parameters invalid", what.clone()),
            // Of what is thrown, the message is the class.
            Self::NoObject(selector) => {
                (THROWN, "androidx.test.uiautomator.UiObjectNotFoundException", selector.clone())
            }
            Self::NotConnected => (
                THROWN,
                "java.lang.IllegalStateException",
                format!(
                    "java.lang.IllegalStateException: {LOST}\n\tat android.app.UiAutomation.throwIfNotConnectedLocked(UiAutomation.java:1123)\n"
                ),
            ),
            Self::Refused => (
                THROWN,
                "java.lang.SecurityException",
                format!("{INPUT_REFUSED}\n\tat android.os.Parcel.createExceptionOrNull(Parcel.java:3057)\n"),
            ),
        };
        json!({"code": code, "message": message, "data": data})
    }
}

pub(super) type MethodResult = Result<Value, MethodError>;

/// What a method was called with.
#[derive(Clone, Debug)]
pub(super) struct Params {
    values: Vec<Value>,
    /// What is behind the names of elements, each at its place.
    named: Vec<Option<Value>>,
}

impl Params {
    pub(super) fn new(values: Vec<Value>) -> Self {
        let named = values.iter().map(|value| selector::selector_of_name(value.as_str()?)).collect();
        Self { values, named }
    }

    /// A number; a pixel may be a fraction.
    pub(super) fn number(&self, at: usize) -> Result<i64, MethodError> {
        let value = self.values.get(at).and_then(Value::as_f64);
        value.map(|number| number.clamp(-1e9, 1e9) as i64).ok_or_else(|| missing(at, "a number"))
    }

    pub(super) fn fraction(&self, at: usize) -> Option<f64> {
        self.values.get(at)?.as_f64()
    }

    /// A place as `{"x": 1, "y": 2}`.
    pub(super) fn place(&self, at: usize) -> Result<Point, MethodError> {
        let pixel = |name: &str| Some(self.values.get(at)?.get(name)?.as_f64()?.clamp(-1e9, 1e9) as i32);
        let place = pixel("x").zip(pixel("y")).map(|(x, y)| Point { x, y });
        place.ok_or_else(|| missing(at, "a place"))
    }

    /// A place as two numbers, the first of them here.
    pub(super) fn point(&self, at: usize) -> Result<Point, MethodError> {
        Ok(Point { x: self.number(at)? as i32, y: self.number(at + 1)? as i32 })
    }

    pub(super) fn text(&self, at: usize) -> Result<&str, MethodError> {
        self.values.get(at).and_then(Value::as_str).ok_or_else(|| missing(at, "a text"))
    }

    pub(super) fn flag(&self, at: usize) -> Option<bool> {
        self.values.get(at).and_then(Value::as_bool)
    }

    pub(super) fn list(&self, at: usize) -> Result<&[Value], MethodError> {
        let list = self.values.get(at).and_then(Value::as_array);
        list.map(Vec::as_slice).ok_or_else(|| missing(at, "a list"))
    }

    pub(super) fn selector(&self, at: usize) -> Result<&Value, MethodError> {
        let value = self.values.get(at).filter(|value| value.is_object());
        value.or_else(|| self.named.get(at)?.as_ref()).ok_or_else(|| missing(at, "a selector"))
    }

    pub(super) fn has_selector(&self, at: usize) -> bool {
        self.selector(at).is_ok()
    }
}

pub(super) fn missing(at: usize, what: &str) -> MethodError {
    MethodError::Params(format!("parameter {at} is not {what}"))
}
