//! The windows beside the active one, as a program sees them that asks for all:
//! the bars of the phone, the keyboard, and a bubble.

use super::keyboard::Types;
use super::{LATIN, Phone, SYSTEM_UI};
use crate::view::class::{FRAME, TEXT};
use clawperator_ui::{Bounds, Flag, Flags, Node, Tree};

impl Phone {
    /// Adds the windows beside the active one to a tree.
    pub(crate) fn add_other_windows(&self, tree: &mut Tree) {
        if !self.power.awake || !self.power.booted {
            return;
        }
        let display = self.display.bounds();
        let bar = Bounds { bottom: display.top + self.display.px(24), ..display };
        let clock = super::format_time(self.clock.now(), "%H:%M");
        push(tree, 0, SYSTEM_UI, part(FRAME, "", bar));
        let mut time = part(TEXT, "clock", bar);
        time.text = clock;
        push(tree, 1, SYSTEM_UI, time);
        let handle = Bounds { top: display.bottom - self.handle_height(), ..display };
        push(tree, 0, SYSTEM_UI, part(FRAME, "", handle));
        push(tree, 1, SYSTEM_UI, part("android.view.View", "home_handle", handle));
        if self.keyboard_shown {
            self.add_keyboard(tree);
        }
        if let Some(overlay) = &self.overlay {
            let mut bubble = part(TEXT, "", self.overlay_bounds());
            bubble.text.clone_from(&overlay.text);
            bubble.flags = bubble.flags.with(Flag::Clickable, true);
            push(tree, 0, &overlay.package, bubble);
        }
    }

    fn add_keyboard(&self, tree: &mut Tree) {
        let package = LATIN.split('/').next().unwrap_or(LATIN);
        push(tree, 0, package, part(FRAME, "", self.keyboard_bounds()));
        for key in self.keys() {
            let mut node = part("android.widget.FrameLayout", "", key.bounds);
            node.content_desc = match key.types {
                Types::Letter(letter) => letter.to_string(),
                Types::Delete => "Delete".to_owned(),
                Types::Enter => "Enter".to_owned(),
                Types::Page(page) => page.sign().to_owned(),
            };
            node.flags = node.flags.with(Flag::Clickable, true);
            push(tree, 1, package, node);
        }
    }
}

fn part(class: &str, id: &str, bounds: Bounds) -> Node {
    let id = if id.is_empty() { String::new() } else { format!("{SYSTEM_UI}:id/{id}") };
    Node {
        class: class.to_owned(),
        resource_id: Some(id),
        bounds,
        flags: Flags::default().with(Flag::Enabled, true),
        visible_to_user: Some(true),
        drawing_order: Some(1),
        hint: Some(String::new()),
        display_id: Some(0),
        ..Node::default()
    }
}

fn push(tree: &mut Tree, depth: usize, package: &str, mut node: Node) {
    package.clone_into(&mut node.package);
    tree.push(depth, node);
}
