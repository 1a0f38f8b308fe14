//! What a phone's process in the background does first: it lets go of whoever
//! started it.

/// The variable that tells a process that it runs in the background.
pub(crate) const BACKGROUND: &str = "CLAWPERATOR_SIM_BACKGROUND";

/// Leaves the terminal, and closes what was left open by whoever started us: a
/// lock would stay locked, and a pipe open, for as long as the phone runs. To
/// be called before anything of our own is open.
#[cfg(unix)]
pub(crate) fn let_go() {
    // Fails only if there is nothing to leave.
    let _ = nix::unistd::setsid();
    let Ok(listed) = std::fs::read_dir("/dev/fd") else {
        return;
    };
    let open: Vec<i32> = listed
        .filter_map(|file| file.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|number| *number > 2) {
        // The list itself is among them, and closed by now.
        let _ = nix::unistd::close(descriptor);
    }
}

/// Nothing is inherited here unless it was meant to be.
#[cfg(not(unix))]
pub(crate) fn let_go() {}
