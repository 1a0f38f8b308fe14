//! The tools as models see them.

use super::{ArgumentNeed, ArgumentShape, Risk, TOOLS, Tool, ToolField};
use clawperator_document::words;
use serde_json::{Map, Value, json};

words! {
    /// In whose words.
    pub Format {
        /// OpenAI's chat completions, and what follows them.
        OpenAi = "openai",
        Anthropic = "anthropic",
        Mcp = "mcp",
    }
}

/// Every tool, in a format.
pub fn tools(format: Format) -> Vec<Value> {
    TOOLS.iter().map(|tool| tool.described(format)).collect()
}

impl Tool {
    /// The tool in a format.
    pub fn described(&self, format: Format) -> Value {
        let (name, about, schema) = (self.name, self.about, self.schema());
        match format {
            Format::OpenAi => json!({
                "type": "function",
                "function": {"name": name, "description": about, "parameters": schema},
            }),
            Format::Anthropic => json!({"name": name, "description": about, "input_schema": schema}),
            Format::Mcp => json!({
                "name": name,
                "description": about,
                "inputSchema": schema,
                "annotations": {
                    "readOnlyHint": matches!(self.risk, Risk::Safe | Risk::Reads),
                    "destructiveHint": matches!(self.risk, Risk::Acts | Risk::Writes | Risk::Runs),
                },
            }),
        }
    }

    /// The JSON schema of its arguments.
    pub fn schema(&self) -> Value {
        let thought = json!({"type": "string", "description": "What you see and why you do this, in a sentence or two."});
        let mut properties = Map::from_iter([("thought".to_owned(), thought)]);
        properties.extend(self.fields.iter().map(|field| (field.key.to_owned(), field.schema())));
        let required = self.fields.iter().filter(|field| field.need == ArgumentNeed::Required);
        let required: Vec<&str> = required.map(|field| field.key).collect();
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

impl ToolField {
    fn schema(&self) -> Value {
        let mut schema = match self.shape {
            ArgumentShape::Number(_) => json!({"type": "number"}),
            ArgumentShape::Text(_) | ArgumentShape::Given | ArgumentShape::Trimmed => {
                json!({"type": "string"})
            }
            ArgumentShape::Flag => json!({"type": "boolean"}),
            ArgumentShape::Word(words, _) => json!({"type": "string", "enum": words}),
            ArgumentShape::Object => json!({"type": "object"}),
        };
        schema["description"] = Value::from(self.about);
        schema
    }
}
