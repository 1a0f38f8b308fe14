//! The transport protocol, spoken with a device: messages of a 24-byte header and a payload. Pure.
//!
//! ```text
//!  0        4        8        12       16       20       24
//!  | command | arg0   | arg1   | length | sum    | magic  | payload …
//! ```
//! All numbers are little-endian; magic is the command with every bit flipped.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use std::fmt;

/// The size of a header.
pub const HEADER_BYTES: usize = 24;
/// The largest payload either side may announce, and the one we announce.
pub const MAX_PAYLOAD: usize = 1 << 20;
/// The protocol version from which on checksums are not computed.
pub const VERSION_SKIP_CHECKSUM: u32 = 0x0100_0001;
/// The first protocol version; its payloads carry a checksum.
pub const VERSION_MIN: u32 = 0x0100_0000;

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketCommand {
    /// Opens the connection: version, largest payload, banner.
    Connect,
    Auth,
    /// Asks for the rest to be spoken over TLS.
    StartTls,
    /// Opens a stream to a service.
    Open,
    /// Accepts a stream, or acknowledges what was written to one.
    Okay,
    Write,
    /// Closes a stream, or refuses to open one.
    Close,
}

const COMMANDS: [(PacketCommand, [u8; 4]); 7] = [
    (PacketCommand::Connect, *b"CNXN"),
    (PacketCommand::Auth, *b"AUTH"),
    (PacketCommand::StartTls, *b"STLS"),
    (PacketCommand::Open, *b"OPEN"),
    (PacketCommand::Okay, *b"OKAY"),
    (PacketCommand::Write, *b"WRTE"),
    (PacketCommand::Close, *b"CLSE"),
];

impl PacketCommand {
    /// The command as it is written.
    pub fn code(self) -> u32 {
        let row = COMMANDS.iter().find(|(command, _)| *command == self);
        row.map_or(0, |(_, name)| u32::from_le_bytes(*name))
    }

    fn from_code(code: u32) -> Option<Self> {
        let row = COMMANDS.iter().find(|(_, name)| u32::from_le_bytes(*name) == code);
        row.map(|(command, _)| *command)
    }
}

/// One message.
#[derive(Clone, PartialEq, Eq)]
pub struct Packet {
    pub command: PacketCommand,
    /// Its first number; what it means depends on the command.
    pub arg0: u32,
    pub arg1: u32,
    pub payload: Bytes,
}

impl fmt::Debug for Packet {
    /// Shows how much a packet carries, not what: payloads are users' screens.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (command, arg0, arg1, bytes) = (self.command, self.arg0, self.arg1, self.payload.len());
        write!(f, "{command:?}({arg0:#x}, {arg1:#x}, {bytes} bytes)")
    }
}

/// Why bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketError {
    /// The header's magic does not fit its command: we are out of step.
    #[error("the packet's magic number does not match its command")]
    BadMagic,
    #[error("unknown packet command {0:#010x}")]
    UnknownCommand(u32),
    /// A payload larger than was agreed.
    #[error("the packet announces {0} bytes, more than the agreed maximum")]
    TooLarge(u32),
    /// The payload does not have the sum its header says.
    #[error("the packet's checksum does not match its payload")]
    BadChecksum,
}

/// Whether payloads carry a checksum: only before [`VERSION_SKIP_CHECKSUM`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    Required,
    Skipped,
}

impl Packet {
    /// A message.
    pub fn new(command: PacketCommand, arg0: u32, arg1: u32, payload: impl Into<Bytes>) -> Self {
        Self { command, arg0, arg1, payload: payload.into() }
    }

    /// Appends the message to a buffer.
    pub fn encode(&self, checksum: Checksum, out: &mut BytesMut) {
        let sum = match checksum {
            Checksum::Required => sum_of(&self.payload),
            Checksum::Skipped => 0,
        };
        out.reserve(HEADER_BYTES + self.payload.len());
        out.put_u32_le(self.command.code());
        out.put_u32_le(self.arg0);
        out.put_u32_le(self.arg1);
        out.put_u32_le(self.payload.len() as u32);
        out.put_u32_le(sum);
        out.put_u32_le(!self.command.code());
        out.put_slice(&self.payload);
    }
}

fn sum_of(payload: &[u8]) -> u32 {
    payload.iter().fold(0, |sum: u32, byte| sum.wrapping_add(u32::from(*byte)))
}

/// Takes messages off a stream of bytes, whatever pieces they come in.
#[derive(Clone, Copy, Debug)]
pub struct Decoder {
    /// The largest payload that is accepted.
    pub max_payload: usize,
    pub checksum: Checksum,
}

impl Decoder {
    /// Takes the next message off the front of a buffer, if it is all there.
    ///
    /// # Errors
    /// Any [`PacketError`]; the stream cannot be followed after one.
    pub fn decode(&self, buffer: &mut BytesMut) -> Result<Option<Packet>, PacketError> {
        let Some(header) = buffer.get(..HEADER_BYTES) else {
            return Ok(None);
        };
        let mut header = header;
        let [code, arg0, arg1, length, sum, magic] = std::array::from_fn(|_| header.get_u32_le());
        if magic != !code {
            return Err(PacketError::BadMagic);
        }
        let command = PacketCommand::from_code(code).ok_or(PacketError::UnknownCommand(code))?;
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        if size > self.max_payload {
            return Err(PacketError::TooLarge(length));
        }
        if buffer.len() < HEADER_BYTES + size {
            return Ok(None);
        }
        buffer.advance(HEADER_BYTES);
        let payload = buffer.split_to(size).freeze();
        if self.checksum == Checksum::Required && sum_of(&payload) != sum {
            return Err(PacketError::BadChecksum);
        }
        Ok(Some(Packet { command, arg0, arg1, payload }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn decoder(checksum: Checksum) -> Decoder {
        Decoder { max_payload: MAX_PAYLOAD, checksum }
    }

    #[test]
    fn a_connect_packet_has_the_bytes_everyone_expects() {
        let mut bytes = BytesMut::new();
        let packet = Packet::new(PacketCommand::Connect, VERSION_SKIP_CHECKSUM, 0x10_0000, &b"host::"[..]);
        packet.encode(Checksum::Required, &mut bytes);
        assert_eq!(&bytes[..4], b"CNXN");
        assert_eq!(&bytes[4..16], [1, 0, 0, 1, 0, 0, 16, 0, 6, 0, 0, 0]);
        assert_eq!(&bytes[16..20], sum_of(b"host::").to_le_bytes());
        assert_eq!(&bytes[20..24], [0xbc, 0xb1, 0xa7, 0xb1]);
        assert_eq!(&bytes[24..], b"host::");
    }

    #[test]
    fn damage_is_recognised() {
        let mut whole = BytesMut::new();
        Packet::new(PacketCommand::Write, 1, 2, &b"abc"[..]).encode(Checksum::Required, &mut whole);
        for (place, error) in [
            (0, PacketError::BadMagic),
            (23, PacketError::BadMagic),
            (24, PacketError::BadChecksum),
            (16, PacketError::BadChecksum),
        ] {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x40;
            assert_eq!(decoder(Checksum::Required).decode(&mut damaged), Err(error), "byte {place}");
        }
        let mut huge = whole.clone();
        huge[15] = 0x7f;
        assert!(matches!(decoder(Checksum::Required).decode(&mut huge), Err(PacketError::TooLarge(_))));
        let mut unknown = whole;
        unknown[0] ^= 1;
        unknown[20] ^= 1;
        assert!(matches!(
            decoder(Checksum::Required).decode(&mut unknown),
            Err(PacketError::UnknownCommand(_))
        ));
    }

    fn any_packet() -> impl Strategy<Value = Packet> {
        let command = proptest::sample::select(COMMANDS.map(|(command, _)| command).to_vec());
        (command, any::<u32>(), any::<u32>(), vec(any::<u8>(), 0..300))
            .prop_map(|(command, arg0, arg1, payload)| Packet::new(command, arg0, arg1, payload))
    }

    proptest! {
        #[test]
        fn packets_survive_any_cutting(packets in vec(any_packet(), 1..6), cuts in vec(1usize..64, 1..40)) {
            for checksum in [Checksum::Required, Checksum::Skipped] {
                let mut wire = BytesMut::new();
                packets.iter().for_each(|packet| packet.encode(checksum, &mut wire));
                let mut buffer = BytesMut::new();
                let mut seen = Vec::new();
                let mut cuts = cuts.iter().cycle();
                while !wire.is_empty() {
                    let cut = (*cuts.next().unwrap()).min(wire.len());
                    buffer.extend_from_slice(&wire.split_to(cut));
                    while let Some(packet) = decoder(checksum).decode(&mut buffer).unwrap() {
                        seen.push(packet);
                    }
                }
                prop_assert_eq!(&seen, &packets);
                prop_assert!(buffer.is_empty());
            }
        }

        #[test]
        fn any_bytes_are_survived(bytes in vec(any::<u8>(), 0..100)) {
            let mut buffer = BytesMut::from(&bytes[..]);
            let _ = decoder(Checksum::Required).decode(&mut buffer);
        }
    }
}
