//! The elements of a view that get a mark in a picture, by their refs. Pure.

use clawperator_agent::snapshot::{Mark, Scale, Size};
use clawperator_ui::Bounds;
use serde_json::Value;

/// An element with a ref, which gets a mark in a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedElement {
    number: String,
    /// Where it is on the phone's screen.
    bounds: Bounds,
}

impl MarkedElement {
    /// Those of a view in JSON that can be acted on.
    pub fn of_view(view: &str) -> Vec<Self> {
        let view: Value = serde_json::from_str(view).unwrap_or_default();
        let elements = view["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
        elements.iter().filter_map(Self::of_element).collect()
    }

    fn of_element(element: &Value) -> Option<Self> {
        let number = element["ref"].as_str()?.strip_prefix("@e")?.to_owned();
        let sides = element["bounds"].as_array()?;
        let side = |at: usize| sides.get(at)?.as_i64()?.try_into().ok();
        let bounds = Bounds::new(side(0)?, side(1)?, side(2)?, side(3)?);
        (element["role"] != "text").then_some(Self { number, bounds })
    }

    /// Its mark in a picture of the screen, which is so much smaller.
    pub fn mark(&self, scale: Scale, picture: Size) -> Mark {
        Mark { label: self.number.clone(), bounds: scale.bounds_to_picture(&self.bounds, picture) }
    }
}
