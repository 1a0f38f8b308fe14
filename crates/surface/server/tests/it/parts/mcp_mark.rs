//! Tests of `mcp/mark.rs`.

use clawperator_agent::snapshot::{Scale, Size};
use clawperator_server::mcp::MarkedElement;

#[test]
fn what_can_be_acted_on_has_a_mark() {
    let view = r#"{"nodes": [{"ref": "@e17", "role": "button", "bounds": [20, 20, 180, 180]},
        {"ref": "@e18", "role": "text", "bounds": [0, 0, 9, 9]}, {"role": "button"},
        {"ref": "@e19", "role": "button", "bounds": [0, 0, 9]}]}"#;
    let marked = MarkedElement::of_view(view);
    assert_eq!(marked.len(), 1);
    let picture = Size { width: 100, height: 100 };
    let mark = marked[0].mark(Scale { x: 2.0, y: 2.0 }, picture);
    assert_eq!((&*mark.label, &*mark.bounds.to_string()), ("17", "[10,10][90,90]"));
}
