//! Tests of `shell.rs`.

use bytes::{Bytes, BytesMut};
use clawperator_adb::shell::*;
use proptest::collection::vec;
use proptest::prelude::*;

#[test]
fn packets_have_the_bytes_everyone_expects() {
    let mut bytes = BytesMut::new();
    ShellPacket::Stdout("hi".into()).encode(&mut bytes);
    ShellPacket::Exit(7).encode(&mut bytes);
    assert_eq!(&bytes[..], b"\x01\x02\0\0\0hi\x03\x01\0\0\0\x07");
}

#[test]
fn nonsense_is_refused() {
    let decode = |bytes: &[u8]| ShellPacket::decode(&mut BytesMut::from(bytes));
    assert_eq!(decode(b"\x09\0\0\0\0"), Err(ShellError::UnknownId(9)));
    assert_eq!(decode(b"\x01\xff\xff\xff\xff"), Err(ShellError::TooLarge(u32::MAX)));
    assert_eq!(decode(b"\x03\x02\0\0\0ab"), Err(ShellError::BadExit(2)));
    assert_eq!(decode(b"\x01\x02\0\0\0h"), Ok(None));
}

fn any_packet() -> impl Strategy<Value = ShellPacket> {
    let data = || vec(any::<u8>(), 0..100).prop_map(Bytes::from);
    prop_oneof![
        data().prop_map(ShellPacket::Stdin),
        data().prop_map(ShellPacket::Stdout),
        data().prop_map(ShellPacket::Stderr),
        any::<u8>().prop_map(ShellPacket::Exit),
        Just(ShellPacket::CloseStdin),
        data().prop_map(ShellPacket::WindowSize),
    ]
}

proptest! {
    #[test]
    fn packets_come_back(packets in vec(any_packet(), 0..8)) {
        let mut wire = BytesMut::new();
        packets.iter().for_each(|packet| packet.encode(&mut wire));
        let mut seen = Vec::new();
        while let Some(packet) = ShellPacket::decode(&mut wire).unwrap() {
            seen.push(packet);
        }
        prop_assert_eq!(seen, packets);
    }

    #[test]
    fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..100)) {
        let mut buffer = BytesMut::from(&bytes[..]);
        while let Ok(Some(_)) = ShellPacket::decode(&mut buffer) {}
    }
}
