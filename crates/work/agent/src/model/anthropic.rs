//! Anthropic's messages. Pure.

use super::conversation::{Conversation, Message, MessagePart};
use super::dialect::{ModelRequest, StreamError, count_at, error_text, text_at};
use super::reply::{ModelReply, RawCall, Usage};
use serde_json::{Value, json};

pub(super) const VERSION: &str = "2023-06-01";

pub(super) fn request(conversation: &Conversation, wish: ModelRequest<'_>) -> Value {
    let tools = conversation.tools.iter().map(|tool| {
        let (name, description, schema) = (&tool.name, &tool.description, &tool.schema);
        json!({"name": name, "description": description, "input_schema": schema})
    });
    let mut messages: Vec<Value> = Vec::new();
    for (role, content) in conversation.messages.iter().map(message) {
        // The roles must alternate: a result and the next screen are one message.
        match messages.last_mut() {
            Some(last) if last["role"] == role => {
                if let Some(list) = last["content"].as_array_mut() {
                    list.extend(content);
                }
            }
            _ => messages.push(json!({"role": role, "content": content})),
        }
    }
    json!({
        "model": wish.model,
        "system": [{"type": "text", "text": conversation.system, "cache_control": {"type": "ephemeral"}}],
        "messages": messages,
        "tools": tools.collect::<Vec<_>>(),
        "tool_choice": {"type": "any", "disable_parallel_tool_use": true},
        "max_tokens": wish.answer_tokens,
        "stream": wish.stream,
    })
}

fn message(message: &Message) -> (&'static str, Vec<Value>) {
    match message {
        Message::User(parts) => ("user", parts.iter().map(part).collect()),
        Message::Assistant { text, call } => {
            let said = (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}));
            let input = if call.args.is_object() { call.args.clone() } else { json!({}) };
            let called = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input});
            ("assistant", said.into_iter().chain([called]).collect())
        }
        Message::ToolResult { call, text } => {
            ("user", vec![json!({"type": "tool_result", "tool_use_id": call, "content": text})])
        }
    }
}

fn part(part: &MessagePart) -> Value {
    match part {
        MessagePart::Text(text) => json!({"type": "text", "text": text}),
        MessagePart::Picture(picture) => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": picture.media_type, "data": picture.base64()},
        }),
    }
}

pub(super) fn read(body: &Value) -> Result<ModelReply, String> {
    let content = body.get("content").and_then(Value::as_array).ok_or("it has no content")?;
    let mut reply = ModelReply {
        complete: true,
        cut: text_at(body, "/stop_reason") == "max_tokens",
        ..ModelReply::default()
    };
    add_usage(&mut reply.usage, body.get("usage"));
    for block in content {
        match text_at(block, "/type") {
            "text" => reply.text.push_str(text_at(block, "/text")),
            "tool_use" => reply.calls.push(RawCall {
                id: text_at(block, "/id").to_owned(),
                name: text_at(block, "/name").to_owned(),
                arguments: block.get("input").map(Value::to_string).unwrap_or_default(),
            }),
            _ => {}
        }
    }
    Ok(reply)
}

pub(super) fn event(reply: &mut ModelReply, event: &Value) -> Result<(), StreamError> {
    match text_at(event, "/type") {
        "message_start" => add_usage(&mut reply.usage, event.pointer("/message/usage")),
        "content_block_start" if text_at(event, "/content_block/type") == "tool_use" => {
            reply.calls.push(RawCall {
                id: text_at(event, "/content_block/id").to_owned(),
                name: text_at(event, "/content_block/name").to_owned(),
                arguments: String::new(),
            });
        }
        "content_block_delta" => match text_at(event, "/delta/type") {
            "text_delta" => reply.text.push_str(text_at(event, "/delta/text")),
            "input_json_delta" => {
                let Some(call) = reply.calls.last_mut() else {
                    return Err(StreamError::Unreadable("arguments come before their call".to_owned()));
                };
                call.arguments.push_str(text_at(event, "/delta/partial_json"));
            }
            _ => {}
        },
        "message_delta" => {
            add_usage(&mut reply.usage, event.get("usage"));
            reply.cut = text_at(event, "/delta/stop_reason") == "max_tokens";
        }
        "message_stop" => reply.complete = true,
        "error" => return Err(StreamError::Failed(error_text(event))),
        _ => {}
    }
    Ok(())
}

/// Takes the counts of an event; later ones replace earlier ones.
fn add_usage(usage: &mut Usage, told: Option<&Value>) {
    let Some(told) = told else {
        return;
    };
    if told.get("input_tokens").is_some() {
        let cached = count_at(told, "/cache_read_input_tokens");
        // Here the input's count is without what a cache had.
        usage.input_tokens = count_at(told, "/input_tokens")
            .saturating_add(cached)
            .saturating_add(count_at(told, "/cache_creation_input_tokens"));
        usage.cached_tokens = cached;
    }
    if told.get("output_tokens").is_some() {
        usage.output_tokens = count_at(told, "/output_tokens");
    }
}
