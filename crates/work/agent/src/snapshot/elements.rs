//! Which elements of a tree a model sees. Containers count like any other:
//! the row of a list is what takes the click, and its text is inside it. Pure.

use super::scale::{Scale, Size};
use super::schema::UiElementSnapshot;
use clawperator_contract::text::{cut, is_blank};
use clawperator_ui::{Bounds, Flag, Node, Point, Screen, Tree};

/// The most elements of a screen. Each of them has a box, and is listed.
pub const MAX_ELEMENTS: usize = 64;
const MAX_TEXT: usize = 400;
/// How much an element must be worth.
const LEAST_WORTH: u32 = 4;
/// An element that says nothing and takes no click is background if it covers so
/// much of the screen, in percent.
const BACKGROUND: i64 = 90;

/// The elements of a screen in reading order, at most [`MAX_ELEMENTS`]: those that are worth most
/// to somebody who wants to use it. The same tree gives the same ids.
pub fn elements(tree: &Tree, screen: Size, picture: Size) -> Vec<UiElementSnapshot> {
    let side = |side: u32| i32::try_from(side).unwrap_or(i32::MAX);
    let area = Bounds::new(0, 0, side(screen.width), side(screen.height));
    let seen = Screen::sized(tree, area);
    let mut worthy: Vec<_> = seen
        .nodes()
        .map(|(id, node)| (worth(node), node, seen.visible_bounds(id)))
        .filter(|(worth, _, bounds)| *worth >= LEAST_WORTH && !bounds.is_empty())
        .filter(|(_, node, bounds)| !is_background(node, bounds, &area))
        .enumerate()
        .collect();
    // The sort is stable: of equals, the first are kept.
    worthy.sort_by_key(|(_, (worth, ..))| std::cmp::Reverse(*worth));
    worthy.truncate(MAX_ELEMENTS);
    worthy.sort_by_key(|(place, _)| *place);
    let scale = Scale::of(screen, picture);
    let numbered = worthy.into_iter().zip(1_u32..);
    numbered
        .map(|((_, (_, node, bounds)), number)| {
            let center = middle(&bounds);
            UiElementSnapshot {
                id: number.to_string(),
                text: cut_text(&node.text),
                content_desc: cut_text(&node.content_desc),
                resource_id: cut_text(node.resource_id.as_deref().unwrap_or_default()),
                class_name: cut_text(&node.class),
                clickable: node.flags.has(Flag::Clickable),
                enabled: node.flags.has(Flag::Enabled),
                checked: node.flags.has(Flag::Checkable).then(|| node.flags.has(Flag::Checked)),
                bounds,
                center,
                scaled_bounds: scale.bounds_to_picture(&bounds, picture),
                scaled_center: scale.to_picture(center, picture),
            }
        })
        .collect()
}

/// Gives elements the ids from 1 on, in their order.
pub(super) fn renumber(elements: &mut [UiElementSnapshot]) {
    for (element, number) in elements.iter_mut().zip(1_u32..) {
        element.id = number.to_string();
    }
}

/// How much it helps to know of an element.
fn worth(node: &Node) -> u32 {
    let class = node.class.to_lowercase();
    let rows = [
        (node.flags.has(Flag::Clickable), 5),
        (node.flags.has(Flag::Focusable), 2),
        // The row takes the click, but its switch says whether it is on.
        (node.flags.has(Flag::Checkable), 4),
        (!is_blank(&node.text), 4),
        (!is_blank(&node.content_desc), 4),
        (node.resource_id.as_deref().is_some_and(|id| !id.is_empty()), 2),
        (class.contains("button"), 6),
        (class.contains("imagebutton"), 4),
        (class.contains("edittext"), 3),
    ];
    rows.iter().filter(|(is_so, _)| *is_so).map(|(_, worth)| worth).sum()
}

fn is_background(node: &Node, bounds: &Bounds, screen: &Bounds) -> bool {
    let size =
        |of: &Bounds| (i64::from(of.right) - i64::from(of.left)) * (i64::from(of.bottom) - i64::from(of.top));
    !node.flags.has(Flag::Clickable)
        && is_blank(node.label())
        && size(bounds) * 100 >= size(screen) * BACKGROUND
}

/// The middle; halves go up.
fn middle(bounds: &Bounds) -> Point {
    // Both are on the screen, so the sum fits.
    let between = |from: i32, to: i32| (from + to + 1).div_euclid(2);
    Point::new(between(bounds.left, bounds.right), between(bounds.top, bounds.bottom))
}

fn cut_text(text: &str) -> String {
    cut(text, MAX_TEXT).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Size = Size { width: 1080, height: 2400 };

    fn node(attributes: &str, bounds: &str, inside: &str) -> String {
        let flags = ["clickable", "focusable", "enabled"];
        let missing: String = flags
            .iter()
            .filter(|flag| !attributes.contains(*flag))
            .map(|flag| format!(" {flag}=\"{}\"", *flag == "enabled"))
            .collect();
        format!("<node {attributes}{missing} bounds=\"{bounds}\">{inside}</node>")
    }

    fn listed(nodes: &str) -> Vec<UiElementSnapshot> {
        let root = node("class=\"android.widget.FrameLayout\"", "[0,0][1080,2400]", nodes);
        let tree = clawperator_ui::read(&format!("<hierarchy rotation=\"0\">{root}</hierarchy>")).unwrap();
        elements(&tree, SCREEN, SCREEN.for_model(None))
    }

    #[test]
    fn bug_01_a_container_that_takes_the_click_is_an_element() {
        let text = node("text=\"Wi-Fi\" class=\"android.widget.TextView\"", "[40,220][300,280]", "");
        let row =
            node("class=\"android.widget.LinearLayout\" clickable=\"true\"", "[0,200][1080,300]", &text);
        let found = listed(&row);
        let brief: Vec<_> =
            found.iter().map(|element| (&*element.id, &*element.text, element.clickable)).collect();
        assert_eq!(brief, [("1", "", true), ("2", "Wi-Fi", false)]);
    }

    #[test]
    fn d24_a_switch_is_an_element_and_says_whether_it_is_on() {
        let switch = |is_on: bool| {
            let flags = format!("class=\"android.widget.Switch\" checkable=\"true\" checked=\"{is_on}\"");
            listed(&node(&flags, "[900,200][1000,300]", ""))[0].checked
        };
        assert_eq!((switch(true), switch(false)), (Some(true), Some(false)));
        assert_eq!(listed(&node("text=\"x\"", "[0,0][9,9]", ""))[0].checked, None);
    }

    #[test]
    fn bug_02_entities_are_decoded() {
        let found = listed(&node(
            "text=\"Tom &amp; &quot;J&#233;rry&quot; &lt;3&#10;x\" content-desc=\"a > b\"",
            "[0,0][9,9]",
            "",
        ));
        assert_eq!(found[0].text, "Tom & \"J\u{e9}rry\" <3\nx");
        assert_eq!(found[0].content_desc, "a > b");
    }

    #[test]
    fn places_are_given_on_the_phone_and_in_the_picture() {
        let found = listed(&node("text=\"x\"", "[-20,2300][541,2500]", ""));
        let element = &found[0];
        assert_eq!(element.bounds.to_string(), "[0,2300][541,2400]");
        assert_eq!((element.center.x, element.center.y), (271, 2350));
        // 768 x 1707, the last row is 1706.
        assert_eq!(element.scaled_bounds.to_string(), "[0,1636][385,1706]");
        assert_eq!((element.scaled_center.x, element.scaled_center.y), (193, 1671));
    }

    #[test]
    fn what_does_not_help_is_left_out() {
        let all = [
            // No size, and off the screen.
            node("text=\"none\"", "[5,5][5,9]", ""),
            node("text=\"off\"", "[0,2400][9,2500]", ""),
            // Says nothing.
            node("class=\"android.view.View\"", "[0,0][9,9]", ""),
            // Background, but not if it says something.
            node("resource-id=\"a:id/stage\" focusable=\"true\"", "[0,0][1080,2300]", ""),
            node("text=\"poster\"", "[0,0][1080,2300]", ""),
            node("text=\"grey\" enabled=\"false\"", "[0,0][9,9]", ""),
        ];
        let found = listed(&all.concat());
        let brief: Vec<_> = found.iter().map(|e| (&*e.text, e.enabled)).collect();
        assert_eq!(brief, [("poster", true), ("grey", false)]);
    }

    #[test]
    fn a_crowded_screen_gives_its_best_elements_in_reading_order() {
        let mut crowd = String::new();
        for row in 0..100 {
            let bounds = format!("[0,{}][100,{}]", row * 20, row * 20 + 20);
            let text = format!("text=\"{row}\"");
            let class = if row % 2 == 1 { " class=\"android.widget.Button\"" } else { "" };
            crowd.push_str(&node(&format!("{text}{class}"), &bounds, ""));
        }
        let found = listed(&crowd);
        assert_eq!(found.len(), MAX_ELEMENTS);
        let numbers: Vec<i32> = found.iter().map(|e| e.text.parse().unwrap()).collect();
        assert!(numbers.is_sorted());
        assert!((0..50).all(|n| numbers.contains(&(n * 2 + 1))), "{numbers:?}");
        let ids: Vec<usize> = found.iter().map(|e| e.id.parse().unwrap()).collect();
        assert_eq!(ids, (1..=MAX_ELEMENTS).collect::<Vec<_>>());
        let long = listed(&node(&format!("text=\"{}\"", "é".repeat(900)), "[0,0][9,9]", ""));
        assert_eq!(long[0].text.chars().count(), MAX_TEXT + 1);
    }
}
