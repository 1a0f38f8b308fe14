//! What a task may cost.

use clawperator_agent::model::{Budget, Price, Prices, Spending, Usage};

#[test]
fn facts_8_3_tokens_and_dollars_are_counted_and_a_budget_ends_the_run() {
    let usage =
        |input_tokens, cached_tokens, output_tokens| Usage { input_tokens, cached_tokens, output_tokens };
    let price = Price::parse("2, 0.5, 8").unwrap();
    let mut spent = Spending::default();
    spent.add(usage(1_000_000, 500_000, 100_000), Some(&price));
    assert_eq!(spent.dollars, Some(1.0 + 0.25 + 0.8));
    spent.add(usage(10, 0, 10), None);
    assert_eq!(spent.usage.output_tokens, 100_010);
    for (tokens, dollars, exceeded) in [
        (None, None, false),
        (Some(1_100_020), None, true),
        (Some(1_100_021), None, false),
        (None, Some(2.05), true),
        (None, Some(2.06), false),
    ] {
        let budget = Budget { tokens, dollars };
        assert_eq!(budget.exceeded(&spent).is_some(), exceeded, "{budget:?}");
    }
}

#[test]
fn prices_are_given_by_the_user() {
    let prices = Prices::parse(r#"{"m": {"input": 1, "output": 4}}"#).unwrap();
    assert_eq!(prices.0["m"].of(Usage { input_tokens: 1_000_000, ..Usage::default() }), 1.0);
    for bad in ["", "1", "1,2,3,4", "a,b", "-1,2", "NaN,1", "inf,1"] {
        Price::parse(bad).unwrap_err();
    }
    for bad in ["[]", r#"{"m": {"input": -1, "output": 4}}"#, r#"{"m": {"input": 1}}"#] {
        Prices::parse(bad).unwrap_err();
    }
}
