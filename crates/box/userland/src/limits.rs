//! Every bound of the user land, in one place.

/// Longest script, in bytes.
pub const MAX_SCRIPT: usize = 1 << 20;
/// Deepest nesting of a script's text.
pub const MAX_NESTING: usize = 80;
/// Deepest nesting of commands, functions and shells while running. In a debug
/// build a level takes up to 36 KiB of stack; a thread usually has 2 MiB.
pub const MAX_DEPTH: usize = 32;
/// Most bytes a `$(...)` may give.
pub const MAX_SUBSTITUTION: usize = 16 << 20;
/// Most processes at once, in one machine.
pub const MAX_PROCESSES: usize = 256;
/// Most background jobs at once, in one machine.
pub const MAX_JOBS: usize = 64;
/// Most variables in one shell.
pub const MAX_VARIABLES: usize = 4096;
/// Most values of arrays in one shell.
pub const MAX_ELEMENTS: usize = 16_384;
/// Most words one command may get, after expansion.
pub const MAX_WORDS: usize = 65_536;
/// Longest name of a file, in bytes.
pub const MAX_NAME: usize = 255;
/// Longest path, in bytes.
pub const MAX_PATH: usize = 4096;
/// Most symbolic links followed on the way to one file.
pub const MAX_LINKS: usize = 40;
/// Most nodes in one file system.
pub const MAX_NODES: usize = 65_536;
/// Most directories inside each other: nothing that walks a tree goes deeper.
pub const MAX_TREE: usize = 128;
/// Largest piece that moves through a pipe at once.
pub const CHUNK: usize = 64 << 10;
/// What a program reads ahead at once.
pub(crate) const BUFFER: usize = 4096;
/// Pieces a pipe holds before its writer waits.
pub const PIPE: usize = 8;
/// Longest line a command that reads lines takes; the rest is a line of its own.
pub const MAX_LINE: usize = 1 << 20;
/// Most bytes a command may hold that needs its whole input (`sort`).
pub const MAX_HELD: usize = 64 << 20;
/// Most lines a command may hold that needs its whole input: each costs a slice.
pub const MAX_HELD_LINES: usize = 1 << 22;
/// Longest text a `sed` script may join or make; one search through it cannot rest.
pub const MAX_SPACE: usize = 4 << 20;
/// Bytes the random device gives to one reader.
pub const MAX_RANDOM: u64 = 64 << 20;
/// Commands and loop rounds between two rests for the runtime.
pub const ROUNDS: u32 = 32;
