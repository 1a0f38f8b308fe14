//! What was approved reaches the phone, and does not come back to the model.

use clawperator_agent::approval::{ApplyError, Artifact, ArtifactUse, GeoPoint, GivenFile, Secret, apply};
use clawperator_phone::{
    Act, Deadline, DispatchState, Finger, LeaseOptions, Phone, PhoneLease, Precondition,
};
use clawperator_sim::{Handset, HostKeys, Setup, Welcome, ask, link};
use clawperator_ui::Tree;
use std::sync::Arc;
use std::time::Duration;

struct World {
    handset: Arc<Handset>,
    welcome: Arc<Welcome>,
    lease: PhoneLease,
}

impl World {
    async fn new() -> Self {
        let handset = Handset::new(Setup::default());
        let welcome = Arc::new(Welcome { keys: HostKeys::NotAsked, ..Welcome::default() });
        let device = link(&handset, &welcome).await.unwrap();
        let lease = PhoneLease::new(Phone::new(device, "phone-1"), LeaseOptions::default());
        Self { handset, welcome, lease }
    }

    async fn shell(&self, line: &str) -> String {
        ask(&self.handset, &self.welcome, line).await.unwrap()
    }

    async fn tree(&mut self) -> Tree {
        self.lease.screen(soon()).await.unwrap()
    }

    async fn tap(&mut self, id: &str) {
        let tree = self.tree().await;
        let mut nodes = tree.nodes();
        let found = nodes.find(|(_, node)| node.resource_id.as_ref().is_some_and(|it| it.ends_with(id)));
        let at = found.unwrap_or_else(|| panic!("{id}")).1.bounds.center();
        let tap = Act::Touch(Finger::Tap(at), Precondition::OnScreen);
        self.lease.perform(tap, soon()).await.unwrap();
    }

    async fn apply(&mut self, artifact: Artifact) -> Result<ArtifactUse, ApplyError> {
        apply(&mut self.lease, "ap-1", &artifact, soon()).await
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(60))
}

#[tokio::test(start_paused = true)]
async fn a_text_is_typed_into_the_focused_field_and_shown_as_dots() {
    let mut world = World::new().await;
    let nowhere = world.apply(Artifact::Text(Secret::new("nobody"))).await.unwrap_err();
    assert!(matches!(nowhere, ApplyError::NoField) && nowhere.dispatched() == DispatchState::No);
    world.shell("monkey -p com.clawperator.form -c android.intent.category.LAUNCHER 1").await;
    world.tap("open_login").await;
    for (field, text) in [("input_email", "walter@example.com"), ("input_password", "hunter2-secret")] {
        world.tap(field).await;
        let applied = world.apply(Artifact::Text(Secret::new(text))).await.unwrap();
        assert_eq!(applied, ArtifactUse::Typed, "{field}");
        let seen = format!("{:?}", world.tree().await);
        assert!(!seen.contains(text), "{seen}");
    }
    // The phone has it all the same.
    assert!(world.shell("uiautomator dump /dev/tty").await.contains("walter@example.com"));
}

#[tokio::test(start_paused = true)]
async fn a_place_becomes_the_phones() {
    let mut world = World::new().await;
    let place = GeoPoint { lat: 47.125, lon: -8.5 };
    assert_eq!(world.apply(Artifact::Geo(place)).await.unwrap(), ArtifactUse::Located);
    let provider = world.handset.with(|phone| phone.test_providers["gps"]);
    assert_eq!((provider.enabled, provider.place), (true, Some((47.125, -8.5))));
    // No request says that it is lent.
    world.lease.release().await;
    assert!(world.handset.with(|phone| phone.test_providers.contains_key("gps")));
}

#[tokio::test(start_paused = true)]
async fn a_place_that_is_lent_is_given_back_when_the_phone_is_let_go_of() {
    for ends in ["released", "dropped"] {
        let mut world = World::new().await;
        world.lease.lends_location = true;
        let place = GeoPoint { lat: 47.125, lon: -8.5 };
        assert_eq!(world.apply(Artifact::Geo(place)).await.unwrap(), ArtifactUse::Located);
        // An execution in between changes nothing.
        let home = Act::Key(clawperator_phone::KeyCode::Home, Precondition::OnScreen);
        world.lease.perform(home, soon()).await.unwrap();
        assert!(world.handset.with(|phone| phone.test_providers.contains_key("gps")));
        match ends {
            "released" => world.lease.release().await,
            _ => {
                drop(world.lease);
                // In the background, before anybody else gets the phone.
                for _ in 0..1000 {
                    tokio::task::yield_now().await;
                }
            }
        }
        assert!(world.handset.with(|phone| phone.test_providers.is_empty()), "{ends}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_picture_is_in_the_downloads() {
    let mut world = World::new().await;
    let picture = Artifact::Image(GivenFile {
        name: "../me.png".to_owned(),
        media_type: "image/png".to_owned(),
        bytes: b"\x89PNG picture".to_vec(),
    });
    let path = "/sdcard/Download/clawperator-ap-1.png".to_owned();
    assert_eq!(world.apply(picture).await.unwrap(), ArtifactUse::Stored { path: path.clone() });
    assert!(world.shell(&format!("cat {path}")).await.ends_with("PNG picture"));
}

/// In the original the agent was told to read the value from a file that its
/// `read` refused. Here it need not be read.
#[tokio::test(start_paused = true)]
async fn bug_09_what_was_given_is_applied_and_never_read() {
    let mut world = World::new().await;
    world.shell("monkey -p com.clawperator.form -c android.intent.category.LAUNCHER 1").await;
    world.tap("open_login").await;
    world.tap("input_email").await;
    assert_eq!(world.apply(Artifact::Text(Secret::new("code-1234"))).await.unwrap(), ArtifactUse::Typed);
}
