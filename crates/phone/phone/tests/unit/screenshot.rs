//! Pictures as phones print them.

use super::*;

#[test]
fn a_picture_is_found_behind_a_warning_and_has_the_size_of_a_screen() {
    let sized = |width: u32, height: u32| {
        let sizes = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [SIGNATURE, HEADER, &sizes, b"IDAT", END].concat()
    };
    for (width, height) in [(0, 0), (1080, 0), (1 << 31, 1 << 31), (1080, 16_385)] {
        let odd = parse(&Bytes::from(sized(width, height)));
        assert!(matches!(odd, Err(PhoneError::Unreadable { .. })), "{odd:?}");
    }
    let bare = parse(&Bytes::from([SIGNATURE, b"pixels", END].concat()));
    assert!(matches!(bare, Err(PhoneError::Unreadable { .. })), "{bare:?}");
    for (width, height, fitting) in
        [(1080, 2400, true), (2400, 1080, true), (540, 1200, true), (260, 512, false), (720, 748, false)]
    {
        assert_eq!(fits(&sized(width, height), "1080x2400"), fitting, "{width}x{height}");
        assert!(fits(&sized(width, height), ""));
    }
    let png = sized(1080, 2400);
    let said = [b"[Warning] Multiple displays were found\n", &png[..], b"\n"].concat();
    assert_eq!(parse(&Bytes::from(said)).unwrap(), png);
    assert_eq!(parse(&Bytes::from(png.clone())).unwrap(), png);
    let cut = Bytes::from(png[..png.len() - 1].to_vec());
    assert!(matches!(parse(&cut), Err(PhoneError::Unreadable { .. })));
    let odd = [END, SIGNATURE].concat();
    assert!(matches!(parse(&Bytes::from(odd)), Err(PhoneError::Unreadable { .. })));
    for text in ["", "Capturing failed.\n"] {
        assert!(matches!(
            parse(&Bytes::from(text)),
            Err(PhoneError::Refused { excerpt, .. }) if excerpt == text.trim()
        ));
    }
}

#[test]
fn a_picture_says_how_many_pixels_of_the_screen_one_of_it_is() {
    let sized = |width: u32, height: u32| {
        let sizes = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [SIGNATURE, HEADER, &sizes, b"IDAT", END].concat()
    };
    for (width, height, screen, wanted) in [
        (1080, 2400, "1080x2400\n", Some(1.0)),
        (540, 1200, "1080x2400", Some(2.0)),
        (1440, 3200, "1080x2400", Some(0.75)),
        (1200, 540, "1080x2400", Some(2.0)),
        // The phone does not say.
        (1080, 2400, "", None),
        (1080, 2400, "0x0", None),
    ] {
        assert_eq!(scale(&sized(width, height), screen), wanted, "{width}x{height} {screen}");
    }
}
