//! What a tool call becomes: one action, completely filled in.
//!
//! The types are written down once, in the table of the tools: each tool's row
//! says what its action is made of.

mod template;
mod word;

pub use crate::tool::catalogue::{
    AgentAction, ApplyPatch, Drag, Edit, Exec, Finish, KeyEvent, LaunchApp, LongPressDrag, MemoryGet,
    MemorySearch, Plain, Process, Read, RequestHumanAuth, RunScript, Shell, Swipe, Tap, Type, Wait, Write,
};
pub use template::{TemplateField, TemplateOption, TemplateStyle, UiTemplate};
pub use word::{ArtifactKind, Capability, FieldType, ProcessAction};
