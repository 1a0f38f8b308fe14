//! OpenAI's chat completions, and every server that speaks like it. Pure.

use super::conversation::{Conversation, Message, MessagePart};
use super::dialect::{ModelRequest, StreamError, count_at, error_text, text_at};
use super::reply::{ModelReply, RawCall, Usage};
use serde_json::{Value, json};

/// The most calls of one answer; a server that counts further is broken.
const MAX_CALLS: usize = 64;

pub(super) fn request(conversation: &Conversation, wish: ModelRequest<'_>) -> Value {
    let mut messages = vec![json!({"role": "system", "content": conversation.system})];
    messages.extend(conversation.messages.iter().map(message));
    let tools = conversation.tools.iter().map(|tool| {
        let (name, description, parameters) = (&tool.name, &tool.description, &tool.schema);
        json!({"type": "function", "function": {"name": name, "description": description, "parameters": parameters}})
    });
    let mut body = json!({
        "model": wish.model,
        "messages": messages,
        "tools": tools.collect::<Vec<_>>(),
        "tool_choice": "required",
        "parallel_tool_calls": false,
        "max_completion_tokens": wish.answer_tokens,
    });
    if wish.stream {
        body["stream"] = json!(true);
        body["stream_options"] = json!({"include_usage": true});
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::User(parts) => {
            json!({"role": "user", "content": parts.iter().map(part).collect::<Vec<_>>()})
        }
        Message::Assistant { text, call } => json!({
            "role": "assistant",
            "content": (!text.is_empty()).then_some(text),
            "tool_calls": [{
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.args.to_string()},
            }],
        }),
        Message::ToolResult { call, text } => json!({"role": "tool", "tool_call_id": call, "content": text}),
    }
}

fn part(part: &MessagePart) -> Value {
    match part {
        MessagePart::Text(text) => json!({"type": "text", "text": text}),
        MessagePart::Picture(picture) => {
            json!({"type": "image_url", "image_url": {"url": picture.data_url()}})
        }
    }
}

pub(super) fn read(body: &Value) -> Result<ModelReply, String> {
    let message = body.pointer("/choices/0/message").ok_or("it has no choices[0].message")?;
    let mut reply = ModelReply {
        complete: true,
        cut: text_at(body, "/choices/0/finish_reason") == "length",
        usage: usage(body),
        text: text_at(message, "/content").to_owned(),
        calls: Vec::new(),
    };
    for call in array(message, "tool_calls").take(MAX_CALLS) {
        reply.calls.push(RawCall {
            id: text_at(call, "/id").to_owned(),
            name: text_at(call, "/function/name").to_owned(),
            arguments: arguments(call.pointer("/function/arguments")),
        });
    }
    Ok(reply)
}

pub(super) fn event(reply: &mut ModelReply, event: &Value) -> Result<(), StreamError> {
    if event.get("error").is_some_and(|error| !error.is_null()) {
        return Err(StreamError::Failed(error_text(event)));
    }
    let told = usage(event);
    if told != Usage::default() {
        reply.usage = told;
    }
    let Some(choice) = event.pointer("/choices/0") else {
        return Ok(());
    };
    match text_at(choice, "/finish_reason") {
        "" => {}
        reason => {
            reply.complete = true;
            reply.cut = reason == "length";
        }
    }
    reply.text.push_str(text_at(choice, "/delta/content"));
    let Some(delta) = choice.get("delta") else {
        return Ok(());
    };
    for call in array(delta, "tool_calls") {
        let index = usize::try_from(count_at(call, "/index")).unwrap_or(usize::MAX);
        if index >= MAX_CALLS {
            return Err(StreamError::Unreadable(format!("a call has the index {index}")));
        }
        if reply.calls.len() <= index {
            reply.calls.resize_with(index + 1, RawCall::default);
        }
        let raw = &mut reply.calls[index];
        raw.id.push_str(text_at(call, "/id"));
        raw.name.push_str(text_at(call, "/function/name"));
        raw.arguments.push_str(&arguments(call.pointer("/function/arguments")));
    }
    Ok(())
}

/// Some servers send arguments as an object, not as a text.
pub(super) fn arguments(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

fn array<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn usage(body: &Value) -> Usage {
    Usage {
        input_tokens: count_at(body, "/usage/prompt_tokens"),
        cached_tokens: count_at(body, "/usage/prompt_tokens_details/cached_tokens"),
        output_tokens: count_at(body, "/usage/completion_tokens"),
    }
}
