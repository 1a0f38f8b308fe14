//! OpenAI's responses. Pure.

use super::chat::arguments;
use super::conversation::{Conversation, Message, MessagePart};
use super::dialect::{ModelRequest, StreamError, count_at, error_text, text_at};
use super::reply::{ModelReply, RawCall, Usage};
use serde_json::{Value, json};

pub(super) fn request(conversation: &Conversation, wish: ModelRequest<'_>) -> Value {
    let input: Vec<Value> = conversation.messages.iter().flat_map(items).collect();
    let tools = conversation.tools.iter().map(|tool| {
        let (name, description, parameters) = (&tool.name, &tool.description, &tool.schema);
        json!({"type": "function", "name": name, "description": description, "parameters": parameters, "strict": false})
    });
    json!({
        "model": wish.model,
        "instructions": conversation.system,
        "input": input,
        "tools": tools.collect::<Vec<_>>(),
        "tool_choice": "required",
        "parallel_tool_calls": false,
        "max_output_tokens": wish.answer_tokens,
        "store": false,
        "stream": wish.stream,
    })
}

fn items(message: &Message) -> Vec<Value> {
    match message {
        Message::User(parts) => {
            vec![json!({"role": "user", "content": parts.iter().map(part).collect::<Vec<_>>()})]
        }
        Message::Assistant { text, call } => {
            let said = (!text.is_empty())
                .then(|| json!({"role": "assistant", "content": [{"type": "output_text", "text": text}]}));
            let called = json!({
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.args.to_string(),
            });
            said.into_iter().chain([called]).collect()
        }
        Message::ToolResult { call, text } => {
            vec![json!({"type": "function_call_output", "call_id": call, "output": text})]
        }
    }
}

fn part(part: &MessagePart) -> Value {
    match part {
        MessagePart::Text(text) => json!({"type": "input_text", "text": text}),
        MessagePart::Picture(picture) => json!({"type": "input_image", "image_url": picture.data_url()}),
    }
}

pub(super) fn read(body: &Value) -> Result<ModelReply, String> {
    let output = body.get("output").and_then(Value::as_array).ok_or("it has no output")?;
    let mut reply = ModelReply {
        complete: true,
        cut: text_at(body, "/incomplete_details/reason") == "max_output_tokens",
        usage: Usage {
            input_tokens: count_at(body, "/usage/input_tokens"),
            cached_tokens: count_at(body, "/usage/input_tokens_details/cached_tokens"),
            output_tokens: count_at(body, "/usage/output_tokens"),
        },
        ..ModelReply::default()
    };
    for item in output {
        match text_at(item, "/type") {
            "function_call" => reply.calls.push(RawCall {
                id: text_at(item, "/call_id").to_owned(),
                name: text_at(item, "/name").to_owned(),
                arguments: arguments(item.get("arguments")),
            }),
            "message" => {
                let parts = item.get("content").and_then(Value::as_array);
                for part in parts.into_iter().flatten() {
                    reply.text.push_str(text_at(part, "/text"));
                }
            }
            _ => {}
        }
    }
    Ok(reply)
}

/// The last event has the whole answer, so the pieces before it are not needed.
pub(super) fn event(reply: &mut ModelReply, event: &Value) -> Result<(), StreamError> {
    match text_at(event, "/type") {
        "response.completed" | "response.incomplete" => {
            let body = event.get("response").unwrap_or(&Value::Null);
            *reply = read(body).map_err(StreamError::Unreadable)?;
            Ok(())
        }
        "response.failed" => {
            let body = event.get("response").unwrap_or(&Value::Null);
            Err(StreamError::Failed(error_text(body)))
        }
        "error" => Err(StreamError::Failed(error_text(event))),
        _ => Ok(()),
    }
}
