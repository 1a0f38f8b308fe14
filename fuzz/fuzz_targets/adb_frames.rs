//! adb's framing: whatever comes in, no panic; what is decoded and encoded
//! again is the same bytes.

#![no_main]

use bytes::BytesMut;
use clawperator_adb::packet::{Checksum, Decoder, MAX_PAYLOAD};
use clawperator_adb::shell::ShellPacket;
use clawperator_adb::smart_socket::{Status, parse_length};
use clawperator_adb::sync::{Form, split_mode};
use clawperator_adb::PublicKey;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let decoder = Decoder {
        max_payload: MAX_PAYLOAD,
        checksum: Checksum::Required,
    };
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
        let _ = Status::parse(*head);
        let _ = parse_length(*head);
    }
    for form in [Form::Old, Form::New] {
        let _ = bytes.get(..form.stat_bytes()).map(|bytes| form.decode_stat(bytes));
    }
    let _ = std::str::from_utf8(bytes).map(split_mode);
    let _ = PublicKey::from_line(bytes);
});
