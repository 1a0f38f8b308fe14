//! Tests of `app/expression.rs`.

use clawperator_sim::app::expression::*;
use clawperator_sim::app::value::{AppState, Value};
use std::borrow::Cow;

/// What an app remembers, as the names of an expression.
pub(crate) struct StateNames(pub(crate) AppState);

impl Names for StateNames {
    fn value(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.0.get(name).map(Cow::Borrowed)
    }
}

fn check(text: &str, expected: impl Into<Value>) {
    let state = StateNames(AppState::from([
        ("n".to_owned(), Value::Number(7)),
        ("name".to_owned(), Value::from("Ada")),
        ("rows".to_owned(), Value::List(vec!["a".into(), "b".into()])),
    ]));
    let expression = Expression::parse(text).unwrap();
    assert_eq!(expression.evaluate(&state).into_owned(), expected.into(), "{text}");
}

#[test]
fn expressions_come_to_what_they_say() {
    check("n + 1", 8);
    check("n * 2 - 4 / 2", 12);
    check("(n - 2) % 3", 2);
    check("n > 6 && name == 'Ada'", true);
    check("!(n >= 7) || false", false);
    check("'x' + n", "x7");
    check("if(n != 7, 'no', upper(name))", "ADA");
    check("len(rows) + len(name)", 5);
    check("rows[n - 6]", "b");
    check("contains(name, 'DA')", true);
    check("pad(n, 3)", "007");
    check("-n", -7);
    check("nothing", "");
    check("n / 0", 0);
}

#[test]
fn nonsense_is_refused_with_its_place() {
    for (text, at) in
        [("", 0), ("n +", 3), ("(n", 2), ("n n", 2), ("'x", 0), ("f(1)", 0), ("len()", 0), ("#", 0)]
    {
        assert_eq!(Expression::parse(text).unwrap_err().at, at, "{text}");
    }
    assert!(Expression::parse(&"(".repeat(100_000)).is_err());
    assert!(Expression::parse(&"!".repeat(100_000)).is_err());
}
