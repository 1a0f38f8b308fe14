//! Views of any tree.

use crate::{any_tree, dumps};
use clawperator_ui::{
    Ability, Base, Extent, Fingerprints, Flag, LinePurpose, NodeId, Ref, Screen, ScreenSummary, Tree, View,
    ViewFormat, ViewMemory, ViewRequest, estimate, view,
};
use proptest::prelude::*;

const STYLES: [ViewFormat; 2] = [ViewFormat::Compact, ViewFormat::Json];

fn seen(tree: &Tree, request: ViewRequest, memory: &mut ViewMemory) -> View {
    view(&Fingerprints::new(Screen::new(tree)), request, memory)
}

fn is_used(tree: &Tree, id: NodeId) -> bool {
    let flags = tree.node(id).flags;
    flags.has(Flag::Clickable) || flags.has(Flag::Scrollable) || tree.can(id, Ability::Edit)
}

/// What must hold of every view of every screen.
fn check_view(tree: &Tree, request: ViewRequest, memory: &mut ViewMemory) {
    let before = memory.clone();
    let said = seen(tree, request, memory);
    assert_eq!(said.tokens, estimate(&said.text));
    assert!(request.budget.is_none_or(|budget| said.tokens <= budget), "{request:?} {said:?}");
    // The same again gives the same.
    assert_eq!(seen(tree, request, &mut before.clone()), said);
    let summary = ScreenSummary::new(&Screen::new(tree));
    let used = tree.nodes().filter(|(id, _)| is_used(tree, *id)).count();
    let told = summary.lines.iter().filter(|line| line.purpose == LinePurpose::Act).count();
    assert!(told + summary.off_screen.total() >= used);
    assert!(summary.lines.iter().all(|line| !line.text().contains('\n')));
    let whole = request.budget.is_none() && request.extent == Extent::Whole;
    assert!(!whole || said.omitted.is_empty());
    if request.style == ViewFormat::Compact && request.extent == Extent::Whole {
        let lines = said.text.lines().filter(|line| line.trim_start().starts_with("@e")).count();
        assert!(request.budget.is_some() || lines == summary.lines.len(), "{}", said.text);
        assert!(lines + said.omitted.total() == summary.lines.len() || lines == 0, "{}", said.text);
    }
    if request.style == ViewFormat::Json && !said.text.is_empty() {
        serde_json::from_str::<serde_json::Value>(&said.text).unwrap();
    }
}

fn any_wish() -> impl Strategy<Value = ViewRequest> {
    let budget = prop_oneof![Just(None), (1_usize..40).prop_map(Some), (1_usize..600).prop_map(Some)];
    let style = prop::sample::select(&STYLES[..]);
    let extent = prop::sample::select(&[Extent::Whole, Extent::Changes(Base::Last)][..]);
    (style, budget, extent).prop_map(|(style, budget, extent)| ViewRequest { style, budget, extent })
}

proptest! {
    #[test]
    fn a_budget_is_never_exceeded(tree in any_tree(), other in any_tree(), wishes in prop::collection::vec(any_wish(), 1..4)) {
        let mut memory = ViewMemory::default();
        for request in wishes {
            check_view(&tree, request, &mut memory);
            check_view(&other, request, &mut memory);
        }
        let text = serde_json::to_string(&memory).unwrap();
        prop_assert_eq!(serde_json::from_str::<ViewMemory>(&text).unwrap(), memory);
    }

    #[test]
    fn every_ref_of_a_view_leads_to_its_element(tree in any_tree()) {
        let mut memory = ViewMemory::default();
        let fingerprints = Fingerprints::new(Screen::new(&tree));
        let summary = ScreenSummary::new(&Screen::new(&tree));
        let request = ViewRequest { style: ViewFormat::Compact, budget: None, extent: Extent::Whole };
        let said = view(&fingerprints, request, &mut memory);
        let lines = said.text.lines().filter(|text| text.trim_start().starts_with('@'));
        for (text, line) in lines.zip(&summary.lines) {
            let name = text.trim_start().split(' ').next().unwrap();
            let found = memory.book.resolve(Ref::parse(name).unwrap(), &fingerprints);
            prop_assert_eq!(found, Ok(line.id), "{}", text);
        }
    }

    #[test]
    fn any_text_can_be_estimated(one in ".{0,60}", two in ".{0,60}") {
        let (whole, parts) = (estimate(&format!("{one}\n{two}")), estimate(&one) + estimate(&two) + 1);
        prop_assert!(whole <= parts, "{} {}", whole, parts);
        prop_assert!(estimate(&one) <= one.len());
    }
}

#[test]
fn dumps_can_be_viewed() {
    for (name, tree) in dumps() {
        for style in STYLES {
            for budget in [None, Some(1), Some(50), Some(500)] {
                let request = ViewRequest { style, budget, extent: Extent::Whole };
                check_view(&tree, request, &mut ViewMemory::default());
            }
        }
        let request =
            ViewRequest { style: ViewFormat::Compact, budget: None, extent: Extent::Changes(Base::Last) };
        let mut memory = ViewMemory::default();
        check_view(&tree, request, &mut memory);
        let again = seen(&tree, request, &mut memory);
        assert_eq!(again.text, "no change", "{name}");
    }
}
