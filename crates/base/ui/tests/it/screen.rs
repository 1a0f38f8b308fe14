//! Finding and reading on any tree, and on real dumps where they are.

use crate::{any_tree, dumps};
use clawperator_contract::{Direction, MATCHER_FIELDS, Matcher};
use clawperator_ui::{Ability, Bounds, NodeId, Point, Role, Screen, Tree, limits};
use proptest::prelude::*;

const DIRECTIONS: [Direction; 4] = [Direction::Down, Direction::Up, Direction::Left, Direction::Right];
const ABILITIES: [Ability; 5] =
    [Ability::Click, Ability::LongClick, Ability::Focus, Ability::Edit, Ability::Scroll];

/// A matcher with some of an element's own words, so that it often fits.
fn matcher_of(tree: &Tree, id: NodeId, fields: u8) -> Matcher {
    let node = tree.node(id);
    let words = [
        node.resource_id.clone().unwrap_or_default(),
        tree.role(id).word().to_uppercase(),
        node.label().to_owned(),
        node.label().to_lowercase(),
        node.content_desc.clone(),
        node.content_desc.chars().skip(1).collect(),
    ];
    let mut matcher = Matcher::default();
    for (place, (field, word)) in MATCHER_FIELDS.iter().zip(words).enumerate() {
        *(field.slot)(&mut matcher) = (fields & (1 << place) != 0).then_some(word);
    }
    matcher
}

/// What the six fields mean, written down once more: ids, texts and
/// descriptions are exact, parts and roles are found in any case.
fn fits(tree: &Tree, id: NodeId, matcher: &Matcher) -> bool {
    let node = tree.node(id);
    let same = |wanted: &Option<String>, text: &str| wanted.as_deref().is_none_or(|wanted| wanted == text);
    let part = |wanted: &Option<String>, text: &str| {
        let lower = |text: &str| text.to_lowercase();
        let wanted = wanted.as_deref().map(lower);
        wanted.is_none_or(|wanted| lower(text).contains(&wanted))
    };
    *matcher != Matcher::default()
        && same(&matcher.resource_id, node.resource_id.as_deref().unwrap_or_default())
        && same(&matcher.text_equals, node.label())
        && part(&matcher.text_contains, node.label())
        && same(&matcher.content_desc_equals, &node.content_desc)
        && part(&matcher.content_desc_contains, &node.content_desc)
        && same(&matcher.role.as_ref().map(|role| role.to_lowercase()), tree.role(id).word())
}

fn contains(outer: &Bounds, Point { x, y }: Point) -> bool {
    (outer.left..outer.right).contains(&x) && (outer.top..outer.bottom).contains(&y)
}

/// What must hold of every element of every screen.
fn check_element(screen: &Screen<'_>, id: NodeId) {
    let tree = screen.tree();
    assert!(Role::of_word(tree.role(id).word()).is_some());
    let line = tree.excerpt(id);
    assert!(line.chars().count() < 10 * limits::MAX_EXCERPT && !line.contains('\n'), "{line:?}");
    for direction in DIRECTIONS {
        let signature = screen.signature(id, direction);
        assert!(!signature.moved_from(&signature));
        if let Some(swipe) = screen.swipe(id, direction, 0.7) {
            let bounds = screen.visible_bounds(id);
            assert!(contains(&bounds, swipe.from) && contains(&bounds, swipe.to), "{swipe:?}");
        }
    }
    for ability in ABILITIES {
        let taker = tree.nearest(id, ability);
        assert!(taker.is_none_or(|taker| tree.can(taker, ability) && taker <= id));
    }
    if let Some(value) = screen.value_of(id) {
        assert!(screen.sees(value) && value > id && !tree.node(value).label().is_empty());
    }
    let inside = screen.first_scrollable_inside(id);
    assert!(inside.is_none_or(|inside| inside > id && screen.sees(inside)));
}

/// What must hold of a matcher that was made from an element.
fn check_matcher(screen: &Screen<'_>, id: NodeId, fields: u8) {
    let matcher = matcher_of(screen.tree(), id, fields);
    let selector = matcher.selector();
    let all: Vec<_> = screen.all(&selector).collect();
    assert_eq!(screen.first(&selector), all.first().copied());
    assert_eq!(screen.count(&selector), all.len());
    assert!(all.is_sorted() && all.iter().all(|found| screen.sees(*found)));
    // An element fits what was made of it, if it is seen.
    assert_eq!(all.contains(&id), screen.sees(id) && matcher != Matcher::default(), "{matcher:?}");
    let inside: Vec<_> = screen.inside(id, &selector).collect();
    assert!(inside.iter().all(|found| all.contains(found)));
    assert_eq!(inside.contains(&id), all.contains(&id));
}

proptest! {
    #[test]
    fn any_screen_can_be_searched(tree in any_tree(), fields in 0_u8..64) {
        let screen = Screen::new(&tree);
        for (id, _) in tree.nodes() {
            check_element(&screen, id);
            check_matcher(&screen, id, fields);
            let matcher = matcher_of(&tree, id, fields);
            let expected: Vec<_> = screen.nodes().map(|(id, _)| id).filter(|id| fits(&tree, *id, &matcher)).collect();
            prop_assert_eq!(screen.all(&matcher.selector()).collect::<Vec<_>>(), expected, "{:?}", matcher);
        }
        let seen: Vec<_> = screen.nodes().map(|(id, _)| id).collect();
        prop_assert!(seen.is_sorted());
        for (id, _) in tree.nodes() {
            prop_assert_eq!(seen.contains(&id), screen.sees(id));
        }
        prop_assert!(tree.is_empty() || !seen.is_empty());
    }

    #[test]
    fn any_place_can_be_swiped(edges in any::<[i32; 4]>(), ratio in any::<f64>()) {
        let [left, top, right, bottom] = edges;
        let bounds = Bounds { left, top, right, bottom };
        for direction in DIRECTIONS {
            if let Some(swipe) = clawperator_ui::swipe(&bounds, direction, ratio) {
                prop_assert!(contains(&bounds, swipe.from) && contains(&bounds, swipe.to));
            }
        }
    }
}

#[test]
fn dumps_can_be_searched() {
    for (name, tree) in dumps() {
        let screen = Screen::new(&tree);
        for (id, _) in tree.nodes() {
            check_element(&screen, id);
            for field in 0..6 {
                check_matcher(&screen, id, 1 << field);
            }
        }
        // A phone dumps little that is not seen.
        assert!(screen.nodes().count() * 2 > tree.len(), "{name}");
    }
}

/// The bounds of a dump allow a screen that is deep and wide.
#[test]
fn a_deep_screen_is_searched_all_the_same() {
    let mut tree = Tree::new(0);
    let bounds = Bounds::parse("[0,0][9,9]").unwrap();
    let node = clawperator_ui::Node { bounds, text: "a".repeat(50), ..clawperator_ui::Node::default() };
    for number in 0..limits::MAX_NODES {
        tree.push(number.min(limits::MAX_DEPTH), node.clone());
    }
    let screen = Screen::new(&tree);
    let matcher = Matcher { text_contains: Some(format!("{}b", "a".repeat(40))), ..Matcher::default() };
    assert_eq!(screen.count(&matcher.selector()), 0);
    let last = tree.nodes().last().unwrap().0;
    check_element(&screen, last);
}
