//! A skills repository on disk: its registry and packages.
