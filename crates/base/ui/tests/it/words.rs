//! What a view says of elements whose class alone does not tell: what is cut
//! off, what a field is called, what a slider is set to, what a page hides.

use clawperator_ui::{
    Bounds, Extent, Fingerprints, Flag, Flags, Node, Screen, Tree, ViewFormat, ViewMemory, ViewRequest, view,
};

/// A view of a drawing, without the app, the refs and the places. A line is an element: a
/// space per level, then its class, and `text`, `desc=`, `id=`, bounds or flags.
fn said(drawing: &str) -> String {
    let mut tree = Tree::new(0);
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        tree.push(line.len() - line.trim_start().len(), node(line.trim()));
    }
    let request = ViewRequest { style: ViewFormat::Compact, budget: None, extent: Extent::Whole };
    let fingerprints = Fingerprints::new(Screen::new(&tree));
    let text = view(&fingerprints, request, &mut ViewMemory::default()).text;
    let lines = text.lines().map(str::trim);
    let lines: Vec<&str> = lines
        .map(|line| {
            if line.starts_with("@e") {
                line.split_once(' ').map_or("", |(_, said)| said.split(" at ").next().unwrap())
            } else {
                line
            }
        })
        .collect();
    lines.join("\n")
}

pub(crate) fn node(line: &str) -> Node {
    let mut words = line.split(' ');
    let mut node = Node {
        class: words.next().unwrap().to_owned(),
        flags: Flags::default().with(Flag::Enabled, true),
        ..Node::default()
    };
    for word in words {
        let text = word.replace('_', " ");
        match word.split_once('=') {
            Some(("desc", _)) => node.content_desc = text[5..].to_owned(),
            Some(("package", package)) => node.package = package.to_owned(),
            Some(("id", id)) if id.contains(':') => node.resource_id = Some(id.to_owned()),
            Some(("id", id)) => node.resource_id = Some(format!("a:id/{id}")),
            Some(("order", order)) => node.drawing_order = order.parse().ok(),
            Some(("hint", _)) => node.hint = Some(text[5..].to_owned()),
            _ if word == "clickable" => node.flags = node.flags.with(Flag::Clickable, true),
            _ if word == "scrollable" => node.flags = node.flags.with(Flag::Scrollable, true),
            _ if word == "focused" => node.flags = node.flags.with(Flag::Focused, true),
            _ if word == "checkable" => node.flags = node.flags.with(Flag::Checkable, true),
            _ if word == "checked" => node.flags = node.flags.with(Flag::Checked, true),
            _ if word == "selected" => node.flags = node.flags.with(Flag::Selected, true),
            _ => match Bounds::parse(word) {
                Some(bounds) => node.bounds = bounds,
                None => node.text = text,
            },
        }
    }
    node
}

/// Rows below each other inside a list from 100 to 500, each from and to these
/// heights, with a text that is 10 inside of them.
fn list(rows: &[(i32, i32)]) -> String {
    let mut drawing = "F [0,0][100,600]\n RecyclerView id=list scrollable [0,100][100,500]".to_owned();
    for (top, bottom) in rows {
        let text = (top + 10).max(100)..(bottom - 10).min(500);
        drawing += &format!("\n  LinearLayout clickable [0,{}][100,{}]", top.max(&100), bottom.min(&500));
        if !text.is_empty() {
            drawing += &format!("\n   TextView r{top} [10,{}][90,{}]", text.start, text.end);
        }
    }
    drawing
}

#[test]
fn a_row_that_is_cut_off_says_that_there_is_more() {
    let first = |drawing: &str| said(drawing).lines().next().unwrap().to_owned();
    for (rows, hint) in [
        // Whole rows do not tell on which side; those that end early do.
        (vec![(100, 200), (200, 300), (300, 400), (400, 500)], " (more)"),
        (vec![(100, 200), (200, 300), (300, 400)], " (more above)"),
        // The last one is cut off: most of it, some of it, a bit of it.
        (vec![(100, 200), (200, 300), (300, 480), (480, 580)], " (more below)"),
        (vec![(100, 200), (200, 350), (350, 450), (450, 550)], " (more below)"),
        (vec![(100, 200), (200, 300), (300, 415), (415, 515)], " (more below)"),
        // Its text as well.
        (vec![(100, 200), (200, 300), (300, 470), (470, 570)], " (more below)"),
        // The first one.
        (vec![(20, 120), (120, 220), (220, 320)], " (more above)"),
        (vec![(85, 185), (185, 285), (285, 385)], " (more above)"),
        (vec![(20, 120), (120, 220), (220, 320), (320, 420), (420, 520)], " (more above, more below)"),
        // A row that is larger than those before it.
        (vec![(100, 150), (150, 200), (200, 900)], " (more below)"),
    ] {
        let line = first(&list(&rows));
        assert_eq!(line, format!("list #list scrollable{hint}"), "{rows:?}");
    }
    // Rows of other kinds stand between those that tell.
    let mixed = "F [0,0][100,600]\n ScrollView id=s scrollable [0,100][100,500]\n  LinearLayout [0,100][100,500]\n   CheckBox a clickable [10,110][90,210]\n   TextView Head [10,220][90,260]\n   CheckBox b clickable [10,410][90,BOTTOM]";
    let cut = first(&mixed.replace("BOTTOM", "500"));
    assert_eq!(cut, "#s scrollable (more below)");
    let whole = first(&mixed.replace("[10,410][90,BOTTOM]", "[10,300][90,400]"));
    assert_eq!(whole, "#s scrollable (more above)");
    // The cells of a grid lie beside each other and go on below.
    let grid: String = (0..6)
        .map(|cell| {
            let (left, top) = (cell % 2 * 50, 100 + cell / 2 * 160);
            format!(
                "\n  ImageView id=c{cell} clickable [{left},{top}][{},{}]",
                left + 50,
                (top + 160).min(500)
            )
        })
        .collect();
    let grid = first(&format!("F [0,0][100,600]\n GridView id=g scrollable [0,100][100,500]{grid}"));
    assert_eq!(grid, "grid #g scrollable (more below)");
    // A row of pictures goes on to the right.
    let across = "F [0,0][100,600]\n HorizontalScrollView id=h scrollable [0,0][100,40]\n  LinearLayout [0,0][100,40]\n   ImageView clickable [0,0][45,40]\n   ImageView clickable [45,0][90,40]\n   ImageView clickable [90,0][100,40]";
    assert_eq!(first(across), "#h scrollable (more right)");
}

#[test]
fn a_field_is_not_called_by_what_belongs_to_another() {
    let label = |drawing: &str| {
        let text = said(&format!("F [0,0][100,600]\n{drawing}"));
        text.lines().rfind(|line| line.starts_with("textfield")).unwrap().to_owned()
    };
    for (drawing, expected) in [
        (" TextView Street [0,100][90,120]\n EditText id=f [0,120][90,160]", "textfield \"Street\" #f"),
        // A value with its name above.
        (
            " TextView Card [0,80][90,100]\n TextView 4929_0000_0000_1234 [0,100][90,120]\n EditText id=f [0,120][90,160]",
            "textfield #f",
        ),
        (
            " TextView Holder [0,85][90,100]\n TextView Ada_Lovelace [0,100][90,120]\n EditText id=f [0,120][90,160]",
            "textfield #f",
        ),
        (" TextView 12:30 [0,100][40,120]\n EditText id=f [40,100][90,120]", "textfield #f"),
        // The help below the field above.
        (
            " EditText x id=e hint=Mail [0,60][90,98]\n TextView We_never_share_it [0,98][90,115]\n EditText id=f [0,130][90,160]",
            "textfield #f",
        ),
        (
            " EditText x id=e hint=Mail [0,60][90,90]\n TextView Street [0,98][90,115]\n EditText id=f [0,120][90,160]",
            "textfield \"Street\" #f",
        ),
    ] {
        assert_eq!(label(drawing), expected, "{drawing}");
    }
}

#[test]
fn a_slider_says_its_name_and_its_value() {
    for (drawing, expected) in [
        (" SeekBar 30.0 desc=Volume [0,0][90,20]", "slider \"Volume\" = \"30\""),
        (" SeekBar 30.5 desc=Volume [0,0][90,20]", "slider \"Volume\" = \"30.5\""),
        (" SeekBar id=s [0,40][90,60]", "slider #s"),
        (
            " TextView Light [0,0][90,20]\n SeekBar 7.0 id=s [0,20][90,40]",
            "text \"Light\"\nslider \"Light\" #s = \"7\"",
        ),
    ] {
        assert_eq!(said(&format!("F [0,0][100,600]\n{drawing}")), expected, "{drawing}");
    }
}

#[test]
fn a_picker_says_its_name_and_its_value_and_no_range() {
    let wheel = "  Button 22 clickable [0,20][90,40]\n  EditText 23 id=numberpicker_input clickable [0,40][90,60]\n  Button 0 clickable [0,60][90,80]";
    for (drawing, expected) in [
        (
            format!(" android.widget.NumberPicker desc=Hour scrollable [0,20][90,80]\n{wheel}"),
            "picker \"Hour\" = \"23\" scrollable",
        ),
        (
            format!(" TextView Hour [0,0][90,20]\n NumberPicker id=p [0,20][90,80]\n{wheel}"),
            "picker \"Hour\" #p = \"23\"",
        ),
        (
            " TextView Country [0,0][90,20]\n Spinner id=s clickable [0,20][90,40]\n  TextView Chile id=text1 [0,20][90,40]".to_owned(),
            "picker \"Country\" #s = \"Chile\" clickable",
        ),
        // No tree says how far it goes.
        (" RatingBar 3.0 desc=Stars [0,0][90,20]".to_owned(), "slider \"Stars\" = \"3\""),
        (" SeekBar 85% desc=Font [0,0][90,20]".to_owned(), "slider \"Font\" = \"85%\""),
    ] {
        let said = said(&format!("F [0,0][100,600]\n{drawing}"));
        assert!(said.lines().any(|line| line == expected), "{drawing}: {said}");
        assert!(!said.contains("..") && !said.lines().any(|line| line == "text \"Chile\""), "{said}");
    }
}

#[test]
fn a_web_view_without_its_page_asks_for_a_picture() {
    const HINT: &str = "(no content in the tree: it may be loading; a picture shows it)";
    for (drawing, expected) in [
        (" android.webkit.WebView [0,0][90,90]", format!("webview {HINT}")),
        (" android.webkit.WebView id=w scrollable [0,0][90,90]", format!("webview #w scrollable {HINT}")),
        (
            " android.webkit.WebView [0,0][90,90]\n  android.webkit.WebView News [0,0][90,90]\n   android.view.View [0,0][90,90]",
            format!("webview {HINT}\nwebview \"News\""),
        ),
        (
            " android.webkit.WebView [0,0][90,90]\n  android.webkit.WebView News [0,0][90,90]\n   TextView Words [0,0][90,90]",
            "webview \"News\"\ntext \"Words\"".to_owned(),
        ),
    ] {
        assert_eq!(said(&format!("F [0,0][100,600]\n{drawing}")), expected, "{drawing}");
    }
}

#[test]
fn tabs_are_tabs_and_texts_of_a_page_are_not() {
    let tabs = " HorizontalScrollView [0,0][90,20]\n  LinearLayout id=tab_a desc=A clickable selected [0,0][45,20]\n   TextView A selected [0,0][45,20]\n  LinearLayout id=tab_b desc=B clickable [45,0][90,20]\n   TextView B [45,0][90,20]";
    let page = " LinearLayout id=new_tab_page [0,20][90,90]\n  TextView Search_here [0,20][90,40]";
    assert_eq!(
        said(&format!("F [0,0][100,600]\n{tabs}\n{page}")),
        "tab \"A\" selected\ntab \"B\"\ntext \"Search here\""
    );
    // A tab that is open may take no touch.
    let bar = " View [0,0][90,20]\n  View clickable [0,0][45,20]\n   TextView A [0,0][45,20]\n  View selected [45,0][90,20]\n   TextView B [45,0][90,20]";
    assert_eq!(said(&format!("F [0,0][100,600]\n{bar}")), "tab \"A\"\ntab \"B\" selected");
}

#[test]
fn a_picker_shows_one_value_and_those_beside_it() {
    let tree = crate::pages::draw(
        "F [0,0][100,400]\n NumberPicker\n  Button 22 clickable\n  EditText 23\n  Button 24 clickable\n TextView 24",
    );
    let values: Vec<_> = tree.nodes().filter(|(id, _)| tree.is_value(*id)).collect();
    let values: Vec<_> = values.iter().map(|(_, node)| node.label()).collect();
    assert_eq!(values, ["", "", "23", "24"]);
    // A wheel at its end, and a wide one: the value is in the middle.
    for (wheel, value) in [("23 24", "23"), ("21 22 23 24 25", "23")] {
        let top = if wheel.starts_with("21") { 0 } else { 200 };
        let row = |(row, text): (usize, &str)| {
            let top = top + row as i32 * 100;
            format!("\n  TextView {text} [0,{top}][90,{}]", top + 100)
        };
        let rows: String = wheel.split(' ').enumerate().map(row).collect();
        let tree = crate::pages::draw(&format!("F [0,0][100,600]\n NumberPicker [0,0][90,500]{rows}"));
        let values = tree.nodes().filter(|(id, node)| !node.label().is_empty() && tree.is_value(*id));
        let values: Vec<_> = values.map(|(_, node)| node.label()).collect();
        assert_eq!(values, [value], "{wheel}");
    }
}
