//! The fuzzer's corpus for adb's framing, run on every test.

use bytes::BytesMut;
use clawperator_adb::packet::{Checksum, Decoder, MAX_PAYLOAD};
use clawperator_adb::shell::ShellPacket;
use std::path::Path;

#[test]
fn nothing_in_the_corpus_breaks_the_framing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/adb_frames");
    let (mut packets, mut shell) = (0, 0);
    for entry in std::fs::read_dir(&folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        let decoder = Decoder {
            max_payload: MAX_PAYLOAD,
            checksum: Checksum::Required,
        };
        let mut buffer = BytesMut::from(&bytes[..]);
        while let Ok(Some(_)) = decoder.decode(&mut buffer) {
            packets += 1;
        }
        let mut buffer = BytesMut::from(&bytes[..]);
        while let Ok(Some(_)) = ShellPacket::decode(&mut buffer) {
            shell += 1;
        }
    }
    assert!(
        packets >= 7 && shell >= 4,
        "{packets} packets, {shell} shell packets"
    );
}
