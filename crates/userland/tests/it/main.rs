//! The user land from outside: scripts in, bytes and exit codes out.

mod world;

mod cases;
