//! Tests of `model/name.rs`.

use clawperator_agent::model::*;

#[test]
fn a_model_has_a_dialect_and_a_name() {
    let http = |dialect, name: &str| Ok(ModelName::Http(dialect, name.to_owned()));
    for (text, wanted) in [
        ("openai:gpt", http(Dialect::Chat, "gpt")),
        ("chat:llama:7b", http(Dialect::Chat, "llama:7b")),
        ("responses:x", http(Dialect::Responses, "x")),
        ("anthropic:y", http(Dialect::Anthropic, "y")),
        ("script:a.jsonl", Ok(ModelName::Script("a.jsonl".into()))),
        ("gpt", Err(NameError("gpt".to_owned()))),
        ("openai:", Err(NameError("openai:".to_owned()))),
        ("other:x", Err(NameError("other:x".to_owned()))),
    ] {
        assert_eq!(ModelName::parse(text), wanted, "{text}");
    }
}
