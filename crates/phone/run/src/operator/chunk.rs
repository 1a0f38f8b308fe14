//! A large answer in records of at most a kibibyte each, put together again. Pure.
//!
//! Each record says which part it is, of how many, how long the whole is and what its SHA-256 is: a
//! phone's log drops lines when it is busy, and an answer with a hole must not look like one.

use super::answer::names;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_events::digest;
use serde_json::Value;

/// What comes before each record.
pub(super) const MARKER: &str = "[Clawperator-Result-Chunk]";
/// The most bytes an answer may have in all.
pub(super) const MAX_ANSWER: usize = 16 << 20;

/// What all records of an answer have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ChunkHeader {
    task_id: String,
    count: u64,
    bytes: usize,
    sha256: String,
}

/// The records that have come so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunks {
    header: Option<ChunkHeader>,
    next: u64,
    bytes: Vec<u8>,
}

/// What a record brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ChunkResult {
    More,
    /// The answer is whole: the line that would have been written.
    Whole(String),
    /// It is a part of another command's answer.
    Foreign,
    /// It cannot be read, and does not say whose it is.
    Unreadable,
    /// It is ours, and the answer cannot be had any more.
    Broken(String),
}

impl Chunks {
    /// Takes the next record, without its marker.
    pub(super) fn add(&mut self, text: &str, command_id: &str) -> ChunkResult {
        let Ok(record) = serde_json::from_str::<Value>(text.trim()) else {
            return if names(text, command_id) {
                ChunkResult::Broken("a part of the answer is not JSON".to_owned())
            } else {
                ChunkResult::Unreadable
            };
        };
        match record.get("commandId").and_then(Value::as_str) {
            Some(id) if id == command_id => {}
            Some(_) => return ChunkResult::Foreign,
            None => return ChunkResult::Unreadable,
        }
        match self.take(&record) {
            Ok(true) => self.whole(),
            Ok(false) => ChunkResult::More,
            Err(why) => ChunkResult::Broken(why),
        }
    }

    /// Tells whether some parts have come and others have not.
    pub(super) fn is_open(&self) -> bool {
        self.header.is_some()
    }

    /// Keeps a record; whether it was the last.
    fn take(&mut self, record: &Value) -> Result<bool, String> {
        let lacks = |key: &str| format!("a part of the answer lacks {key}");
        let number = |key: &str| record.get(key).and_then(Value::as_u64).ok_or_else(|| lacks(key));
        let text = |key: &str| record.get(key).and_then(Value::as_str).ok_or_else(|| lacks(key));
        let bytes = usize::try_from(number("byteLength")?).unwrap_or(usize::MAX);
        let header = ChunkHeader {
            task_id: text("taskId")?.to_owned(),
            count: number("count")?,
            bytes,
            sha256: text("sha256")?.to_ascii_lowercase(),
        };
        if bytes > MAX_ANSWER {
            return Err(format!("the answer has {bytes} bytes; at most {MAX_ANSWER} are allowed"));
        }
        let index = number("index")?;
        if index != self.next {
            let expected = self.next;
            return Err(format!("part {index} of the answer came instead of part {expected}"));
        }
        if *self.header.get_or_insert_with(|| header.clone()) != header {
            return Err("the parts of the answer come from different answers".to_owned());
        }
        let data = STANDARD.decode(text("data")?);
        let data = data.map_err(|_| "a part of the answer is not base64".to_owned())?;
        if self.bytes.len() + data.len() > bytes {
            return Err(format!("the parts of the answer are longer than its {bytes} bytes"));
        }
        self.bytes.extend_from_slice(&data);
        self.next += 1;
        Ok(self.next >= header.count)
    }

    fn whole(&mut self) -> ChunkResult {
        let Some(header) = self.header.take() else {
            return ChunkResult::More;
        };
        let bytes = std::mem::take(&mut self.bytes);
        if bytes.len() != header.bytes {
            let (has, says) = (bytes.len(), header.bytes);
            return ChunkResult::Broken(format!("the answer has {has} bytes, but announced {says}"));
        }
        if digest(&bytes) != header.sha256 {
            return ChunkResult::Broken("the answer's SHA-256 does not match".to_owned());
        }
        match String::from_utf8(bytes) {
            Ok(text) => ChunkResult::Whole(text),
            Err(_) => ChunkResult::Broken("the answer is not UTF-8".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn records(text: &str, size: usize) -> Vec<Value> {
        let parts: Vec<_> = text.as_bytes().chunks(size).collect();
        let sha = digest(text.as_bytes());
        let record = |(index, part): (usize, &&[u8])| {
            json!({ "commandId": "c", "taskId": "t", "index": index, "count": parts.len(),
                "byteLength": text.len(), "sha256": sha, "data": STANDARD.encode(part) })
        };
        parts.iter().enumerate().map(record).collect()
    }

    fn all(records: &[Value]) -> ChunkResult {
        let mut chunks = Chunks::default();
        for record in records {
            match chunks.add(&record.to_string(), "c") {
                ChunkResult::More | ChunkResult::Foreign | ChunkResult::Unreadable => {}
                end => return end,
            }
        }
        ChunkResult::More
    }

    #[test]
    fn parts_become_the_whole_whatever_they_cut() {
        let text = "[Clawperator-Result] {\"é\": \"👩‍👩‍👧‍👦\"}";
        for size in 1..text.len() {
            assert_eq!(all(&records(text, size)), ChunkResult::Whole(text.to_owned()));
        }
    }

    #[test]
    fn a_hole_a_swap_or_a_changed_byte_is_noticed() {
        let good = records("abcdefgh", 3);
        let broken = |change: &dyn Fn(&mut Vec<Value>), why: &str| {
            let mut records = good.clone();
            change(&mut records);
            match all(&records) {
                ChunkResult::Broken(message) => assert!(message.contains(why), "{message}"),
                other => panic!("{why}: {other:?}"),
            }
        };
        broken(&|it| drop(it.remove(1)), "part 2 of the answer came instead of part 1");
        broken(&|it| it.swap(0, 1), "part 1 of the answer came instead of part 0");
        broken(&|it| it[2]["data"] = json!("eHg="), "SHA-256");
        broken(&|it| it[2]["data"] = json!("x"), "base64");
        broken(&|it| it[2]["data"] = json!("eA=="), "has 7 bytes, but announced 8");
        broken(&|it| it[1]["data"] = json!("eHh4eHh4eHh4"), "longer than");
        broken(&|it| it[1]["count"] = json!(9), "come from different answers");
        broken(&|it| it[0]["byteLength"] = json!(1_u64 << 40), "are allowed");
        broken(&|it| it[0]["sha256"] = json!(null), "lacks sha256");
    }

    #[test]
    fn what_is_not_ours_changes_nothing() {
        let mut chunks = Chunks::default();
        let mut foreign = records("abc", 3).remove(0);
        foreign["commandId"] = json!("d");
        assert_eq!(chunks.add(&foreign.to_string(), "c"), ChunkResult::Foreign);
        assert_eq!(chunks.add("{oops", "c"), ChunkResult::Unreadable);
        assert_eq!(chunks.add("{}", "c"), ChunkResult::Unreadable);
        assert!(matches!(chunks.add(r#"{"commandId":"c","ind"#, "c"), ChunkResult::Broken(_)));
        assert!(!chunks.is_open());
    }
}
