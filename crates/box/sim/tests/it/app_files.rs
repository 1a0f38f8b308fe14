//! App files: good ones are read, bad ones are refused with a place.

use clawperator_sim::app;

/// A file with one thing wrong, where that is, and a word of the message.
fn check(file: &str, line: u64, words: &str) {
    let problems = app::parse(file).unwrap_err();
    let problem = &problems.listed[0];
    let found = problem.position.map_or(0, |position| position.line);
    assert!(found == line && problem.to_string().contains(words), "{problems:?}");
}

#[test]
fn the_smallest_app_is_a_name() {
    let app = app::parse("package: a.b\nlabel: A\n").unwrap();
    assert_eq!((app.package.as_str(), app.version.code), ("a.b", 1));
}

#[test]
fn a_mistake_is_told_with_its_line() {
    check("package: a.b\nlabel: A\ncolour: red\n", 3, "colour");
    check("package: a.b\nlabel: A\nscreens:\n  main:\n    body:\n      - buton: {text: x}\n", 6, "buton");
    check("package: a.b\nlabel: A\nscreens:\n  main:\n    body:\n      - button: {txt: x}\n", 6, "txt");
    check(
        "package: a.b\nlabel: A\nscreens:\n  main:\n    body:\n      - text: {text: \"{n +}\"}\n",
        6,
        "n +",
    );
    check(
        "package: a.b\nlabel: A\nactivities:\n  - {name: .M, screen: home}\nscreens: {main: {}}\n",
        4,
        "home",
    );
    check("package: a\nlabel: A\n", 0, "package name");
    check(
        "package: a.b\nlabel: A\nscreens: {main: {body: [text: {text: \"{n}\"}]}}\n",
        3,
        "screens.main.body.0.text",
    );
    check("package: a.b\n  label: A\n", 2, "");
    check("", 1, "");
}

#[test]
fn a_file_made_to_explode_is_refused() {
    let mut bomb =
        String::from("package: a.b\nlabel: &a0 \"xxxxxxxx\"\nstate:\n  s0: &s0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..12 {
        let last = level - 1;
        bomb.push_str(&format!("  s{level}: &s{level} [{}]\n", vec![format!("*s{last}"); 10].join(",")));
    }
    assert!(app::parse(&bomb).is_err());
    assert!(app::parse(&"[".repeat(500_000)).is_err());
    assert!(app::parse(&" ".repeat(app::MAX_FILE + 1)).is_err());
}

#[test]
fn the_conformance_app_is_an_app() {
    let app = app::parse(include_str!("../../apps/conformance.yaml"));
    assert!(app.is_ok(), "{:?}", app.err());
}

#[test]
fn a_file_as_deep_as_it_may_be_is_read_or_refused() {
    for depth in [10, 24, 40, 200] {
        let inner = "column: {children: [".repeat(depth);
        let ends = "]}".repeat(depth);
        let file = format!("package: a.b\nlabel: A\nscreens: {{main: {{body: [{inner}{ends}]}}}}\n");
        let read = app::parse(&file);
        assert_eq!(read.is_ok(), depth < 40, "{depth}: {:?}", read.err());
    }
}
