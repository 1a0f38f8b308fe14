//! Greetings, streams, flow control, and what happens when things go away.

use bytes::Bytes;
use clawperator_adb::packet::{Checksum, Decoder, Packet, PacketCommand};
use clawperator_adb::{
    AcceptedHost, AdbError, Authorize, Connection, Deadline, HostIdentity, KeyVerdict, PrivateKey, PublicKey,
    TOKEN_BYTES,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::io::{DuplexStream, duplex, split};

static KEY: LazyLock<PrivateKey> =
    LazyLock::new(|| PrivateKey::generate(&mut StdRng::seed_from_u64(1)).unwrap());

const DEVICE: &str = "device::ro.product.name=sim;features=shell_v2";

fn host(key: Option<&PrivateKey>) -> HostIdentity<'_> {
    HostIdentity { banner: "host::features=shell_v2".to_owned(), key, name: "me@here".to_owned() }
}

/// A phone's owner who has an opinion.
struct Owner {
    known: Vec<PublicKey>,
    verdict: KeyVerdict,
    asked: usize,
}

impl Authorize for Owner {
    fn known_keys(&self) -> Vec<PublicKey> {
        self.known.clone()
    }

    fn ask(&mut self, key: &PublicKey) -> KeyVerdict {
        self.asked += 1;
        if self.verdict == KeyVerdict::Accept {
            self.known.push(key.clone());
        }
        self.verdict
    }

    fn token(&mut self) -> [u8; TOKEN_BYTES] {
        [self.asked as u8 + 9; TOKEN_BYTES]
    }
}

async fn greet(
    key: Option<&PrivateKey>,
    owner: Option<&mut Owner>,
) -> (Result<Connection, AdbError>, Result<(Connection, AcceptedHost), AdbError>) {
    let (ours, theirs) = duplex(1 << 16);
    let (our_reader, our_writer) = split(ours);
    let (their_reader, their_writer) = split(theirs);
    let owner = owner.map(|owner| owner as &mut dyn Authorize);
    let host = host(key);
    tokio::join!(
        Connection::to_device(our_reader, our_writer, &host),
        Connection::from_host(their_reader, their_writer, DEVICE, owner)
    )
}

/// A host and a device that answers `echo:` by sending everything back and
/// `say:N` by sending N bytes and closing; anything else is refused.
async fn pair() -> (Connection, tokio::task::JoinHandle<()>) {
    let (ours, theirs) = greet(None, None).await;
    let device = theirs.unwrap().0;
    let serving = tokio::spawn(async move {
        while let Some(incoming) = device.accept().await {
            match incoming.service().split_once(':').map(|(name, rest)| (name.to_owned(), rest.to_owned())) {
                Some((name, _)) if name == "echo" => {
                    tokio::spawn(async move {
                        let mut stream = incoming.accept().unwrap();
                        while let Ok(Some(data)) = stream.receive().await {
                            if stream.send(data).await.is_err() {
                                return;
                            }
                        }
                    });
                }
                Some((name, count)) if name == "say" => {
                    let bytes = Bytes::from(vec![7; count.parse().unwrap()]);
                    tokio::spawn(async move {
                        let stream = incoming.accept().unwrap();
                        let _ = stream.send(bytes).await;
                        let _ = stream.flush().await;
                    });
                }
                // Neither accepts nor refuses: the caller waits.
                Some((name, _)) if name == "silence" => std::mem::forget(incoming),
                _ => incoming.refuse(),
            }
        }
    });
    (ours.unwrap(), serving)
}

#[tokio::test]
async fn the_two_sides_learn_each_other_s_banner() {
    let (ours, theirs) = greet(None, None).await;
    let (device, caller) = theirs.unwrap();
    assert_eq!(ours.unwrap().banner(), DEVICE);
    assert_eq!(device.banner(), "host::features=shell_v2");
    assert_eq!(caller, AcceptedHost::Anyone);
}

#[tokio::test]
async fn a_new_key_is_asked_about_once() {
    let mut owner = Owner { known: vec![], verdict: KeyVerdict::Accept, asked: 0 };
    let (ours, theirs) = greet(Some(&KEY), Some(&mut owner)).await;
    assert!(ours.is_ok());
    assert!(matches!(theirs.unwrap().1, AcceptedHost::Owner(key) if key.name == "me@here"));
    let (ours, theirs) = greet(Some(&KEY), Some(&mut owner)).await;
    assert!(ours.is_ok() && theirs.is_ok());
    assert_eq!(owner.asked, 1);
}

#[tokio::test]
async fn a_rejected_key_is_unauthorized_on_both_sides() {
    let mut owner = Owner { known: vec![], verdict: KeyVerdict::Ignore, asked: 0 };
    let (ours, theirs) = greet(Some(&KEY), Some(&mut owner)).await;
    assert!(matches!(ours, Err(AdbError::Unauthorized)), "{ours:?}");
    assert!(matches!(theirs, Err(AdbError::Unauthorized)));
    let (ours, _) = greet(None, Some(&mut owner)).await;
    assert!(matches!(ours, Err(AdbError::Unauthorized)));
}

#[tokio::test]
async fn streams_carry_any_size_both_ways() {
    let (host, _serving) = pair().await;
    let mut stream = host.open("echo:").await.unwrap();
    for size in [1, 4096, 70_000, 3_000_000] {
        let data = Bytes::from((0..size).map(|i| i as u8).collect::<Vec<_>>());
        let mut back = Vec::new();
        // An echo of three packets fits between the two without being read.
        stream.send(data.clone()).await.unwrap();
        while back.len() < size {
            back.extend(stream.receive().await.unwrap().unwrap());
        }
        assert_eq!(back, data);
    }
}

#[tokio::test]
async fn a_stream_ends_when_the_other_side_closes_it() {
    let (host, _serving) = pair().await;
    let mut stream = host.open("say:2500000").await.unwrap();
    let mut total = 0;
    while let Some(data) = stream.receive().await.unwrap() {
        total += data.len();
    }
    assert_eq!(total, 2_500_000);
    assert!(matches!(stream.send(Bytes::from_static(b"x")).await, Err(AdbError::Closed)));
    drop(stream);
    assert_eq!(host.open_streams(), 0);
}

#[tokio::test]
async fn a_service_that_is_refused_was_asked_for() {
    let (host, _serving) = pair().await;
    assert!(matches!(host.open("nothing").await, Err(AdbError::NotOpened(_))));
    assert_eq!(host.open_streams(), 0);
}

#[tokio::test]
async fn a_reader_that_stops_stops_only_its_own_writer() {
    let (host, _serving) = pair().await;
    let _stalled = host.open("say:100000000").await.unwrap();
    let mut lively = host.open("say:5000000").await.unwrap();
    let mut total = 0;
    while let Some(data) = lively.receive().await.unwrap() {
        total += data.len();
    }
    assert_eq!(total, 5_000_000);
}

#[tokio::test]
async fn many_streams_at_once_do_not_mix() {
    let (host, _serving) = pair().await;
    let host = std::sync::Arc::new(host);
    let tasks: Vec<_> = (0_u8..200)
        .map(|number| {
            let host = host.clone();
            tokio::spawn(async move {
                let mut stream = host.open("echo:").await.unwrap();
                for round in 0..20 {
                    let data = Bytes::from(vec![number.wrapping_add(round); 3000]);
                    stream.send(data.clone()).await.unwrap();
                    let mut back = Vec::new();
                    while back.len() < data.len() {
                        back.extend(stream.receive().await.unwrap().unwrap());
                    }
                    assert_eq!(back, data);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(host.open_streams(), 0);
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_at_the_deadline_and_leaves_nothing_behind() {
    let (host, _serving) = pair().await;
    let deadline = Deadline::after(Duration::from_secs(5));
    let result = deadline.run("opening a stream", host.open("silence:")).await;
    assert!(matches!(result, Err(AdbError::TimedOut { what: "opening a stream", .. })));
    // The connection goes on, and the abandoned stream is not counted twice.
    assert_eq!(host.open_streams(), 1);
    assert!(host.open("echo:").await.is_ok());
}

#[tokio::test]
async fn a_lost_device_ends_every_wait_at_once() {
    let (ours, theirs) = greet(None, None).await;
    let (host, device) = (ours.unwrap(), theirs.unwrap().0);
    let serving = tokio::spawn(async move {
        let stream = device.accept().await.unwrap().accept().unwrap();
        stream.send(Bytes::from_static(b"hello")).await.unwrap();
        stream.flush().await.unwrap();
    });
    let mut stream = host.open("any").await.unwrap();
    assert_eq!(stream.receive().await.unwrap().unwrap(), "hello");
    // The stream is closed by its drop, or cut off with the connection.
    serving.await.unwrap();
    assert!(matches!(stream.receive().await, Ok(None) | Err(AdbError::Closed)));
    assert!(matches!(host.open("any").await, Err(AdbError::Closed)));
    assert!(host.over().is_some());
}

/// A device that sends nonsense after its greeting.
async fn broken_device(mut pipe: DuplexStream, nonsense: &'static [u8]) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut hello = [0; 24 + 23];
    pipe.read_exact(&mut hello).await.unwrap();
    let mut bytes = bytes::BytesMut::new();
    let greeting = Packet::new(PacketCommand::Connect, 0x0100_0001, 4096, &b"device::"[..]);
    greeting.encode(Checksum::Required, &mut bytes);
    pipe.write_all(&bytes).await.unwrap();
    pipe.write_all(nonsense).await.unwrap();
    let mut rest = Vec::new();
    let _ = pipe.read_to_end(&mut rest).await;
}

#[tokio::test]
async fn nonsense_ends_the_connection_with_a_reason() {
    for nonsense in
        [&b"GARBAGE GARBAGE GARBAGE!"[..], b"CNXN\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xbc\xb1\xa7\xb1"]
    {
        let (ours, theirs) = duplex(1 << 16);
        let device = tokio::spawn(broken_device(theirs, nonsense));
        let (reader, writer) = split(ours);
        let connection = Connection::to_device(reader, writer, &host(None)).await.unwrap();
        let result = connection.open("any").await;
        assert!(matches!(result, Err(AdbError::Protocol(_))), "{result:?}");
        drop(connection);
        device.await.unwrap();
    }
}

/// A peer that speaks packet by packet.
struct Raw {
    pipe: DuplexStream,
    buffer: bytes::BytesMut,
}

impl Raw {
    async fn say(&mut self, packets: &[Packet]) {
        use tokio::io::AsyncWriteExt;
        let mut bytes = bytes::BytesMut::new();
        packets.iter().for_each(|packet| packet.encode(Checksum::Required, &mut bytes));
        self.pipe.write_all(&bytes).await.unwrap();
    }

    async fn hear(&mut self) -> Packet {
        use tokio::io::AsyncReadExt;
        let decoder = Decoder { max_payload: 1 << 20, checksum: Checksum::Skipped };
        loop {
            if let Some(packet) = decoder.decode(&mut self.buffer).unwrap() {
                return packet;
            }
            assert_ne!(self.pipe.read_buf(&mut self.buffer).await.unwrap(), 0, "the other side hung up");
        }
    }
}

/// A host of ours connected to a raw device that takes so much at a time.
async fn raw_device(max_payload: u32) -> (Connection, Raw) {
    let (ours, theirs) = duplex(1 << 20);
    let mut raw = Raw { pipe: theirs, buffer: bytes::BytesMut::new() };
    let (reader, writer) = split(ours);
    let host = host(None);
    let (connection, ()) = tokio::join!(Connection::to_device(reader, writer, &host), async {
        assert_eq!(raw.hear().await.command, PacketCommand::Connect);
        raw.say(&[Packet::new(PacketCommand::Connect, 0x0100_0001, max_payload, &b"device::"[..])]).await;
    });
    (connection.unwrap(), raw)
}

#[tokio::test]
async fn a_connection_that_is_over_hangs_up_while_it_is_still_held() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (host, mut device) = raw_device(4096).await;
    device.pipe.write_all(b"GARBAGE GARBAGE GARBAGE!").await.unwrap();
    let mut rest = Vec::new();
    device.pipe.read_to_end(&mut rest).await.unwrap();
    assert!(matches!(host.over(), Some(AdbError::Protocol(_))));
}

#[tokio::test]
async fn no_side_sends_more_than_the_other_accepts() {
    let (host, mut device) = raw_device(1024).await;
    let (opened, ()) = tokio::join!(host.open("any"), async {
        let open = device.hear().await;
        device.say(&[Packet::new(PacketCommand::Okay, 7, open.arg0, Bytes::new())]).await;
    });
    let mut stream = opened.unwrap();
    let (sent, ()) = tokio::join!(stream.send(Bytes::from(vec![1; 2500])), async {
        for size in [1024, 1024, 452] {
            let write = device.hear().await;
            assert_eq!((write.command, write.payload.len()), (PacketCommand::Write, size));
            device.say(&[Packet::new(PacketCommand::Okay, 7, write.arg0, Bytes::new())]).await;
        }
        // But we take what we said we would, however little the device takes.
        device.say(&[Packet::new(PacketCommand::Write, 7, 1, vec![9; 500_000])]).await;
    });
    sent.unwrap();
    assert_eq!(stream.receive().await.unwrap().unwrap().len(), 500_000);
}

#[tokio::test]
async fn the_side_that_closes_a_stream_sees_it_closed() {
    let (host, mut device) = raw_device(4096).await;
    let (opened, open) = tokio::join!(host.open("any"), async {
        let open = device.hear().await;
        device.say(&[Packet::new(PacketCommand::Okay, 7, open.arg0, Bytes::new())]).await;
        open
    });
    let mut stream = opened.unwrap();
    // What was sent before the end arrives before the end.
    let last = Packet::new(PacketCommand::Write, 7, open.arg0, &b"last words"[..]);
    device.say(&[last, Packet::new(PacketCommand::Close, 7, open.arg0, Bytes::new())]).await;
    assert_eq!(stream.receive().await.unwrap().unwrap(), "last words");
    assert_eq!(stream.receive().await.unwrap(), None);
    let close = device.hear().await;
    assert_eq!((close.command, close.arg0, close.arg1), (PacketCommand::Close, open.arg0, 7));
}

#[tokio::test]
async fn a_few_packets_may_come_before_the_first_is_acknowledged() {
    for (count, is_fine) in [(2, true), (16, true), (17, false)] {
        let (host, mut device) = raw_device(4096).await;
        let (stream, open) = tokio::join!(host.open("any"), async {
            let open = device.hear().await;
            device.say(&[Packet::new(PacketCommand::Okay, 7, open.arg0, Bytes::new())]).await;
            open
        });
        let mut stream = stream.unwrap();
        let write = Packet::new(PacketCommand::Write, 7, open.arg0, &b"more"[..]);
        let close = Packet::new(PacketCommand::Close, 7, open.arg0, Bytes::new());
        device.say(&[vec![write; count], vec![close]].concat()).await;
        // The reader starts only after everything has arrived.
        if is_fine {
            while device.hear().await.command != PacketCommand::Close {}
        } else {
            let mut rest = Vec::new();
            tokio::io::AsyncReadExt::read_to_end(&mut device.pipe, &mut rest).await.unwrap();
        }
        let mut pieces = 0;
        let end = loop {
            match stream.receive().await {
                Ok(Some(_)) => pieces += 1,
                end => break end,
            }
        };
        assert_eq!((end.is_ok(), pieces), (is_fine, count.min(16)), "{count} packets");
    }
}

#[tokio::test]
async fn a_host_refuses_streams_it_is_asked_for() {
    let (_host, mut device) = raw_device(4096).await;
    device.say(&[Packet::new(PacketCommand::Open, 5, 0, &b"tcp:80\0"[..])]).await;
    let refusal = device.hear().await;
    assert_eq!((refusal.command, refusal.arg0, refusal.arg1), (PacketCommand::Close, 0, 5));
}

#[tokio::test]
async fn a_device_hears_what_came_with_the_greeting_and_refuses_what_it_drops() {
    let (ours, theirs) = duplex(1 << 20);
    let mut raw = Raw { pipe: theirs, buffer: bytes::BytesMut::new() };
    let hello = Packet::new(PacketCommand::Connect, 0x0100_0001, 4096, &b"host::"[..]);
    raw.say(&[hello, Packet::new(PacketCommand::Open, 3, 0, &b"early\0"[..])]).await;
    let (reader, writer) = split(ours);
    let (device, _) = Connection::from_host(reader, writer, DEVICE, None).await.unwrap();
    assert_eq!(raw.hear().await.command, PacketCommand::Connect);
    let incoming = device.accept().await.unwrap();
    assert_eq!(incoming.service(), "early");
    drop(incoming);
    assert_eq!(raw.hear().await.command, PacketCommand::Close);
}

#[tokio::test(start_paused = true)]
async fn a_device_that_never_answers_is_given_up() {
    let (host, _device) = raw_device(4096).await;
    for _ in 0..100 {
        let waiting = Deadline::after(Duration::from_secs(1)).run("opening", host.open("any"));
        if matches!(waiting.await, Err(AdbError::Protocol(_))) {
            assert!(host.over().is_some());
            return;
        }
    }
    panic!("it goes on forever");
}

#[test]
fn what_users_type_is_in_no_message() {
    let packet = clawperator_adb::shell::ShellPacket::Stdin("hunter2".into());
    assert!(!format!("{packet:?}").contains("hunter2"));
    let packet = Packet::new(PacketCommand::Write, 1, 2, &b"hunter2"[..]);
    assert!(!format!("{packet:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_refused_command_is_not_repeated_in_the_refusal() {
    let (host, _serving) = pair().await;
    let refused = host.open("shell,v2,raw:input text 'hunter2'").await.unwrap_err();
    assert!(
        !refused.to_string().contains("hunter2") && refused.to_string().contains("shell,v2"),
        "{refused}"
    );
}
