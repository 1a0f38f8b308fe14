//! What a route is: the row that the router, the OpenAPI document and the page
//! of routes are all made of.

use super::Api;
use axum::routing::MethodRouter;
use clawperator_contract::text::is_blank;
use clawperator_contract::{ErrorCode, words};
use clawperator_phone::PackageName;
use serde_json::{Value, json};
use std::sync::Arc;

/// One route.
pub(crate) struct HttpRoute {
    pub(crate) method: Verb,
    /// Its path; a variable part is written `{name}`.
    pub(crate) path: &'static str,
    /// Its name among all routes.
    pub(crate) name: &'static str,
    pub(crate) group: &'static str,
    pub(crate) about: &'static str,
    /// What else there is to know.
    pub(crate) details: &'static str,
    pub(crate) query: &'static [RouteField],
    pub(crate) headers: &'static [RouteField],
    pub(crate) body: Option<&'static [RouteField]>,
    pub(crate) success: Success,
    /// The codes that it can answer with, beside those that every route can.
    pub(crate) errors: &'static [ErrorCode],
    pub(crate) handler: RouteHandler,
}

type RouteHandler = fn() -> MethodRouter<Arc<Api>>;

pub(crate) const fn get(
    group: &'static str,
    path: &'static str,
    name: &'static str,
    handler: RouteHandler,
) -> HttpRoute {
    HttpRoute {
        method: Verb::Get,
        path,
        name,
        group,
        about: "",
        details: "",
        query: &[],
        headers: &[],
        body: None,
        success: Success::Empty,
        errors: &[],
        handler,
    }
}

pub(crate) const fn post(
    group: &'static str,
    path: &'static str,
    name: &'static str,
    handler: RouteHandler,
) -> HttpRoute {
    HttpRoute { method: Verb::Post, ..get(group, path, name, handler) }
}

pub(crate) const fn put(
    group: &'static str,
    path: &'static str,
    name: &'static str,
    handler: RouteHandler,
) -> HttpRoute {
    HttpRoute { method: Verb::Put, ..get(group, path, name, handler) }
}

pub(crate) const fn delete(
    group: &'static str,
    path: &'static str,
    name: &'static str,
    handler: RouteHandler,
) -> HttpRoute {
    HttpRoute { method: Verb::Delete, ..get(group, path, name, handler) }
}

impl HttpRoute {
    pub(crate) const fn about(self, about: &'static str) -> Self {
        Self { about, ..self }
    }

    pub(crate) const fn details(self, details: &'static str) -> Self {
        Self { details, ..self }
    }

    pub(crate) const fn query(self, query: &'static [RouteField]) -> Self {
        Self { query, ..self }
    }

    pub(crate) const fn headers(self, headers: &'static [RouteField]) -> Self {
        Self { headers, ..self }
    }

    pub(crate) const fn body(self, fields: &'static [RouteField]) -> Self {
        Self { body: Some(fields), ..self }
    }

    /// It answers an object with `ok: true` and these keys.
    pub(crate) const fn answer(self, keys: &'static [AnswerKey]) -> Self {
        self.success(Success::Object(keys))
    }

    pub(crate) const fn success(self, success: Success) -> Self {
        Self { success, ..self }
    }

    pub(crate) const fn errors(self, errors: &'static [ErrorCode]) -> Self {
        Self { errors, ..self }
    }
}

words! {
    /// A method of HTTP.
    pub(crate) Verb {
        Get = "GET",
        Post = "POST",
        Put = "PUT",
        Delete = "DELETE",
    }
}

/// A field of a query, of the headers or of a body.
#[derive(Clone, Copy)]
pub(crate) struct RouteField {
    pub(crate) name: &'static str,
    pub(crate) shape: FieldShape,
    pub(crate) need: FieldNeed,
    pub(crate) doc: &'static str,
}

/// Whether a field must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldNeed {
    Required,
    Optional,
}

/// What a field may be.
#[derive(Clone, Copy)]
pub(crate) enum FieldShape {
    Text,
    Package,
    /// A whole number in a range.
    Whole(u64, u64),
    Flag,
    Texts,
    Words(&'static [&'static str]),
    Execution,
    Object,
}

impl FieldShape {
    /// What a text of a query must be, if it is not that.
    pub(crate) fn broken_by(self, text: &str) -> Option<String> {
        let (fits, rule) = match self {
            Self::Whole(least, most) => (
                text.parse().is_ok_and(|number| (least..=most).contains(&number)),
                format!("a whole number from {least} to {most}"),
            ),
            Self::Flag => (["true", "false", "1", "0"].contains(&text), "true or false".to_owned()),
            Self::Words(words) => (words.contains(&text), format!("one of {}", words.join(", "))),
            Self::Text | Self::Package | Self::Texts | Self::Execution | Self::Object => {
                (!is_blank(text), "a text that is not blank".to_owned())
            }
        };
        (!fits).then_some(rule)
    }

    pub(crate) fn schema(self) -> Value {
        match self {
            Self::Text => json!({"type": "string", "minLength": 1, "pattern": "\\S"}),
            Self::Package => {
                json!({"type": "string", "maxLength": PackageName::MAX_LETTERS, "pattern": PackageName::PATTERN})
            }
            Self::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
            Self::Flag => json!({"type": "boolean"}),
            Self::Texts => json!({"type": "array", "items": {"type": "string"}}),
            Self::Words(words) => json!({"type": "string", "enum": words}),
            Self::Execution => json!({"$ref": "#/components/schemas/Execution"}),
            Self::Object => json!({"type": "object"}),
        }
    }
}

/// What a route answers when it succeeds.
#[derive(Clone, Copy)]
pub(crate) enum Success {
    /// An object with `ok: true` and these keys.
    Object(&'static [AnswerKey]),
    Execution,
    /// An execution in the pool, or several.
    Jobs,
    Text(&'static str),
    Events,
    Empty,
}

/// A key of an answer.
pub(crate) struct AnswerKey {
    pub(crate) name: &'static str,
    /// Its type in JSON, or several with `|` between them.
    pub(crate) kind: &'static str,
    pub(crate) need: FieldNeed,
    pub(crate) doc: &'static str,
}

/// A field that may be left out.
pub(crate) const fn optional(name: &'static str, shape: FieldShape, doc: &'static str) -> RouteField {
    RouteField { name, shape, need: FieldNeed::Optional, doc }
}

pub(crate) const fn required(name: &'static str, shape: FieldShape, doc: &'static str) -> RouteField {
    RouteField { name, shape, need: FieldNeed::Required, doc }
}

pub(crate) const fn key(name: &'static str, kind: &'static str, doc: &'static str) -> AnswerKey {
    AnswerKey { name, kind, need: FieldNeed::Required, doc }
}

pub(crate) const fn maybe(name: &'static str, kind: &'static str, doc: &'static str) -> AnswerKey {
    AnswerKey { need: FieldNeed::Optional, ..key(name, kind, doc) }
}
