//! Flat commands: each builds an execution of one action from its arguments. The execution passes
//! the same checks as any other payload, so a builder only translates.

mod app;
mod confirm;
mod frame;
mod observe;
mod plain;
mod scroll;
mod selector;
mod touch;
mod wait;

use super::args::Args;
use super::spec::FlatCommand;
use clawperator_contract::Failure;
pub(super) use frame::FlatPayload;

pub(super) fn build(command: FlatCommand, args: &Args) -> Result<FlatPayload, Failure> {
    let build: fn(&Args) -> Result<FlatPayload, Failure> = match command {
        FlatCommand::Snapshot => observe::snapshot,
        FlatCommand::Screenshot => observe::screenshot,
        FlatCommand::Click => touch::click,
        FlatCommand::Drag => touch::drag,
        FlatCommand::Type => touch::enter_text,
        FlatCommand::Read => observe::read,
        FlatCommand::ReadValue => observe::read_value,
        FlatCommand::Wait => wait::wait,
        FlatCommand::WaitForToast => wait::wait_for_toast,
        FlatCommand::Find => observe::find,
        FlatCommand::WaitForNavigation => wait::wait_for_navigation,
        FlatCommand::Open => app::open,
        FlatCommand::Close => app::close,
        FlatCommand::Press => touch::press,
        FlatCommand::Back => touch::back,
        FlatCommand::Scroll => scroll::scroll,
        FlatCommand::ScrollUntil => scroll::scroll_until,
        FlatCommand::ScrollAndClick => scroll::scroll_and_click,
        FlatCommand::Sleep => wait::sleep,
        FlatCommand::RecordStart => |args| app::record(frame::RECORD_START, args),
        FlatCommand::RecordStop => |args| app::record(frame::RECORD_STOP, args),
        FlatCommand::Plain(kind) => {
            let built = plain::build(args, kind);
            return args.settle(built.and_then(|payload| payload.for_caller(args)));
        }
    };
    args.settle(build(args).and_then(|payload| payload.for_caller(args)))
}
