//! What comes nearest to a matcher that nothing fits, and why it does not fit.

use crate::seen::Screen;
use crate::tree::NodeId;
use clawperator_contract::{MATCHER_FIELDS, Matcher};

/// How alike two texts must be to be called near.
const LEAST: f64 = 0.35;
/// How near others must be, against the nearest.
const SHARE: f64 = 0.65;
/// How much of a text is compared.
const COMPARED: usize = 80;

/// An element that almost fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Which.
    pub id: NodeId,
    /// How many fields of the matcher it fits.
    pub fits: usize,
    /// The fields that it does not fit.
    pub misses: Vec<Miss>,
    /// How near it is; more is nearer.
    score: f64,
}

/// A field that an element does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// The field's name in the contract.
    pub field: &'static str,
    /// What the matcher wants.
    pub wanted: String,
    /// What the element has.
    pub found: String,
}

impl Screen<'_> {
    /// The elements that come nearest to a matcher without fitting it, the
    /// nearest first; in reading order where they are equally near.
    #[must_use]
    pub fn nearest(&self, matcher: &Matcher, most: usize) -> Vec<Near> {
        let mut fields = Vec::new();
        for field in MATCHER_FIELDS {
            if let Some(wanted) = (field.slot)(&mut matcher.clone()).clone() {
                fields.push((field.name, wanted));
            }
        }
        let mut near: Vec<Near> = self
            .nodes()
            .filter_map(|(id, _)| self.compare(id, &fields))
            .collect();
        near.sort_by(|one, other| other.score.total_cmp(&one.score));
        let best = near.first().map_or(0.0, |near| near.score);
        near.retain(|near| near.score >= best * SHARE);
        near.truncate(most);
        near
    }

    fn compare(&self, id: NodeId, fields: &[(&'static str, String)]) -> Option<Near> {
        let mut near = Near {
            id,
            fits: 0,
            misses: Vec::new(),
            score: 0.0,
        };
        for (field, wanted) in fields {
            let found = self.value(id, field)?;
            let alike = likeness(wanted, &found);
            let fits = match *field {
                "textContains" | "contentDescContains" => crate::part::Part::new(wanted).is_in(&found),
                "role" => wanted.eq_ignore_ascii_case(&found),
                _ => *wanted == found,
            };
            if fits {
                near.fits += 1;
                near.score += 1.0;
            } else {
                // A role is right or wrong, and many elements share one.
                near.score += if *field == "role" { 0.0 } else { alike };
                near.misses.push(Miss {
                    field,
                    wanted: wanted.clone(),
                    found,
                });
            }
        }
        (near.score >= LEAST && !near.misses.is_empty()).then_some(near)
    }

    /// What an element has where a field of a matcher wants something.
    fn value(&self, id: NodeId, field: &str) -> Option<String> {
        let node = self.tree().node(id);
        match field {
            "resourceId" => Some(node.resource_id.clone().unwrap_or_default()),
            "role" => Some(self.tree().role(id).word().to_owned()),
            "textEquals" | "textContains" => Some(node.label().to_owned()),
            "contentDescEquals" | "contentDescContains" => Some(node.content_desc.clone()),
            _ => None,
        }
    }
}

/// How alike two texts are, from 0 to 1: how many pairs of letters they share,
/// whatever their case. One inside the other is quite alike.
fn likeness(one: &str, other: &str) -> f64 {
    let fold =
        |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).take(COMPARED).collect() };
    let (one, other) = (fold(one), fold(other));
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    if one == other {
        return 0.95;
    }
    let mut left: Vec<&[char]> = other.windows(2).collect();
    let pairs = left.len() + one.len() - 1;
    let mut shared = 0;
    for pair in one.windows(2) {
        if let Some(place) = left.iter().position(|other| *other == pair) {
            left.swap_remove(place);
            shared += 1;
        }
    }
    2.0 * f64::from(shared) / pairs.max(1) as f64 * 0.95
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::sketch;

    const DRAWING: &str = "FrameLayout [0,0][100,100] id=a:id/root
 TextView \"Increment\" id=a:id/btn_increment
 Button \"Increase_all\" id=a:id/btn_all
 TextView \"Wi-Fi\" desc=Wireless
 Button \"OK\" id=a:id/ok";

    fn near(matcher: &Matcher) -> Vec<(String, Vec<&'static str>)> {
        let tree = sketch(DRAWING);
        let screen = Screen::new(&tree);
        let near = screen.nearest(matcher, 2);
        near.iter()
            .map(|near| {
                let label = tree.node(near.id).label().to_owned();
                (label, near.misses.iter().map(|miss| miss.field).collect())
            })
            .collect()
    }

    #[test]
    fn a_slip_of_the_pen_leads_to_what_was_meant() {
        let text = |text: &str| Matcher {
            text_equals: Some(text.to_owned()),
            ..Matcher::default()
        };
        assert_eq!(
            near(&text("Incremnt"))[0],
            ("Increment".to_owned(), vec!["textEquals"])
        );
        assert_eq!(near(&text("increment"))[0].0, "Increment");
        assert_eq!(near(&text("qqq")), []);
    }

    #[test]
    fn what_fits_in_most_fields_comes_first() {
        let matcher = Matcher {
            text_equals: Some("OK".to_owned()),
            role: Some("switch".to_owned()),
            ..Matcher::default()
        };
        assert_eq!(near(&matcher)[0], ("OK".to_owned(), vec!["role"]));
        let matcher = Matcher {
            resource_id: Some("a:id/okay".to_owned()),
            text_contains: Some("o".to_owned()),
            ..Matcher::default()
        };
        assert_eq!(near(&matcher)[0], ("OK".to_owned(), vec!["resourceId"]));
    }

    #[test]
    fn what_fits_is_not_near() {
        let matcher = Matcher {
            text_equals: Some("OK".to_owned()),
            ..Matcher::default()
        };
        assert!(near(&matcher).iter().all(|(label, _)| label != "OK"));
        assert_eq!(near(&Matcher::default()), []);
    }
}
