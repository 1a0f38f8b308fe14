//! The machine's own fonts, for characters that the binary's fonts lack. They
//! are looked for once, when the first such character is drawn, and only ever
//! drawn with: how wide a text is never depends on them.
//!
//! This is the one file of the crate whose result depends on the machine.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use ab_glyph::{Font as _, FontRef};
use fontdb::{Database, FaceInfo, ID, Source, Style, Weight};

use crate::limits::MAX_SYSTEM_FACES;

/// Characters are looked up a block at a time, because opening a font costs
/// more than asking it 256 questions.
const BLOCK: u32 = 256;
/// No font of the machine has the character.
const NOWHERE: u8 = u8::MAX;

struct SystemFonts {
    database: Database,
    /// In order of preference, the same on every run.
    faces: Vec<ID>,
    /// For each block that was asked for, which of `faces` has its characters.
    /// There are 4352 blocks, so this stays near a megabyte at most.
    blocks: Mutex<BTreeMap<u32, [u8; BLOCK as usize]>>,
}

static FONTS: LazyLock<SystemFonts> = LazyLock::new(|| {
    let mut database = Database::new();
    database.load_system_fonts();
    let mut faces: Vec<_> = database.faces().filter(|face| is_useful(face)).collect();
    faces.sort_by_key(|face| (distance_from_regular(face), path(face), face.index));
    faces.truncate(MAX_SYSTEM_FACES.min(usize::from(NOWHERE)));
    let faces = faces.into_iter().map(|face| face.id).collect();
    SystemFonts { database, faces, blocks: Mutex::default() }
});

/// Hands the machine's best face with this character to `draw`; nothing when there is none.
pub(crate) fn with_face<R>(c: char, draw: impl FnOnce(&FontRef<'_>) -> R) -> Option<R> {
    let fonts = &*FONTS;
    let block = u32::from(c) / BLOCK;
    let mut blocks = fonts.blocks.lock().unwrap_or_else(PoisonError::into_inner);
    let table = blocks.entry(block).or_insert_with(|| fonts.table(block));
    let face = table.get((u32::from(c) % BLOCK) as usize).copied()?;
    drop(blocks);
    fonts.open(usize::from(face), draw)
}

impl SystemFonts {
    fn open<R>(&self, face: usize, draw: impl FnOnce(&FontRef<'_>) -> R) -> Option<R> {
        let id = *self.faces.get(face)?;
        let read = |bytes: &[u8], index| {
            FontRef::try_from_slice_and_index(bytes, index).ok().map(|font| draw(&font))
        };
        self.database.with_face_data(id, read)?
    }

    fn table(&self, block: u32) -> [u8; BLOCK as usize] {
        let mut table = [NOWHERE; BLOCK as usize];
        for face in 0..self.faces.len() {
            self.open(face, |font| {
                for (slot, code) in table.iter_mut().zip(block * BLOCK..) {
                    let glyph = char::from_u32(code).map(|c| font.glyph_id(c)).filter(|glyph| glyph.0 != 0);
                    // A font of coloured pictures has glyphs without outlines.
                    if *slot == NOWHERE && glyph.is_some_and(|glyph| font.outline(glyph).is_some()) {
                        *slot = face as u8;
                    }
                }
            });
        }
        table
    }
}

/// Upright, and not the font whose every glyph only says that there is none.
fn is_useful(face: &FaceInfo) -> bool {
    face.style == Style::Normal && !family(face).contains("LastResort")
}

fn family(face: &FaceInfo) -> &str {
    face.families.first().map(|(name, _)| name.as_str()).unwrap_or_default()
}

/// Fonts for plain text come first.
fn distance_from_regular(face: &FaceInfo) -> (u16, bool, bool) {
    (face.weight.0.abs_diff(Weight::NORMAL.0), !family(face).contains("Sans"), face.monospaced)
}

fn path(face: &FaceInfo) -> String {
    match &face.source {
        Source::File(path) | Source::SharedFile(path, _) => path.display().to_string(),
        Source::Binary(_) => String::new(),
    }
}
