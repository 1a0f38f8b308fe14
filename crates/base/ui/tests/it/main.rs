//! Reading and writing dumps, small ones here and real ones where they are.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a panic is how a test fails, and tests read files"
)]

mod likeness;
mod meaning;
mod pages;
mod parts;
mod refs;
mod screen;
mod selectors;
#[path = "../../src/sketch.rs"]
mod sketch;
mod views;
mod words;

use clawperator_ui::{Attributes, Bounds, DumpError, Flag, Flags, Node, Point, Tree, limits, read, write};
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const HEAD: &str = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>";

/// A leaf as a phone writes it.
fn leaf(text: &str) -> String {
    format!(
        "<node index=\"0\" text=\"{text}\" resource-id=\"a:id/b\" class=\"android.widget.TextView\" package=\"a\" \
         content-desc=\"\" checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" \
         focusable=\"false\" focused=\"false\" scrollable=\"false\" long-clickable=\"false\" password=\"false\" \
         selected=\"false\" bounds=\"[0,63][1080,2337]\" />"
    )
}

fn dump(inside: &str) -> String {
    format!("{HEAD}<hierarchy rotation=\"1\">{inside}</hierarchy>")
}

#[test]
fn a_dump_is_read_and_written_to_the_byte() {
    let open = leaf("").replace(" />", ">");
    let text = dump(&format!("{open}{}{}</node>{}", leaf("a&#10;b &amp; c"), leaf("&#128512;"), leaf("é")));
    let tree = read(&text).unwrap();
    assert_eq!(tree.rotation, 1);
    let texts: Vec<_> = tree.nodes().map(|(_, node)| node.text.as_str()).collect();
    assert_eq!(texts, ["", "a\nb & c", "😀", "é"]);
    let (first, node) = tree.nodes().next().unwrap();
    assert_eq!(tree.children(first).count(), 2);
    assert!(node.flags.has(Flag::Clickable) && !node.flags.has(Flag::Checked));
    assert_eq!(node.bounds.center(), Point::new(540, 1200));
    assert_eq!(write(&tree, Attributes::Usual), text);
}

#[test]
fn a_phone_s_excuses_are_no_screens() {
    for (text, error) in [
        ("ERROR: could not get idle state.\n", DumpError::NotIdle),
        ("ERROR: null root node returned by UiTestAutomationBridge.", DumpError::NullRoot),
        ("", DumpError::NoHierarchy(String::new())),
        ("Killed \n", DumpError::NoHierarchy("Killed".to_owned())),
    ] {
        assert_eq!(read(text), Err(error));
    }
    // An old dump behind an excuse is not this screen; two windows are not one.
    let stale = format!("ERROR: could not get idle state.\n{}", dump(&leaf("a")));
    assert_eq!(read(&stale), Err(DumpError::NotIdle));
    let windows = format!("{}{}", dump(&leaf("a")), dump(&leaf("b")));
    assert!(matches!(read(&windows), Err(DumpError::Malformed { .. })));
    assert!(read(&dump(&leaf("could not get idle state"))).is_ok());
    assert!(read(&dump("")).unwrap().is_empty());
    assert!(read("<hierarchy rotation=\"0\" />").unwrap().is_empty());
}

#[test]
fn words_around_the_hierarchy_do_not_matter() {
    let text = format!("WARNING: x\n{}UI hierchary dumped to: /dev/tty\n", dump(&leaf("a")));
    assert_eq!(read(&text).unwrap().len(), 1);
}

#[test]
fn what_is_no_element_is_passed_over() {
    let single = leaf("a").replace("text=\"a\"", "text = 'say \"<b>\"'");
    for inside in [
        format!("<!-- <node> -->{single}"),
        format!("<?what <node> ?>{single}"),
        format!("<![CDATA[ <node> ]]>\n & {single}\r\n"),
    ] {
        let tree = read(&dump(&inside)).unwrap_or_else(|error| panic!("{inside}: {error}"));
        let texts: Vec<_> = tree.nodes().map(|(_, node)| node.text.as_str()).collect();
        assert_eq!(texts, ["say \"<b>\""]);
    }
}

#[test]
fn a_dump_that_is_cut_off_anywhere_is_refused() {
    let open = leaf("").replace(" />", ">");
    let whole = dump(&format!("{open}{}</node>", leaf("a &lt; b")));
    assert!(read(&whole).is_ok());
    let from = whole.find("<hierarchy").unwrap() + "<hierarchy".len();
    for end in from..whole.len() {
        let result = read(&whole[..end]);
        assert!(result.is_err(), "{end}: {result:?}");
        // What the phone says behind it does not mend it.
        let words = format!("{}UI hierchary dumped to: /dev/tty\n", &whole[..end]);
        assert!(read(&words).is_err(), "{words}");
    }
    let inside = whole.find("content-desc").unwrap() + 4;
    let words = format!("{}UI hierchary dumped to: /dev/tty\n", &whole[..inside]);
    assert_eq!(read(&words), Err(DumpError::CutOff));
    assert_eq!(read(&whole[..whole.len() - 12]), Err(DumpError::CutOff));
}

#[test]
fn nonsense_is_malformed_not_misread() {
    let open = leaf("").replace(" />", ">");
    for inside in [
        leaf("a").replace("[0,63]", "[0;63]"),
        leaf("a").replace("index=\"0\"", "index=\"zero\""),
        open,
        "</node>".to_owned(),
        leaf("a").replace(" />", " / >"),
        leaf("a").replace("checked=\"false\"", "checked"),
        leaf("a").replace("checked=", "che\"cked="),
        leaf("a").replace("checked=\"false\"", "checked=false"),
    ] {
        assert!(matches!(read(&dump(&inside)), Err(DumpError::Malformed { .. })), "{inside}");
    }
}

#[test]
fn bounds_hold() {
    let deep = "<node>".repeat(limits::MAX_DEPTH + 1);
    assert!(matches!(read(&dump(&deep)), Err(DumpError::TooLarge("levels", _))));
    let wide = "<node/>".repeat(limits::MAX_NODES + 1);
    assert!(matches!(read(&dump(&wide)), Err(DumpError::TooLarge("elements", _))));
    let long = " ".repeat(limits::MAX_DUMP_BYTES + 1);
    assert!(matches!(read(&long), Err(DumpError::TooLarge("bytes", _))));
}

/// Dumps that are read, written and read again give the same tree. Those on one
/// line, as a phone writes them, come back to the byte.
#[test]
fn dumps_come_back() {
    let own = own_dumps();
    let (count, exact) = come_back(&own);
    assert!(count >= 6 && exact >= 2, "{count} dumps, {exact} exact");
    let real = real_dumps();
    if !real.is_empty() {
        let (count, exact) = come_back(&real);
        assert!(count >= 12 && exact >= 8, "{count} real dumps, {exact} exact");
    }
}

/// How many dumps there are, and how many of them come back to the byte.
fn come_back(files: &[PathBuf]) -> (usize, usize) {
    let mut exact = 0;
    for path in files {
        let text = std::fs::read_to_string(path).unwrap();
        let tree = read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(tree.len(), text.matches("<node").count(), "{}", path.display());
        let extended = text.contains("drawing-order");
        let written = write(&tree, if extended { Attributes::Extended } else { Attributes::Usual });
        assert_eq!(read(&written).unwrap(), tree, "{}", path.display());
        exact += usize::from(written == text.trim_end());
    }
    (files.len(), exact)
}

/// Dumps that we wrote ourselves, with what makes real ones hard to read.
fn own_dumps() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dumps");
    dump_files(&folder).unwrap()
}

/// Dumps of real phones, which are not ours to copy; `cargo xtask test` says
/// when they are not here.
fn real_dumps() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/phone/dumps");
    dump_files(&folder).unwrap_or_default()
}

fn dump_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?;
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "xml"));
    files.sort();
    Ok(files)
}

/// Every dump with its name.
fn dumps() -> Vec<(String, Tree)> {
    let dump = |path: PathBuf| {
        let tree = read(&std::fs::read_to_string(&path).unwrap()).unwrap();
        (path.display().to_string(), tree)
    };
    own_dumps().into_iter().chain(real_dumps()).map(dump).collect()
}

fn any_tree() -> impl Strategy<Value = Tree> {
    let text = "[ -~é漢😀\\n]{0,12}";
    let class = prop::sample::select(
        &[
            "",
            "android.view.View",
            "android.widget.TextView",
            "android.widget.LinearLayout",
            "android.widget.EditText",
            "androidx.recyclerview.widget.RecyclerView",
            "androidx.cardview.widget.CardView",
            "é.漢.\n",
        ][..],
    );
    let id =
        prop::option::of(prop::sample::select(&["", "a:id/b", "a:id/main_tabs", "android:id/summary"][..]));
    // Places that often overlap, and places that are anywhere.
    let place = prop_oneof![any::<[u8; 4]>().prop_map(|edges| edges.map(i32::from)), any::<[i32; 4]>()];
    let node = (any::<u16>(), (text, text, class, id), any::<u16>(), place).prop_map(
        |(index, (text, desc, class, id), flags, edges)| {
            let flag = |set: Flags, (place, flag): (usize, Flag)| set.with(flag, flags & (1 << place) != 0);
            let all = [Flag::Checkable, Flag::Clickable, Flag::Enabled, Flag::Scrollable, Flag::Selected];
            let [left, top, right, bottom] = edges;
            Node {
                index: i32::from(index),
                text,
                content_desc: desc,
                class: class.to_owned(),
                resource_id: id.map(str::to_owned),
                flags: all.into_iter().enumerate().fold(Flags::default(), flag),
                bounds: Bounds { left, top, right, bottom },
                ..Node::default()
            }
        },
    );
    vec((0_usize..6, node), 0..40).prop_map(|nodes| {
        let mut tree = Tree::new(0);
        for (depth, node) in nodes {
            tree.push(depth, node);
        }
        tree
    })
}

proptest! {
    #[test]
    fn any_tree_comes_back(tree in any_tree()) {
        let written = write(&tree, Attributes::Usual);
        let again = read(&written).unwrap();
        prop_assert_eq!(write(&again, Attributes::Usual), written);
        prop_assert_eq!(again.len(), tree.len());
        for ((id, ours), (_, theirs)) in tree.nodes().zip(again.nodes()) {
            prop_assert_eq!((&ours.text, ours.bounds, tree.parent(id)), (&theirs.text, theirs.bounds, again.parent(id)));
        }
    }

    #[test]
    fn any_text_is_survived(text in "(<|>|/|node|hierarchy|\"|=| |&|#|[a-z]|.){0,80}") {
        let _ = read(&text);
        let _ = read(&format!("<hierarchy>{text}"));
    }
}
