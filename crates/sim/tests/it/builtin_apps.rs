//! The apps that come with the simulated phone.

use clawperator_sim::app;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

#[test]
fn every_app_file_is_an_app() {
    for name in ["apps", "apps/extra"] {
        for file in std::fs::read_dir(folder(name)).unwrap().flatten() {
            if file.path().extension().is_some_and(|end| end == "yaml") {
                let text = std::fs::read_to_string(file.path()).unwrap();
                let read = app::parse(&text);
                assert!(read.is_ok(), "{}: {:#?}", file.path().display(), read.err());
            }
        }
    }
}
