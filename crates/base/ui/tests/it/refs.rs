//! Refs on lists that are shuffled, scrolled, added to and taken from: a ref
//! never leads to a different thing.

use clawperator_ui::{Bounds, Fingerprints, Flag, Flags, Node, NodeId, Ref, RefBook, Screen, Tree};
use proptest::collection::vec;
use proptest::prelude::*;

/// How many rows are seen at a time, and how high one is.
const WINDOW: i32 = 5;
const ROW: i32 = 100;

/// A row: only the test knows its number.
#[derive(Clone, Debug)]
struct Row {
    number: u32,
    title: String,
    checked: bool,
}

/// What is shown: a page with a list.
#[derive(Clone, Debug)]
struct Page {
    /// Only the test knows it, too.
    number: u32,
    /// What is paid to whom: one is another to what pays.
    deal: u32,
    title: String,
    payee: String,
    amount: u32,
    rows: Vec<Row>,
    offset: i32,
    next: u32,
}

/// Something that happens to a page.
#[derive(Clone, Debug)]
enum Event {
    Shuffle(u64),
    Scroll(i32),
    Insert(usize),
    InsertTwin(usize),
    Remove(usize),
    Toggle(usize),
    Leave,
    /// A page built the same, about something else: one text differs, and
    /// everything on it is another thing.
    Title,
    /// What pays is another thing. All else is the same.
    Payee,
    Amount,
}

fn any_event() -> impl Strategy<Value = Event> {
    prop_oneof![
        any::<u64>().prop_map(Event::Shuffle),
        (-900_i32..900).prop_map(Event::Scroll),
        (-9_i32..9).prop_map(|rows| Event::Scroll(rows * ROW)),
        any::<usize>().prop_map(Event::Insert),
        any::<usize>().prop_map(Event::InsertTwin),
        any::<usize>().prop_map(Event::Remove),
        any::<usize>().prop_map(Event::Toggle),
        Just(Event::Leave),
        Just(Event::Title),
        Just(Event::Payee),
        Just(Event::Amount),
    ]
}

impl Page {
    fn new(rows: u32) -> Self {
        let mut page = Self {
            number: 1_000_000,
            deal: 1_000_000,
            title: "Files".to_owned(),
            payee: "Alice".to_owned(),
            amount: 10,
            rows: Vec::new(),
            offset: 0,
            next: 0,
        };
        for _ in 0..rows {
            let row = page.row();
            page.rows.push(row);
        }
        page
    }

    fn row(&mut self) -> Row {
        self.next += 1;
        Row { number: self.next, title: format!("Row {}", self.next), checked: false }
    }

    fn happen(&mut self, event: &Event) {
        let place = |number: usize, rows: &[Row]| (!rows.is_empty()).then(|| number % rows.len());
        match event {
            Event::Shuffle(seed) => {
                let mut seed = *seed;
                for last in (1..self.rows.len()).rev() {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    self.rows.swap(last, (seed >> 33) as usize % (last + 1));
                }
            }
            Event::Scroll(by) => self.offset += by,
            Event::Insert(number) => {
                let row = self.row();
                let place = number % (self.rows.len() + 1);
                self.rows.insert(place, row);
            }
            Event::InsertTwin(number) => {
                // Beside its twin, and both in view: no look can show one that
                // came where no look was.
                let first = (self.offset + ROW - 1) / ROW;
                let end = ((self.offset + WINDOW * ROW) / ROW).min(self.rows.len() as i32);
                if first < end {
                    let of = first as usize + number % (end - first) as usize;
                    let twin = Row { title: self.rows[of].title.clone(), ..self.row() };
                    self.rows.insert(of, twin);
                }
            }
            Event::Remove(number) => {
                if let Some(of) = place(*number, &self.rows) {
                    self.rows.remove(of);
                }
            }
            Event::Toggle(number) => {
                if let Some(of) = place(*number, &self.rows) {
                    self.rows[of].checked ^= true;
                }
            }
            Event::Title => {
                self.be_another();
                self.title = format!("Title {}", self.number);
            }
            Event::Payee => {
                self.deal += 1;
                self.payee = format!("Payee {}", self.deal);
            }
            Event::Amount => {
                self.deal += 1;
                self.amount = self.deal;
            }
            Event::Leave => {
                // Another page of the same app, built in the same way.
                let rows = self.rows.len() as u32;
                let (next, number, deal) = (self.next, self.number, self.deal);
                *self = Self::new(0);
                self.next = next;
                (self.number, self.deal) = (number + 1, deal + 1);
                self.title = format!("Page {number}");
                for _ in 0..rows {
                    let row = self.row();
                    self.rows.push(row);
                }
            }
        }
        let most = (self.rows.len() as i32 - WINDOW).max(0) * ROW;
        self.offset = self.offset.clamp(0, most);
    }

    /// Everything is another thing than before, whatever it looks like.
    fn be_another(&mut self) {
        self.number += 1;
        self.deal += 1;
        for row in &mut self.rows {
            row.number += 10_000;
        }
    }

    /// The tree as a phone would dump it, and what each element really is.
    fn draw(&self) -> (Tree, Vec<(u32, &'static str)>) {
        let mut drawing = Drawing::default();
        let page = self.number;
        let whole = bounds(0, 0, 1000, 1000);
        drawing.add(0, (page, "root"), node("FrameLayout", "", whole));
        drawing.add(1, (page, "bar"), node("Toolbar", "", bounds(0, 0, 1000, 50)));
        drawing.add(2, (page, "title"), node("TextView", &self.title, bounds(0, 0, 1000, 50)));
        self.draw_details(&mut drawing);
        for (number, label) in ["Add", "Edit", "Share"].into_iter().enumerate() {
            let left = number as i32 * 100;
            let button = node("Button", label, bounds(left, 100, left + 100, 200));
            drawing.add(1, (page, label), clickable(button));
        }
        let mut list = node("RecyclerView", "", bounds(0, 200, 1000, 200 + WINDOW * ROW));
        list.resource_id = Some("a:id/list".to_owned());
        list.flags = list.flags.with(Flag::Scrollable, true);
        drawing.add(1, (page, "list"), list);
        for (place, row) in self.rows.iter().enumerate() {
            let top = 200 + place as i32 * ROW - self.offset;
            let (from, to) = (top.max(200), (top + ROW).min(200 + WINDOW * ROW));
            if from < to {
                self.draw_row(row, (from, to), &mut drawing);
            }
        }
        (drawing.tree, drawing.things)
    }

    /// A page that scrolls, with a button that stays.
    fn draw_details(&self, drawing: &mut Drawing) {
        let (page, deal) = (self.number, self.deal);
        let mut around = node("ScrollView", "", bounds(0, 700, 1000, 900));
        around.flags = around.flags.with(Flag::Scrollable, true);
        drawing.add(1, (page, "details"), around);
        let column = node("LinearLayout", "", bounds(0, 700, 1000, 900));
        drawing.add(2, (page, "column"), column);
        let amount = format!("{} EUR", self.amount);
        let texts =
            [("to", "Transfer to"), ("payee", &self.payee), ("amount", &amount), ("note", "Without a fee")];
        for (place, (thing, text)) in texts.into_iter().enumerate() {
            let top = 700 + place as i32 * 50;
            drawing.add(3, (page, thing), node("TextView", text, bounds(0, top, 1000, top + 50)));
        }
        let pay = node("Button", "Pay now", bounds(0, 900, 1000, 1000));
        drawing.add(1, (deal, "pay"), clickable(pay));
    }

    fn draw_row(&self, row: &Row, (top, bottom): (i32, i32), drawing: &mut Drawing) {
        let number = row.number;
        let around = clickable(node("LinearLayout", "", bounds(0, top, 1000, bottom)));
        drawing.add(2, (number, "row"), around);
        drawing.add(3, (number, "title"), node("TextView", &row.title, bounds(0, top, 500, bottom)));
        let mut switch = clickable(node("Switch", "", bounds(500, top, 700, bottom)));
        switch.flags = switch.flags.with(Flag::Checkable, true).with(Flag::Checked, row.checked);
        drawing.add(3, (number, "switch"), switch);
        let delete = node("Button", "Delete", bounds(700, top, 900, bottom));
        drawing.add(3, (number, "delete"), clickable(delete));
        let bare = node("ImageView", "", bounds(900, top, 1000, bottom));
        drawing.add(3, (number, "bare"), clickable(bare));
    }
}

#[derive(Default)]
struct Drawing {
    tree: Tree,
    things: Vec<(u32, &'static str)>,
}

impl Drawing {
    fn add(&mut self, depth: usize, thing: (u32, &'static str), node: Node) {
        self.tree.push(depth, node);
        self.things.push(thing);
    }
}

fn bounds(left: i32, top: i32, right: i32, bottom: i32) -> Bounds {
    Bounds { left, top, right, bottom }
}

fn node(class: &str, text: &str, bounds: Bounds) -> Node {
    Node {
        class: format!("android.widget.{class}"),
        package: "a".to_owned(),
        text: text.to_owned(),
        flags: Flags::default().with(Flag::Enabled, true),
        bounds,
        ..Node::default()
    }
}

fn clickable(node: Node) -> Node {
    Node { flags: node.flags.with(Flag::Clickable, true), ..node }
}

/// A ref and what it was given to.
type Given = (Ref, (u32, &'static str), usize);

/// Gives a ref to everything that is seen.
fn give_all(book: &mut RefBook, page: &Page, look: usize) -> Vec<Given> {
    let (tree, things) = page.draw();
    let fingerprints = Fingerprints::new(Screen::new(&tree));
    let ids: Vec<NodeId> = tree.nodes().map(|(id, _)| id).collect();
    let given = ids.into_iter().zip(&things);
    given.filter_map(|(id, thing)| Some((book.give(&fingerprints, id)?, *thing, look))).collect()
}

/// Lets things happen, and looks now and then. Returns how many refs still
/// held.
fn play(events: &[(Event, bool)], twins: bool) -> (usize, usize) {
    let mut page = Page::new(if twins { 3 } else { 12 });
    let mut book = RefBook::default();
    let mut given = give_all(&mut book, &page, 0);
    let mut pages = vec![page.clone()];
    let (mut held, mut asked) = (0, 0);
    for (event, looks) in events {
        if matches!(event, Event::InsertTwin(_)) && !twins {
            continue;
        }
        let inserts = matches!(event, Event::InsertTwin(_) | Event::Insert(_));
        if twins && inserts && page.rows.len() as i32 == WINDOW {
            continue;
        }
        page.happen(event);
        let (tree, things) = page.draw();
        let fingerprints = Fingerprints::new(Screen::new(&tree));
        let ids: Vec<NodeId> = tree.nodes().map(|(id, _)| id).collect();
        for (name, thing, look) in &given {
            asked += 1;
            let Ok(found) = book.resolve(*name, &fingerprints) else {
                continue;
            };
            held += 1;
            let place = ids.iter().position(|id| *id == found).unwrap();
            // What looks the same to the last pixel cannot be told apart.
            let unseen = twins && pages[*look].draw().0 == tree;
            assert!(
                things[place] == *thing || unseen,
                "{name} was {thing:?} and is {:?}\n{:?}\n{page:?}",
                things[place],
                pages[*look]
            );
        }
        if *looks {
            pages.push(page.clone());
            let seen = give_all(&mut book, &page, pages.len() - 1);
            given.retain(|(name, _, _)| !seen.iter().any(|(other, _, _)| other == name));
            given.extend(seen);
        }
    }
    (held, asked)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_ref_never_leads_to_a_different_thing(events in vec((any_event(), any::<bool>()), 1..14)) {
        play(&events, false);
    }

    /// ScrollsWith elements that look the same, all of them are in view and looked at
    /// after each event, and none is shuffled or switched: no look can show a
    /// twin that came where no look was, and a row that came in the place of
    /// its twin looks like one that was only switched.
    #[test]
    fn a_ref_of_twins_never_leads_to_the_other(events in vec(any_event(), 1..14)) {
        let events: Vec<_> = events
            .into_iter()
            .filter(|event| !matches!(event, Event::Shuffle(_) | Event::Toggle(_)))
            .map(|event| (event, true))
            .collect();
        play(&events, true);
    }

    #[test]
    fn a_book_comes_back_from_a_file(events in vec(any_event(), 0..6)) {
        let mut page = Page::new(12);
        let mut book = RefBook::default();
        give_all(&mut book, &page, 0);
        for event in &events {
            page.happen(event);
            give_all(&mut book, &page, 0);
        }
        let text = serde_json::to_string(&book).unwrap();
        prop_assert_eq!(serde_json::from_str::<RefBook>(&text).unwrap(), book);
    }
}

#[test]
fn refs_hold_while_their_elements_stay() {
    for (events, share) in [
        (vec![Event::Scroll(150)], 0.5),
        (vec![Event::Scroll(150), Event::Scroll(-150)], 0.5),
        (vec![Event::Toggle(0)], 0.9),
        (vec![Event::Remove(2)], 0.6),
        (vec![Event::Leave], 0.0),
        (vec![Event::Title], 0.0),
        (vec![Event::Payee], 0.5),
        (vec![Event::Amount], 0.9),
    ] {
        let events: Vec<_> = events.into_iter().map(|event| (event, false)).collect();
        let (held, asked) = play(&events, false);
        let least = (asked as f64 * share) as usize;
        assert!(held >= least && (share > 0.0 || held == 0), "{events:?}: {held} of {asked}");
    }
}

#[test]
fn the_book_is_bounded_and_numbers_are_not_used_again() {
    let mut page = Page::new(12);
    let mut book = RefBook::default();
    let mut last = 0;
    for number in 0..120 {
        let given = give_all(&mut book, &page, 0);
        let newest = given.iter().map(|(name, _, _)| name.number()).max().unwrap();
        assert!(newest >= last);
        last = newest;
        page.happen(&if number % 3 == 0 { Event::Leave } else { Event::Scroll(470) });
    }
    let text = serde_json::to_string(&book).unwrap();
    assert!(text.len() < 1 << 20, "{} bytes", text.len());
    let (tree, _) = page.draw();
    let stale = book.resolve(Ref::parse("@e1").unwrap(), &Fingerprints::new(Screen::new(&tree)));
    assert!(stale.is_err());
}
