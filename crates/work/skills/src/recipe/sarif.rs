//! Findings as SARIF 2.1.0, the format that code hosts show.

use super::finding::Findings;
use super::rule::RULES;
use serde_json::{Value, json};

/// The findings as SARIF, with every rule and what it means.
pub fn to_sarif(findings: &Findings, version: &str) -> String {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|row| {
            json!({
                "id": row.name,
                "shortDescription": {"text": row.meaning},
                "help": {"text": row.fix},
                "defaultConfiguration": {"level": row.severity.word()},
            })
        })
        .collect();
    let results: Vec<Value> = findings
        .findings
        .iter()
        .map(|finding| {
            json!({
                "ruleId": finding.code.name(),
                "ruleIndex": finding.code as usize,
                "level": finding.severity.word(),
                "message": {"text": format!("{} {}", sentence(&finding.message), finding.fix)},
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": {"uri": uri(&finding.file)},
                        "region": {"startLine": finding.line, "startColumn": finding.column},
                    }
                }],
            })
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "clawperator", "version": version, "rules": rules}},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    log.to_string()
}

fn sentence(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let rest = letters.as_str();
    let end = if message.ends_with('.') { "" } else { "." };
    format!("{}{rest}{end}", first.unwrap_or_default())
}

/// A path as a relative URI: what is no plain letter is escaped.
fn uri(file: &str) -> String {
    let mut uri = String::with_capacity(file.len());
    for byte in file.replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}
