//! Signals by number and name.

/// Every signal, from 1: its name, and the words for a process that it ended.
const SIGNALS: &[(&str, &str)] = &[
    ("HUP", "Hangup"),
    ("INT", "Interrupt"),
    ("QUIT", "Quit"),
    ("ILL", "Illegal instruction"),
    ("TRAP", "Trap"),
    ("ABRT", "Aborted"),
    ("BUS", "Bus error"),
    ("FPE", "Floating point exception"),
    ("KILL", "Killed"),
    ("USR1", "User signal 1"),
    ("SEGV", "Segmentation fault"),
    ("USR2", "User signal 2"),
    ("PIPE", "Broken pipe"),
    ("ALRM", "Alarm clock"),
    ("TERM", "Terminated"),
    ("STKFLT", "Stack fault"),
    ("CHLD", "Child exited"),
    ("CONT", "Continue"),
    ("STOP", "Stopped (signal)"),
    ("TSTP", "Stopped"),
    ("TTIN", "Stopped (tty input)"),
    ("TTOU", "Stopped (tty output)"),
    ("URG", "Urgent I/O condition"),
    ("XCPU", "CPU time limit exceeded"),
    ("XFSZ", "File size limit exceeded"),
    ("VTALRM", "Virtual timer expired"),
    ("PROF", "Profiling timer expired"),
    ("WINCH", "Window size changed"),
    ("IO", "I/O possible"),
    ("PWR", "Power failure"),
    ("SYS", "Bad system call"),
];

pub(crate) const INT: u8 = 2;
pub(crate) const QUIT: u8 = 3;
pub(crate) const PIPE: u8 = 13;

/// Signals after which a shell ends by itself: HUP, INT, QUIT, ALRM, TERM.
pub(crate) const SHELL_ENDS: &[u8] = &[1, INT, QUIT, 14, 15];

/// Name and words of a signal.
pub(crate) fn about(number: u8) -> Option<(&'static str, &'static str)> {
    SIGNALS.get(usize::from(number).checked_sub(1)?).copied()
}

/// The signal of a name, with or without `SIG`, or of a number.
pub(crate) fn number(text: &str) -> Option<u8> {
    let name = text.to_ascii_uppercase();
    let name = name.strip_prefix("SIG").unwrap_or(&name);
    let known = SIGNALS.iter().zip(1u8..).find(|((known, _), _)| *known == name);
    known.map(|(_, number)| number).or_else(|| text.parse().ok().filter(|number| *number <= 64))
}

/// A line for each signal.
pub(crate) fn list() -> String {
    let lines = SIGNALS.iter().zip(1..);
    lines.map(|((name, words), number)| format!("{number:>2} {name:>6} {words}\n")).collect()
}
