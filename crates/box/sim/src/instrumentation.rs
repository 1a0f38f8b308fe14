//! An instrumentation that runs: a process of an app that watches the screen.

use crate::automation::Watching;
use crate::handset::Handset;

/// An instrumentation while it runs; its process ends with this.
#[derive(Debug)]
pub(crate) struct Instrumentation<'h> {
    pub(crate) handset: &'h Handset,
    app: String,
    pid: Option<u32>,
    _watching: Watching<'h>,
}

impl<'h> Instrumentation<'h> {
    /// Starts it in the process of an app; none while another program watches the screen.
    pub(crate) fn start(handset: &'h Handset, app: &str, component: String) -> Option<Self> {
        // An instrumentation starts afresh, whatever of its app runs.
        handset.with(|phone| phone.force_stop(app));
        let watching = handset.automation.connect()?;
        let pid = handset.with(|phone| {
            phone.start_process(app);
            phone.instrumented = Some(component);
            phone.pid_of(app)
        });
        Some(Self { handset, app: app.to_owned(), pid, _watching: watching })
    }

    /// Waits until someone else ends it.
    pub(crate) async fn wait_for_end(&self) {
        self.handset.follow(|phone| (phone.pid_of(&self.app) != self.pid).then_some(())).await;
    }
}

impl Drop for Instrumentation<'_> {
    fn drop(&mut self) {
        self.handset.with(|phone| {
            phone.instrumented = None;
            if phone.pid_of(&self.app) == self.pid {
                phone.force_stop(&self.app);
            }
        });
    }
}
