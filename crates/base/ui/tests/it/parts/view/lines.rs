//! What the lines of a view say of folded elements, fields, apps and places.

use super::*;

/// Text views side by side or below each other, by their place in a table.
fn cells(cells: &[(i32, i32, &str)]) -> String {
    let cell = |(row, column, text): &(i32, i32, &str)| {
        let (x, y) = (column * 50, row * 20);
        format!("\n  TextView \"{text}\" [{x},{y}][{},{}] enabled", x + 50, y + 20)
    };
    let inside: String = cells.iter().map(cell).collect();
    format!("A [0,0][200,200]\n B [0,0][200,200] clickable enabled{inside}")
}

#[test]
fn a_value_stays_with_its_label() {
    for (inside, expected) in [
        // A column of labels beside a column of values.
        (
            vec![(0, 0, "Subtotal"), (1, 0, "Total"), (0, 1, "10"), (1, 1, "12")],
            "\"Subtotal\" \"10\" \"Total\" \"12\"",
        ),
        // A value that was said before.
        (
            vec![(0, 0, "Subtotal"), (1, 0, "10"), (2, 0, "Fee"), (3, 0, "0"), (4, 0, "Total"), (5, 0, "10")],
            "\"Subtotal\" \"10\" \"Fee\" \"0\" \"Total\" \"10\"",
        ),
        (vec![(0, 0, "Home"), (0, 1, "0"), (0, 2, "0")], "\"Home\" \"0\" \"0\""),
        // An icon with the name of the text below it says nothing new.
        (vec![(0, 0, "Search"), (1, 0, "Search")], "\"Search\""),
    ] {
        let said = compact(&cells(&inside));
        assert_eq!(said, format!("@e1 {expected} clickable"), "{inside:?}");
    }
    // Where there is no room for a whole row, it has lines of its own.
    let many = ["a", "1", "b", "2", "c", "3", "d", "4"];
    let many: Vec<_> = (0..).zip(many).map(|(n, text)| (n / 2, n % 2, text)).collect();
    let five: Vec<_> = std::iter::once((9, 0, "x")).chain(many).collect();
    assert_eq!(
        compact(&cells(&five)),
        "@e1 \"x\" \"a\" \"1\" \"b\" \"2\" clickable\n @e2 text \"c\"\n @e3 text \"3\"\n @e4 text \"d\"\n @e5 text \"4\""
    );
    // What acts between texts belongs to the text before it.
    let switch = "\n  Switch enabled clickable checkable";
    let text = |text: &str| format!("\n  TextView \"{text}\" enabled");
    assert_eq!(
        compact(&format!("A\n B clickable enabled{}{switch}{}{switch}", text("Wi-Fi"), text("Sound"))),
        "@e1 \"Wi-Fi\" clickable\n @e2 switch unchecked at 4,4\n @e3 text \"Sound\"\n @e4 switch unchecked at 4,4"
    );
    assert_eq!(
        compact(&format!(
            "A\n B clickable enabled\n  ImageButton clickable enabled{}{}",
            text("Ada"),
            text("Hello")
        )),
        "@e1 \"Ada\" \"Hello\" clickable\n @e2 button at 4,4"
    );
}

#[test]
fn the_state_of_what_is_folded_is_told() {
    for (drawing, expected) in [
        ("B clickable enabled\n  ImageView desc=Send", "@e1 \"Send\" clickable disabled"),
        ("B desc=Send clickable enabled\n  ImageView", "@e1 button \"Send\" disabled"),
        (
            "B clickable enabled\n  ImageView enabled selected\n  TextView \"Chats\" enabled selected",
            "@e1 \"Chats\" clickable selected",
        ),
        // Where only one of several has it, it has a line.
        (
            "B clickable enabled\n  TextView \"Message\" enabled\n  TextView \"Send\"",
            "@e1 \"Message\" clickable\n @e2 text \"Send\" disabled",
        ),
        (
            "B clickable enabled\n  TextView \"Chats\" enabled selected\n  TextView \"Calls\" enabled",
            "@e1 \"Calls\" clickable\n @e2 text \"Chats\" selected",
        ),
        // The focus, wherever it is.
        ("B clickable enabled\n  TextView \"Play\" enabled focused", "@e1 \"Play\" clickable focused"),
        ("Button \"OK\" clickable enabled focused", "@e1 button \"OK\" focused"),
        ("B enabled focused id=a:id/card\n  TextView \"Play\" enabled", "@e1 \"Play\" focused"),
        ("B enabled focused id=a:id/card", "@e1 #card focused at 4,4"),
        // All of a page can have it, and says nothing then.
        ("B enabled focused\n  Button \"OK\" clickable enabled", "@e1 button \"OK\""),
    ] {
        assert_eq!(compact(&format!("A enabled\n {drawing}")), expected, "{drawing}");
    }
}

#[test]
fn a_description_adds_what_the_text_does_not_say() {
    for (desc, more) in [
        ("Wi-Fi", ""),
        ("wi-fi", ""),
        ("Wi-Fi,_connected,_3_bars", " \"connected, 3 bars\""),
        ("Wi-Fi_is_on", " \"is on\""),
        ("Wi-Fi!", ""),
        ("Wi-Fi2", " \"Wi-Fi2\""),
        ("On:_Wi-Fi", " \"On: Wi-Fi\""),
    ] {
        let drawing = format!("A\n TextView \"Wi-Fi\" desc={desc} enabled");
        assert_eq!(compact(&drawing), format!("@e1 text \"Wi-Fi\"{more}"), "{desc}");
    }
}

#[test]
fn a_view_says_what_app_and_page_it_shows() {
    let page = "A package=com.a [0,0][9,99]\n F\n  ImageButton clickable enabled desc=Back\n  TextView \"Wi-Fi\" enabled";
    let bar = "S package=com.system [0,0][9,5]\n TextView \"12:00\" [0,0][9,5] enabled";
    let lines = "@e1 button \"Back\"\n@e2 text \"Wi-Fi\" (title)";
    let mut memory = ViewMemory::default();
    let first = sketch(page);
    assert_eq!(seen(&first, COMPACT, &mut memory).text, format!("app: com.a\n{lines}"));
    assert!(compact(&format!("{bar}\n{page}")).starts_with("app: com.a\n@e1 text \"12:00\"\n"));
    let changes = ViewRequest { extent: Extent::Changes(Base::Last), ..COMPACT };
    assert_eq!(seen(&first, changes, &mut memory).text, "no change");
    let other = sketch("B package=com.b\n Button \"x\" clickable enabled");
    let said = seen(&other, changes, &mut memory).text;
    assert_eq!(said, "new screen\napp: com.b\n@e3 button \"x\"");
    let json = ViewRequest { style: ViewFormat::Json, ..COMPACT };
    let said = seen(&other, json, &mut memory).text;
    assert!(said.contains("\"app\":\"com.b\""), "{said}");
    // A title is kept before other texts.
    let texts = "\n TextView \"one_two_three\" enabled".repeat(9);
    let small = ViewRequest { budget: Some(45), ..COMPACT };
    let said = seen(
        &sketch(&format!("A\n T \"some_words\" enabled{texts}\n T \"Page\" enabled id=a:id/toolbar_title")),
        small,
        &mut ViewMemory::default(),
    );
    assert!(said.text.contains("(title)") && !said.omitted.is_empty(), "{said:?}");
}

#[test]
fn a_budget_for_all_but_the_app_omits_nothing() {
    let tree = sketch("A package=com.example.application\n Button \"OK\" clickable enabled");
    let request = ViewRequest { budget: Some(9), ..COMPACT };
    let said = seen(&tree, request, &mut ViewMemory::default());
    assert_eq!((said.text.as_str(), said.omitted.total()), ("@e1 button \"OK\"", 0));
}

#[test]
fn a_place_that_moves_is_no_change() {
    let page = |top: i32| {
        sketch(&format!(
            "A [0,0][9,99]\n T \"a\" enabled\n View id=a:id/x clickable enabled [0,{top}][9,{}]",
            top + 8
        ))
    };
    let mut memory = ViewMemory::default();
    assert!(seen(&page(10), COMPACT, &mut memory).text.ends_with("#x clickable at 4,14"));
    let request = ViewRequest { extent: Extent::Changes(Base::Last), ..COMPACT };
    assert_eq!(seen(&page(20), request, &mut memory).text, "no change");
}

#[test]
fn a_line_that_is_too_long_leaves_room_for_others() {
    let long = "word_".repeat(20);
    let drawing = format!(
        "A\n Button \"{long}\" clickable enabled\n TextView \"one\" enabled\n TextView \"two\" enabled"
    );
    let request = ViewRequest { budget: Some(30), ..COMPACT };
    let said = seen(&sketch(&drawing), request, &mut ViewMemory::default());
    assert_eq!(said.text, "@e2 text \"one\"\n@e3 text \"two\"\nomitted: 1 button");
}

#[test]
fn a_field_is_called_by_what_is_its_own() {
    let page = |text: (&str, &str), fields: &str| {
        format!(
            "A [0,0][100,400]\n TextView \"{}\" [0,0][100,{}] enabled\n{fields}\n TextView \"or\" [0,300][100,320] enabled",
            text.0, text.1
        )
    };
    let field = |text: &str, top: i32| {
        format!(" EditText \"{text}\" [0,{top}][100,{}] id=a:id/f{top} enabled", top + 50)
    };
    let (one, two) = (field("E-mail", 50), field("Code", 110));
    for (name, fields, expected) in [
        // A short text right above names a field.
        (("E-mail", "20"), field("Ada", 22), "\"E-mail\" #f22 = \"Ada\""),
        // Large letters are a heading, and so is what stands above two fields.
        (("Welcome_back", "40"), one.clone(), "#f50 = \"E-mail\""),
        (("Welcome_back", "28"), format!("{one}\n{two}"), "#f50 = \"E-mail\""),
        // A field with a name of its own, or a text between, makes no group.
        (("E-mail", "28"), format!("{one}\n{two} desc=Code"), "\"E-mail\" #f50 = \"E-mail\""),
        (
            ("E-mail", "28"),
            format!("{one}\n TextView \"Code\" enabled [0,105][100,110]\n{two}"),
            "\"E-mail\" #f50 = \"E-mail\"",
        ),
        // What is inside the field is nearer than what is above.
        (
            ("Welcome_back", "20"),
            " EditText [0,22][100,72] enabled\n  TextView \"E-mail\" enabled".to_owned(),
            "\"E-mail\"",
        ),
    ] {
        let said = compact(&page(name, &fields));
        let line = said.lines().find(|line| line.contains("textfield")).unwrap();
        let line = line.trim_end_matches(" (or hint)");
        assert_eq!(line, format!("@e2 textfield {expected}"), "{said}");
        let own = said.contains("text \"E-mail\"");
        assert_eq!(own, name.0 == "E-mail", "{said}");
    }
    let titled = page(("Account", "20"), &field("x", 22))
        .replace("\" [0,0][100,20]", "\" [0,0][100,20] id=a:id/section_header");
    assert!(compact(&titled).contains("textfield #f22"), "{titled}");
}
