//! Which texts are names of packages.

use clawperator_phone::PackageName;

#[test]
fn a_name_is_words_with_dots_in_between_and_nothing_else_is() {
    for name in ["android", "a.b", "com.clawperator.operator.dev", "com.Some_App2.x"] {
        assert_eq!(PackageName::parse(name).unwrap().to_string(), name);
    }
    let long = "a".repeat(PackageName::MAX_LETTERS + 1);
    for text in [
        "",
        " ",
        ".",
        "..",
        "a.",
        ".a",
        "a..b",
        "a.2",
        "_a",
        "a b",
        "a/b",
        "../../../../data/local/tmp/x",
        "x; reboot $(id) 'y",
        "a.b\n",
        "a.é",
        &long,
    ] {
        assert!(PackageName::parse(text).is_err(), "{text}");
    }
    assert!(PackageName::parse(&long[1..]).is_ok());
    let usual = PackageName::usual_operator();
    assert_eq!(PackageName::parse(usual.as_str()), Ok(usual));
}
