//! Waiting for a decision, and taking what was given.

use super::answer::Submission;
use super::desk::{ANSWERS, Desk, POLL, Result, UNREADABLE, is_alive, not_found};
use super::error::DeskError;
use super::request::{Decision, Request, State};
use super::seal::WaitKey;
use super::table::{self, Waiting};
use std::sync::Arc;
use std::time::Duration;

impl Desk {
    /// Waits until a request is decided, or its time is up. A request of a
    /// process that has ended is taken over.
    ///
    /// # Errors
    /// [`DeskError::NotFound`], [`DeskError::Elsewhere`], or what SQLite says.
    pub async fn wait(&self, id: &str) -> Result<Decision> {
        let mut changed = self.0.changed.subscribe();
        self.take_over(id).await?;
        loop {
            let request = self.get(id).await?;
            if request.state != State::Pending {
                return self.collect(request).await;
            }
            let left = request.expires_ms.saturating_sub(self.0.clock.now_ms());
            let pause = POLL.min(Duration::from_millis(left.max(1)));
            // The sender is ours, so it is there for as long as we wait.
            let _ = tokio::time::timeout(pause, changed.changed()).await;
        }
    }

    /// Makes this process the one that waits, if the other one has ended.
    pub(super) async fn take_over(&self, id: &str) -> Result<()> {
        if self.memory().keys.contains_key(id) || self.artifacts(id).is_some() {
            return Ok(());
        }
        let wanted = id.to_owned();
        let waiting = self
            .call(move |database| table::waiting(database, &wanted))
            .await?;
        let waiting = waiting.ok_or_else(|| not_found(id))?;
        if is_alive(&self.0.holders, &waiting.holder) {
            return Err(DeskError::Elsewhere(id.to_owned()));
        }
        let key = WaitKey::new()?;
        let ours = Waiting {
            holder: self.holder()?,
            public_key: key.public().to_vec(),
        };
        let wanted = id.to_owned();
        self.call(move |database| table::adopt(database, &wanted, &ours))
            .await?;
        self.memory().keys.insert(id.to_owned(), key);
        Ok(())
    }

    /// Takes what was given out of the store, into memory.
    async fn collect(&self, mut request: Request) -> Result<Decision> {
        let id = request.id.clone();
        if let Some(artifacts) = self.artifacts(&id) {
            return Ok(Decision { request, artifacts });
        }
        let wanted = id.clone();
        let sealed = self
            .call(move |database| table::take_sealed(database, &wanted))
            .await?;
        let key = self.memory().keys.remove(&id);
        let opened = key.zip(sealed).and_then(|(key, sealed)| key.open(&id, &sealed));
        let page = &request.asked.page;
        let artifacts = opened.and_then(|bytes| Submission::new(bytes).artifacts(page).ok());
        if artifacts.is_none() && !request.given.is_empty() && request.dropped.is_none() {
            request.dropped = Some(UNREADABLE.to_owned());
            self.call(move |database| table::drop_given(database, &id, UNREADABLE))
                .await?;
            let artifacts = Arc::default();
            return Ok(Decision { request, artifacts });
        }
        let artifacts = Arc::new(artifacts.unwrap_or_default());
        let mut memory = self.memory();
        if memory.answers.len() >= ANSWERS {
            memory.answers.remove(0);
        }
        memory.answers.push((id, artifacts.clone()));
        Ok(Decision { request, artifacts })
    }
}
