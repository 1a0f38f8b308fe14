//! A turn on a phone: who waits for it and who is refused, and the connection.

use crate::engine::EngineState;
use crate::queue::{Turn, TurnGuard};
use crate::request::PhoneRequest;
use crate::warm::{PhoneTurn, WarmConnection};
use clawperator_contract::Failure;
use clawperator_phone::{Deadline, Phone, PhoneGuard, PhoneLease};
use std::sync::{Arc, PoisonError, Weak};
use std::time::Duration;
use tokio::time::{Instant, timeout};

const MAX_ADDRESSES: usize = 1024;

/// What keeps others away from a phone. The lock goes first: who gets the turn must find it free.
struct PhoneHold {
    lock: Option<PhoneGuard>,
    _claim: Option<Arc<()>>,
    _turn: PhoneTurn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeasePurpose {
    /// A look, which others wait for.
    Look,
    /// Anything else, which others are refused for unless they wait.
    Act,
}

impl EngineState {
    /// Leases a phone: no other request of any process runs on it meanwhile.
    pub(crate) async fn lease(
        &self,
        place: Turn<()>,
        wanted: PhoneRequest<'_>,
        purpose: LeasePurpose,
    ) -> Result<PhoneLease, Failure> {
        let (phone, mut held, wait) = self.take_turn(place, wanted, purpose).await?;
        held.lock = Some(self.locks.take(phone.serial(), wanted.owner, wait).await?);
        let mut lease = PhoneLease::new(phone, self.lease_options(Some(Box::new(held))));
        lease.settle_earlier(Deadline::after(wanted.reach)).await;
        Ok(lease)
    }

    /// Claims a phone, to act on it. Who may not wait must be the only one.
    fn claim_phone(&self, serial: &str, wait: Option<Duration>) -> Result<Arc<()>, Failure> {
        // A map is whole between any two of its operations.
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        claims.retain(|_, claim| claim.strong_count() > 0);
        let earlier = claims.get(serial).and_then(Weak::upgrade);
        if earlier.is_some() && wait.is_none() {
            return Err(self.locks.conflict(serial).into());
        }
        let claim = earlier.unwrap_or_default();
        claims.insert(serial.to_owned(), Arc::downgrade(&claim));
        Ok(claim)
    }

    /// Waits for a phone, and connects to it if it is not connected. Tells how much
    /// is left of the time to wait.
    async fn take_turn(
        &self,
        place: Turn<()>,
        wanted: PhoneRequest<'_>,
        purpose: LeasePurpose,
    ) -> Result<(Arc<Phone>, PhoneHold, Option<Duration>), Failure> {
        let PhoneRequest { device, reach, mut wait, .. } = wanted;
        let claim = |serial: &str| match purpose {
            LeasePurpose::Look => Ok(None),
            LeasePurpose::Act => self.claim_phone(serial, wanted.wait).map(Some),
        };
        let first = place.wait().await;
        // A name can lead to another phone than it did before.
        let address = match device {
            Some(name) => Some(self.settings.discovery.find(name).await?),
            None => None,
        };
        let address = address.as_deref();
        let known = address.and_then(|address| self.serials().get(address).cloned());
        let (mut serial, mut connected) = match known {
            Some(serial) => (serial, None),
            None => {
                let phone = self.reach(address, reach).await?;
                (phone.serial().to_owned(), Some(phone))
            }
        };
        let mut claimed = claim(&serial)?;
        let mut turn = self.phones.join(&serial)?;
        // Who comes next for this name is now behind us.
        drop(first);
        loop {
            let mut held =
                PhoneTurn { turn: self.wait_for(turn, &serial, &mut wait).await?, idle: self.settings.idle };
            if let Some(phone) = connected.take() {
                held.turn.offer(phone);
            }
            let healthy = held.turn.healthy().await;
            let phone = match healthy {
                Some(phone) => phone,
                None => self.reach(address, reach).await?,
            };
            if phone.serial() == serial {
                held.turn.offer(phone.clone());
                let held = PhoneHold { lock: None, _claim: claimed, _turn: held };
                return Ok((phone, held, wait));
            }
            // Another phone is there now. It has a queue of its own.
            phone.serial().clone_into(&mut serial);
            claimed = claim(&serial)?;
            turn = self.phones.join(&serial)?;
            connected = Some(phone);
        }
    }

    /// Waits for a turn: for as long as the request may, or else for the look that is under way.
    async fn wait_for(
        &self,
        turn: Turn<WarmConnection>,
        serial: &str,
        wait: &mut Option<Duration>,
    ) -> Result<TurnGuard<WarmConnection>, Failure> {
        let Some(left) = *wait else {
            return Ok(turn.wait().await);
        };
        let since = Instant::now();
        let had = match turn {
            Turn::Had(had) => had,
            waiting @ Turn::Waiting(_) => {
                timeout(left, waiting.wait()).await.map_err(|_| self.locks.conflict(serial))?
            }
        };
        *wait = Some(left.saturating_sub(since.elapsed()));
        Ok(had)
    }

    /// Connects to a phone within that time, and remembers the serial of its address.
    async fn reach(&self, address: Option<&str>, within: Duration) -> Result<Arc<Phone>, Failure> {
        let connected = self.settings.discovery.connect(address, Deadline::after(within)).await;
        let Some(address) = address else {
            return connected.map(Arc::new);
        };
        let mut serials = self.serials();
        match connected {
            Ok(phone) => {
                if serials.len() >= MAX_ADDRESSES {
                    serials.clear();
                }
                serials.insert(address.to_owned(), phone.serial().to_owned());
                Ok(Arc::new(phone))
            }
            Err(failure) => {
                serials.remove(address);
                Err(failure)
            }
        }
    }
}
