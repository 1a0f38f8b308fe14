//! The page of several runs, one row each.

use super::frame::{about, facts_list};
use super::html::{apart, cut};
use super::page::document;

/// What the page says.
#[derive(Debug)]
pub struct TablePage<'p> {
    pub title: &'p str,
    /// How it went as a whole, in one word.
    pub status: &'p str,
    pub facts: &'p [(&'static str, String)],
    pub columns: &'p [&'static str],
    pub rows: &'p [Vec<String>],
}

/// How much of a cell is shown.
const SHOWN: usize = 2000;

/// The page: it loads nothing, and what is in a cell is text.
pub fn table_page(page: &TablePage<'_>) -> String {
    let row = |tag: &str, cells: &mut dyn Iterator<Item = &str>| {
        let cells: String =
            cells.map(|cell| format!("<{tag}>{}</{tag}>", apart(&cut(cell, SHOWN)))).collect();
        format!("<tr>{cells}</tr>")
    };
    let columns = row("th", &mut page.columns.iter().copied());
    let rows: String =
        page.rows.iter().map(|cells| row("td", &mut cells.iter().map(String::as_str))).collect();
    let main = format!(
        "<div id=\"steps\" class=\"wide\"><table><thead>{columns}</thead><tbody>{rows}</tbody></table></div>"
    );
    let head = about(page.status, page.title, &facts_list(page.facts));
    document(&format!("{} {}", page.status, page.title), &head, &main, "")
}
