//! A phone that goes away, before and in the middle.

use crate::adb_server::serve_list;
use crate::world::{connect_again, failure, faulty, old_welcome, plain, soon, welcome, world, world_with};
use clawperator_adb::{Deadline, Device, ServerClient};
use clawperator_phone::{DispatchState, Finger, KeyCode, Phone, PhoneError, Precondition};
use clawperator_sim::fault::Fault;
use clawperator_sim::{Latency, Setup};
use clawperator_ui::Point;
use std::time::Duration;

const SOMEWHERE: Point = Point { x: 540, y: 900 };

fn slow() -> Setup {
    Setup { latency: Latency::PixelLike, ..Setup::default() }
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_goes_in_the_middle_may_have_acted() {
    // The greeting passes, the tap does not.
    for bytes in [600, 700, 800] {
        let world = faulty(&[&format!("connection_reset={bytes}")]).await;
        let error = loop {
            if let Err(error) =
                world.phone.touch(Finger::Tap(SOMEWHERE), &Precondition::OnScreen, soon()).await
            {
                break error;
            }
        };
        assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
        assert_eq!(error.dispatched(), DispatchState::Unknown);
        // Whatever comes next is known not to have been sent.
        let trips = world.phone.round_trips();
        let error = failure(world.phone.touch(Finger::Tap(SOMEWHERE), &Precondition::OnScreen, soon()).await);
        assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
        assert_eq!(error.dispatched(), DispatchState::No);
        assert_eq!(world.phone.round_trips(), trips);
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_reboots_while_it_works_is_lost() {
    let world = world(slow()).await;
    let working = world.phone.launch("com.clawperator.form", soon());
    let rebooting = async {
        // Once it has begun: it takes much longer than this.
        while world.phone.round_trips() == 0 {
            tokio::task::yield_now().await;
        }
        tokio::time::sleep(Duration::from_millis(30)).await;
        world.handset.reboot();
    };
    let (launched, ()) = tokio::join!(working, rebooting);
    let error = failure(launched);
    assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
    assert_eq!(error.dispatched(), DispatchState::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_stalls_may_have_acted() {
    let world = faulty(&["connection_stall=600"]).await;
    let short = || Deadline::after(Duration::from_millis(300));
    let error = loop {
        if let Err(error) = world.phone.touch(Finger::Tap(SOMEWHERE), &Precondition::OnScreen, short()).await
        {
            break error;
        }
    };
    assert!(matches!(error, PhoneError::TimedOut { .. }), "{error}");
    assert_eq!(error.dispatched(), DispatchState::Unknown);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_when_the_time_is_already_up() {
    let world = plain().await;
    let over = Deadline::after(Duration::ZERO);
    tokio::time::sleep(Duration::from_millis(5)).await;
    let error = failure(world.phone.touch(Finger::Tap(SOMEWHERE), &Precondition::OnScreen, over).await);
    assert!(matches!(error, PhoneError::TimedOut { .. }), "{error}");
    assert_eq!(error.dispatched(), DispatchState::No);
    assert_eq!(world.phone.round_trips(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_slow_phone_runs_out_of_time() {
    let world = world(slow()).await;
    let short = Deadline::after(Duration::from_millis(20));
    let error = failure(world.phone.launch("com.clawperator.form", short).await);
    assert!(matches!(error, PhoneError::TimedOut { .. }), "{error}");
    assert_eq!(error.dispatched(), DispatchState::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_reboots_instead_of_acting_is_lost() {
    let world = faulty(&["rebootx1"]).await;
    let error = failure(world.phone.touch(Finger::Tap(SOMEWHERE), &Precondition::OnScreen, soon()).await);
    assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
    assert_eq!(error.dispatched(), DispatchState::Unknown);
}

const FAULTS: &[&str] = &["answer_lostx1", "hang_upx1", "rebootx1"];

#[tokio::test(start_paused = true)]
async fn a_phone_with_the_old_shell_protocol_may_have_acted() {
    for fault in FAULTS {
        let world = world_with(Setup::default(), old_welcome()).await;
        let fault = Fault::parse(fault).unwrap();
        world.handset.faults(|faults| faults.set_plan(vec![fault]));
        let error = failure(world.phone.key(KeyCode::Home, &Precondition::OnScreen, soon()).await);
        assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
        assert_eq!(error.dispatched(), DispatchState::Unknown, "{fault}: {error}");
    }
}

/// Through an adb server the end of a connection is the word `closed`, whether
/// the command has run or not.
#[tokio::test]
async fn a_phone_behind_a_server_may_have_acted_whatever_the_server_says() {
    for (fault, welcome) in FAULTS.iter().flat_map(|fault| [(*fault, welcome()), (*fault, old_welcome())]) {
        let world = world_with(Setup::default(), welcome).await;
        let environment = serve_list("sim-1  device\n", connect_again(&world).await).await;
        let server = ServerClient::from_environment(&environment).unwrap();
        let device = Device::on_server(server, "sim-1", soon()).await.unwrap();
        let phone = Phone::new(device, "sim-1");
        let fault = Fault::parse(fault).unwrap();
        world.handset.faults(|faults| faults.set_plan(vec![fault]));
        let error = failure(phone.key(KeyCode::Home, &Precondition::OnScreen, soon()).await);
        assert!(matches!(error, PhoneError::Lost { .. }), "{error}");
        assert_eq!(error.dispatched(), DispatchState::Unknown, "{fault}: {error}");
    }
}
