//! Refs on the golden screens: what does not touch an element leaves its ref, and
//! what changes its meaning makes the ref stale.

use clawperator_ui::{Bounds, Fingerprints, Flag, Flags, Node, NodeId, RefBook, Screen, Tree, read};

/// The golden dumps, and a few screens of our own.
fn screens() -> Vec<(String, Tree)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/dumps");
    let mut found: Vec<(String, Tree)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path.display().to_string(), read(&text).unwrap())
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let drawn = [("form", FORM), ("climate", CLIMATE), ("pay", PAY), ("cards", CARDS)];
    found.extend(drawn.map(|(name, lines)| (name.to_owned(), draw(lines))));
    found
}

/// Lines of depth, class, text, id and flags: `c` is clickable, `e` a field, `s`
/// scrolls, `k` is a switch.
type Lines = &'static [(usize, &'static str, &'static str, &'static str, &'static str)];

const FORM: Lines = &[
    (0, "FrameLayout", "", "", ""),
    (1, "Toolbar", "", "", ""),
    (2, "TextView", "New contact", "", ""),
    (1, "ScrollView", "", "", "s"),
    (2, "LinearLayout", "", "", ""),
    (3, "TextView", "Name", "", ""),
    (3, "EditText", "", "", "ce"),
    (3, "TextView", "Mail", "", ""),
    (3, "EditText", "", "", "ce"),
    (3, "Switch", "Favourite", "", "ck"),
    (3, "TextView", "Not saved yet", "", ""),
    (1, "Button", "Save", "save", "c"),
];
const CLIMATE: Lines = &[
    (0, "FrameLayout", "", "", ""),
    (1, "TextView", "Living room", "", ""),
    (1, "LinearLayout", "", "", ""),
    (2, "Button", "-", "", "c"),
    (2, "TextView", "22.5 °C", "", ""),
    (2, "Button", "+", "", "c"),
    (1, "Button", "Schedule", "", "c"),
];
const PAY: Lines = &[
    (0, "FrameLayout", "", "", ""),
    (1, "Toolbar", "", "", ""),
    (2, "TextView", "Transfer", "", ""),
    (1, "TextView", "To Alice", "", ""),
    (1, "TextView", "10.00", "", ""),
    (1, "EditText", "", "note", "ce"),
    (1, "Button", "Pay", "", "c"),
    (1, "Button", "Help", "", "c"),
];
const CARDS: Lines = &[
    (0, "FrameLayout", "", "", ""),
    (1, "TextView", "People", "", ""),
    (1, "LinearLayout", "", "", ""),
    (2, "TextView", "Alice", "", ""),
    (2, "ImageButton", "", "", "c"),
    (1, "LinearLayout", "", "", ""),
    (2, "TextView", "Bob", "", ""),
    (2, "ImageButton", "", "", "c"),
    (1, "TextView", "Two people", "", ""),
];

fn draw(lines: Lines) -> Tree {
    let mut tree = Tree::new(0);
    for (place, (depth, class, text, id, flags)) in lines.iter().enumerate() {
        let top = place as i32 * 100;
        let (top, bottom) = if *depth == 0 { (0, 2000) } else { (top, top + 90) };
        let bounds = Bounds { left: 0, top, right: 1000, bottom };
        let with = |set: Flags, (letter, flag)| set.with(flag, flags.contains(letter));
        let known = [('c', Flag::Clickable), ('s', Flag::Scrollable), ('k', Flag::Checkable)];
        tree.push(
            *depth,
            Node {
                class: format!("android.widget.{class}"),
                package: "a".to_owned(),
                text: (*text).to_owned(),
                resource_id: (!id.is_empty()).then(|| format!("a:id/{id}")),
                // What scrolls must not cut what is drawn below it.
                bounds: if flags.contains('s') || class.ends_with("Layout") {
                    Bounds { left: 0, top: 0, right: 1000, bottom: 2000 }
                } else {
                    bounds
                },
                flags: known.into_iter().fold(Flags::default().with(Flag::Enabled, true), with),
                ..Node::default()
            },
        );
    }
    tree
}

/// The tree with something else in it, or without one of its elements.
fn changed(tree: &Tree, mut change: impl FnMut(usize, &mut Node) -> bool) -> Tree {
    let mut other = Tree::new(0);
    let mut left_out = None;
    for (id, node) in tree.nodes() {
        let depth = tree.depth(id);
        if left_out.is_some_and(|level| depth > level) {
            continue;
        }
        let mut node = node.clone();
        left_out = (!change(number(tree, id), &mut node)).then_some(depth);
        if left_out.is_none() {
            other.push(depth, node);
        }
    }
    other
}

fn id_of(tree: &Tree, number: usize) -> NodeId {
    tree.nodes().nth(number).unwrap().0
}

fn number(tree: &Tree, id: NodeId) -> usize {
    tree.nodes().position(|(other, _)| other == id).unwrap()
}

/// What becomes of a ref that is given on one screen and used on another: the
/// number of its element there.
fn follow(before: &Tree, element: usize, later: &Tree) -> Option<usize> {
    let mut book = RefBook::default();
    let id = before.nodes().nth(element)?.0;
    let name = book.give(&Fingerprints::new(Screen::new(before)), id)?;
    let found = book.resolve(name, &Fingerprints::new(Screen::new(later)));
    found.ok().map(|id| number(later, id))
}

/// The elements that are seen and can be acted on.
fn acted_on(tree: &Tree) -> Vec<usize> {
    let seen = Screen::new(tree)
        .nodes()
        .filter(|(_, node)| node.flags.has(Flag::Clickable) || node.flags.has(Flag::Scrollable));
    seen.map(|(id, _)| number(tree, id)).collect()
}

fn is_kin(tree: &Tree, one: usize, other: usize) -> bool {
    let (one, other) = (tree.nodes().nth(one).unwrap().0, tree.nodes().nth(other).unwrap().0);
    let holds = |outer: NodeId, inner: NodeId| tree.descendants(outer).any(|id| id == inner);
    one == other || holds(one, other) || holds(other, one)
}

#[test]
fn what_does_not_touch_an_element_leaves_its_ref() {
    for (name, tree) in screens() {
        for element in acted_on(&tree) {
            if !is_told(&tree, element) {
                continue;
            }
            for other in (0..tree.len()).filter(|other| !is_kin(&tree, element, *other)) {
                let node = tree.nodes().nth(other).unwrap().1.clone();
                let pays = tree.nodes().nth(element).unwrap().1.text == "Pay";
                let flips = [Flag::Focused, Flag::Checked, Flag::Selected, Flag::Enabled];
                // What is ticked or chosen is a part of what is paid for.
                let is_tick = node.flags.has(Flag::Checkable) && !node.flags.has(Flag::Checked);
                let counts =
                    |flag: Flag| pays && (flag == Flag::Selected || (flag == Flag::Checked && is_tick));
                for flag in flips.into_iter().filter(|flag| !counts(*flag)) {
                    let later = changed(&tree, |number, node| {
                        if number == other {
                            node.flags = node.flags.with(flag, !node.flags.has(flag));
                        }
                        true
                    });
                    assert_eq!(
                        follow(&tree, element, &later),
                        Some(element),
                        "{name}: {element}, {flag:?} of {other}"
                    );
                }
                if node.class.ends_with("EditText") && !pays {
                    let later = changed(&tree, |number, node| {
                        if number == other {
                            node.text = "typed".to_owned();
                        }
                        true
                    });
                    assert_eq!(
                        follow(&tree, element, &later),
                        Some(element),
                        "{name}: {element}, typed into {other}"
                    );
                }
                let is_number = node.text.starts_with(|letter: char| letter.is_ascii_digit());
                // A number in its own row is a part of what it is.
                let beside = tree.parent(id_of(&tree, other)) == tree.parent(id_of(&tree, element));
                let is_own = beside || tree.parent(id_of(&tree, other)) == Some(id_of(&tree, element));
                let counts = is_own && name.contains("list");
                if is_number && !node.flags.has(Flag::Clickable) && !pays && !counts {
                    let later = changed(&tree, |number, node| {
                        if number == other {
                            node.text = format!("7{}", node.text);
                        }
                        true
                    });
                    assert_eq!(
                        follow(&tree, element, &later),
                        Some(element),
                        "{name}: {element}, the number {other}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_keyboard_covers_what_is_below_and_leaves_the_refs_above() {
    for (lines, above) in [(FORM, 7), (FORM, 9), (CLIMATE, 6)] {
        let tree = draw(lines);
        let later = changed(&tree, |number, _| number < above);
        for element in acted_on(&tree).into_iter().filter(|element| *element < above) {
            assert_eq!(follow(&tree, element, &later), Some(element), "{element} above {above}");
        }
    }
}

#[test]
fn a_status_or_an_error_beside_an_element_leaves_its_ref() {
    let tree = draw(FORM);
    let saved = changed(&tree, |_, node| {
        node.text = node.text.replace("Not saved yet", "Saved a minute ago");
        true
    });
    for element in acted_on(&tree) {
        let node = tree.nodes().nth(element).unwrap().1.clone();
        let holds = node.class.ends_with("EditText") || node.flags.has(Flag::Scrollable);
        let found = follow(&tree, element, &saved);
        assert_eq!(found, holds.then_some(element), "{element}");
    }
}

type Change = fn(usize, &mut Node) -> bool;

#[test]
fn what_changes_the_meaning_of_an_element_makes_its_ref_stale() {
    assert_stale(&[
        // Its own class, id, label and app.
        (FORM, 11, |number, node| {
            if number == 11 {
                node.text = "Delete".to_owned();
            }
            true
        }),
        (FORM, 11, |number, node| {
            if number == 11 {
                node.resource_id = Some("a:id/other".to_owned());
            }
            true
        }),
        (FORM, 11, |number, node| {
            if number == 11 {
                node.class = "android.widget.TextView".to_owned();
            }
            true
        }),
        (FORM, 11, |_, node| {
            node.package = "b".to_owned();
            true
        }),
        // Another page, another dialog.
        (FORM, 11, |number, node| {
            if number == 2 {
                node.text = "Edit contact".to_owned();
            }
            true
        }),
        (FORM, 6, |number, node| {
            if number == 2 {
                node.text = "Edit contact".to_owned();
            }
            true
        }),
        (FORM, 11, |number, node| {
            if number == 4 {
                node.resource_id = Some("android:id/parentPanel".to_owned());
            }
            true
        }),
    ]);
}

#[test]
fn what_changes_the_meaning_of_what_is_beside_an_element_makes_its_ref_stale() {
    assert_stale(&[
        // What a field without a name is for.
        (FORM, 6, |number, node| {
            if number == 5 {
                node.text = "Card number".to_owned();
            }
            true
        }),
        (FORM, 8, |number, node| {
            if number == 7 {
                node.text = "Card number".to_owned();
            }
            true
        }),
        // Whom or what is paid.
        (PAY, 6, |number, node| {
            if number == 3 {
                node.text = "To Mallory".to_owned();
            }
            true
        }),
        (PAY, 6, |number, node| {
            if number == 4 {
                node.text = "9999.00".to_owned();
            }
            true
        }),
        (PAY, 6, |number, _| number != 4),
        // Another person beside a button without a name.
        (CARDS, 4, |number, node| {
            if number == 3 {
                node.text = "Mallory".to_owned();
            }
            true
        }),
        (CARDS, 7, |number, _| number != 6),
    ]);
}

fn assert_stale(cases: &[(Lines, usize, Change)]) {
    for &(lines, element, change) in cases {
        let tree = draw(lines);
        assert_eq!(follow(&tree, element, &tree), Some(element));
        assert_eq!(follow(&tree, element, &changed(&tree, change)), None, "{element} of {lines:?}");
    }
}

#[test]
fn a_ref_follows_its_row_and_never_takes_the_place_of_another() {
    // The cards of two people change places, or one of them goes.
    let tree = draw(CARDS);
    let swapped = changed(&tree, |_, node| {
        node.text = match node.text.as_str() {
            "Alice" => "Bob".to_owned(),
            "Bob" => "Alice".to_owned(),
            text => text.to_owned(),
        };
        true
    });
    let gone = changed(&tree, |number, _| number != 2);
    for (element, later, other) in [(4, &swapped, 4), (7, &swapped, 7), (4, &gone, 4)] {
        assert_ne!(follow(&tree, element, later), Some(other), "{element}");
    }
    // A button with a name moves from one card to the other.
    let named = |own: usize| {
        changed(&tree, |number, node| {
            node.text = if number == own { "More".to_owned() } else { node.text.clone() };
            !matches!(number, 4 | 7) || number == own
        })
    };
    assert_eq!(follow(&named(4), 4, &named(7)), None);
}

#[test]
fn golden_screens_are_not_taken_for_each_other() {
    let screens = screens();
    for (name, tree) in &screens {
        for (other_name, other) in screens.iter().filter(|(other, _)| other != name) {
            for element in acted_on(tree) {
                let found = follow(tree, element, other);
                assert_eq!(found, None, "{element} of {name} on {other_name}");
            }
        }
    }
}

/// The tree with another value in one of its elements.
fn with(tree: &Tree, element: usize, change: impl Fn(&mut Node)) -> Tree {
    changed(tree, |number, node| {
        if number == element {
            change(node);
        }
        true
    })
}

/// Whether an element can be told from others once anything changes.
fn is_told(tree: &Tree, element: usize) -> bool {
    let moved = with(tree, 0, |node| node.flags = node.flags.with(Flag::Focused, true));
    follow(tree, element, &moved) == Some(element)
}

#[test]
fn what_an_element_is_and_where_makes_its_ref_stale_on_every_golden_screen() {
    let mut count = 0;
    for (name, tree) in screens() {
        for element in acted_on(&tree).into_iter().filter(|element| is_told(&tree, *element)) {
            let node = tree.nodes().nth(element).unwrap().1.clone();
            let typed = node.class.ends_with("EditText") || node.flags.has(Flag::Checkable);
            let mut others = vec![
                with(&tree, element, |node| node.class += "Other"),
                with(&tree, element, |node| {
                    node.resource_id = Some("a:id/other".to_owned());
                }),
                with(&tree, element, |node| node.content_desc += " other"),
                with(&tree, element, |node| node.package += ".other"),
                changed(&tree, |_, node| {
                    node.package += ".other";
                    true
                }),
                // A dialog over it, a dialog in its place.
                with(&tree, 0, |node| {
                    node.resource_id = Some("android:id/parentPanel".to_owned());
                }),
                changed(&tree, |number, _| number != element),
            ];
            if tree.roots().count() == 1 {
                others.push(with(&tree, 0, |node| {
                    (node.bounds.left, node.bounds.top) = (1, 1);
                }));
            }
            if !typed && !node.text.is_empty() {
                others.push(with(&tree, element, |node| node.text += " other"));
            }
            for (which, later) in others.iter().enumerate() {
                assert_eq!(follow(&tree, element, later), None, "{name}: {element}, {which}");
                count += 1;
            }
        }
    }
    assert!(count > 250, "{count}");
}

#[test]
fn whatever_happens_a_ref_leads_to_what_looks_like_its_element() {
    let mut seed = 1_u64;
    let mut any = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % most.max(1)
    };
    for (name, tree) in screens() {
        let elements = acted_on(&tree);
        for _ in 0..60 {
            // One thing goes, comes, says something else or changes places; or two of these.
            let mut later = tree.clone();
            for _ in 0..=any(2) {
                let (place, other) = (any(later.len()), any(later.len()));
                let said = later.nodes().nth(other).unwrap().1.clone();
                later = match any(4) {
                    0 if place > 0 => changed(&later, |number, _| number != place),
                    1 => with(&later, place, |node| node.text = format!("Other {other}")),
                    2 => with(&later, place, |node| {
                        (node.text, node.content_desc) = (said.text.clone(), said.content_desc.clone());
                    }),
                    _ => with(&later, place, |node| node.bounds.top += 7),
                };
            }
            for element in &elements {
                let Some(found) = follow(&tree, *element, &later) else {
                    continue;
                };
                let what = |tree: &Tree, number: usize| {
                    let node = tree.nodes().nth(number).unwrap().1.clone();
                    let text = if node.class.ends_with("EditText") { String::new() } else { node.text };
                    (node.class, node.resource_id, node.content_desc, text)
                };
                assert_eq!(what(&tree, *element), what(&later, found), "{name}: {element}");
            }
        }
    }
}
