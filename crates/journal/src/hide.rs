//! Takes texts that must not be told out of others. Pure.

use super::redact::length;

/// The ways in which a text is written in other texts: as it is, and as JSON
/// and our own quotes write it. Each once.
pub fn forms(text: &str) -> Vec<String> {
    let quoted = serde_json::Value::from(text).to_string();
    let inside = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let mut forms = vec![
        text.to_owned(),
        inside.unwrap_or_default().to_owned(),
        text.escape_debug().to_string(),
    ];
    forms.retain(|form| !form.is_empty());
    forms.sort();
    forms.dedup();
    forms
}

/// Whether a text has one of the others in it.
pub(crate) fn tells<'s>(text: &str, secrets: impl IntoIterator<Item = &'s str>) -> bool {
    let mut secrets = secrets.into_iter();
    secrets.any(|secret| forms(secret).iter().any(|form| text.contains(form.as_str())))
}

/// A text with how long they are in place of the others. Where one is a part of
/// another, or two overlap, nothing of either is left.
pub fn hide<'s>(text: &str, secrets: impl IntoIterator<Item = &'s str>) -> String {
    let mut places: Vec<(usize, usize, String)> = Vec::new();
    for secret in secrets {
        for form in forms(secret) {
            places.extend(occurrences(text, &form).map(|at| (at, at + form.len(), length(secret))));
        }
    }
    // Of those that begin together the longest is first.
    places.sort_by(|one, other| (one.0, other.1).cmp(&(other.0, one.1)));
    let mut hidden: Vec<(usize, usize, String)> = Vec::new();
    for (from, to, says) in places {
        match hidden.last_mut() {
            Some(last) if from < last.1 => {
                if to > last.1 {
                    last.1 = to;
                    last.2 = length(&text[last.0..to]);
                }
            }
            _ => hidden.push((from, to, says)),
        }
    }
    let (mut told, mut end) = (String::with_capacity(text.len()), 0);
    for (from, to, says) in hidden {
        told.push_str(&text[end..from]);
        told.push_str(&says);
        end = to;
    }
    told.push_str(&text[end..]);
    told
}

/// Where a text is in another, overlapping itself or not.
fn occurrences<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let mut from = 0;
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    std::iter::from_fn(move || {
        let at = from + text.get(from..)?.find(wanted)?;
        from = at + step;
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_left_whatever_the_order() {
        for secrets in [["Winter", "Winter2024Blue"], ["Winter2024Blue", "Winter"]] {
            assert_eq!(
                hide("is Winter2024Blue or Winter.", secrets),
                "is [14 letters] or [6 letters]."
            );
        }
        assert_eq!(hide("abcdefghi", ["abcdef", "defghi"]), "[9 letters]");
        assert_eq!(hide("aaaa", ["aaa"]), "[4 letters]");
        assert_eq!(hide("abcabc", ["abc"]), "[3 letters][3 letters]");
        assert_eq!(hide("ääää é", ["ää"]), "[4 letters] é");
        assert_eq!(hide("as it is", [""]), "as it is");
    }

    #[test]
    fn a_text_is_found_as_json_writes_it() {
        let secret = "pa\"ss\\wOrd9";
        let json = serde_json::json!({"text": [secret]}).to_string();
        assert!(tells(&json, [secret]) && !tells("pa", [secret]));
        assert_eq!(hide(&json, [secret]), "{\"text\":[\"[11 letters]\"]}");
        assert_eq!(hide(&secret.escape_debug().to_string(), [secret]), "[11 letters]");
    }
}
