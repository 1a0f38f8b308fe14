//! A link in memory that damages what it carries, the same way for the same
//! seed.

use bytes::{Bytes, BytesMut};
use clawperator_adb::packet::{Checksum, Decoder, HEADER_BYTES, MAX_PAYLOAD, Packet};
use rand::Rng;
use rand::rngs::StdRng;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};

/// What is wrong with one direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The link is gone, both ways.
    Cut,
    /// Data stops without an error.
    Stall,
    /// This direction ends; the other goes on.
    HalfClose,
    Flip,
    /// Bytes arrive that were never sent.
    Insert,
    /// Bytes that were sent do not come.
    Lose,
    Duplicate,
    /// A packet comes after the one that was sent after it.
    Reorder,
    /// A packet does not come.
    Skip,
    /// It takes one byte at a time, and its time.
    Slow,
}

pub(crate) const FAULTS: [Fault; 11] = [
    Fault::None,
    Fault::Cut,
    Fault::Stall,
    Fault::HalfClose,
    Fault::Flip,
    Fault::Insert,
    Fault::Lose,
    Fault::Duplicate,
    Fault::Reorder,
    Fault::Skip,
    Fault::Slow,
];

/// What happens to one direction, and after how many bytes or packets.
#[derive(Clone, Debug)]
pub(crate) struct Damage {
    pub(crate) fault: Fault,
    after: usize,
    rng: StdRng,
}

impl Damage {
    pub(crate) fn choose(fault: Fault, mut rng: StdRng) -> Self {
        let after = match fault {
            Fault::Duplicate | Fault::Reorder | Fault::Skip => rng.gen_range(0..30),
            // Early damage hits greetings, late damage what is busy.
            _ if rng.gen_bool(0.3) => rng.gen_range(0..200),
            _ => rng.gen_range(0..20_000),
        };
        Self { fault, after, rng }
    }
}

type Half = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

/// Both ends of a link, and what moves its bytes: a future that ends with it.
pub(crate) fn link(outward: Damage, inward: Damage) -> (Half, Half, impl Future<Output = ()>) {
    let (host, near) = duplex(1 << 14);
    let (far, device) = duplex(1 << 14);
    let (near_reader, near_writer) = split(near);
    let (far_reader, far_writer) = split(far);
    let moving = async {
        // The first cut ends both.
        let _ =
            tokio::try_join!(relay(near_reader, far_writer, outward), relay(far_reader, near_writer, inward));
    };
    (split(host), split(device), moving)
}

/// The link is gone.
struct Cut;

type From = ReadHalf<DuplexStream>;
type To = WriteHalf<DuplexStream>;

async fn relay(from: From, mut to: To, damage: Damage) -> Result<(), Cut> {
    match damage.fault {
        Fault::Duplicate | Fault::Reorder | Fault::Skip => relay_packets(from, &mut to, damage).await?,
        _ => relay_bytes(from, &mut to, damage).await?,
    }
    to.shutdown().await.map_err(|_| Cut)
}

async fn relay_bytes(mut from: From, to: &mut To, mut damage: Damage) -> Result<(), Cut> {
    let mut seen = 0;
    loop {
        let mut data = BytesMut::with_capacity(1 << 13);
        if from.read_buf(&mut data).await.map_err(|_| Cut)? == 0 {
            return Ok(());
        }
        let before = damage.after.saturating_sub(seen).min(data.len());
        seen += data.len();
        let mut rest = data.split_off(before);
        to.write_all(&data).await.map_err(|_| Cut)?;
        if rest.is_empty() {
            continue;
        }
        match damage.fault {
            Fault::None => {}
            Fault::Cut => return Err(Cut),
            Fault::Stall => std::future::pending().await,
            Fault::HalfClose => {
                to.shutdown().await.map_err(|_| Cut)?;
                while from.read_buf(&mut rest).await.map_err(|_| Cut)? > 0 {
                    rest.clear();
                }
                return Ok(());
            }
            _ => corrupt(&mut rest, to, &mut damage).await?,
        }
        to.write_all(&rest).await.map_err(|_| Cut)?;
    }
}

/// Damages the front of what goes on, once.
async fn corrupt(rest: &mut BytesMut, to: &mut To, damage: &mut Damage) -> Result<(), Cut> {
    let rng = &mut damage.rng;
    match damage.fault {
        Fault::Flip => {
            for _ in 0..rng.gen_range(1..8) {
                let place = rng.gen_range(0..rest.len().min(64));
                rest[place] ^= 1 << rng.gen_range(0..8);
            }
        }
        Fault::Insert => {
            let nonsense: Vec<u8> = (0..rng.gen_range(1..100)).map(|_| rng.r#gen()).collect();
            to.write_all(&nonsense).await.map_err(|_| Cut)?;
        }
        Fault::Lose => {
            let count = rng.gen_range(1..=rest.len().min(HEADER_BYTES * 2));
            drop(rest.split_to(count));
        }
        Fault::Slow => {
            let pause = Duration::from_millis([0, 1, 7, 50][rng.gen_range(0..4)]);
            for byte in rest.split_to(rest.len().min(300)) {
                to.write_all(&[byte]).await.map_err(|_| Cut)?;
                if pause.is_zero() {
                    tokio::task::yield_now().await;
                } else {
                    tokio::time::sleep(pause).await;
                }
            }
        }
        other => unreachable!("{other:?} is no damage to bytes"),
    }
    // Once is enough, except for what is only slow.
    if damage.fault != Fault::Slow {
        damage.fault = Fault::None;
    }
    Ok(())
}

async fn relay_packets(mut from: From, to: &mut To, damage: Damage) -> Result<(), Cut> {
    let decoder = Decoder { max_payload: MAX_PAYLOAD, checksum: Checksum::Skipped };
    let mut buffer = BytesMut::new();
    let mut held: Option<Packet> = None;
    let mut number = 0;
    loop {
        while let Some(packet) = decoder.decode(&mut buffer).map_err(|_| Cut)? {
            let is_hit = number == damage.after;
            number += 1;
            let mut out = BytesMut::new();
            let mut put = |packet: &Packet| packet.encode(Checksum::Required, &mut out);
            match (is_hit, damage.fault) {
                (true, Fault::Skip) => {}
                (true, Fault::Reorder) => held = Some(packet),
                (true, _) => {
                    put(&packet);
                    put(&packet);
                }
                (false, _) => {
                    put(&packet);
                    held.take().iter().for_each(put);
                }
            }
            to.write_all(&Bytes::from(out)).await.map_err(|_| Cut)?;
        }
        if from.read_buf(&mut buffer).await.map_err(|_| Cut)? == 0 {
            return Ok(());
        }
    }
}
