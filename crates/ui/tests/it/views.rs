//! Views of any tree, and of real dumps where they are.

use crate::real_dumps;
use clawperator_ui::{Extent, Screen, Sight, Style, ViewMemory, Wish, view};

#[test]
fn show() {
    for (name, tree) in real_dumps() {
        let sight = Sight::new(Screen::new(&tree));
        let wish = Wish {
            style: Style::Compact,
            budget: None,
            extent: Extent::Whole,
        };
        let view = view(&sight, wish, &mut ViewMemory::default());
        let base = name.rsplit('/').next().unwrap();
        std::fs::write(format!("/tmp/viewscratch/{base}.txt"), &view.text).unwrap();
        println!("== {base} {} {}", view.text.len(), view.tokens);
        println!("{}", view.text);
    }
}
