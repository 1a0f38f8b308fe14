//! What was drawn lately and is likely to be drawn again: letters and icons,
//! one store a thread. It changes how long drawing takes and nothing else.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::icon_table::Icon;
use crate::limits::MAX_KEPT_BYTES;
use crate::mask::Mask;
use crate::style::{Font, Weight};

/// What a mask shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MaskKey {
    /// A letter; `size` is the bits of its size.
    Glyph {
        c: char,
        size: u32,
        weight: Weight,
        font: Font,
        step: u8,
    },
    Icon {
        icon: Icon,
        side: u32,
    },
}

#[derive(Default)]
struct MaskCache {
    masks: BTreeMap<MaskKey, Mask>,
    bytes: usize,
}

thread_local! {
    static KEPT: RefCell<MaskCache> = RefCell::default();
}

/// Hands a mask to `draw`, made by `make` if it is not kept. `draw` must not ask for a mask itself.
pub(crate) fn with(key: MaskKey, make: impl FnOnce() -> Mask, draw: impl FnOnce(&Mask)) {
    let known = KEPT.with_borrow(|kept| kept.masks.contains_key(&key));
    if !known {
        // Not while the store is held: an icon that is a letter makes a glyph.
        let mask = make();
        if mask.coverage.len() > MAX_KEPT_BYTES / 8 {
            draw(&mask);
            return;
        }
        KEPT.with_borrow_mut(|kept| kept.insert(key, mask));
    }
    KEPT.with_borrow(|kept| kept.masks.get(&key).map(draw));
}

impl MaskCache {
    fn insert(&mut self, key: MaskKey, mask: Mask) {
        let cost = mask.coverage.len() + size_of::<MaskKey>() + size_of::<Mask>();
        if self.bytes + cost > MAX_KEPT_BYTES {
            *self = Self::default();
        }
        self.bytes += cost;
        self.masks.insert(key, mask);
    }
}
