//! The wire contract of clawperator, as tables and types: actions, matchers,
//! aliases, limits, error codes, envelopes; and the two pure functions that
//! judge a payload, [`normalize()`] and [`check()`].
//!
//! This crate does not know about phones, time, files or threads.

mod action;
mod check;
mod clamp;
mod confirm;
mod data_key;
mod doctor_report;
mod envelope;
mod error_code;
mod execution;
mod failure;
mod key_name;
pub mod limits;
mod matcher;
mod normalize;
mod operator_route;
mod param;
mod pattern;
mod payload;
mod problem;
mod retry;
pub mod schema;
mod selector;
mod size;
mod skill_failure;
mod sparse;
mod wire;
mod word;

pub use action::*;
pub use check::{accept, accept_within, check, read_matcher};
pub use clamp::{Clamp, Unit};
pub use clawperator_document::{Number, ReadError, text, words};
pub use confirm::{
    CONFIRM_TIMEOUT, CONFIRM_TIMEOUT_RANGE, Confirm, ConfirmEffect, ConfirmField, DEFAULT_CONFIRM_TIMEOUT_MS,
    EFFECT_FIELDS,
};
pub use data_key::{COMMON_FAILURE_KEYS, COMMON_KEYS, DataKey, FAILED_KEYS};
pub use doctor_report::{Check, CheckStatus, DoctorReport, Evidence, Fix, FixStep, Repair, StepKind};
pub use envelope::{
    DeviceResult, DryRun, Envelope, ServeResult, Status, StepResult, TerminalSource, ValidationReport,
    reconcile,
};
pub use error_code::{CodeScope, ERROR_CODES, ErrorCode, ErrorRow, FAILURE_EXIT_CODE, Retry};
pub use execution::{
    Action, CheckedExecution, CommandId, Execution, ExecutionPlan, Repeat, Source, StepId, TaskId,
};
pub use failure::{Details, Failure, OwnerDetails};
pub use key_name::{key_names, key_number};
pub use matcher::{
    FieldForm, MATCHER_FIELDS, Matcher, MatcherField, REF_PATTERN, WHERE, WHERE_DOC, field_of, until,
};
pub use normalize::normalize;
pub use operator_route::{Dispatch, OperatorDetails};
pub use param::{Coordinate, PARAM_COUNT, PARAMS, ParamKey, ParamSpec, ParamValue, Params, Shape};
pub use pattern::{Pattern, PatternBudget, PatternError};
pub use payload::{Payload, PayloadAction, PayloadValue};
pub use problem::{Problem, Rejection, WARNING_CODES, Warning, WarningCode, Warnings};
pub use retry::{PATIENCE, RETRY_FIELDS, RetryField, RetryObject, RetryPolicy, RetryPreset};
pub use selector::{
    Attribute, Comparison, Condition, ConditionKind, Flag, NodeRelation, SELECTOR_KEYS, Selector,
    SelectorKey, TextTest,
};
pub use skill_failure::{SkillDetails, SkillFailure};
pub use wire::{
    ACTION_FIELDS, EXECUTION_FIELDS, EXPECTED_FORMAT, ExecutionWire, WireField, WireShape, object_text,
};
pub use word::{
    ClickType, Direction, Key, Lane, LaneWish, LookAfter, Mode, RouteChoice, UncheckedWord, Validator,
    ViewStyle, Visibility,
};
