//! Small views of every screen of the built-in apps, and of real dumps where
//! they are, counted with tokenizers that models use.

#![allow(clippy::print_stdout, reason = "what was measured is printed")]

use clawperator_sim::builtin;
use clawperator_sim::phone::{DumpViews, Intent, Phone};
use clawperator_ui::{
    Ability, Attributes, Extent, Fingerprints, Flag, LinePurpose, Screen, ScreenSummary, Tree, View,
    ViewFormat, ViewMemory, ViewRequest, estimate, view, write,
};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Every screen of every built-in app, as it is when it is the first one.
fn built_in_screens() -> Vec<(String, Tree)> {
    let mut found = Vec::new();
    for app in builtin::apps() {
        for name in app.screens.keys() {
            let mut only = (**app).clone();
            let Some(first) = only.activities.first_mut() else {
                continue;
            };
            first.screen.value.clone_from(name);
            let mut phone = Phone::new(Duration::from_secs(1_767_225_600), builtin::apps());
            phone.install(Arc::new(only));
            let started = phone.start(&Intent::launch(&app.package));
            let tree = started.ok().and_then(|_| phone.tree(DumpViews::All));
            found.extend(tree.map(|tree| (format!("{} {name}", app.package), tree)));
        }
    }
    found
}

/// Real dumps and what they are as text; none on most machines.
fn real_dumps() -> Vec<(String, Tree)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/phone/dumps");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there are no real dumps at {}", folder.display());
        return Vec::new();
    };
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "xml"));
    files.sort();
    let dump = |path: &Path| {
        let tree = clawperator_ui::read(&std::fs::read_to_string(path).unwrap()).unwrap();
        (path.file_name().unwrap().to_string_lossy().into_owned(), tree)
    };
    files.iter().map(|path| dump(path)).collect()
}

fn seen(tree: &Tree, style: ViewFormat, budget: Option<usize>) -> View {
    let view_request = ViewRequest { style, budget, extent: Extent::Whole };
    view(&Fingerprints::new(Screen::new(tree)), view_request, &mut ViewMemory::default())
}

/// The tokens of a text in the two encodings of one family of models, the
/// larger number of both.
fn tokens(text: &str) -> usize {
    let old = bpe_openai::cl100k_base().count(text);
    old.max(bpe_openai::o200k_base().count(text))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Whether an element takes a touch or text, or scrolls.
fn is_used(tree: &Tree, id: clawperator_ui::NodeId) -> bool {
    let flags = tree.node(id).flags;
    flags.has(Flag::Clickable) || flags.has(Flag::Scrollable) || tree.can(id, Ability::Edit)
}

#[test]
fn a_compact_view_is_a_tenth_of_the_hierarchy_and_misses_nothing() {
    for (what, screens, least) in [("dumps", real_dumps(), 12), ("screens", built_in_screens(), 40)] {
        if screens.is_empty() {
            continue;
        }
        let mut shares = Vec::new();
        for (name, tree) in &screens {
            let summary = ScreenSummary::new(&Screen::new(tree));
            for (id, _) in tree.nodes().filter(|(id, _)| is_used(tree, *id)) {
                let told = summary.lines.iter().any(|line| line.id == id && line.purpose == LinePurpose::Act);
                let beyond = !Screen::new(tree).sees(id);
                assert!(told || (beyond && !summary.off_screen.is_empty()), "{name}: {}", tree.excerpt(id));
            }
            let view = seen(tree, ViewFormat::Compact, None);
            let share = tokens(&view.text) as f64 / tokens(&write(tree, Attributes::Usual)) as f64;
            shares.push(share);
        }
        let (count, worst) = (shares.len(), shares.iter().copied().fold(0.0, f64::max));
        let median = median(shares);
        println!(
            "{count} {what}: compact has 1/{:.1} of the tokens in the median, 1/{:.1} at worst",
            1.0 / median,
            1.0 / worst
        );
        assert!(count >= least, "{count} {what}");
        assert!(median <= 0.1, "{what}: {median}");
    }
}

#[test]
fn the_estimate_is_never_below_what_a_tokenizer_counts() {
    let mut ratios = Vec::new();
    for (name, tree) in real_dumps().into_iter().chain(built_in_screens()) {
        for style in [ViewFormat::Compact, ViewFormat::Json] {
            for budget in [None, Some(1), Some(30), Some(400)] {
                let view = seen(&tree, style, budget);
                let real = tokens(&view.text);
                let estimated = estimate(&view.text);
                assert_eq!(view.tokens, estimated);
                assert!(
                    real <= estimated,
                    "{name} {style:?} {budget:?}: {real} of {estimated}\n{}",
                    view.text
                );
                assert!(budget.is_none_or(|budget| estimated <= budget), "{name} {budget:?}");
                if budget.is_none() && real > 0 {
                    ratios.push(estimated as f64 / real as f64);
                }
            }
        }
    }
    println!("{} views: the estimate is {:.2} times the tokens in the median", ratios.len(), median(ratios));
}
