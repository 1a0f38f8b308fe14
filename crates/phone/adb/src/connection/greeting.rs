//! How a connection begins: both sides say who they are, and the device may
//! first ask the host to prove it.
//!
//! ```text
//! host                               device
//! CNXN version, max, "host::…"  ──►
//!                               ◄──  AUTH token          (0 or more times)
//! AUTH signature                ──►
//!                               ◄──  AUTH token          (that key is unknown)
//! AUTH public key               ──►                      (its owner is asked)
//!                               ◄──  CNXN version, max, "device::…"
//! ```

use super::{Connection, ConnectionSide};
use crate::error::AdbError;
use crate::key::{PrivateKey, PublicKey, TOKEN_BYTES};
use crate::packet::{
    Checksum, Decoder, MAX_PAYLOAD, Packet, PacketCommand, VERSION_MIN, VERSION_SKIP_CHECKSUM,
};
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const AUTH_TOKEN: u32 = 1;
const AUTH_SIGNATURE: u32 = 2;
const AUTH_PUBLIC_KEY: u32 = 3;
/// The largest packet of a greeting.
const MAX_GREETING: usize = 64 * 1024;
/// The most proofs a host may offer before it is turned away.
const MAX_PROOFS: usize = 64;

/// Who calls a device.
#[derive(Clone, Debug)]
pub struct HostIdentity<'k> {
    /// What the host says of itself, such as `host::features=shell_v2`.
    pub banner: String,
    pub key: Option<&'k PrivateKey>,
    /// Whom the key belongs to, as its owner is asked.
    pub name: String,
}

/// What a device knows of a caller that shows its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyVerdict {
    Accept,
    /// The owner does not, or has not been asked.
    Ignore,
}

/// How a device decides whom to talk to.
pub trait Authorize: Send {
    /// The keys that were accepted before.
    fn known_keys(&self) -> Vec<PublicKey>;
    /// Asks the owner about a key. What is accepted is known from then on.
    fn ask(&mut self, key: &PublicKey) -> KeyVerdict;
    /// An unguessable number, for the host to sign.
    fn token(&mut self) -> [u8; TOKEN_BYTES];
}

/// A caller that a device has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AcceptedHost {
    /// It did not have to prove anything.
    Anyone,
    /// It proved that it has this key.
    Owner(Box<PublicKey>),
}

/// What the two sides agreed on.
pub(super) struct GreetingResult {
    pub(super) banner: String,
    /// The most bytes the other side takes at a time.
    pub(super) send_limit: usize,
    pub(super) checksum: Checksum,
    /// What was read beyond the greeting.
    pub(super) rest: BytesMut,
}

impl Connection {
    /// Connects to a device over a pair of pipes.
    ///
    /// # Errors
    /// [`AdbError::Unauthorized`] when the device does not take our key and its
    /// owner does not accept it; [`AdbError::TlsRequired`]; or what broke.
    pub async fn to_device<R, W>(reader: R, writer: W, host: &HostIdentity<'_>) -> Result<Self, AdbError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let mut talk = Talk::new(reader, writer);
        let hello = host.banner.clone().into_bytes();
        talk.say(Packet::new(PacketCommand::Connect, VERSION_SKIP_CHECKSUM, MAX_PAYLOAD as u32, hello))
            .await?;
        let mut signed = false;
        loop {
            let packet = match talk.hear().await {
                // A device hangs up on callers it does not like.
                Err(AdbError::Closed) if signed => return Err(AdbError::Unauthorized),
                other => other?,
            };
            match (packet.command, packet.arg0) {
                (PacketCommand::Connect, _) => {
                    let greeted = talk.agree(&packet)?;
                    return Ok(talk.finish(greeted, ConnectionSide::Host));
                }
                (PacketCommand::Auth, AUTH_TOKEN) => {
                    let Some(key) = host.key else {
                        return Err(AdbError::Unauthorized);
                    };
                    if signed {
                        talk.say(Packet::new(
                            PacketCommand::Auth,
                            AUTH_PUBLIC_KEY,
                            0,
                            key.public_line(&host.name),
                        ))
                        .await?;
                    } else {
                        talk.say(Packet::new(
                            PacketCommand::Auth,
                            AUTH_SIGNATURE,
                            0,
                            key.sign(&packet.payload)?,
                        ))
                        .await?;
                    }
                    signed = true;
                }
                (PacketCommand::StartTls, _) => return Err(AdbError::TlsRequired),
                _ => {
                    return Err(AdbError::Protocol(format!("received {packet:?} during the handshake")));
                }
            }
        }
    }

    /// Receives a host over a pair of pipes, as a device. Without a user to ask,
    /// every host may call.
    ///
    /// # Errors
    /// [`AdbError::Unauthorized`] when the host proves nothing, or what broke.
    pub async fn from_host<R, W>(
        reader: R,
        writer: W,
        banner: &str,
        owner: Option<&mut dyn Authorize>,
    ) -> Result<(Self, AcceptedHost), AdbError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let mut talk = Talk::new(reader, writer);
        let hello = talk.hear().await?;
        if hello.command != PacketCommand::Connect {
            return Err(AdbError::Protocol(format!("received {hello:?}, expected CNXN")));
        }
        let greeted = talk.agree(&hello)?;
        let caller = match owner {
            None => AcceptedHost::Anyone,
            Some(owner) => talk.authorize(owner).await?,
        };
        let version = hello.arg0.clamp(VERSION_MIN, VERSION_SKIP_CHECKSUM);
        let hello = banner.as_bytes().to_vec();
        talk.say(Packet::new(PacketCommand::Connect, version, MAX_PAYLOAD as u32, hello)).await?;
        Ok((talk.finish(greeted, ConnectionSide::Device), caller))
    }
}

/// The pipes while the greeting lasts.
struct Talk<R, W> {
    reader: R,
    writer: W,
    buffer: BytesMut,
}

impl<R, W> Talk<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    /// Turns the talk into a connection. Whatever was read beyond the greeting belongs to it.
    fn finish(self, greeted: GreetingResult, side: ConnectionSide) -> Connection {
        let greeted = GreetingResult { rest: self.buffer, ..greeted };
        Connection::start(self.reader, self.writer, greeted, side)
    }

    fn new(reader: R, writer: W) -> Self {
        Self { reader, writer, buffer: BytesMut::new() }
    }

    /// Says something. Greetings carry sums: it is not known yet who checks them.
    async fn say(&mut self, packet: Packet) -> Result<(), AdbError> {
        let mut bytes = BytesMut::new();
        packet.encode(Checksum::Required, &mut bytes);
        self.writer.write_all(&bytes).await?;
        Ok(self.writer.flush().await?)
    }

    async fn hear(&mut self) -> Result<Packet, AdbError> {
        // A newer device sends greetings without sums, so they are not checked.
        let decoder = Decoder { max_payload: MAX_GREETING, checksum: Checksum::Skipped };
        loop {
            if let Some(packet) = decoder.decode(&mut self.buffer)? {
                return Ok(packet);
            }
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Err(AdbError::Closed);
            }
        }
    }

    /// What follows from the other side's greeting.
    fn agree(&self, hello: &Packet) -> Result<GreetingResult, AdbError> {
        if hello.arg1 == 0 {
            return Err(AdbError::Protocol("the other side accepts no data".to_owned()));
        }
        let theirs = usize::try_from(hello.arg1).unwrap_or(usize::MAX);
        let banner = hello.payload.strip_suffix(b"\0").unwrap_or(&hello.payload);
        Ok(GreetingResult {
            banner: String::from_utf8_lossy(banner).into_owned(),
            send_limit: theirs.min(MAX_PAYLOAD),
            checksum: if hello.arg0 >= VERSION_SKIP_CHECKSUM {
                Checksum::Skipped
            } else {
                Checksum::Required
            },
            rest: BytesMut::new(),
        })
    }

    /// Lets the host prove itself.
    async fn authorize(&mut self, owner: &mut dyn Authorize) -> Result<AcceptedHost, AdbError> {
        for _ in 0..MAX_PROOFS {
            let token = owner.token();
            self.say(Packet::new(PacketCommand::Auth, AUTH_TOKEN, 0, token.to_vec())).await?;
            let proof = self.hear().await?;
            match (proof.command, proof.arg0) {
                (PacketCommand::Auth, AUTH_SIGNATURE) => {
                    let known =
                        owner.known_keys().into_iter().find(|key| key.verifies(&token, &proof.payload));
                    if let Some(key) = known {
                        return Ok(AcceptedHost::Owner(Box::new(key)));
                    }
                }
                (PacketCommand::Auth, AUTH_PUBLIC_KEY) => {
                    let key = PublicKey::from_line(&proof.payload)?;
                    return match owner.ask(&key) {
                        KeyVerdict::Accept => Ok(AcceptedHost::Owner(Box::new(key))),
                        KeyVerdict::Ignore => Err(AdbError::Unauthorized),
                    };
                }
                _ => return Err(AdbError::Protocol(format!("received {proof:?}, expected AUTH"))),
            }
        }
        Err(AdbError::Unauthorized)
    }
}
