//! The nearest word of a table to one that is not in it.

/// How alike two words must be, from 0 to 1.
const ALIKE: f64 = 0.7;
/// The longest word that is compared, in bytes.
const LONGEST: usize = 64;

/// The nearest of some words, if one is near enough; the first of equals.
pub(super) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let word = word.to_lowercase().replace('_', "-");
    if word.len() > LONGEST {
        return None;
    }
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&word, &known.replace('_', "-"));
    words
        .into_iter()
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, known)| known)
}
