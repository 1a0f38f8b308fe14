//! The OpenAPI document, made of the table of routes and the contract's schemas.

use super::limits::MAX_BODY;
use super::route::{AnswerKey, FieldNeed, HttpRoute, RouteField, Success};
use clawperator_contract::ErrorCode;
use clawperator_contract::schema::SCHEMAS;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The codes that every route can answer with.
const EVERYWHERE: &[ErrorCode] = &[
    ErrorCode::InvalidRequest,
    ErrorCode::Unauthorized,
    ErrorCode::HostRefused,
    ErrorCode::OriginRefused,
    ErrorCode::RequestTimeout,
    ErrorCode::PayloadTooLarge,
    ErrorCode::InternalError,
    ErrorCode::StateFolderUnusable,
    ErrorCode::ServerBusy,
];

pub(super) fn document(version: &str, routes: &[HttpRoute]) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.word().to_ascii_lowercase()] = operation(route);
    }
    paths.insert("/health".to_owned(), health());
    paths.insert("/session".to_owned(), session());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Clawperator",
            "version": version,
            "description": "Runs executions on Android phones.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}, {"cookie": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "clawperator_session"},
            },
            "schemas": schemas(),
        },
    })
}

fn operation(route: &HttpRoute) -> Value {
    let mut operation = json!({
        "operationId": route.name,
        "tags": [route.group],
        "summary": route.about,
    });
    if !route.details.is_empty() {
        operation["description"] = route.details.into();
    }
    let parameters: Vec<Value> = path_names(route.path)
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}}))
        .chain(route.query.iter().map(|field| parameter(field, "query")))
        .chain(route.headers.iter().map(|field| parameter(field, "header")))
        .collect();
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(fields) = route.body {
        let description = format!("At most {MAX_BODY} bytes.");
        operation["requestBody"] = json!({"required": true, "description": description,
            "content": {"application/json": {"schema": object(fields)}}});
    }
    operation["responses"] = responses(route);
    operation
}

/// The names of the variable parts of a path.
pub(super) fn path_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

fn parameter(field: &RouteField, place: &str) -> Value {
    json!({"name": field.name, "in": place, "required": field.need == FieldNeed::Required,
        "description": field.doc, "schema": field.shape.schema()})
}

fn object(fields: &[RouteField]) -> Value {
    let mut properties = Map::new();
    for field in fields {
        let mut schema = field.shape.schema();
        schema["description"] = field.doc.into();
        properties.insert(field.name.to_owned(), schema);
    }
    let required = fields.iter().filter(|field| field.need == FieldNeed::Required);
    let required: Vec<_> = required.map(|field| field.name).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

fn responses(route: &HttpRoute) -> Value {
    let of = |kind: &str, schema: &Value| json!({"description": "Success.", "content": {kind: {"schema": schema}}});
    let named = |name: &str| of("application/json", &json!({"$ref": format!("#/components/schemas/{name}")}));
    let mut responses = match route.success {
        Success::Object(keys) => json!({"200": of("application/json", &answer(keys))}),
        Success::Execution => json!({"200": named("ServeResult"), "202": named("Accepted")}),
        Success::Jobs => {
            let refs =
                ["ServeResult", "Jobs"].map(|name| json!({"$ref": format!("#/components/schemas/{name}")}));
            json!({"200": of("application/json", &json!({"anyOf": refs})), "202": named("Jobs")})
        }
        Success::Text("application/json") => {
            json!({"200": of("application/json", &json!({"type": "object"}))})
        }
        Success::Text(kind) => json!({"200": of(kind, &json!({"type": "string"}))}),
        Success::Events => {
            let content = json!({"text/event-stream": {"schema": {"type": "string"}}});
            json!({"200": {"description": "A stream of events.", "content": content}})
        }
        Success::Empty => json!({"204": {"description": "Success."}}),
    };
    for (status, refusal) in refusals(EVERYWHERE.iter().chain(route.errors)) {
        responses[status] = refusal;
    }
    responses
}

/// A response for each status of these codes.
fn refusals<'c>(codes: impl Iterator<Item = &'c ErrorCode>) -> Map<String, Value> {
    let mut by_status: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in codes {
        let names = by_status.entry(code.row().http_status).or_default();
        if !names.contains(&code.name()) {
            names.push(code.name());
        }
    }
    let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/Refusal"}}});
    let response = |names: Vec<&str>| json!({"description": names.join(", "), "content": content});
    by_status.into_iter().map(|(status, names)| (status.to_string(), response(names))).collect()
}

fn answer(keys: &[AnswerKey]) -> Value {
    let mut properties = Map::new();
    properties.insert("ok".to_owned(), json!({"const": true}));
    for key in keys {
        let types: Vec<_> = key.kind.split('|').collect();
        let kind = match types[..] {
            [only] => json!(only),
            _ => json!(types),
        };
        let schema = json!({"type": kind, "description": key.doc});
        properties.insert(key.name.to_owned(), schema);
    }
    let needed = keys.iter().filter(|key| key.need == FieldNeed::Required);
    let required: Vec<_> = std::iter::once("ok").chain(needed.map(|key| key.name)).collect();
    json!({"type": "object", "properties": properties, "required": required})
}

/// The schemas of the contract, and of what is around them here.
fn schemas() -> Value {
    let mut all = Map::new();
    for named in SCHEMAS {
        let name = match named.name {
            "execution" => "Execution",
            "envelope" => "Envelope",
            "error" => "Failure",
            _ => continue,
        };
        add(&mut all, name, (named.build)());
    }
    let mut all = Value::Object(all);
    all["Refusal"] = json!({"type": "object", "required": ["ok", "error"], "properties": {
        "ok": {"const": false},
        "error": {"$ref": "#/components/schemas/Failure"},
        "deviceId": {"type": "string", "description": "The phone that the request named."},
    }});
    all["ServeResult"] = json!({"type": "object", "required": ["ok", "deviceId", "terminalSource", "envelope"],
    "properties": {
        "ok": {"const": true},
        "deviceId": {"type": "string", "description": "The phone's serial."},
        "terminalSource": {"type": "string", "description": "What ended the run."},
        "envelope": {"$ref": "#/components/schemas/Envelope"},
        "warnings": {"type": "array", "description": "What was odd about the payload."},
    }});
    all["Jobs"] = json!({"type": "object", "required": ["ok"], "properties": {
        "ok": {"const": true},
        "jobId": {"type": "string", "description": "The id of the job."},
        "commandId": {"type": "string", "description": "The caller's id of it."},
        "location": {"type": "string", "description": "Where its result can be had."},
        "jobs": {"type": "array", "description": "The same of each, for all phones of a class; and what came of it."},
    }});
    all["Accepted"] = json!({"type": "object", "required": ["ok", "runId", "location"], "properties": {
        "ok": {"const": true},
        "runId": {"type": "string", "description": "The name of the run."},
        "location": {"type": "string", "description": "Where its outcome can be had."},
    }});
    all
}

/// Adds a schema whose parts are schemas of their own here: few readers of the
/// document follow references inside of a schema.
fn add(all: &mut Map<String, Value>, name: &str, mut schema: Value) {
    let mut parts = Value::Null;
    if let Some(schema) = schema.as_object_mut() {
        schema.remove("$schema");
        schema.remove("$id");
        parts = schema.remove("$defs").unwrap_or_default();
    }
    point_elsewhere(&mut schema, name);
    all.insert(name.to_owned(), schema);
    if let Value::Object(parts) = parts {
        for (part, mut schema) in parts {
            point_elsewhere(&mut schema, name);
            all.insert(format!("{name}.{part}"), schema);
        }
    }
}

fn point_elsewhere(schema: &mut Value, name: &str) {
    match schema {
        Value::Object(entries) => {
            for (key, value) in entries {
                let target = value.as_str().filter(|_| key == "$ref");
                let part = target.and_then(|target| target.strip_prefix("#/$defs/"));
                match (target, part) {
                    (_, Some(part)) => *value = format!("#/components/schemas/{name}.{part}").into(),
                    (Some("#"), None) => *value = format!("#/components/schemas/{name}").into(),
                    (_, None) => point_elsewhere(value, name),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| point_elsewhere(item, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn health() -> Value {
    json!({"get": {"operationId": "health", "tags": ["Server"], "security": [],
        "summary": "Tells that the server is there. It needs no token.",
        "responses": {"200": {"description": "Success.", "content": {"text/plain": {"schema": {"type": "string"}}}}}}})
}

fn session() -> Value {
    let mut responses =
        refusals([ErrorCode::Unauthorized, ErrorCode::HostRefused, ErrorCode::OriginRefused].iter());
    responses.insert("204".to_owned(), json!({"description": "The cookie is set."}));
    let body = json!({"type": "object", "properties": {"token": {"type": "string"}}});
    json!({"post": {"operationId": "signIn", "tags": ["Server"], "security": [],
        "summary": "Gives a browser a cookie for the token.",
        "requestBody": {"content": {"application/json": {"schema": body}}}, "responses": responses}})
}
