//! Waiting for a decision, and taking what was given.

use super::answer::Submission;
use super::desk::{ANSWERS, Desk, POLL, Result, UNREADABLE, is_alive, not_found};
use super::error::DeskError;
use super::request::{ApprovalDecision, ApprovalRequest, State};
use super::table;
use clawperator_phone::SealKey;
use futures_core::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

impl Desk {
    /// Waits until a request is decided, or its time is up. A request of a
    /// process that has ended is taken over.
    ///
    /// # Errors
    /// [`DeskError::NotFound`], [`DeskError::Elsewhere`], or what SQLite says.
    pub fn wait<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<ApprovalDecision>> {
        Box::pin(async move {
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
        })
    }

    /// Makes this process the one that waits, if the other one has ended.
    pub(super) async fn take_over(&self, id: &str) -> Result<()> {
        let (wanted, ours) = (id.to_owned(), self.holder()?);
        let holder = self.call(move |database| table::column(database, "holder", &wanted)).await?;
        let holder: String = holder.ok_or_else(|| not_found(id))?;
        if holder == ours || self.artifacts(id).is_some() {
            return Ok(());
        }
        if is_alive(&self.0.holders, &holder) {
            return Err(DeskError::Elsewhere(id.to_owned()));
        }
        let wanted = id.to_owned();
        self.call(move |database| table::adopt(database, &wanted, &ours)).await
    }

    /// Takes what was given into memory. It stays sealed in the store until its
    /// time is over, for a process after this one.
    async fn collect(&self, mut request: ApprovalRequest) -> Result<ApprovalDecision> {
        let id = request.id.clone();
        if let Some(artifacts) = self.artifacts(&id) {
            return Ok(ApprovalDecision { request, artifacts });
        }
        let wanted = id.clone();
        let sealed = self.call(move |database| table::column(database, "sealed", &wanted)).await?;
        let sealed: Option<Vec<u8>> = sealed.flatten();
        let opened = self.key().zip(sealed).and_then(|(key, sealed)| key.open(&label(&id), &sealed));
        let page = &request.asked.page;
        let artifacts = opened.and_then(|bytes| Submission::new(bytes).artifacts(page).ok());
        if artifacts.is_none() && !request.given.is_empty() && request.dropped.is_none() {
            request.dropped = Some(UNREADABLE.to_owned());
            self.call(move |database| table::drop_given(database, &id, UNREADABLE)).await?;
            let artifacts = Arc::default();
            return Ok(ApprovalDecision { request, artifacts });
        }
        let artifacts = Arc::new(artifacts.unwrap_or_default());
        let mut memory = self.memory();
        if memory.answers.len() >= ANSWERS {
            memory.answers.remove(0);
        }
        memory.answers.push((id, artifacts.clone()));
        Ok(ApprovalDecision { request, artifacts })
    }

    /// The request of a question that was asked and not used up, unless another
    /// process waits for it.
    pub fn asked_before(&self, question: [u8; 32]) -> BoxFuture<'_, Result<Option<String>>> {
        Box::pin(async move {
            let found = self.call(move |database| table::newest_request(database, question)).await?;
            let ours = self.holder()?;
            let is_free = |holder: &String| *holder == ours || !is_alive(&self.0.holders, holder);
            Ok(found.filter(|(_, holder)| is_free(holder)).map(|(id, _)| id))
        })
    }

    /// Makes void what a person said and who asks this has not used.
    pub fn void(&self, question: [u8; 32]) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.call(move |database| table::void(database, question)).await })
    }

    /// Uses a question up: its answer counts once. Tells whether it was not yet.
    pub fn use_up<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<bool>> {
        Box::pin(async move {
            let id = id.to_owned();
            self.call(move |database| table::use_up(database, &id)).await
        })
    }

    /// Whether the process lives that waits for a request.
    pub fn is_awaited<'f>(&'f self, id: &'f str) -> BoxFuture<'f, Result<bool>> {
        Box::pin(async move {
            let id = id.to_owned();
            let holder: Option<String> =
                self.call(move |database| table::column(database, "holder", &id)).await?;
            Ok(holder.is_some_and(|holder| is_alive(&self.0.holders, &holder)))
        })
    }

    pub(super) fn key(&self) -> Option<SealKey> {
        SealKey::of(&self.0.state).ok()
    }
}

pub(super) fn label(id: &str) -> String {
    format!("approval/{id}")
}
