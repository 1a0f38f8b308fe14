//! How fast a large dump is read, searched and viewed:
//! `cargo bench -p clawperator-ui`.
//!
//! What is measured is the time of this thread on a processor where the system
//! tells it, and the time that passes elsewhere: on a machine that others use,
//! the one says what the code costs and the other how busy they are.

#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use clawperator_contract::{Attribute, Condition, Matcher, NodeRelation, Selector, TextTest};
use clawperator_ui::{
    Attributes, Bounds, Extent, Fingerprints, Flag, Flags, Node, Screen, Tree, ViewFormat, ViewMemory,
    ViewRequest, read, view, write,
};
use criterion::{Bencher, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How large the dump is.
const BYTES: usize = 1_000_000;

/// A long list as Android's settings show it: rows of a picture, two texts and
/// a switch, until the dump is large enough.
fn dump() -> String {
    let mut tree = Tree::new(0);
    let screen = Bounds::parse("[0,0][1080,2400]").unwrap_or_default();
    tree.push(0, node("FrameLayout", "", screen));
    let mut list = node("androidx.recyclerview.widget.RecyclerView", "", screen);
    list.flags = list.flags.with(Flag::Scrollable, true);
    tree.push(1, list);
    let mut row = 0;
    while tree.len() * 390 < BYTES {
        let top = row % 20 * 120;
        let place = |left: i32, right: i32| Bounds { left, top, right, bottom: top + 120 };
        let mut around = node("LinearLayout", "", place(0, 1080));
        around.flags = around.flags.with(Flag::Clickable, true).with(Flag::Focusable, true);
        tree.push(2, around);
        tree.push(3, node("ImageView", "", place(0, 120)));
        tree.push(3, node("TextView", &format!("Entry number {row} &amp; more"), place(120, 900)));
        tree.push(3, node("TextView", "A summary of what this entry is about", place(120, 900)));
        tree.push(3, node("Switch", "", place(900, 1080)));
        row += 1;
    }
    write(&tree, Attributes::Usual)
}

fn node(class: &str, text: &str, bounds: Bounds) -> Node {
    let class = if class.contains('.') { class.to_owned() } else { format!("android.widget.{class}") };
    Node {
        class,
        text: text.to_owned(),
        package: "com.android.settings".to_owned(),
        resource_id: Some("com.android.settings:id/recycler_item".to_owned()),
        flags: Flags::default().with(Flag::Enabled, true),
        bounds,
        ..Node::default()
    }
}

fn matchers() -> [(&'static str, Matcher); 5] {
    let matcher = Matcher::default();
    [
        ("text that is last", Matcher { text_equals: Some("nowhere".to_owned()), ..matcher.clone() }),
        ("part of a text", Matcher { text_contains: Some("NOWHERE".to_owned()), ..matcher.clone() }),
        ("role", Matcher { role: Some("tab".to_owned()), ..matcher.clone() }),
        (
            "three fields",
            Matcher {
                resource_id: Some("com.android.settings:id/recycler_item".to_owned()),
                text_contains: Some("number 499 ".to_owned()),
                role: Some("text".to_owned()),
                ..matcher.clone()
            },
        ),
        (
            "role, right of a text",
            Matcher {
                role: Some("switch".to_owned()),
                conditions: Some(Selector {
                    conditions: vec![Condition::Related(NodeRelation::RightOf, numbered())],
                }),
                ..matcher
            },
        ),
    ]
}

/// Fits one text of each row.
fn numbered() -> Selector {
    let test = TextTest::Contains("NUMBER".to_owned());
    Selector { conditions: vec![Condition::Text(Attribute::Text, test)] }
}

/// How long this thread has been on a processor.
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

fn measure<T>(bencher: &mut Bencher<'_>, mut work: impl FnMut() -> T) {
    bencher.iter_custom(|times| {
        let (began, before) = (Instant::now(), on_processor());
        for _ in 0..times {
            black_box(work());
        }
        let passed = began.elapsed();
        let after = on_processor();
        let used = before.zip(after).map(|(before, after)| after.saturating_sub(before));
        // The system tells it every few milliseconds; less is not told yet.
        used.filter(|used| !used.is_zero()).unwrap_or(passed)
    });
}

fn bench(criterion: &mut Criterion) {
    let dump = dump();
    let Ok(tree) = read(&dump) else {
        return;
    };
    let mut group =
        criterion.benchmark_group(format!("dump of {} bytes, {} elements", dump.len(), tree.len()));
    group.throughput(Throughput::Bytes(dump.len() as u64));
    group.bench_function("read", |bencher| measure(bencher, || read(black_box(&dump))));
    group.throughput(Throughput::Elements(1));
    for (name, matcher) in matchers() {
        let screen = Screen::new(&tree);
        group.bench_function(format!("find all by {name}"), |bencher| {
            measure(bencher, || screen.all(&black_box(&matcher).selector()).count());
        });
    }
    group.bench_function("fingerprint all elements", |bencher| {
        measure(bencher, || Fingerprints::new(Screen::new(black_box(&tree))));
    });
    let request = ViewRequest { style: ViewFormat::Compact, budget: Some(400), extent: Extent::Whole };
    group.bench_function("view within 400 tokens", |bencher| {
        measure(bencher, || {
            view(&Fingerprints::new(Screen::new(&tree)), request, &mut ViewMemory::default())
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
