//! Where the border is between one page and another.

use crate::pages::draw;
use clawperator_ui::{Fingerprints, RefBook, Screen, Tree};

const PAY: &str = "\n Button Pay_now clickable";
const TRANSFER: &str = "\n Toolbar\n  TextView Transfer";

/// Whether the ref of the last element of a page leads to the last of another. `shown` is
/// whether its caller is shown the other first.
fn follows(before: &str, later: &str, shown: bool) -> bool {
    let (before, later) = (draw(before), draw(later));
    let last = |tree: &Tree| tree.nodes().last().unwrap().0;
    let (one, two) = (Fingerprints::new(Screen::new(&before)), Fingerprints::new(Screen::new(&later)));
    let mut book = RefBook::default();
    let name = book.give(&one, last(&before)).unwrap();
    if shown {
        book.show(&two);
    }
    book.resolve(name, &two) == Ok(last(&later))
}

fn holds(before: &str, later: &str) -> bool {
    follows(before, later, false)
}

/// What pays, and has no text that would count; it has the focus later, since a screen on
/// which nothing has changed is not compared.
const MUTE: &str = "\n Button id=pay clickable";

fn is_like(before: &str, later: &str) -> bool {
    holds(&format!("{before}{MUTE}"), &format!("{later}{MUTE} focused"))
}

fn is_near(before: &str, later: &str) -> bool {
    // A view does not renew the ref of what pays.
    let mute = MUTE.replace("pay", "more");
    follows(&format!("{before}{mute}"), &format!("{later}{mute} focused"), true)
}

/// A page of texts, a letter each, below what is given.
fn texts(top: &str, letters: &str) -> String {
    let text = |letter: char| format!("\n T {letter}");
    format!("A [0,0][1000,2000]{top}{}", letters.chars().map(text).collect::<String>())
}

const TITLE: &str = "\n Toolbar\n  TextView Page";

/// A list that begins at a height, a row for each letter.
fn list(from: i32, letters: &str) -> String {
    let row = |(place, letter): (usize, char)| {
        let top = from + place as i32 * 10;
        format!("\n  F [0,{top}][9,{}]\n   T {letter} [0,{top}][9,{}]", top + 9, top + 9)
    };
    let rows: String = letters.chars().enumerate().map(row).collect();
    format!("\n RecyclerView scrollable [0,0][99,99]{rows}")
}

#[test]
fn a_page_is_the_same_with_few_new_texts() {
    let dialog = "\n F id=android:id/parentPanel";
    for (before, later, like) in [
        // No text may be new, and none may be gone.
        (texts("", "abcd"), texts("", "abcde"), false),
        (texts("", "abc"), texts("", "abcd"), false),
        (texts("", "abcdefgh"), texts("", "abcdefghij"), false),
        (texts("", "abcdefg"), texts("", "abcdefghi"), false),
        (texts("", "abcde"), texts("", "abcd"), false),
        (texts("", "a"), texts("", "a"), true),
        (texts("", "ab"), texts("", "ab"), true),
        // Buttons alone are no subject.
        ("A\n B a clickable".to_owned(), "A\n B a clickable".to_owned(), false),
        // A list that comes or goes.
        (texts("", "a"), texts("", "a") + &list(0, "x"), false),
        (texts("", "a") + &list(0, "x"), texts("", "a"), false),
        (texts("", "a") + &list(0, "xy"), texts("", "a") + &list(0, "xy"), true),
        // A dialog may not change at all, and needs no other subject.
        (texts(dialog, "abcdef"), texts(dialog, "abcdef"), true),
        (texts(dialog, "abcdef"), texts(dialog, "abcdefg"), false),
        (texts(dialog, "a") + &list(0, "xy"), texts(dialog, "a") + &list(0, "xyz"), false),
        (texts(dialog, "a") + &list(0, "xy"), texts(dialog, "b") + &list(0, "xy"), false),
        (texts("", "abcdef"), texts(dialog, "abcdef"), false),
        // Another app, another title.
        (texts(" package=a", "ab"), texts(" package=b", "ab"), false),
        (texts(TITLE, "ab"), texts(&TITLE.replace("Page", "Other"), "ab"), false),
    ] {
        assert_eq!(is_like(&before, &later), like, "{before}\n{later}");
    }
}

#[test]
fn a_page_is_near_if_few_of_its_words_are_replaced() {
    let dialog = "\n F id=android:id/parentPanel";
    for (before, later, near) in [
        // One word, or half as many as stay; a title stays, and counts.
        (texts(TITLE, "a"), texts(TITLE, "x"), true),
        (texts(TITLE, "ab"), texts(TITLE, "xy"), false),
        (texts(TITLE, "abcd"), texts(TITLE, "abxy"), false),
        (texts(TITLE, "abcde"), texts(TITLE, "abcxy"), true),
        (texts(TITLE, "ab"), texts(&TITLE.replace("Page", "Other"), "ab"), false),
        (texts("", "ab"), texts("", "ax"), true),
        (texts("", "ab"), texts("", "xy"), false),
        (texts("", "abcd"), texts("", "abxy"), false),
        (texts("", "abcdef"), texts("", "abcdxy"), true),
        // The keyboard covers words, an error comes.
        (texts("", "abcdef"), texts("", "a"), true),
        (texts("", "a"), texts("", "abcdef"), true),
        (texts("", "abcdef"), texts("", "x"), false),
        (texts("", "abcdef"), texts("", ""), false),
        // Values say nothing of a page.
        (texts("", "a123"), texts("", "a456"), true),
        (texts("", "12"), texts("", "34"), true),
        (texts(" package=a", "abc"), texts(" package=b", "abx"), false),
        // A dialog may get words or lose some, but not others instead.
        (texts(dialog, "abc"), texts(dialog, "abcd"), true),
        (texts(dialog, "abc"), texts(dialog, "ab"), true),
        (texts(dialog, "abc"), texts(dialog, "abx"), false),
        (texts(dialog, "a"), texts(dialog, "x"), false),
        (texts("", "abc"), texts(dialog, "abx"), false),
        (texts(dialog, "abc"), texts("", "abx"), false),
        // The rows of a list do not count, the texts of a page do.
        (texts("", "a") + &list(0, "rst"), texts("", "a") + &list(0, "uvw"), true),
        (
            texts("", "a") + &list(0, "rst").replace("RecyclerView", "ScrollView"),
            texts("", "a") + &list(0, "uvw").replace("RecyclerView", "ScrollView"),
            false,
        ),
    ] {
        assert_eq!(is_near(&before, &later), near, "{before}\n{later}");
    }
}

#[test]
fn a_page_built_alike_about_something_else_is_another() {
    let page = |scrolling: &str, texts: &str| {
        let texts: String = texts.split(' ').map(|text| format!("\n   TextView {text}")).collect();
        format!("A{TRANSFER}\n {scrolling}\n  LinearLayout{texts}{PAY}")
    };
    for scrolling in ["ScrollView scrollable", "FrameLayout", "ViewPager scrollable"] {
        for (before, later, same) in [
            ("To Alice 10_EUR Fee", "To Alice 10_EUR Fee", true),
            ("To Alice 10_EUR Fee", "To Mallory 9999_EUR Fee", false),
            ("To Alice 10_EUR Fee", "To Mallory 10_EUR Fee", false),
            ("To Alice 10_EUR Fee", "To Alice 11_EUR Fee", false),
            ("To Alice 10_EUR", "To Alice 11_EUR", false),
            ("Alice To 10_EUR", "Mallory To 10_EUR", false),
            ("To Alice 10_EUR", "To Alice", false),
            ("Light Off", "Light On", true),
        ] {
            let (before, later) = (page(scrolling, before), page(scrolling, later));
            // Something has to be different for the page to be compared.
            let later = later.replace("clickable", "clickable focused");
            assert_eq!(holds(&before, &later), same, "{before}\n{later}");
        }
    }
}

#[test]
fn a_title_stands_in_a_bar_or_beside_the_way_back() {
    for bar in [
        "Toolbar\n  TextView $",
        "Toolbar\n  LinearLayout\n   TextView $",
        "FrameLayout\n  ImageButton clickable desc=Navigate_up\n  TextView $",
        "TextView $ id=toolbar_title",
    ] {
        let field = "\n EditText id=message  clickable";
        let page = |title: &str, typed: &str| {
            let rows = "\n RecyclerView scrollable\n  TextView Hello";
            let field = field.replace("EditText", &format!("EditText {typed}"));
            format!("A\n {}{rows}{field}", bar.replace('$', title))
        };
        assert!(holds(&page("Alan", ""), &page("Alan", "typed")), "{bar}");
        assert!(!holds(&page("Alan", ""), &page("Claude", "")), "{bar}");
    }
}

#[test]
fn a_list_may_scroll_and_lose_a_row_but_not_change_one() {
    let page = |from: i32, rows: &str| {
        let rows: String = rows
            .chars()
            .enumerate()
            .map(|(place, row)| {
                let top = from + place as i32 * 10;
                format!("\n  F [0,{top}][9,{}]\n   TextView {row} [0,{top}][9,{}]", top + 9, top + 9)
            })
            .collect();
        format!("A [0,0][1000,2000]{TRANSFER}\n RecyclerView scrollable [0,0][99,99]{rows}{PAY}")
    };
    for (before, (from, later), same) in [
        ("abcde", (-5, "bcdef"), true),
        ("abcde", (3, "cdefg"), true),
        ("abcde", (0, "abde"), true),
        ("abcde", (0, "axcde"), false),
        ("abcde", (0, "xbcde"), false),
        ("abcde", (0, "abcdx"), false),
        ("abcde", (0, "bacde"), false),
        ("abcde", (0, "vwxyz"), false),
    ] {
        assert_eq!(holds(&page(0, before), &page(from, later)), same, "{before} {later}");
    }
}

#[test]
fn a_page_of_nothing_but_buttons_may_not_change() {
    let page = |state: &str| format!("A\n Button Share clickable{state}\n Button Delete clickable");
    assert!(holds(&page(""), &page("")));
    assert!(!holds(&page(""), &page(" focused")));
}
