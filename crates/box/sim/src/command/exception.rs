//! What Android's own commands print when they throw.

use clawperator_userland::Call;

/// The exit code of a command that threw.
const THROWN: u8 = 255;

/// Prints an exception as the phone's services do, and gives the exit code.
pub(super) async fn throw(call: &mut Call, doing: &str, exception: &str) -> u8 {
    let text = format!(
        "\nException occurred while executing '{doing}':\n{exception}\n\tat android.os.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)\n\tat android.os.Binder.onTransact(Binder.java:1173)\n"
    );
    call.err(text).await;
    THROWN
}

/// An argument is not what it should be.
pub(super) async fn illegal(call: &mut Call, doing: &str, message: &str) -> u8 {
    throw(call, doing, &format!("java.lang.IllegalArgumentException: {message}")).await
}
