//! Tests of `report/picture.rs`, in a page.

use crate::temp::Temp;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_events::*;
use clawperator_journal::StoredJournal;
use clawperator_journal::report::page;

/// The picture that a page has of this one.
fn in_page(temp: &Temp, png: &[u8]) -> Option<Vec<u8>> {
    let (mut run, _) = temp.folder().begin("c", 1).unwrap();
    let picture = run.picture(png).unwrap().unwrap();
    let seen = PictureEvent { picture, bytes: png.len(), after: PictureMoment::Look };
    run.record(1, &Event::Picture(seen)).unwrap();
    let page = page(&StoredJournal::open(&temp.folder().find("c").unwrap()).unwrap());
    std::fs::remove_dir_all(run.folder()).unwrap();
    let (_, behind) = page.split_once("<image id=\"shot-0\"")?;
    let (_, behind) = behind.split_once("base64,").unwrap();
    let (shown, _) = behind.split_once('"').unwrap();
    Some(STANDARD.decode(shown).unwrap())
}

#[test]
fn half_a_picture_is_the_middle_of_fours() {
    let temp = Temp::new("half");
    let (upper, lower) = ([[0, 0, 0], [4, 8, 255]].concat(), [[8, 0, 255], [4, 0, 254]].concat());
    // What is not wider than this stays as it is.
    for (width, half) in [(720, 720), (722, 361), (721, 360)] {
        // Of an odd row the last has no neighbour.
        let odd = [9; 3].repeat(width % 2);
        let rgb = [upper.repeat(width / 2), odd.clone(), lower.repeat(width / 2), odd].concat();
        let png = Pixels { width, height: 2, rgb }.write().unwrap();
        let shown = in_page(&temp, &png).unwrap();
        if half == width {
            assert_eq!(shown, png);
            continue;
        }
        let shown = Pixels::read(&shown).unwrap();
        assert_eq!((shown.width, shown.height), (half, 1));
        assert_eq!(shown.rgb, [4, 2, 191].repeat(half));
    }
}

#[test]
fn what_is_no_picture_is_left_alone() {
    let temp = Temp::new("no-picture");
    assert_eq!(in_page(&temp, b""), None);
    assert_eq!(in_page(&temp, b"\x89PNG\r\n\x1a\n broken"), None);
    // One that says its size, and nothing else that can be read.
    let size = [1080_u32.to_be_bytes(), 2400_u32.to_be_bytes()].concat();
    let broken = [b"\x89PNG\r\n\x1a\n broken!", &size[..], b"broken"].concat();
    assert_eq!(in_page(&temp, &broken), Some(broken));
}
