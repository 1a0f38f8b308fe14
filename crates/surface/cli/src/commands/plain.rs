//! The commands of actions that have no shape of their own: each is made of its
//! row in the contract's catalogue.

use super::flat::{EXECUTION, LOOK_AFTER, REPEAT, SELECTOR};
use crate::flags;
use crate::spec::{Command, CommandSpec, FlagSpec, FlatCommand, argument, one, options, row, switch};
use clawperator_contract::{
    ActionEffect, ActionSpec, CATALOGUE, ErrorCode, Need, ParamKey, ParamRule, ParamUse, Shape,
};
use std::sync::LazyLock;

/// The commands, in the catalogue's order. They are made once, and stay.
pub(super) static COMMANDS: LazyLock<Vec<CommandSpec>> =
    LazyLock::new(|| CATALOGUE.iter().filter_map(command).collect());

fn command(action: &'static ActionSpec) -> Option<CommandSpec> {
    let name = action.commands.first().filter(|_| action.verb.is_some())?;
    let own: Vec<FlagSpec> = action.params.iter().filter_map(flag).collect();
    let first = action.params.iter().find(|used| is_argument(used));
    let arguments = first.map(|used| argument(value_name(used), used.key.spec().doc));
    let looks = ![ActionEffect::Nothing, ActionEffect::Observes].contains(&action.effect);
    let groups = [
        action.uses(ParamKey::Matcher).then_some(SELECTOR),
        Some(options(own.leak())),
        action.uses(ParamKey::Confirm).then_some(options(&[flags::CONFIRM])),
        action.uses(ParamKey::Count).then_some(REPEAT),
        looks.then_some(LOOK_AFTER),
        Some(EXECUTION),
    ];
    let element = if action.uses(ParamKey::Matcher) { " --text \"Wi-Fi\"" } else { "" };
    let needed = action.params.iter().filter(|used| used.need == Need::Required);
    let needed: String = needed.filter_map(example).collect();
    let example: &str = format!("clawperator {name}{needed}{element}").leak();
    let elsewhere: &str = format!("{example} --device emulator-5554").leak();
    // The first sentence is for lists of commands.
    let (about, details) = match action.doc.find(". ") {
        Some(end) => (&action.doc[..=end], &action.doc[end + 2..]),
        None => (action.doc, ""),
    };
    let command = row(Command::Flat(FlatCommand::Plain(action.kind)), name, about)
        .details(details)
        .arguments(arguments.into_iter().collect::<Vec<_>>().leak())
        .flags(groups.into_iter().flatten().collect::<Vec<_>>().leak())
        .examples(vec![example, elsewhere].leak());
    Some(command)
}

/// Whether a parameter is the command's argument, if it is the first such.
pub(crate) fn is_argument(used: &ParamUse) -> bool {
    let is_text = matches!(used.key.spec().shape, Shape::Text | Shape::ShortText(_));
    is_text && used.need == Need::Required
}

/// The flag of a parameter; none for what the shared flags say.
fn flag(used: &'static ParamUse) -> Option<FlagSpec> {
    let (name, doc) = (used.key.words('-').leak(), used.key.spec().doc);
    let words = match used.rule {
        ParamRule::OneOf(words) | ParamRule::Known(words) | ParamRule::KnownAnyCase(words) => words,
        _ => &[],
    };
    match used.key.spec().shape {
        _ if [ParamKey::Strict, ParamKey::Count].contains(&used.key) => None,
        Shape::Flag => Some(switch(name, doc)),
        Shape::Text | Shape::ShortText(_) | Shape::Number => {
            Some(one(name, value_name(used), doc).words(words).missing(ErrorCode::MissingArgument))
        }
        Shape::Matcher | Shape::Coordinate | Shape::Retry | Shape::Confirm => None,
    }
}

fn value_name(used: &ParamUse) -> &'static str {
    used.key.words('_').to_uppercase().leak()
}

/// What a needed parameter is in an example.
fn example(used: &ParamUse) -> Option<String> {
    let flag = used.key.words('-');
    match (used.key.spec().shape, used.rule) {
        (_, ParamRule::OneOf(words)) => Some(format!(" {}", words.first()?)),
        (Shape::Text | Shape::ShortText(_), _) => Some(" \"hello\"".to_owned()),
        (Shape::Number, _) => Some(format!(" --{flag} 1")),
        (Shape::Flag | Shape::Matcher | Shape::Coordinate | Shape::Retry | Shape::Confirm, _) => None,
    }
}
