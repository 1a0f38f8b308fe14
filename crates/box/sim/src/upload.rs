//! What hosts are sending: one bound in memory for all that is not yet written.

use std::sync::{Arc, Mutex, PoisonError};

/// The most that all uploads in progress hold together: as much as the largest file.
const MAX_HELD: usize = 256 << 20;

/// The uploads in progress to one phone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uploads(Arc<Mutex<usize>>);

/// What one upload holds; it is let go of when this is dropped.
#[derive(Debug)]
pub(crate) struct UploadShare {
    all: Uploads,
    own: usize,
}

impl Uploads {
    /// An upload that holds nothing yet.
    pub(crate) fn begin(&self) -> UploadShare {
        UploadShare { all: self.clone(), own: 0 }
    }
}

impl UploadShare {
    /// Holds so many bytes from now on; whether there is room for them.
    pub(crate) fn set(&mut self, bytes: usize) -> bool {
        let mut all = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        let others = all.saturating_sub(self.own);
        if bytes > MAX_HELD.saturating_sub(others) {
            return false;
        }
        *all = others + bytes;
        self.own = bytes;
        true
    }
}

impl Drop for UploadShare {
    fn drop(&mut self) {
        self.set(0);
    }
}
