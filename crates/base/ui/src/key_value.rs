//! From a label to the value that belongs to it, such as "Battery" and "80 %".

use crate::role::Role;
use crate::screen::Screen;
use crate::tree::{Node, NodeId};
use clawperator_contract::Flag;

/// How the ids of values end in the system's own settings.
const SUMMARY: &str = "/summary";
/// How the ids of bars at the top of a page end, whatever their class.
const BARS: [&str; 3] = ["toolbar", "action_bar", "app_bar"];

impl Screen<'_> {
    /// The element that holds the value of a label.
    ///
    /// Going outwards from the label, the first level with anything behind the label decides, and
    /// so does the first row, list item, card or bar: what is beyond belongs to another label.
    /// There, a summary comes before the first element with a label. A row or a list behind the
    /// label has labels of its own: the title of a page has no value.
    pub fn value_of(&self, label: NodeId) -> Option<NodeId> {
        if !self.sees(label) {
            return None;
        }
        let mut inner = label;
        while let Some(outer) = self.tree().parent(inner) {
            let behind = || self.children(outer).filter(|child| *child > inner);
            if behind().next().is_some() || self.is_border(outer) {
                let place = ValuePlace::new(self, outer, inner == label);
                let all = || behind().flat_map(|child| self.own(child, place));
                let saying = || all().filter(|(_, node)| !node.label().is_empty());
                let summary = saying().find(|(_, node)| is_summary(node));
                return summary.or_else(|| saying().next()).map(|(id, _)| id);
            }
            inner = outer;
        }
        None
    }

    fn is_border(&self, id: NodeId) -> bool {
        self.is_row(id) || self.is_bar(id)
    }

    fn is_row(&self, id: NodeId) -> bool {
        matches!(self.tree().role(id), Role::Row | Role::Listitem | Role::Card)
    }

    fn is_bar(&self, id: NodeId) -> bool {
        let named = self.tree().node(id).resource_id.as_deref().unwrap_or_default();
        self.tree().role(id) == Role::Toolbar || BARS.iter().any(|end| named.ends_with(end))
    }

    /// What of an element behind a label can belong to the label.
    fn own(&self, behind: NodeId, place: ValuePlace) -> impl Iterator<Item = (NodeId, &Node)> {
        let around =
            move |id: &NodeId| Some(*id).filter(|id| *id > behind).and_then(|id| self.tree().parent(id));
        self.within(behind).filter(move |(id, _)| {
            let mut boxes = std::iter::successors(Some(*id), around);
            !boxes.any(|id| self.is_foreign(id, place))
        })
    }

    /// Tells whether an element behind a label has labels of its own.
    fn is_foreign(&self, id: NodeId, place: ValuePlace) -> bool {
        let tree = self.tree();
        let takes_clicks = tree.node(id).flags.has(Flag::Clickable);
        let is_list = || {
            let role = tree.role(id);
            tree.node(id).flags.has(Flag::Scrollable)
                || matches!(role, Role::List | Role::Grid | Role::Pager | Role::Listitem | Role::Tabbar)
                || takes_clicks && tree.children(id).next().is_some()
        };
        match place {
            ValuePlace::Row => false,
            ValuePlace::Bar => takes_clicks,
            ValuePlace::Beside => is_list(),
            ValuePlace::Beyond => is_list() || self.is_border(id),
        }
    }
}

/// Where a value is looked for.
#[derive(Clone, Copy)]
enum ValuePlace {
    /// In the label's own row.
    Row,
    /// In the bar at the top of a page, whose buttons are no values.
    Bar,
    Beside,
    /// Beside what is around the label.
    Beyond,
}

impl ValuePlace {
    fn new(screen: &Screen<'_>, outer: NodeId, is_beside: bool) -> Self {
        let mut around = std::iter::successors(Some(outer), |id| screen.tree().parent(*id));
        if screen.is_bar(outer) {
            Self::Bar
        } else if around.any(|id| screen.is_row(id)) {
            Self::Row
        } else if is_beside {
            Self::Beside
        } else {
            Self::Beyond
        }
    }
}

fn is_summary(node: &Node) -> bool {
    node.resource_id.as_deref().is_some_and(|id| id.ends_with(SUMMARY))
}
