//! Refs on pages that change as pages of apps do: who is called, what is undone, rows
//! that come and go, the keyboard, the phone turned.

use crate::words::node;
use clawperator_ui::{
    Base, Bounds, Change, Cover, Extent, Fingerprints, NodeId, Press, RefBook, Screen, Tree, ViewFormat,
    ViewMemory, ViewRequest, view,
};

/// A drawing as in [`crate::words`]; what has no bounds stands below what is before it,
/// and what has something inside is around it.
pub(crate) fn draw(drawing: &str) -> Tree {
    let lines: Vec<&str> = drawing.lines().filter(|line| !line.trim().is_empty()).collect();
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut nodes: Vec<(usize, clawperator_ui::Node)> = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let mut node = node(line.trim());
        if node.package.is_empty() {
            node.package = "a".to_owned();
        }
        let leaf = lines.get(place + 1).is_none_or(|next| depth(next) <= depth(line));
        if node.bounds == Bounds::default() && leaf {
            let top = place as i32 * 40;
            node.bounds = bounds(0, top, 1000, top + 39);
        }
        nodes.push((depth(line), node));
    }
    for place in (0..nodes.len()).rev() {
        let inside = nodes[place + 1..].iter().take_while(|inner| inner.0 > nodes[place].0);
        let around = inside.fold(None, |all: Option<Bounds>, (_, inner)| {
            let [one, two] = [all.unwrap_or(inner.bounds), inner.bounds];
            Some(bounds(
                one.left.min(two.left),
                one.top.min(two.top),
                one.right.max(two.right),
                one.bottom.max(two.bottom),
            ))
        });
        if nodes[place].1.bounds == Bounds::default() {
            nodes[place].1.bounds = around.unwrap_or_default();
        }
    }
    nodes[0].1.bounds = match nodes[0].1.bounds {
        Bounds { top: 1.., left: 0, .. } => bounds(0, 0, 1000, lines.len() as i32 * 40),
        given => given,
    };
    let mut tree = Tree::new(0);
    for (depth, node) in nodes {
        tree.push(depth, node);
    }
    tree
}

fn bounds(left: i32, top: i32, right: i32, bottom: i32) -> Bounds {
    Bounds { left, top, right, bottom }
}

fn place(tree: &Tree, id: NodeId) -> usize {
    tree.nodes().position(|(other, _)| other == id).unwrap()
}

/// The elements with a label, or all that take a touch without one.
fn called(tree: &Tree, label: &str) -> Vec<usize> {
    let like = tree.nodes().filter(|(_, node)| node.label() == label);
    like.map(|(id, _)| place(tree, id)).collect()
}

/// Where the ref of an element leads on a later screen.
fn follow(before: &Tree, element: usize, later: &Tree) -> Option<usize> {
    let mut book = RefBook::default();
    let id = before.nodes().nth(element).unwrap().0;
    let name = book.give(&Fingerprints::new(Screen::new(before)), id).unwrap();
    let found = book.resolve(name, &Fingerprints::new(Screen::new(later)));
    found.ok().map(|id| place(later, id))
}

/// Whether refs of what is called so lead to what is called so.
fn assert_refs(before: &str, later: &str, holding: &str, stale: &str) {
    let (one, two) = (draw(before), draw(later));
    for (labels, holds) in [(holding, true), (stale, false)] {
        for label in labels.split_whitespace().map(|label| label.replace('_', " ")) {
            let [element] = called(&one, &label)[..] else {
                panic!("one {label:?} in\n{before}");
            };
            let found = follow(&one, element, &two);
            let same = holds.then(|| called(&two, &label)[0]);
            assert_eq!(found, same, "{label}\n{before}\n{later}");
        }
    }
}

const BUTTONS: &str =
    "\n Button Call clickable\n Button Send clickable\n Button Delete clickable\n Button Notes clickable";

#[test]
fn a_page_about_another_person_is_another_page() {
    let all = "Call Send Delete Notes";
    for top in [
        "\n TextView Alice",
        "\n TextView Alice\n TextView Mobile\n TextView Work",
        "\n ImageView desc=Picture\n TextView Alice",
        "\n LinearLayout\n  TextView Alice\n  TextView Mobile",
        "\n Toolbar\n  TextView Contact\n TextView Alice\n TextView Mobile",
        "\n TextView Alice id=toolbar_title",
        "\n ScrollView scrollable\n  LinearLayout\n   TextView Alice\n   TextView Mobile\n   TextView Work",
    ] {
        let page = format!("F{top}{BUTTONS}");
        assert_refs(&page, &page.replace("Alice", "Bob"), "", all);
        // The same person, with something else of theirs.
        let later = format!("{page}\n TextView 4_calls");
        let earlier = format!("{page}\n TextView 3_calls");
        assert_refs(&earlier, &later, "Notes", "Call Send Delete");
        assert_refs(&page, &format!("{page}\n TextView Saved"), all, "");
    }
    // Another status, below what can be set; a status above may be what the page is about.
    let page = format!("F\n TextView Alice\n EditText clickable\n TextView Not_saved{BUTTONS}");
    let later = page.replace("Not_saved", "Changed_now");
    assert_refs(&page, &later, "", all);
    let page = page.replace("\n EditText clickable", "");
    assert_refs(&page, &page.replace("Not_saved", "Changed_now"), "", all);
}

#[test]
fn what_a_page_is_about_stands_anywhere_before_what_can_be_set() {
    let (one, two) = ("Anna", "Bert");
    for page in [
        // A bar without a way back, a word that is always there, a value below its name.
        "\n F\n  TextView Details\n TextView Anna",
        "\n TextView Hi\n TextView Anna\n TextView Mobile",
        "\n TextView Name\n TextView Anna\n TextView City\n TextView Rome",
        "\n TextView Name:_Anna\n TextView City",
        "\n TextView Details\n ImageView desc=Picture_of_Anna",
        "\n EditText clickable desc=Search\n TextView Details\n TextView Anna",
        // The tab that is chosen.
        "\n TextView Mail\n F desc=Anna clickable\n F desc=Bert clickable selected\n F desc=Anna2 clickable",
    ] {
        let set = "\n EditText id=note clickable\n Switch Bell clickable checkable id=bell";
        let page = format!(
            "F{page}{set}\n Button Like clickable\n Button Follow clickable\n Button Notes clickable"
        );
        let later = if page.contains("selected") {
            page.replace(" selected", "").replace("desc=Anna clickable", "desc=Anna clickable selected")
        } else {
            page.replace(one, two)
        };
        assert_refs(&page, &later, "", "Like Follow Notes Bell");
        let (before, after) = (draw(&page), draw(&later));
        let field = before.len() - 5;
        assert_eq!(follow(&before, field, &after), None, "{page}");
        assert_eq!(follow(&before, field, &before), Some(field), "{page}");
    }
}

#[test]
fn whom_it_is_sent_to_can_be_something_to_touch() {
    for whom in ["\n Button $ clickable", "\n F clickable\n  TextView $", "\n CheckBox $ clickable checkable"]
    {
        let page = format!(
            "F\n TextView To{whom}\n EditText clickable\n Button Send clickable\n Button Call clickable"
        );
        let [one, two] = ["Anna", "Bert"].map(|name| page.replace('$', name));
        assert_refs(&one, &two, "", "Send Call");
    }
}

#[test]
fn a_number_can_name_what_is_shown() {
    let page =
        |text: &str| format!("F\n Toolbar\n  TextView Details\n TextView Number\n TextView {text}{BUTTONS}");
    for (one, two, holding, stale) in [
        ("+49_151_2345678", "+49_151_2345679", "", "Call Send Delete Notes"),
        ("Invoice_4711", "Invoice_4712", "", "Call Send Delete Notes"),
        ("Card_****1234", "Card_****9876", "", "Call Send Delete Notes"),
        ("2026-11-05", "2026-11-06", "", "Call Send Delete Notes"),
        ("07:00", "08:00", "Notes", "Call Send Delete"),
        ("Invoice_17", "Invoice_18", "Notes", "Call Send Delete"),
        ("10,432_steps", "10,433_steps", "Notes", "Call Send Delete"),
        ("159/1", "158/1", "Notes", "Call Send Delete"),
    ] {
        assert_refs(&page(one), &page(two), holding, stale);
    }
}

#[test]
fn a_page_that_is_scrolled_is_about_the_same() {
    let text = |place: i32, word: &str| {
        format!("\n   TextView {word} [0,{}][1000,{}]", place * 100, place * 100 + 99)
    };
    let page = |from: i32, words: &str| -> String {
        let texts: String = words.split(' ').zip(from..).map(|(word, place)| text(place, word)).collect();
        format!("F [0,0][1000,2000]\n ScrollView scrollable [0,0][1000,900]\n  LinearLayout [0,0][1000,900]{texts}{BUTTONS}")
            .replace(" clickable", " clickable [0,1000][1000,1100]")
    };
    assert_refs(&page(0, "Anna Rome Tea Milk"), &page(0, "Tea Milk Rice Salt"), "Call Send Delete Notes", "");
    assert_refs(&page(0, "Anna Rome Tea Milk"), &page(0, "Bert Rome Tea Milk"), "", "Call Send Delete Notes");
}

#[test]
fn a_counter_and_a_calculator_count() {
    let page = "F\n TextView Count:_3\n Button + clickable\n Button Reset clickable";
    assert_refs(page, &page.replace('3', "4"), "+ Reset", "");
    let page = "F\n TextView 12\n Button 7 clickable\n Button + clickable\n Button = clickable";
    assert_refs(page, &page.replace("12", "127"), "7 + =", "");
    assert_refs(page, &page.replace("12", "Error"), "7 + =", "");
}

#[test]
fn a_sum_counts_for_what_pays_alone() {
    let page = "F\n Toolbar\n  TextView Cart\n RecyclerView scrollable\n  F clickable\n   TextView Tea\n  F clickable\n   TextView Milk\n TextView Total_10.00_EUR\n Button Help clickable\n Button Checkout clickable";
    assert_refs(page, &page.replace("10.00", "12.00"), "Help", "Checkout");
    assert_refs(page, &page.replace("Total_10.00_EUR", "Sum_10.00_EUR"), "", "Help Checkout");
    let confirm = page.replace("Checkout", "Confirm");
    assert_refs(&confirm, &confirm.replace("10.00", "12.00"), "Help", "Confirm");
}

#[test]
fn an_undo_is_of_one_thing() {
    let page = "F\n Toolbar\n  TextView Notes\n RecyclerView scrollable\n  F clickable\n   TextView Tea\n  F clickable\n   TextView Milk\n Button Add clickable";
    let bar = |what: &str| format!("{page}\n F\n  TextView Deleted_{what}\n  Button Undo clickable");
    assert_refs(page, &bar("Tea"), "Add", "");
    assert_refs(&bar("Tea"), &bar("Milk"), "Add", "Undo");
    assert_refs(&bar("Tea"), page, "Add", "Undo");
}

fn rows(top: &str, rows: &str) -> String {
    let row = |(place, row): (usize, &str)| {
        let y = 100 + place * 40;
        format!(
            "\n  LinearLayout clickable id=row [0,{y}][1000,{}]\n   TextView {row} id=name [0,{y}][500,{}]\n   Button Delete clickable id=delete [500,{y}][1000,{}]",
            y + 40,
            y + 40,
            y + 40
        )
    };
    let rows: String = rows.split(' ').enumerate().map(row).collect();
    format!("F [0,0][1000,2000]{top}\n RecyclerView scrollable id=list [0,100][1000,400]{rows}")
}

/// The ref of a row's button after another reader was shown the row with other words.
#[test]
fn a_view_does_not_renew_what_deletes_a_changed_row() {
    for (label, holds) in [("Delete", false), ("Details", true)] {
        for flags in ["scrollable ", ""] {
            let page = |amount: &str| {
                let row = |name: &str, amount: &str| {
                    format!(
                        "\n  LinearLayout clickable id=row\n   TextView {name} id=name\n   TextView {amount} id=sum\n   Button {label} clickable id=do"
                    )
                };
                let rows = row("Ann", amount) + &row("Bob", "seven") + &row("Cem", "nine");
                draw(&format!(
                    "F [0,0][1000,2000]\n Toolbar\n  TextView Bills\n RecyclerView {flags}id=list{rows}"
                ))
            };
            let (before, later) = (page("five"), page("fifty"));
            let (one, two) =
                (Fingerprints::new(Screen::new(&before)), Fingerprints::new(Screen::new(&later)));
            let id = before.nodes().nth(called(&before, label)[0]).unwrap().0;
            let mut book = RefBook::default();
            let name = book.give(&one, id).unwrap();
            assert!(book.resolve(name, &two).is_err(), "{label} {flags}");
            book.show(&two);
            assert_eq!(book.resolve(name, &two).is_ok(), holds, "{label} {flags}");
        }
    }
}

/// Every ref of a row leads to a row of the same name, or nowhere. Returns how many rows held,
/// with all that is in them.
fn held(before: &str, later: &str) -> usize {
    let (one, two) = (draw(&rows("", before)), draw(&rows("", later)));
    let row_of = |tree: &Tree, element: usize| {
        let id = tree.nodes().nth(element).unwrap().0;
        let mut around = std::iter::successors(Some(id), |id| tree.parent(*id));
        let row = around.find(|id| tree.node(*id).resource_id.as_deref() == Some("a:id/row"))?;
        Some(tree.node(tree.children(row).next()?).text.clone())
    };
    let mut held = 0;
    for element in 0..one.len() {
        let Some(row) = row_of(&one, element) else {
            continue;
        };
        if let Some(found) = follow(&one, element, &two) {
            held += 1;
            assert_eq!(row_of(&two, found), Some(row), "{element}: {before:?} {later:?}");
        }
    }
    held / 3
}

#[test]
fn refs_of_rows_follow_their_rows() {
    for (before, later, least) in [
        // One comes above, between, below; one goes; one scrolls away.
        ("a b c d", "x a b c d", 4),
        ("a b c d", "a x b c d", 4),
        ("a b c d", "a b c d x", 4),
        ("a b c d", "a c d", 2),
        ("a b c d", "b c d e", 3),
        ("a b c d", "d e f g", 0),
        // Re-ordered, sorted the other way, all others.
        ("a b c d", "b a c d", 0),
        ("a b c d", "d c b a", 0),
        ("a b c d", "w x y z", 0),
        // A row takes the place and the id of another.
        ("a b c d", "a x c d", 2),
        ("a", "x", 0),
    ] {
        let count = held(before, later);
        assert!(count >= least, "{before:?} {later:?}: {count}");
    }
    // Of two that look the same, neither is taken for the other.
    for (before, later) in [("a a", "x a a"), ("a a b", "a b"), ("a b a", "b a"), ("a b", "a a b")] {
        let (one, two) = (draw(&rows("", before)), draw(&rows("", later)));
        for name in called(&one, "a") {
            assert_eq!(follow(&one, name, &two), None, "{before:?} {later:?}");
            assert_eq!(follow(&one, name + 1, &two), None, "{before:?} {later:?}");
        }
    }
}

#[test]
fn what_is_outside_of_a_list_stays_while_rows_come_and_go() {
    let top = "\n Toolbar\n  TextView Chat\n Button Search clickable";
    let foot = "\n EditText desc=Message clickable\n Button Send clickable id=send";
    let page = |all: &str| rows(top, all) + foot;
    for later in ["Hi Hello You", "Hi Hello You there", "Hello You", "Hi"] {
        assert_refs(&page("Hi Hello"), &page(later), "Search Send Message", "");
    }
    // Typed, and another chat.
    let typed = page("Hi Hello").replace("EditText", "EditText Good_morning");
    let (one, two) = (draw(&page("Hi Hello")), draw(&typed));
    let field = called(&one, "Message").first().copied().unwrap_or(one.len() - 2);
    assert_eq!(follow(&one, field, &two), Some(field));
    // What somebody else typed is not sent.
    assert_refs(&page("Hi"), &typed, "Search", "Send");
    assert_refs(&page("Hi"), &page("Hi").replace("Chat", "Bob"), "", "Search Send");
}

#[test]
fn a_dialog_that_looks_like_the_page_is_another() {
    let page = "F [0,0][1000,2000]\n TextView Alice\n TextView Mobile\n Button Edit clickable\n Button Notes clickable";
    let dialog = page.replace("[0,0]", "[1,1]");
    let framed = page.replace("F [", "F id=parentPanel [");
    for other in [dialog, framed] {
        assert_refs(page, &other, "", "Edit Notes");
        assert_refs(&other, page, "", "Edit Notes");
        assert_refs(&other, &other.replace("Mobile", "Work"), "", "Edit Notes");
    }
}

#[test]
fn a_web_page_about_something_else_is_another() {
    let page = "F\n android.webkit.WebView News scrollable\n  android.view.View\n   TextView Rain_in_Rome\n   TextView It_rained\n   android.view.View Next desc=Next clickable\n   android.view.View Contents desc=Contents clickable";
    let later = page.replace("Rain_in_Rome", "Sun_in_Oslo");
    assert_refs(page, &later, "", "Next Contents");
    assert_refs(page, &later.replace("It_rained", "It_shone"), "", "Next Contents");
    assert_refs(page, &format!("{page}\n   TextView Loaded"), "Next Contents", "");
}

#[test]
fn another_tab_has_other_buttons() {
    let tabs = "\n LinearLayout\n  F Mail desc=Mail clickable selected\n  F Chat desc=Chat clickable";
    let page = |head: &str| format!("F\n TextView {head}\n Button Compose clickable{tabs}");
    assert_refs(&page("Inbox"), &page("Rooms"), "", "Compose");
}

#[test]
fn a_phone_that_is_turned_or_has_larger_letters_shows_the_same_page() {
    let page = format!(
        "F [0,0][1000,2000]\n Toolbar\n  TextView Contact\n TextView Alice\n TextView Mobile{BUTTONS}"
    );
    let all = "Call Send Delete Notes";
    let turned = page.replace("[0,0][1000,2000]", "[0,0][2000,1000]");
    assert_refs(&page, &turned, all, "");
    // Larger letters, half of the screen, the keyboard: what is at the end has no room.
    let cut = page.replace("\n Button Notes clickable", "");
    assert_refs(&page, &cut, "Call Send Delete", "Notes");
    assert_refs(&page, &cut.replace("2000", "1000"), "Call Send Delete", "Notes");
    let larger: String = page.lines().map(|line| format!("{line}\n")).collect::<String>();
    let larger = larger.replace(" Button Send", " F [0,500][1000,501]\n Button Send");
    assert_refs(&page, &larger, all, "");
}

#[test]
fn a_touch_is_refused_only_under_what_is_certainly_drawn_over_it() {
    let whole = "[0,100][1000,200]";
    for (drawing, covered) in [
        // A sibling before it and one after it: siblings stand in a dump by their places.
        (format!(" View clickable {whole}\n Button It clickable {whole}"), "maybe"),
        (format!(" Button It clickable {whole}\n View clickable {whole}"), "maybe"),
        // The phone says in which order they are drawn.
        (format!(" View clickable order=2 {whole}\n Button It clickable order=1 {whole}"), "surely"),
        (format!(" Button It clickable order=2 {whole}\n View clickable order=1 {whole}"), "no"),
        (
            format!(
                " F order=2 {whole}\n  Button It clickable order=1 {whole}\n F order=1 {whole}\n  View clickable order=9 {whole}"
            ),
            "no",
        ),
        // A part of it: the keyboard, a snack bar, a button in its corner. A strip is no place to
        // touch under what is certainly above it, but a better one than a doubtful one.
        (format!(" Button It clickable {whole}\n View clickable [0,150][1000,900]"), "no"),
        (format!(" Button It clickable {whole}\n View clickable [100,100][1000,200]"), "no"),
        (
            format!(" Button It clickable order=1 {whole}\n View clickable order=2 [100,100][1000,200]"),
            "surely",
        ),
        // What takes no touch, its own parts, what is around it.
        (format!(" Button It clickable {whole}\n View {whole}"), "no"),
        (format!(" F clickable [0,0][1000,900]\n  Button It clickable {whole}"), "no"),
        (format!(" F It clickable {whole}\n  Button clickable {whole}"), "surely"),
    ] {
        let tree = draw(&format!("F [0,0][1000,2000]\n{drawing}"));
        let id = tree.nodes().find(|(_, node)| node.text == "It").unwrap().0;
        let touch = Screen::new(&tree).touch(id, Some(id), None).unwrap();
        let said = match touch.cover {
            None => "no",
            Some(Cover::Maybe(_)) => "maybe",
            Some(Cover::Element(_) | Cover::Keyboard) => "surely",
        };
        assert_eq!(said, covered, "{drawing}");
    }
}

#[test]
fn a_switch_that_is_turned_is_a_change_and_not_another_screen() {
    let request = |extent| ViewRequest { style: ViewFormat::Compact, budget: None, extent };
    for page in [
        "F\n Switch Wi-Fi clickable checkable",
        "F\n Toolbar\n  TextView Network\n LinearLayout clickable\n  TextView Wi-Fi\n  TextView Off\n  Switch checkable",
        "F\n TextView Wi-Fi\n ToggleButton OFF clickable checkable\n TextView Known_networks",
        "F\n CheckBox a clickable checkable\n CheckBox b clickable checkable",
    ] {
        let on = page.replace("Off", "On").replace("OFF", "ON");
        let on = on.replacen("checkable", "checkable checked", 1);
        let mut memory = ViewMemory::default();
        let mut changes = [page, &on, page].map(|page| {
            let tree = draw(page);
            let extent = Extent::Changes(Base::Last);
            let seen = view(&Fingerprints::new(Screen::new(&tree)), request(extent), &mut memory);
            seen.change.unwrap()
        });
        changes[0] = Change::First;
        assert_eq!(changes, [Change::First, Change::Some, Change::Some], "{page}");
    }
}

#[test]
fn what_scrolls_without_an_id_keeps_its_ref_over_a_scroll() {
    let list = |class: &str, rows: &str| {
        let text = |(place, row): (usize, &str)| {
            let top = 80 + place * 100;
            format!(
                "\n   F clickable [0,{top}][1000,{}]\n    TextView {row} [0,{top}][1000,{}]",
                top + 100,
                top + 100
            )
        };
        let rows: String = rows.split(' ').enumerate().map(text).collect();
        format!(
            "F [0,0][1000,2000]\n TextView Notes [0,0][1000,80]\n F [0,80][1000,900]\n  {class} scrollable [0,80][1000,900]{rows}\n Button Add clickable [0,900][1000,1000]"
        )
    };
    for class in
        ["RecyclerView", "ScrollView", "ListView", "androidx.viewpager.widget.ViewPager", "android.view.View"]
    {
        for later in ["b c d e", "d e f g", "w x y z", "a"] {
            let (one, two) = (draw(&list(class, "a b c d")), draw(&list(class, later)));
            assert_eq!(follow(&one, 3, &two), Some(3), "{class}: {later}");
        }
    }
    // Of two, each keeps its own.
    let both = |first: &str, second: &str| {
        format!(
            "F [0,0][1000,2000]\n TextView Shop [0,0][1000,80]\n HorizontalScrollView scrollable [0,80][1000,180]\n  TextView {first} [0,80][1000,180]\n ScrollView scrollable [0,180][1000,900]\n  TextView {second} [0,180][1000,280]"
        )
    };
    let (one, two) = (draw(&both("a", "b")), draw(&both("c", "d")));
    for scrolls in [2, 4] {
        assert!([None, Some(scrolls)].contains(&follow(&one, scrolls, &two)));
    }
}

/// Where a press that is repeated by its ref goes on a later screen.
fn again(before: &str, element: usize, later: &str) -> Option<usize> {
    let (one, two) = (draw(before), draw(later));
    let id = one.nodes().nth(element).unwrap().0;
    let press = Press::new(&Fingerprints::new(Screen::new(&one)), id);
    press.find(&Fingerprints::new(Screen::new(&two))).map(|id| place(&two, id))
}

#[test]
fn a_press_is_repeated_on_its_own_element_only() {
    let row = |name: &str, button: &str| format!("\n L\n  TextView {name}\n  Button {button} clickable");
    let page = |rows: &[String]| format!("F [0,0][1000,2000]\n Toolbar\n  TextView Guests{}", rows.concat());
    // The value beside it counts up, and another one stands below.
    let steppers = |adults: u32| page(&[row(&format!("{adults}_adults"), "+"), row("0_children", "+")]);
    assert_eq!(again(&steppers(0), 5, &steppers(1)), Some(5));
    // It is gone, and one like it has come in its place.
    let [anna, bert] = ["Anna", "Bert"].map(|name| row(name, "Accept"));
    assert_eq!(again(&page(&[anna.clone(), bert.clone()]), 5, &page(std::slice::from_ref(&bert))), None);
    assert_eq!(again(&page(&[anna]), 5, &page(&[bert])), None);
    let hidden = page(&["\n L\n  TextView 9_adults".to_owned(), row("0_children", "+")]);
    assert_eq!(again(&steppers(8), 5, &hidden), None);
    // Another question.
    let asks = |text: &str| format!("F [0,0][1000,2000]\n TextView {text}\n Button Yes clickable");
    assert_eq!(again(&asks("Keep_a_copy?"), 2, &asks("Erase_the_original?")), None);
    assert_eq!(again(&asks("Page_one"), 2, &asks("Page_two")), Some(2));
}

/// A name that goes while a page loads, and comes back as another.
#[test]
fn a_ref_is_not_carried_over_a_page_without_a_name() {
    let page = |name: &str| {
        draw(&format!(
            "F [0,0][1000,2000]{name}\n TextView Since_long\n Button Call clickable\n Button Notes clickable"
        ))
    };
    let [anna, loading, bert] = ["\n TextView Anna", "", "\n TextView Bert"].map(page);
    let prints = [&anna, &loading, &bert].map(|tree| Fingerprints::new(Screen::new(tree)));
    let call = |tree: &Tree| tree.nodes().nth(called(tree, "Call")[0]).unwrap().0;
    for is_shown in [false, true] {
        let mut book = RefBook::default();
        let name = book.give(&prints[0], call(&anna)).unwrap();
        if is_shown {
            book.show(&prints[1]);
        }
        book.look(&prints[1]);
        assert!(book.resolve(name, &prints[2]).is_err(), "{is_shown}");
        book.look(&prints[2]);
        assert!(book.resolve(name, &prints[2]).is_err(), "{is_shown}");
        assert_ne!(book.give(&prints[2], call(&bert)), Some(name), "{is_shown}");
        // Back at the first page it is what it was.
        assert_eq!(book.resolve(name, &prints[0]).ok(), Some(call(&anna)), "{is_shown}");
    }
}

/// A contact as a list, whose rows say what they do and nothing else.
#[test]
fn a_row_that_only_says_what_it_does_is_about_the_rows_around_it() {
    let page = |name: &str| {
        format!(
            "F [0,0][1000,2000]\n RecyclerView scrollable id=list\n  TextView {name} clickable\n  TextView Call clickable\n  TextView Block_contact clickable\n  TextView Ringtone clickable"
        )
    };
    assert_refs(&page("Anna"), &page("Bert"), "", "Call Block_contact");
}

/// What a slider is set to is a part of what is sent.
#[test]
fn a_slider_that_another_has_moved_makes_what_sends_stale() {
    let page = |value: u32| {
        format!(
            "F [0,0][1000,2000]\n TextView Give\n SeekBar {value}.0 id=sum\n Button Send clickable\n Button Notes clickable"
        )
    };
    assert_refs(&page(10), &page(90), "Notes", "Send");
}

/// A list that does not scroll shows all of its rows: to whom something is sent, what is paid for.
#[test]
fn a_row_in_the_place_of_another_makes_what_sends_stale() {
    let page = |rows: &str| {
        let rows = rows.split(' ').map(|row| format!("\n  LinearLayout\n   TextView {row}"));
        let rows: String = rows.collect();
        format!(
            "F [0,0][1000,2000]\n RecyclerView id=to{rows}\n Button Send clickable\n Button Notes clickable"
        )
    };
    assert_refs(&page("Anna Family"), &page("Bert Family"), "Notes", "Send");
    assert_refs(&page("2_apples Bread"), &page("3_apples Bread"), "Notes", "Send");
    assert_refs(&page("Anna Family"), &page("Anna Family Bert"), "Notes", "Send");
    assert_refs(&page("Anna Family"), &page("Anna"), "Send Notes", "");
}

/// A row at the edge of a list that moves can be cut off; another amount in it is another amount.
#[test]
fn a_row_at_the_edge_is_cut_off_and_not_changed() {
    let page = |top: i32, first: &str| {
        let row = |at: i32, texts: &str| {
            let texts = texts.split(' ').enumerate().map(|(line, text)| {
                let top = top + at + line as i32 * 50;
                format!("\n   TextView {text} [0,{top}][1000,{}]", top + 50)
            });
            format!("\n  LinearLayout{}", texts.collect::<String>())
        };
        let rows = row(0, first) + &row(100, "Tea 3_EUR") + &row(200, "Cake 4_EUR");
        format!(
            "F [0,0][1000,2000]\n RecyclerView scrollable id=list [0,0][1000,400]{rows}\n Button Pay clickable [0,500][1000,600]"
        )
    };
    assert_refs(&page(20, "Coffee 2_EUR"), &page(0, "Coffee 2_EUR"), "Pay", "");
    assert_refs(&page(20, "Coffee 2_EUR"), &page(0, "2_EUR"), "Pay", "");
    assert_refs(&page(20, "Coffee 2_EUR"), &page(0, "Coffee 9_EUR"), "", "Pay");
}

/// A text deep inside of what is touched is touched, too.
#[test]
fn a_text_deep_inside_a_button_says_what_the_button_does() {
    let page = |name: &str| {
        format!(
            "F [0,0][1000,2000]\n TextView Page\n EditText clickable\n TextView {name}\n LinearLayout clickable\n  F\n   F\n    F\n     TextView Delete\n TextView Notes"
        )
    };
    assert_refs(&page("Anna"), &page("Bert"), "Notes", "Delete");
}

/// What a dialog is there to set makes no other dialog of it.
#[test]
fn a_picker_that_turned_leaves_the_refs_of_its_dialog() {
    let page = |day: u32, year: u32, question: &str| {
        let picker = |name: &str, value: u32| {
            format!(
                "\n NumberPicker id={name}\n  ImageButton desc=Next_{name} clickable\n  TextView {value}\n  ImageButton desc=Previous_{name} clickable"
            )
        };
        format!(
            "F [50,50][1000,2000]\n TextView {question}{}{}\n Button Cancel clickable id=button2\n Button OK clickable id=button1",
            picker("day", day),
            picker("year", year)
        )
    };
    let before = page(15, 2024, "Select_a_date");
    assert_refs(&before, &page(15, 2025, "Select_a_date"), "Next_year Previous_day Cancel OK", "");
    assert_refs(&before, &page(15, 2024, "Delete_until"), "", "OK");
    // What it is set to counts for what sends.
    let sends = |year: u32| page(15, year, "Send_at").replace("Button OK", "Button Send");
    assert_refs(&sends(2024), &sends(2025), "Next_year", "Send");
    // It is pressed again, also if a text of the dialog says the value.
    let month = |name: &str| {
        format!(
            "F [50,50][1000,2000]\n TextView {name}\n TextView Mo_Tu_We\n ImageButton desc=Next_month clickable\n Button OK clickable"
        )
    };
    let (one, two) = (draw(&month("May_2026")), draw(&month("June_2026")));
    let [one, two] = [&one, &two].map(|tree| Fingerprints::new(Screen::new(tree)));
    let find = |of: &Fingerprints<'_>, label: &str| {
        of.screen().nodes().find(|(_, node)| node.label() == label).unwrap().0
    };
    let next = Press::new(&one, find(&one, "Next month"));
    assert_eq!(next.find(&two), Some(find(&two, "Next month")));
    assert_eq!(Press::new(&one, find(&one, "OK")).find(&two), None);
}

/// The keys of a keypad stay while they write, and so does the one that takes letters back.
#[test]
fn the_key_that_deletes_a_digit_keeps_its_ref() {
    let page = |sum: &str| {
        let keys: String = ('0'..='9').map(|key| format!("\n  Button {key} clickable")).collect();
        format!(
            "F [0,0][1000,2000]\n TextView Sums\n View {sum} id=sum\n LinearLayout{keys}\n  Button DEL clickable"
        )
    };
    assert_refs(&page("12"), &page("123"), "DEL 7", "");
    assert_refs(&page("12").replace("DEL", "Pay"), &page("123").replace("DEL", "Pay"), "7", "Pay");
    // The field says what it is for only while it is empty, and 69104 could be a number that names.
    let empty = page("").replace(" View ", " EditText desc=No_formula");
    let full = page("1234\u{d7}56").replace(" View ", " TextView 69104\n EditText ");
    for (sign, holds) in [("+ desc=plus", true), ("= desc=equals", true), ("= desc=Pay", false)] {
        let [empty, full] = [&empty, &full].map(|page| page.replace("DEL", sign));
        let name = &sign[..1];
        let [kept, stale] = if holds { [name, ""] } else { ["", name] };
        assert_refs(&empty, &full, kept, stale);
    }
}

/// A page that loads shows a name, and later another one.
#[test]
fn a_ref_that_was_seen_beside_a_name_belongs_to_the_name() {
    let page = |name: &str| {
        draw(&format!(
            "F [0,0][1000,2000]{name}\n TextView Since_long\n Button Call clickable\n Button Notes clickable"
        ))
    };
    let [blank, anna, bert] = ["", "\n TextView Anna", "\n TextView Bert"].map(page);
    let prints = [&blank, &anna, &bert].map(|tree| Fingerprints::new(Screen::new(tree)));
    let call = |tree: &Tree| tree.nodes().nth(called(tree, "Call")[0]).unwrap().0;
    let mut book = RefBook::default();
    book.show(&prints[0]);
    book.give(&prints[0], call(&blank)).unwrap();
    book.show(&prints[2]);
    let beside_bert = book.give(&prints[2], call(&bert)).unwrap();
    assert_eq!(book.resolve(beside_bert, &prints[2]).ok(), Some(call(&bert)));
    assert!(book.resolve(beside_bert, &prints[1]).is_err());
}

/// What is set counts for what sends or pays, each where it is, and what the caller ticked not.
#[test]
fn what_is_set_counts_where_it_is() {
    let fields = |one: &str, two: &str| {
        format!(
            "F [0,0][1000,2000]\n TextView Move\n EditText {one} clickable\n EditText {two} clickable\n Button Send clickable"
        )
    };
    assert_refs(&fields("Ann", "Bob"), &fields("Bob", "Ann"), "", "Send");
    let spinners = |one: &str, two: &str| {
        format!(
            "F [0,0][1000,2000]\n TextView Move\n Spinner id=from clickable\n  TextView {one} id=text1\n Spinner id=to clickable\n  TextView {two} id=text1\n Button Transfer clickable\n Button Notes clickable"
        )
    };
    assert_refs(&spinners("Savings", "Checking"), &spinners("Checking", "Savings"), "Notes", "Transfer");
    let boxes = |anna: &str, bert: &str| {
        format!(
            "F [0,0][1000,2000]\n TextView To\n CheckBox Anna clickable checkable{anna}\n CheckBox Bert clickable checkable{bert}\n Button Send clickable\n Button Notes clickable"
        )
    };
    let (before, later) = (boxes(" checked", ""), boxes("", " checked"));
    assert_refs(&before, &later, "Notes", "Send");
    let (one, two) = (draw(&before), draw(&later));
    let find = |label: &str| one.nodes().nth(called(&one, label)[0]).unwrap().0;
    let mut book = RefBook::default();
    let send = book.give(&Fingerprints::new(Screen::new(&one)), find("Send")).unwrap();
    book.note_touched(&one, find("Bert"));
    assert!(book.resolve(send, &Fingerprints::new(Screen::new(&two))).is_ok());
}

/// Things with the same id are told apart by their order and their rows; an untick counts, too,
/// and so does the choice in a dialog, but not what turns there.
#[test]
fn what_is_set_is_told_apart_and_counts_in_dialogs() {
    let page = |parts: String| {
        format!("F [0,0][1000,2000]\n TextView Move{parts}\n Button Send clickable\n Button Notes clickable")
    };
    let two =
        |part: &str, one: &str, two: &str| page([one, two].map(|value| part.replace('*', value)).concat());
    for part in [
        "\n Spinner clickable\n  TextView * id=android:id/text1",
        "\n NumberPicker\n  EditText * id=android:id/numberpicker_input clickable",
        "\n LinearLayout id=row\n  EditText * clickable",
        "\n LinearLayout\n  CheckBox checkable clickable*",
    ] {
        let [on, off] = if part.contains('B') { [" checked", ""] } else { ["Savings", "Checking"] };
        assert_refs(&two(part, on, off), &two(part, off, on), "Notes", "Send");
    }
    let copy = |state: &str| page(format!("\n CheckBox Keep_a_copy checkable clickable{state}"));
    assert_refs(&copy(" checked"), &copy(""), "Notes", "Send");
    let dialog = |part: &str| {
        format!(
            "F [0,0][1000,2000]\n TextView Send_money id=android:id/alertTitle{part}\n Button OK clickable"
        )
    };
    let to = |name: &str| dialog(&format!("\n Spinner clickable\n  TextView {name}"));
    let day = |day: &str| dialog(&format!("\n DatePicker\n  TextView {day}"));
    assert_refs(&to("Anna"), &to("Mallory"), "", "OK");
    assert_refs(&day("3_May"), &day("4_May"), "OK", "");
}

/// What the caller has set is his for as long as it is seen so.
#[test]
fn what_the_caller_has_set_is_his_until_it_is_seen_otherwise() {
    let page = |sum: &str| {
        draw(&format!("F [0,0][1000,2000]\n TextView To\n EditText {sum} id=sum\n Button Send clickable"))
    };
    let [before, first, second] = ["1", "500", "50"].map(page);
    let prints = [&before, &first, &second].map(|tree| Fingerprints::new(Screen::new(tree)));
    let id = |label: &str| before.nodes().nth(called(&before, label)[0]).unwrap().0;
    let mut book = RefBook::default();
    let send = book.give(&prints[0], id("Send")).unwrap();
    for (tree, print) in [(&first, &prints[1]), (&second, &prints[2])] {
        book.note_typed(tree, id("1"));
        book.look(print);
        assert!(book.resolve(send, print).is_ok());
    }
    assert!(book.resolve(send, &prints[1]).is_err());
}

/// A press is not repeated on a neighbour with another number once the first one is gone.
#[test]
fn a_press_is_not_repeated_on_another_number() {
    let page = |rooms: &[u8]| {
        let rooms: String =
            rooms.iter().map(|room| format!("\n Button Open_room_{room} clickable")).collect();
        draw(&format!("F [0,0][1000,2000]\n TextView House{rooms}"))
    };
    let [three, two] = [&[1, 2, 3][..], &[2, 3]].map(page);
    let [before, later] = [&three, &two].map(|tree| Fingerprints::new(Screen::new(tree)));
    let first = three.nodes().nth(called(&three, "Open room 1")[0]).unwrap().0;
    assert_eq!(Press::new(&before, first).find(&later), None);
}

/// What is added to a page that scrolls counts for what pays; what is scrolled into view not.
#[test]
fn what_is_added_to_a_page_that_scrolls_counts_for_what_pays() {
    let page = |texts: &[(&str, u32)]| {
        let line = |(text, top): &(&str, u32)| format!("\n  TextView {text} [0,{top}][1000,{}]", top + 90);
        let texts: String = texts.iter().map(line).collect();
        format!(
            "F [0,0][1000,2000]\n TextView Order\n ScrollView [0,100][1000,1500] scrollable{texts}\n Button Pay clickable"
        )
    };
    let before = page(&[("Shoes", 200), ("Bag", 300), ("Sum", 400)]);
    let pushed = page(&[("Shoes", 200), ("Gift_9", 300), ("Bag", 400), ("Sum", 500), ("Legal", 600)]);
    assert_refs(&before, &pushed, "", "Pay");
    assert_refs(
        &before,
        &page(&[("Shoes", 200), ("Bag", 300), ("Express_99", 400), ("Sum", 500)]),
        "",
        "Pay",
    );
    assert_refs(&before, &page(&[("Shoes", 100), ("Bag", 200), ("Sum", 300), ("Legal", 400)]), "Pay", "");
}

/// What pays needs the page without a word more; ten keys beside it change nothing of that.
#[test]
fn what_pays_needs_every_word() {
    let page = |more: &str| {
        format!(
            "F [0,0][1000,2000]\n TextView Order\n TextView 5_EUR{more}\n Button Pay clickable\n Button Notes clickable"
        )
    };
    assert_refs(&page(""), &page("\n TextView Tip_9_EUR"), "Notes", "Pay");
    let keypad = |sum: &str, key: &str| {
        let keys: String = ('0'..='9').map(|key| format!("\n  Button {key} clickable")).collect();
        format!("F [0,0][1000,2000]\n TextView Sums\n View {sum} id=sum\n LinearLayout{keys}\n  {key}")
    };
    for (label, key) in [("→", "desc=Pay_now"), ("→", "id=btn_pay"), ("✓", "desc=Confirm")] {
        let key = format!("Button {label} clickable {key}");
        assert_refs(&keypad("50_EUR", &key), &keypad("500_EUR", &key), "", label);
    }
    let index = |name: &str| {
        let keys: String = ('A'..='J').map(|key| format!("\n  Button {key} clickable")).collect();
        format!(
            "F [0,0][1000,2000]\n TextView {name}\n LinearLayout{keys}\n  Button Delete_account clickable"
        )
    };
    assert_refs(&index("Anna"), &index("Bert"), "", "Delete_account");
    let delete = "Button Delete clickable";
    assert_refs(&keypad("Message_3", delete), &keypad("Message_4", delete), "7", "Delete");
}
