//! The hierarchies that the app writes into the log, one per snapshot. Pure.

use super::record::{LogWriter, Record};
use clawperator_contract::text::utf16_len;
use clawperator_ui::limits::MAX_DUMP_BYTES;

/// What comes before a hierarchy.
const MARKER: &str = "[TaskScope] UI Hierarchy:";
const END: &str = "</hierarchy>";
/// Where the app's log library cuts a line, in UTF-16 units, and where a
/// phone's log does, in bytes; a letter is never cut.
const CUT_UNITS: usize = 4_000;
const CUT_BYTES: std::ops::RangeInclusive<usize> = 3_997..=4_000;
/// The most hierarchies that are kept; an execution has fewer snapshots.
const MAX_HIERARCHIES: usize = 64;

/// One hierarchy, or why there is none where one began.
pub(super) type Hierarchy = Result<String, String>;

/// What was written until an answer came, in the order in which it began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trees {
    pub(super) all: Vec<Hierarchy>,
    /// Another command broke off meanwhile; the first ones may be its.
    pub(super) is_mixed: bool,
}

/// What has come so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Hierarchies {
    done: Vec<Hierarchy>,
    open: Option<OpenHierarchy>,
    is_mixed: bool,
}

#[derive(Clone, Debug)]
struct OpenHierarchy {
    writer: LogWriter,
    text: String,
    /// The last line was cut: the next is the rest of it.
    is_cut: bool,
}

impl Hierarchies {
    /// Takes a line if it belongs to a hierarchy; whether it does.
    pub(super) fn take(&mut self, record: &Record<'_>) -> bool {
        let begins = record.text.starts_with(MARKER);
        let goes_on = |open: &mut OpenHierarchy| open.writer.wrote(record) && !begins;
        if let Some(mut open) = self.open.take_if(goes_on) {
            open.add(record.text);
            if open.text.len() > MAX_DUMP_BYTES {
                self.end(Err(format!("it has more than {MAX_DUMP_BYTES} bytes")));
            } else if record.text.trim() == END {
                let whole = whole(open.text.trim());
                self.end(whole);
            } else {
                self.open = Some(open);
            }
            return true;
        }
        if let Some(open) = &self.open
            && (begins || open.writer.is_thread_of(record))
        {
            // Its writer writes something else now.
            self.break_off();
        }
        if begins {
            self.open = Some(OpenHierarchy {
                writer: record.writer(),
                text: record.text[MARKER.len()..].trim_start().to_owned(),
                is_cut: false,
            });
        }
        begins
    }

    /// Another command was answered. The app works on one at a time: what it wrote before the end
    /// of one that went well was that one's. One that broke off may not even have begun.
    pub(super) fn note_answer(&mut self, went_well: bool) {
        if went_well {
            *self = Self::default();
        } else {
            self.is_mixed = true;
        }
    }

    pub(super) fn into_trees(mut self) -> Trees {
        if self.open.is_some() {
            self.break_off();
        }
        Trees { all: self.done, is_mixed: self.is_mixed }
    }

    fn break_off(&mut self) {
        self.open = None;
        self.end(Err("it breaks off in the middle".to_owned()));
    }

    fn end(&mut self, hierarchy: Hierarchy) {
        if self.done.len() < MAX_HIERARCHIES {
            self.done.push(hierarchy);
        }
    }
}

impl OpenHierarchy {
    fn add(&mut self, line: &str) {
        if !self.is_cut && !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.is_cut = utf16_len(line) == CUT_UNITS || CUT_BYTES.contains(&line.len());
    }
}

/// A hierarchy that can be read, or why it cannot.
fn whole(text: &str) -> Hierarchy {
    match clawperator_ui::read(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: &str = r#"  <node index="0" text="a" resource-id="" class="x" package="p" content-desc="" bounds="[0,0][9,9]" />"#;

    fn record(thread: u32, text: &str) -> Record<'_> {
        Record { pid: 7, thread, level: 'D', tag: "TaskScopeDefault", text }
    }

    fn all(lines: &[(u32, &str)]) -> Vec<Hierarchy> {
        let mut found = Hierarchies::default();
        for (thread, text) in lines {
            found.take(&record(*thread, text));
        }
        found.into_trees().all
    }

    #[test]
    fn a_hierarchy_goes_from_its_marker_to_its_end() {
        let lines = [
            (1, "something else"),
            (1, MARKER),
            (1, "<hierarchy rotation=\"0\">"),
            (2, "[another thread's line]"),
            (1, NODE),
            (1, "</hierarchy>"),
            (1, "and more"),
        ];
        let text = format!("<hierarchy rotation=\"0\">\n{NODE}\n</hierarchy>");
        assert_eq!(all(&lines), [Ok(text)]);
    }

    #[test]
    fn a_line_break_in_a_text_stays_and_a_bracket_behind_it_ends_nothing() {
        let (before, behind) = NODE.split_at(NODE.find("a\"").unwrap());
        let lines = [
            (1, MARKER),
            (1, "<hierarchy rotation=\"0\">"),
            (1, &format!("{before}[")),
            (1, "[TaskScope] no, [Clawperator-Result] {}"),
            (1, ""),
            (1, behind),
            (1, "</hierarchy>"),
        ];
        let text = all(&lines).remove(0).unwrap();
        assert!(text.contains("[\n[TaskScope] no, [Clawperator-Result] {}\n\na"), "{text}");
    }

    #[test]
    fn a_line_that_was_cut_is_joined() {
        let long = NODE.replace("text=\"a\"", &format!("text=\"{}\"", "b".repeat(5_000)));
        let (first, second) = long.split_at(CUT_UNITS);
        let lines = [(1, MARKER), (1, "<hierarchy rotation=\"0\">"), (1, first), (1, second), (1, END)];
        assert!(all(&lines)[0].as_ref().unwrap().contains(&long));
    }

    #[test]
    fn what_breaks_off_keeps_its_place() {
        let good = [(1, MARKER), (1, "<hierarchy rotation=\"0\">"), (1, NODE), (1, END)];
        let cut = [(1, MARKER), (1, "<hierarchy rotation=\"0\">")];
        let found = all(&[&cut[..], &good, &cut].concat());
        let fine: Vec<_> = found.iter().map(Result::is_ok).collect();
        assert_eq!(fine, [false, true, false]);
        let hole = [(1, MARKER), (1, NODE), (1, END)];
        assert!(all(&hole)[0].is_err());
    }
}
