//! The apps that come with the phone.

use crate::app::{self, App};
use std::sync::{Arc, LazyLock};

/// Their files, and what each is called.
pub const FILES: &[(&str, &str)] = &[
    ("adbkeyboard.yaml", include_str!("../apps/adbkeyboard.yaml")),
    ("browser.yaml", include_str!("../apps/browser.yaml")),
    ("calculator.yaml", include_str!("../apps/calculator.yaml")),
    ("climate.yaml", include_str!("../apps/climate.yaml")),
    ("conformance.yaml", include_str!("../apps/conformance.yaml")),
    ("dialer.yaml", include_str!("../apps/dialer.yaml")),
    ("form.yaml", include_str!("../apps/form.yaml")),
    ("keyboard.yaml", include_str!("../apps/keyboard.yaml")),
    ("launcher.yaml", include_str!("../apps/launcher.yaml")),
    ("messenger.yaml", include_str!("../apps/messenger.yaml")),
    ("operator.yaml", include_str!("../apps/operator.yaml")),
    ("settings.yaml", include_str!("../apps/settings.yaml")),
    ("systemui.yaml", include_str!("../apps/systemui.yaml")),
    ("trouble.yaml", include_str!("../apps/trouble.yaml")),
];

/// The apps; read once, and shared by every phone of the process.
pub fn apps() -> &'static [Arc<App>] {
    static APPS: LazyLock<Vec<Arc<App>>> = LazyLock::new(|| {
        // A test reads every one of them, so none is left out.
        let parsed = FILES.iter().filter_map(|(_, file)| app::parse(file).ok());
        parsed.map(Arc::new).collect()
    });
    &APPS
}
