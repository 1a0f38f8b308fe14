//! Tests of `web/selectors.rs`.

use clawperator_contract::{Attribute, Condition, Matcher, NodeRelation, Selector, TextTest};
use clawperator_server::web::matcher_flags;

#[test]
fn flags_are_what_a_shell_reads_as_the_same_matcher() {
    let label = Condition::Text(Attribute::Text, TextTest::Equals("Wi-Fi".to_owned()));
    let beside = Selector { conditions: vec![label] };
    let matcher = Matcher {
        role: Some("switch".to_owned()),
        text_equals: Some("it's $(on)".to_owned()),
        conditions: Some(Selector { conditions: vec![Condition::Related(NodeRelation::RightOf, beside)] }),
        ..Matcher::default()
    };
    assert_eq!(
        matcher_flags(&matcher),
        r#"--role 'switch' --text 'it'"'"'s $(on)' --where '{"rightOf":{"textEquals":"Wi-Fi"}}'"#
    );
}
