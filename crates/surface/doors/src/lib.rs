//! Every place where bytes from outside come in, as functions that must not
//! panic, hang or use memory without a bound, whatever the bytes are. The
//! fuzzer calls them, and the tests call them with the fuzzer's corpus.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a door that breaks its promise must panic: that is what the fuzzer looks for"
)]

mod phone;

use bytes::BytesMut;
use clawperator_adb::PublicKey;
use clawperator_adb::packet::{Checksum, Decoder, MAX_PAYLOAD};
use clawperator_adb::shell::ShellPacket;
use clawperator_adb::smart_socket::{AnswerStatus, parse_length};
use clawperator_adb::sync::{Form, split_mode};
use clawperator_apk::Archive;
use clawperator_contract::limits::MAX_REFUSAL_BYTES;
use clawperator_contract::{ExecutionWire, Pattern, accept, normalize};
use clawperator_journal::{JournalPath, StoredJournal};
use clawperator_recording::{AppStart, compile};
use clawperator_skills::recipe;
use clawperator_ui::{
    Attributes, Extent, Fingerprints, Screen, ViewFormat, ViewMemory, ViewRequest, read, view, write,
};

/// A door.
#[derive(Clone, Copy, Debug)]
pub struct Door {
    /// Its name, and that of its corpus.
    pub name: &'static str,
    pub enter: fn(&[u8]),
}

/// Every door.
pub const DOORS: &[Door] = &[
    door("payload", payload),
    door("pattern", pattern),
    door("dump", dump),
    door("recording", recording),
    door("recipe", recipe),
    door("journal", journal),
    door("operator_log", operator_log),
    door("apk", apk),
    door("adb_frames", adb_frames),
    door("adb_host", phone::adb_host),
    door("adb_device", phone::adb_device),
    door("app_file", phone::app_file),
    door("shell", phone::shell),
    door("sed", phone::sed),
];

const fn door(name: &'static str, enter: fn(&[u8])) -> Door {
    Door { name, enter }
}

/// What is accepted is accepted again as it was written, what is refused is
/// refused within bounds, and normalizing twice is normalizing once.
fn payload(bytes: &[u8]) {
    if let Ok(wire) = ExecutionWire::parse(bytes) {
        let once = normalize(wire);
        assert_eq!(normalize(once.clone()), once);
    }
    match accept(bytes) {
        Ok(first) => {
            let written = serde_json::to_vec(&first.execution).unwrap();
            assert!(written.len() <= 8 * bytes.len());
            assert_eq!(accept(&written).unwrap().execution, first.execution);
        }
        Err(failure) => assert!(serde_json::to_vec(&failure).unwrap().len() <= MAX_REFUSAL_BYTES),
    }
}

/// The pattern is the first line, the text the rest.
fn pattern(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (pattern, text) = text.split_once('\n').unwrap_or((&text, ""));
    if let Ok(pattern) = Pattern::compile(pattern) {
        let _ = pattern.fits(text);
    }
}

/// What is read can be written and read again, and viewed.
fn dump(bytes: &[u8]) {
    let Ok(tree) = read(&String::from_utf8_lossy(bytes)) else {
        return;
    };
    let again = read(&write(&tree, Attributes::Usual));
    assert_eq!(again.map(|again| again.len()), Ok(tree.len()));
    let screen = Screen::new(&tree);
    let request = ViewRequest { style: ViewFormat::Compact, budget: Some(200), extent: Extent::Whole };
    view(&Fingerprints::new(screen), request, &mut ViewMemory::default());
}

/// What is read can be compiled or is refused, and what is compiled is accepted.
fn recording(bytes: &[u8]) {
    let Ok(recording) = clawperator_recording::read(&String::from_utf8_lossy(bytes)) else {
        return;
    };
    if let Ok(compiled) = compile(&recording, AppStart::Clean) {
        accept(serde_json::to_string(&compiled.checked.execution).unwrap().as_bytes()).unwrap();
    }
}

/// What is read compiles or is refused, what is compiled is accepted, and what
/// is said of it is bounded; in each format.
fn recipe(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for format in [recipe::Format::Json, recipe::Format::Yaml, recipe::Format::Markdown] {
        let findings = recipe::lint("a", &text, format, recipe::LintOptions::default());
        assert!(findings.findings.len() <= recipe::MAX_FINDINGS);
        let Ok(read) = recipe::parse(&text, format) else {
            assert!(findings.has_errors());
            continue;
        };
        let given =
            read.inputs.iter().map(|input| (input.name.clone(), recipe::InputValue::Text("1".to_owned())));
        if let Ok(compiled) = recipe::compile(&read, &recipe::Inputs(given.collect())) {
            accept(compiled.payload.as_bytes()).unwrap();
        }
    }
    let _ = recipe::Profiles::parse(&text);
}

/// The lines of a stored journal.
fn journal(bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("clawperator-door-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("journal.ndjson"), bytes).unwrap();
    let name = "door".to_owned();
    if let Ok(journal) = StoredJournal::open(&JournalPath { name, path }) {
        let _ = (journal.judgement(), journal.begin(), journal.end());
    }
}

/// Lines of a phone's log, as an Operator app may write them.
fn operator_log(bytes: &[u8]) {
    let _ = clawperator_run::operator::read_log(&String::from_utf8_lossy(bytes));
}

fn apk(bytes: &[u8]) {
    if let Ok(archive) = Archive::read(bytes) {
        let _ = archive.labelled_manifest();
    }
}

/// What is decoded and encoded again is the same bytes.
fn adb_frames(bytes: &[u8]) {
    let decoder = Decoder { max_payload: MAX_PAYLOAD, checksum: Checksum::Required };
    let mut buffer = BytesMut::from(bytes);
    while let Ok(Some(packet)) = decoder.decode(&mut buffer) {
        let mut again = BytesMut::new();
        packet.encode(Checksum::Required, &mut again);
        assert_eq!(decoder.decode(&mut again), Ok(Some(packet)));
    }
    let mut buffer = BytesMut::from(bytes);
    while let Ok(Some(packet)) = ShellPacket::decode(&mut buffer) {
        let mut again = BytesMut::new();
        packet.encode(&mut again);
        assert_eq!(ShellPacket::decode(&mut again), Ok(Some(packet)));
    }
    if let Some(head) = bytes.first_chunk::<4>() {
        let _ = AnswerStatus::parse(*head);
        let _ = parse_length(*head);
    }
    for form in [Form::Old, Form::New] {
        let _ = bytes.get(..form.stat_bytes()).map(|bytes| form.decode_stat(bytes));
    }
    let _ = std::str::from_utf8(bytes).map(split_mode);
    let _ = PublicKey::from_line(bytes);
}
