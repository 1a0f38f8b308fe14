//! Apps are started, opened, ended and listed.

use crate::world::{both_protocols, failure, plain, soon};
use clawperator_phone::{PackageFilter, PhoneError};

const FORM: &str = "com.clawperator.form";

#[tokio::test(start_paused = true)]
async fn an_app_is_started_in_one_round_trip() {
    for world in both_protocols().await {
        world.phone.launch(FORM, soon()).await.unwrap();
        assert_eq!(world.phone.round_trips(), 1);
        let front = world.phone.foreground(soon()).await.unwrap();
        assert_eq!(world.phone.round_trips(), 2);
        assert_eq!(front.package.as_deref(), Some(FORM));
        assert_eq!(front.activity.as_deref(), Some("com.clawperator.form.MainActivity"));
        assert_eq!((front.keyguard, front.awake, front.input_shown), (Some(false), Some(true), Some(false)));
        // Again, while it is there: it is not started a second time.
        world.phone.launch(FORM, soon()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_started_is_told_apart() {
    for world in both_protocols().await {
        for (package, wanted) in [
            ("com.none.such", "not installed"),
            ("com.clawperator.none'; reboot; '", "not installed"),
            ("com.android.systemui", "no activity that can be launched"),
        ] {
            let error = failure(world.phone.launch(package, soon()).await);
            assert!(error.to_string().contains(wanted), "{package}: {error}");
        }
        let error = failure(world.phone.open_uri("nobody://home", soon()).await);
        assert!(matches!(&error, PhoneError::UriNotHandled { uri } if uri == "nobody://home"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_uri_opens_what_takes_it() {
    let world = plain().await;
    world.phone.open_uri("clawform://login?x='&y=$HOME", soon()).await.unwrap();
    let front = world.phone.foreground(soon()).await.unwrap();
    assert_eq!(front.activity.as_deref(), Some("com.clawperator.form.LoginActivity"));
    assert_eq!(world.phone.round_trips(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_app_is_ended() {
    let world = plain().await;
    world.phone.launch(FORM, soon()).await.unwrap();
    world.phone.force_stop(FORM, soon()).await.unwrap();
    let front = world.phone.foreground(soon()).await.unwrap();
    assert_ne!(front.package.as_deref(), Some(FORM));
    world.phone.force_stop("com.none.such", soon()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn packages_are_listed() {
    let world = plain().await;
    let all = world.phone.packages(PackageFilter::All, soon()).await.unwrap();
    let others = world.phone.packages(PackageFilter::ThirdParty, soon()).await.unwrap();
    assert!(all.is_sorted() && all.contains(&FORM.to_owned()));
    assert!(others.len() < all.len() && others.contains(&FORM.to_owned()));
}
