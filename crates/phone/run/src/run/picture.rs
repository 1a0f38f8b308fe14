//! Pictures of a run, for its event log.

use super::{Route, Run};
use clawperator_events::{PictureMoment, Pictures};
use clawperator_phone::Views;
use tokio::time::Instant;

impl Run<'_> {
    /// Takes a picture for the event log, if it wants any. A failure changes
    /// nothing: the log has the command that failed.
    pub(crate) async fn picture(&mut self, after: PictureMoment) {
        let options = self.options;
        let Some(log) = &options.event_log else {
            return;
        };
        if log.pictures() == Pictures::Left {
            return;
        }
        let Ok(png) = self.phone().screenshot(self.deadline).await else {
            return;
        };
        if after == PictureMoment::Step && log.has_secrets() && !self.see_again().await {
            return;
        }
        log.picture(&png, after);
    }

    /// Looks at what a picture shows, for the secrets in it. Tells whether it
    /// was seen: without that no picture is stored.
    async fn see_again(&mut self) -> bool {
        // A look of ours would disturb the app.
        if matches!(self.options.route, Route::Operator(_)) {
            return false;
        }
        let since = Instant::now();
        let seen = self.phone().capture(Views::All, self.deadline).await;
        if let Ok(tree) = &seen {
            self.note(|log| log.look(tree, since.elapsed()));
        }
        seen.is_ok()
    }
}
