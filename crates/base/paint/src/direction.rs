//! Puts the characters of a line into the order in which they are seen.

use crate::script::{is_neutral, is_right_to_left, is_without_width, mirrored};

/// Which way a line runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    LeftToRight,
    RightToLeft,
}

impl Direction {
    fn of(c: char) -> Option<Self> {
        match c {
            c if is_right_to_left(c) => Some(Self::RightToLeft),
            c if is_neutral(c) => None,
            _ => Some(Self::LeftToRight),
        }
    }
}

/// The way a line runs: that of its first letter.
pub(crate) fn direction(line: &str) -> Direction {
    line.chars().find_map(Direction::of).unwrap_or(Direction::LeftToRight)
}

/// The characters of a line from left to right as they are seen. Runs of
/// letters that run from right to left are turned round; what lies between two
/// runs goes the way of the line. A character's marks stay behind it.
pub(crate) fn visual(line: &str) -> Vec<char> {
    let base = direction(line);
    if base == Direction::LeftToRight && !line.chars().any(is_right_to_left) {
        return line.chars().collect();
    }
    let mut runs = runs(line, base);
    if base == Direction::RightToLeft {
        runs.reverse();
    }
    let turned = runs.into_iter().flat_map(|(direction, clusters)| match direction {
        Direction::LeftToRight => clusters.concat(),
        Direction::RightToLeft => clusters.into_iter().rev().flatten().map(mirrored).collect(),
    });
    turned.collect()
}

/// A character and the marks on it.
type Cluster = Vec<char>;

fn runs(line: &str, base: Direction) -> Vec<(Direction, Vec<Cluster>)> {
    let mut runs: Vec<(Direction, Vec<Cluster>)> = Vec::new();
    let mut undecided: Vec<Cluster> = Vec::new();
    for cluster in clusters(line) {
        let Some(direction) = cluster.first().and_then(|&c| way(c, base)) else {
            undecided.push(cluster);
            continue;
        };
        let between = std::mem::take(&mut undecided);
        match runs.last_mut() {
            Some((last, run)) if *last == direction => run.extend(between),
            _ if between.is_empty() => {}
            _ => push(&mut runs, base, between),
        }
        push(&mut runs, direction, vec![cluster]);
    }
    push(&mut runs, base, undecided);
    runs
}

/// The way a character goes on a line: brackets on a line from right to left
/// go its way, so that they still enclose what they enclosed.
fn way(c: char, base: Direction) -> Option<Direction> {
    let bracket = base == Direction::RightToLeft && mirrored(c) != c;
    if bracket { Some(base) } else { Direction::of(c) }
}

fn push(runs: &mut Vec<(Direction, Vec<Cluster>)>, direction: Direction, clusters: Vec<Cluster>) {
    match runs.last_mut() {
        Some((last, run)) if *last == direction => run.extend(clusters),
        _ => runs.push((direction, clusters)),
    }
}

fn clusters(line: &str) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    for c in line.chars() {
        match clusters.last_mut() {
            Some(cluster) if is_without_width(c) => cluster.push(c),
            _ => clusters.push(vec![c]),
        }
    }
    clusters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_seen_in_the_order_they_are_read() {
        // (written, seen from left to right)
        let cases = [
            ("abc", "abc"),
            ("אבג", "גבא"),
            ("abc אבג def", "abc גבא def"),
            ("אבג abc דה", "הד abc גבא"),
            ("אב גד", "דג בא"),
            ("(אב)", "(בא)"),
            ("א 123", "123 א"),
            ("אב (test) 123", "123 (test) בא"),
            ("abc (אב) def", "abc (בא) def"),
            ("אָב", "באָ"),
            ("", ""),
        ];
        for (written, seen) in cases {
            assert_eq!(visual(written).into_iter().collect::<String>(), seen, "{written}");
        }
    }
}
