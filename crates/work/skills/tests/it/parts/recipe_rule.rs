//! Tests of `recipe/rule.rs`.

use clawperator_skills::recipe::*;
use std::collections::BTreeSet;

#[test]
fn every_row_is_its_rule_s_and_the_nine_checks_are_there() {
    let mut names = BTreeSet::new();
    for row in RULES {
        assert_eq!(row.rule.row().name, row.name);
        assert!(names.insert(row.name), "{}", row.name);
        assert!(row.meaning.ends_with('.') && row.fix.ends_with('.'), "{}", row.name);
    }
    let checks: Vec<_> = RULES.iter().filter_map(|row| row.check).collect();
    assert_eq!(checks, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}
