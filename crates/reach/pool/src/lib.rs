//! A pool of phones over many hosts. Hosts take jobs from a broker and run them with the
//! engine; callers send jobs and wait for their results. There is no scheduler: a host takes
//! a job when it has a phone for it.

#[cfg(feature = "nats")]
pub mod access;
pub mod broker;
#[cfg(feature = "nats")]
pub mod init;
#[cfg(feature = "nats")]
pub mod local;
pub mod seal;
