//! How well a passage fits a query. Pure.
//!
//! BM25 adds up, for each word of the query, how rare the word is times how much its count in the
//! passage says, which grows ever slower with the count. Such a sum has no upper bound. Here it is
//! divided by what a perfect passage would have, so that it is a share of the query:
//!
//! ```text
//! score = sum(rarity(w) * part(w)) / sum(rarity(w))
//! part(w) = 0 if the word is not there, else 0.7 + 0.3 * n / (n + k)
//! k = 1.2 * (0.25 + 0.75 * words of the passage / words of a usual one)
//! ```
//!
//! A passage in which the words stand side by side in their order goes half of the way that is left
//! to 1. A minimum of 0.2 hence means: at least about a quarter of what the query says, by rarity,
//! is in the passage. A word that is nowhere in the memory is as rare as the others are on average.

use super::token::{TokenUse, each_word, words};

pub(super) const MAX_WORDS: usize = 32;
/// The lines of a passage, and from one to the next.
const LINES: usize = 6;
const STRIDE: usize = 3;
/// How much a word counts that is there once, at least.
const THERE: f64 = 0.7;
/// How fast more of a word say less, and how much the length matters: BM25's usual constants.
const K1: f64 = 1.2;
const B: f64 = 0.75;
const USUAL_WORDS: f64 = 50.0;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Query {
    /// Each word once, in the order of the query.
    pub(super) words: Vec<String>,
    phrase: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Passage {
    pub(super) path: String,
    /// Its first and last line, from 1.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) score: f64,
    pub(super) text: String,
}

pub(super) struct FileChunk<'c> {
    pub(super) path: &'c str,
    /// The number of its first line, from 1.
    pub(super) first: usize,
    pub(super) text: &'c str,
}

/// The place in the query's words of each word of a line; `None` for others.
type ScoredLine = Vec<Option<usize>>;

impl Query {
    pub(super) fn new(text: &str) -> Self {
        let mut phrase = words(text, TokenUse::Query);
        phrase.truncate(MAX_WORDS);
        let mut once: Vec<String> = Vec::new();
        for word in &phrase {
            if !once.contains(word) {
                once.push(word.clone());
            }
        }
        Self { words: once, phrase }
    }

    /// The passages of a part of a file that have something of the query, with
    /// how rare each of its words is.
    pub(super) fn passages(&self, chunk: &FileChunk<'_>, rarity: &[f64]) -> Vec<Passage> {
        let texts: Vec<&str> = chunk.text.lines().collect();
        let lines: Vec<ScoredLine> = texts.iter().map(|text| self.line(text)).collect();
        let mut found = Vec::new();
        let mut start = 0;
        loop {
            let end = (start + LINES).min(lines.len());
            let score = self.score(&lines[start..end], rarity);
            if score > 0.0
                && let Some((from, to)) = without_blanks(&texts, start, end)
            {
                found.push(Passage {
                    path: chunk.path.to_owned(),
                    first: chunk.first + from,
                    last: chunk.first + to,
                    score,
                    text: texts[from..=to].join("\n"),
                });
            }
            if end == lines.len() {
                return found;
            }
            start += STRIDE;
        }
    }

    fn line(&self, text: &str) -> ScoredLine {
        let mut words = Vec::new();
        each_word(text, TokenUse::Index, |word| {
            words.push(self.words.iter().position(|known| known == word));
        });
        words
    }

    fn score(&self, lines: &[ScoredLine], rarity: &[f64]) -> f64 {
        let mut counts = vec![0_u32; self.words.len()];
        let all = || lines.iter().flatten();
        for place in all().flatten() {
            counts[*place] += 1;
        }
        let length = all().count() as f64;
        let k = K1 * (1.0 - B + B * length / USUAL_WORDS);
        let part = |count: u32| match count {
            0 => 0.0,
            count => THERE + (1.0 - THERE) * f64::from(count) / (f64::from(count) + k),
        };
        let whole: f64 = rarity.iter().sum();
        let sum: f64 = counts.iter().zip(rarity).map(|(count, rarity)| part(*count) * rarity).sum();
        if whole <= 0.0 || sum <= 0.0 {
            return 0.0;
        }
        let score = (sum / whole).min(1.0);
        let side_by_side = self.phrase.len() > 1 && {
            let words: Vec<_> = all().copied().collect();
            let wanted: Vec<_> =
                self.phrase.iter().map(|word| self.words.iter().position(|known| known == word)).collect();
            words.windows(wanted.len()).any(|part| part == wanted)
        };
        if side_by_side { 1.0 - (1.0 - score) / 2.0 } else { score }
    }
}

/// The first and the last line of a range that say something.
fn without_blanks(texts: &[&str], start: usize, end: usize) -> Option<(usize, usize)> {
    let says = |at: &usize| !texts[*at].trim().is_empty();
    let from = (start..end).find(says)?;
    let to = (start..end).rfind(says)?;
    Some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(query: &str, text: &str) -> Vec<f64> {
        let query = Query::new(query);
        let rarity = vec![1.0; query.words.len()];
        let chunk = FileChunk { path: "MEMORY.md", first: 1, text };
        query.passages(&chunk, &rarity).iter().map(|found| found.score).collect()
    }

    #[test]
    fn a_score_is_the_share_of_the_query() {
        for (query, text, from, to) in [
            ("wifi", "the wifi is slow", 0.8, 0.95),
            ("wifi password", "the wifi is slow", 0.4, 0.5),
            ("wifi password kitchen router", "the wifi is slow", 0.2, 0.25),
            ("wifi password kitchen router reset", "the wifi is slow", 0.1, 0.2),
            ("wifi password", "the password of the wifi", 0.8, 0.95),
            ("wifi password", "the wifi password", 0.9, 1.0),
            ("wifi", "wifi wifi wifi wifi", 0.9, 1.0),
        ] {
            let found = scores(query, text);
            assert_eq!(found.len(), 1, "{query}");
            assert!((from..to).contains(&found[0]), "{query}: {}", found[0]);
        }
        // Nothing, and nothing to search for.
        assert_eq!(scores("wifi", "nothing here"), [0.0; 0]);
        assert_eq!(scores("?!", "wifi"), [0.0; 0]);
        assert_eq!(scores("wifi", ""), [0.0; 0]);
    }

    #[test]
    fn rare_words_count_more() {
        let query = Query::new("the router");
        let chunk = |text| FileChunk { path: "MEMORY.md", first: 1, text };
        let of = |text| query.passages(&chunk(text), &[0.1, 5.0])[0].score;
        assert!(of("a router") > 0.8 && of("the lamp") < 0.1);
    }

    #[test]
    fn a_passage_says_which_lines_it_is() {
        let text = "# Home\n\nnone\nnone\nnone\nnone\nnone\nthe wifi is slow\n\n";
        let query = Query::new("wifi");
        let chunk = FileChunk { path: "MEMORY.md", first: 11, text };
        let found = query.passages(&chunk, &[1.0]);
        let lines: Vec<_> = found.iter().map(|found| (found.first, found.last)).collect();
        assert_eq!(lines, [(14, 18)]);
        assert!(found[0].text.ends_with("the wifi is slow"));
    }
}
