//! Tests of `role.rs`.

use crate::sketch::sketch;
use clawperator_ui::*;

/// The roles of all elements of a drawing.
fn roles(drawing: &str) -> String {
    let tree = sketch(drawing);
    let words: Vec<_> = tree.nodes().map(|(id, _)| tree.role(id).word()).collect();
    words.join(" ")
}

#[test]
fn a_class_gives_a_role() {
    for (class, role) in [
        ("androidx.viewpager2.widget.ViewPager2", "pager"),
        ("android.widget.RadioButton", "radio"),
        ("android.widget.ToggleButton", "toggle"),
        ("android.widget.ImageButton", "button"),
        ("com.google.android.material.button.MaterialButton", "button"),
        ("android.widget.EditText", "textfield"),
        ("com.google.TextInputEditText", "textfield"),
        ("android.widget.MultiAutoCompleteTextView", "textfield"),
        ("androidx.appcompat.widget.SwitchCompat", "switch"),
        ("android.widget.ViewSwitcher", "unknown"),
        ("android.widget.CheckBox", "checkbox"),
        ("androidx.recyclerview.widget.RecyclerView", "list"),
        ("android.widget.ListView", "list"),
        ("android.widget.GridView", "grid"),
        ("android.widget.Toolbar", "toolbar"),
        ("com.google.TabLayout", "tabbar"),
        ("android.widget.TabWidget", "tabbar"),
        ("androidx.appcompat.app.ActionBar$Tab", "tab"),
        ("androidx.appcompat.widget.AppCompatSeekBar", "slider"),
        ("android.widget.RatingBar", "slider"),
        ("android.widget.ProgressBar", "unknown"),
        ("android.widget.NumberPicker", "picker"),
        ("android.webkit.WebView", "webview"),
        ("com.google.BottomNavigationView", "tabbar"),
        ("android.widget.ImageView", "image"),
        ("com.google.Chip", "chip"),
        ("com.google.ChipGroup", "unknown"),
        ("androidx.cardview.widget.CardView", "card"),
        ("android.widget.FrameLayout", "container"),
        ("androidx.constraintlayout.widget.ConstraintLayout", "container"),
        ("android.widget.LinearLayout", "container"),
        ("android.view.View", "unknown"),
        ("IMAGEBUTTON", "button"),
        // A package is no class.
        ("com.switch.button.Thing", "unknown"),
    ] {
        assert_eq!(roles(class), role, "{class}");
    }
}

#[test]
fn family_and_place_give_a_role() {
    for (drawing, expected) in [
        // Columns make a grid.
        ("RecyclerView\n F [0,0][9,9]\n F [0,9][9,18]", "list listitem listitem"),
        ("RecyclerView\n F [0,0][9,9]\n F [9,0][18,9]", "grid listitem listitem"),
        ("RecyclerView\n F [9,0][18,9]\n F [0,0][9,9]", "grid listitem listitem"),
        ("ListView\n LinearLayout\n Button", "list listitem button"),
        // Rows and columns.
        ("LinearLayout\n A [0,0][9,9]\n A [9,2][18,7]", "row unknown unknown"),
        ("LinearLayout\n A [0,0][9,9]\n A [0,9][9,18]", "column unknown unknown"),
        ("FrameLayout\n A [0,0][9,9]\n A [0,9][9,18]", "container unknown unknown"),
    ] {
        assert_eq!(roles(drawing), expected, "{drawing}");
    }
}

#[test]
fn what_is_beside_an_element_gives_a_role() {
    for (drawing, expected) in [
        // Tabs.
        ("TabLayout\n F \"a\"\n F", "tabbar tab unknown"),
        ("F id=a:id/main_tabs\n Button \"a\" clickable", "unknown tab"),
        ("F id=a:id/bottom_bar\n TextView desc=a clickable", "unknown tab"),
        // A text on the page of a new tab is no tab.
        ("F id=a:id/new_tab_page\n TextView \"a\"", "unknown text"),
        ("F id=navigation\n View \"a\" clickable", "unknown button"),
        // One of a few is selected; an open tab may take no touch.
        (
            "HorizontalScrollView\n LinearLayout desc=a clickable [0,0][9,9]\n LinearLayout desc=b selected [9,0][18,9]",
            "unknown tab tab",
        ),
        ("F\n View clickable [0,0][9,9]\n  T \"a\"\n View selected [9,0][18,9]", "unknown tab text tab"),
        ("F\n View clickable \"a\" [0,0][9,9]\n View clickable \"b\" [9,0][18,9]", "unknown button button"),
        ("F\n View selected \"a\" [0,0][9,9]\n View selected \"b\" [9,0][18,9]", "unknown text text"),
        ("F\n View clickable \"a\" [0,0][9,9]\n View selected \"b\" [0,9][9,18]", "unknown button text"),
        ("RecyclerView\n F clickable [0,0][9,9]\n F selected [9,0][18,9]", "grid listitem listitem"),
        ("F id=a:id/navigation\n EditText \"a\"", "unknown textfield"),
        ("F id=a:id/bottom_sheet\n Button \"a\"", "unknown button"),
        ("F id=a:id/table\n Button \"a\"", "unknown button"),
        ("F id=com.tab:id/x\n Button \"a\"", "unknown button"),
        // A click on a picture.
        ("F clickable\n F\n  F\n   ImageView", "unknown unknown unknown icon"),
        ("F clickable\n F\n  F\n   F\n    ImageView", "unknown unknown unknown unknown image"),
        // Texts.
        ("TextView \"a\"", "text"),
        ("Toolbar\n TextView \"a\"\n TextView \"a\" clickable", "toolbar title button"),
        ("TextView \"a_b\" clickable", "button"),
        ("TextView \"this_is_a_whole_sentence\" clickable", "text"),
        ("TextView \"thisisonewholelongword\" clickable", "button"),
        ("CardView desc=a clickable", "button"),
    ] {
        assert_eq!(roles(drawing), expected, "{drawing}");
    }
}

#[test]
fn a_role_is_read_in_any_case() {
    for role in Role::ALL {
        assert_eq!(Role::of_word(&role.word().to_uppercase()), Some(*role));
    }
    assert_eq!(Role::of_word(" button"), None);
}
