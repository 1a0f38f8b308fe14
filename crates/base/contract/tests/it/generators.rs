//! Payloads made at random from the tables: likely right, one step off, or
//! anything at all inside a frame that is right.

use clawperator_contract::limits::{MAX_ID_LENGTH, MAX_MATCHER_VALUE_LENGTH};
use clawperator_contract::{
    ACTION_FIELDS, ActionSpec, CATALOGUE, CONFIRM_TIMEOUT, CONFIRM_TIMEOUT_RANGE, Clamp, Comparison,
    ConditionKind, ConfirmField, EFFECT_FIELDS, EXECUTION_FIELDS, FieldForm, MATCHER_FIELDS, MatcherField,
    Need, PARAMS, ParamRule, ParamUse, RETRY_FIELDS, SELECTOR_KEYS, Shape, WHERE, WireField, WireShape,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// How names are written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spelling {
    /// As the tables have them.
    Canonical,
    /// The same, or as an alias.
    Any,
}

impl Spelling {
    fn name(self, aliases: &[&'static str], name: &'static str) -> BoxedStrategy<String> {
        let aliases: Vec<_> = aliases.iter().map(|alias| (*alias).to_owned()).collect();
        match self {
            Self::Any if !aliases.is_empty() => {
                prop_oneof![2 => Just(name.to_owned()), 1 => select(aliases)].boxed()
            }
            Self::Any | Self::Canonical => Just(name.to_owned()).boxed(),
        }
    }
}

/// Any JSON, with keys and words of the contract strewn in.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        known_word().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((known_word(), inner), 0..8).prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

fn known_word() -> impl Strategy<Value = String> {
    let all = |fields: &'static [WireField]| {
        fields.iter().flat_map(|field| field.aliases.iter().chain([&field.name]))
    };
    let params = PARAMS.iter().flat_map(|spec| spec.aliases.iter().chain([&spec.name]));
    let matchers = MATCHER_FIELDS.iter().flat_map(|field| field.aliases.iter().chain([&field.name]));
    let types = CATALOGUE.iter().flat_map(|spec| spec.aliases.iter().chain([&spec.name]));
    let conditions = SELECTOR_KEYS.iter().map(|row| &row.name);
    let more = ["x", "y", "android-ui-automator", "regex", "direct", WHERE];
    let fields = all(&EXECUTION_FIELDS).chain(all(&ACTION_FIELDS));
    let words = fields.chain(params).chain(matchers).chain(conditions).chain(types).chain(&more);
    select(words.map(|word| (*word).to_owned()).collect::<Vec<_>>())
}

/// A text that says something, of any ordinary length.
fn plain_text() -> BoxedStrategy<Value> {
    prop_oneof![
        3 => "[a-z.]{1,12}".prop_map(Value::from),
        1 => "[^\\s]{1,20}".prop_map(Value::from),
    ]
    .boxed()
}

/// A text about as long as it may be, in characters of one, two and four bytes:
/// the last count twice in UTF-16 and once in a schema.
fn text_around(max: usize) -> BoxedStrategy<Value> {
    let long = (select(vec!["a", "é", "😀"]), 0..3_usize).prop_map(move |(filler, more)| {
        let units: usize = filler.chars().map(char::len_utf16).sum();
        Value::from(filler.repeat((max - 1) / units + more))
    });
    prop_oneof![8 => plain_text(), 1 => long, 1 => select(vec!["", " ", "\u{feff}\t"]).prop_map(Value::from)]
        .boxed()
}

/// One of some words, mostly unchanged, sometimes padded or in capitals.
fn word_of(words: &'static [&'static str]) -> BoxedStrategy<Value> {
    let change = prop_oneof![6 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(3)];
    let known = (select(words.to_vec()), change).prop_map(|(word, change)| match change {
        0 => word.to_owned(),
        1 => format!(" {word}\u{a0}"),
        2 => word.to_uppercase(),
        _ => word.replace('k', "\u{212a}"),
    });
    prop_oneof![12 => known.prop_map(Value::from), 1 => plain_text()].boxed()
}

/// A number in a range or just outside it.
fn number_around(min: f64, max: f64) -> BoxedStrategy<Value> {
    let edges = vec![min, max, min - 1.0, max + 1.0, min + 0.5, max - 0.5, (min + max) / 2.0];
    prop_oneof![
        2 => select(edges).prop_map(Value::from),
        8 => (0_u32..=1_000).prop_map(move |share| {
            Value::from((min + (max - min) * f64::from(share) / 1_000.0).floor().max(min))
        }),
    ]
    .boxed()
}

fn some_matcher(spelling: Spelling) -> BoxedStrategy<Value> {
    let fields = vec(select(MATCHER_FIELDS.to_vec()), 1..3).prop_flat_map(move |fields| {
        let entries: Vec<_> = fields.iter().map(|field| matcher_entry(field, spelling)).collect();
        entries.prop_map(|entries| Value::Object(entries.into_iter().collect()))
    });
    let more = prop_oneof![7 => Just(None), 1 => some_selector(spelling).prop_map(Some)];
    (fields, more)
        .prop_map(|(mut matcher, more)| {
            if let (Some(more), Some(matcher)) = (more, matcher.as_object_mut()) {
                matcher.insert(WHERE.to_owned(), more);
            }
            matcher
        })
        .boxed()
}

/// A selector, now and then too deep, too large or empty.
fn some_selector(spelling: Spelling) -> BoxedStrategy<Value> {
    let plain = |kinds: fn(&ConditionKind) -> bool| {
        let rows: Vec<_> = SELECTOR_KEYS.into_iter().filter(|row| kinds(&row.kind)).collect();
        select(rows)
    };
    let text = plain(|kind| matches!(kind, ConditionKind::Text(..))).prop_flat_map(move |row| {
        let field = MATCHER_FIELDS.iter().find(|field| field.name == row.name);
        let name = spelling.name(field.map_or(&[], |field| field.aliases), row.name);
        let value = match row.kind {
            ConditionKind::Text(_, Comparison::Matches) => {
                prop_oneof![30 => "[a-z]{1,5}[*+?]?", 1 => Just("(".to_owned())].prop_map(Value::from).boxed()
            }
            _ => prop_oneof![30 => plain_text(), 1 => text_around(MAX_MATCHER_VALUE_LENGTH)].boxed(),
        };
        (name, value)
    });
    let flag = plain(|kind| matches!(kind, ConditionKind::Flag(_)))
        .prop_flat_map(|row| (Just(row.name.to_owned()), any::<bool>().prop_map(Value::from)));
    let index = (Just("indexInParent".to_owned()), number_around(0.0, f64::from(i32::MAX)));
    let leaf = prop_oneof![3 => text, 2 => flag, 1 => index]
        .prop_map(|entry| Value::Object([entry].into_iter().collect()));
    let tree = leaf.prop_recursive(9, 70, 4, move |inner| {
        let lists = plain(|kind| matches!(kind, ConditionKind::AllOf | ConditionKind::AnyOf));
        let related = plain(|kind| matches!(kind, ConditionKind::Related(_) | ConditionKind::Not));
        let list = (lists, vec(inner.clone(), 1..4)).prop_map(|(row, list)| (row.name, Value::from(list)));
        let related = (related, inner.clone()).prop_map(|(row, other)| (row.name, other));
        (prop_oneof![list, related], inner).prop_map(|((name, value), mut beside)| {
            if let Some(beside) = beside.as_object_mut() {
                beside.insert(name.to_owned(), value);
            }
            beside
        })
    });
    prop_oneof![20 => tree, 1 => Just(Value::Object(Map::new()))].boxed()
}

fn matcher_entry(field: &MatcherField, spelling: Spelling) -> BoxedStrategy<(String, Value)> {
    let value = match field.form {
        FieldForm::Text => text_around(MAX_MATCHER_VALUE_LENGTH),
        FieldForm::Ref => prop_oneof![
            // What the pattern of a ref says, without its anchors.
            9 => "@e[1-9][0-9]{0,8}".prop_map(Value::from),
            1 => select(vec!["@e0", "e7", "@e", "@e1234567890", "@e７", " @e7"]).prop_map(Value::from),
        ]
        .boxed(),
    };
    (spelling.name(field.aliases, field.name), value).boxed()
}

fn some_retry() -> BoxedStrategy<Value> {
    let fields = vec(select(RETRY_FIELDS.to_vec()), 0..4).prop_flat_map(|fields| {
        let entries: Vec<_> = fields
            .iter()
            .map(|field| (Just(field.name.to_owned()), number_around(field.range.min, field.range.max)))
            .collect();
        entries.prop_map(|entries| Value::Object(entries.into_iter().collect()))
    });
    fields.boxed()
}

/// A confirm object; mostly with one effect, as it must have.
fn some_confirm(spelling: Spelling) -> BoxedStrategy<Value> {
    let counts = prop_oneof![9 => Just(1_usize), 1 => Just(0), 1 => Just(2)];
    let effects = counts.prop_flat_map(|count| vec(select(EFFECT_FIELDS.to_vec()), count));
    let effects = effects.prop_flat_map(move |fields| {
        let entry = |field: &ConfirmField| (Just(field.name.to_owned()), of_shape(field.shape, spelling));
        fields.iter().map(entry).collect::<Vec<_>>()
    });
    let timeout = CONFIRM_TIMEOUT_RANGE;
    let timeout = weighted(0.3, number_around(timeout.min, timeout.max));
    (effects, timeout)
        .prop_map(|(effects, timeout)| {
            let timeout = timeout.map(|value| (CONFIRM_TIMEOUT.name.to_owned(), value));
            Value::Object(effects.into_iter().chain(timeout).collect())
        })
        .boxed()
}

/// A value of a parameter's own shape.
fn of_shape(shape: Shape, spelling: Spelling) -> BoxedStrategy<Value> {
    match shape {
        Shape::Text => text_around(1_000),
        Shape::ShortText(max) => text_around(max),
        Shape::Number => number_around(0.0, 100.0),
        Shape::Flag => any::<bool>().prop_map(Value::from).boxed(),
        Shape::Matcher => some_matcher(spelling),
        Shape::Coordinate => (0_u32..4_000, 0_u32..4_000).prop_map(|(x, y)| json!({"x": x, "y": y})).boxed(),
        Shape::Retry => some_retry(),
        Shape::Confirm => some_confirm(spelling),
    }
}

/// A value that an action's rule likely takes.
fn of_rule(used: &ParamUse, spelling: Spelling) -> BoxedStrategy<Value> {
    match used.rule {
        ParamRule::Any | ParamRule::NotBlank => of_shape(used.key.spec().shape, spelling),
        ParamRule::OneOf(words) | ParamRule::Known(words) | ParamRule::KnownAnyCase(words) => word_of(words),
        ParamRule::Within(min, max)
        | ParamRule::Above(min, max)
        | ParamRule::Count(min, max)
        | ParamRule::Clamped(Clamp { min, max, .. }) => number_around(min, max),
        ParamRule::Pattern => {
            let patterns = ["^a+$", "ORD-[0-9]+", r"\w+", "(?i)[a-z]{,2}", "(", " ", r"(a)\1"];
            prop_oneof![
                30 => select(patterns.to_vec()).prop_map(Value::from),
                3 => text_around(600),
                // Too large; seldom, because finding that out takes its time.
                1 => Just(json!("(?:.{999}){99}")),
            ]
            .boxed()
        }
    }
}

/// An entry of an object: always there, or now and then.
fn as_needed(need: Need, entry: BoxedStrategy<(String, Value)>) -> BoxedStrategy<Option<(String, Value)>> {
    match need {
        Need::Required => entry.prop_map(Some).boxed(),
        Need::Optional => weighted(0.4, entry).boxed(),
    }
}

/// An action that has a fair chance to be right.
fn some_action(spec: ActionSpec, spelling: Spelling) -> BoxedStrategy<Value> {
    let used = spec.params.iter().map(|used| {
        let key = used.key.spec();
        let entry = (spelling.name(key.aliases, key.name), of_rule(used, spelling));
        as_needed(used.need, entry.boxed())
    });
    let retries = spec.retries.iter().map(|(slot, _)| {
        let entry = (Just(slot.name().to_owned()), some_retry());
        as_needed(Need::Optional, entry.boxed())
    });
    // Now and then one that the action does not use.
    let unused = select(PARAMS.to_vec()).prop_flat_map(move |spec| {
        let value = of_shape(spec.shape, spelling);
        weighted(0.1, (spelling.name(spec.aliases, spec.name), value))
    });
    let params: Vec<_> = used.chain(retries).chain([unused.boxed()]).collect();
    let id = prop_oneof![20 => "[a-z0-9]{1,6}".prop_map(Value::from), 1 => text_around(MAX_ID_LENGTH)];
    (spelling.name(spec.aliases, spec.name), params, id)
        .prop_map(|(kind, params, id)| {
            let params: Map<_, _> = params.into_iter().flatten().collect();
            json!({"id": id, "type": kind, "params": params})
        })
        .boxed()
}

/// The value of a field of the execution, likely right.
fn of_field(field: &WireField) -> BoxedStrategy<Value> {
    match field.shape {
        WireShape::Id(max) => prop_oneof![20 => plain_text(), 1 => text_around(max)].boxed(),
        WireShape::Number { min, max } => number_around(min, max),
        WireShape::Word(words) => select(words.to_vec()).prop_map(Value::from).boxed(),
        WireShape::Flag => any::<bool>().prop_map(Value::from).boxed(),
        WireShape::Constant(word) => Just(Value::from(word)).boxed(),
        WireShape::Actions(_) | WireShape::ActionType(_) | WireShape::Params => Just(json!([])).boxed(),
    }
}

/// An execution with these actions.
fn around(actions: impl Strategy<Value = Value> + 'static, spelling: Spelling) -> BoxedStrategy<Value> {
    let fields = EXECUTION_FIELDS.iter().map(|field| {
        let entry = (spelling.name(field.aliases, field.name), of_field(field));
        as_needed(field.need, entry.boxed())
    });
    let fields: Vec<_> = fields.collect();
    (fields, actions)
        .prop_map(|(fields, actions)| {
            let mut execution: Map<_, _> = fields.into_iter().flatten().collect();
            execution.insert("actions".to_owned(), actions);
            Value::Object(execution)
        })
        .boxed()
}

/// An execution that has a fair chance to be right.
pub(crate) fn some_execution(spelling: Spelling) -> BoxedStrategy<Value> {
    let action = select(CATALOGUE.to_vec()).prop_flat_map(move |spec| some_action(spec, spelling));
    around(vec(action, 1..4).prop_map(Value::Array), spelling)
}

/// The same, with one action of one kind.
pub(crate) fn execution_of(spec: ActionSpec) -> BoxedStrategy<Value> {
    let action = some_action(spec, Spelling::Canonical);
    around(action.prop_map(|action| json!([action])), Spelling::Canonical)
}

/// An execution that is right but for its parameters, which are anything: JSON
/// of any kind, or known keys with any value.
pub(crate) fn frame() -> BoxedStrategy<Value> {
    let keys = PARAMS.iter().map(|spec| spec.name.to_owned()).collect::<Vec<_>>();
    let known = vec((select(keys), any_json()), 0..5);
    let params =
        prop_oneof![any_json(), known.prop_map(|entries| Value::Object(entries.into_iter().collect()))];
    let kinds = CATALOGUE.map(|spec| spec.name).to_vec();
    let action = (select(kinds), params)
        .prop_map(|(kind, params)| json!([{"id": "a", "type": kind, "params": params}]));
    around(action, Spelling::Canonical)
}

/// A likely execution of which one value is replaced by anything, or one key
/// taken away.
pub(crate) fn one_step_off() -> BoxedStrategy<Value> {
    (some_execution(Spelling::Canonical), any::<Index>(), weighted(0.8, any_json()))
        .prop_map(|(mut execution, at, value)| {
            let mut places = Vec::new();
            places_in(&execution, String::new(), &mut places);
            let place = at.get(&places);
            match (value, place.rsplit_once('/')) {
                (None, Some((parent, key))) => {
                    if let Some(Value::Object(parent)) = execution.pointer_mut(parent) {
                        parent.remove(key);
                    }
                }
                (value, _) => *execution.pointer_mut(place).unwrap() = value.unwrap_or_default(),
            }
            execution
        })
        .boxed()
}

/// Every place in a document, the document itself last.
fn places_in(value: &Value, here: String, places: &mut Vec<String>) {
    let inner: Vec<_> = match value {
        Value::Object(entries) => entries.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (key, value) in inner {
        places_in(value, format!("{here}/{key}"), places);
    }
    places.push(here);
}
