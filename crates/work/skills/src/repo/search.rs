//! Finds skills by what they say of themselves. Pure.

use super::registry::{Registry, SkillEntry};
use std::cmp::Reverse;

/// What skills are asked for; all of it must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct SkillQuery<'q> {
    pub app: Option<&'q str>,
    pub intent: Option<&'q str>,
    /// Words, each of which the skill must have somewhere; case does not count.
    pub words: Option<&'q str>,
}

/// What a word is worth: as the whole, as a word of it, and as a part of a word.
struct Worth {
    whole: u32,
    word: u32,
    part: u32,
}

const ID: Worth = Worth { whole: 100, word: 40, part: 20 };
const KEYWORD: Worth = Worth { whole: 30, word: 24, part: 12 };
const SUMMARY: Worth = Worth { whole: 28, word: 16, part: 8 };
const APPLICATION: Worth = Worth { whole: 10, word: 6, part: 3 };

/// The skills that fit, the best first; equally good ones by their id. Without
/// words, the order of the registry.
pub fn search<'r>(registry: &'r Registry, query: &SkillQuery<'_>) -> Vec<&'r SkillEntry> {
    let fits = |wanted: Option<&str>, found: &str| wanted.is_none_or(|wanted| wanted == found);
    let skills = registry
        .skills
        .iter()
        .filter(|skill| fits(query.app, skill.application_id()) && fits(query.intent, skill.intent()));
    let phrase = query.words.unwrap_or_default().trim().to_lowercase();
    let words: Vec<&str> = phrase.split_whitespace().collect();
    if words.is_empty() {
        return skills.collect();
    }
    let scored = skills.filter_map(|skill| Some((score(skill, &phrase, &words)?, skill)));
    let mut found: Vec<(u32, &SkillEntry)> = scored.collect();
    found.sort_by_key(|(score, skill)| (Reverse(*score), skill.id()));
    found.into_iter().map(|(_, skill)| skill).collect()
}

/// How well a skill fits all the words; none if one of them is nowhere.
fn score(skill: &SkillEntry, phrase: &str, words: &[&str]) -> Option<u32> {
    let fields = fields(skill);
    let best = |wanted: &str| {
        let scores = fields.iter().filter_map(|(worth, text)| worth.of(wanted, text));
        scores.max()
    };
    let each: u32 = words.iter().map(|word| best(word)).sum::<Option<u32>>()?;
    // Words that stand together as they were typed mean more.
    let together = if words.len() > 1 { best(phrase) } else { None };
    Some(each + together.unwrap_or_default())
}

/// What a skill says of itself, in small letters.
fn fields(skill: &SkillEntry) -> Vec<(Worth, String)> {
    let mut fields = vec![
        (ID, skill.id().to_lowercase()),
        (SUMMARY, skill.summary().to_lowercase()),
        (APPLICATION, skill.application_id().to_lowercase()),
    ];
    let keywords = skill.keywords().into_iter().map(str::to_lowercase);
    fields.extend(keywords.map(|keyword| (KEYWORD, keyword)));
    fields
}

impl Worth {
    fn of(&self, wanted: &str, text: &str) -> Option<u32> {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        if text == wanted {
            Some(self.whole)
        } else if words.any(|word| word == wanted) {
            Some(self.word)
        } else {
            text.contains(wanted).then_some(self.part)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SKILLS: &str = r#"{"skills":[
        {"id":"com.bank.read-balance","applicationId":"com.bank","intent":"read-balance","summary":"Reads the balance of an account.","keywords":["money","Saldo"]},
        {"id":"com.bank.transfer","applicationId":"com.bank","intent":"transfer","summary":"Moves money; shows the balance."},
        {"id":"com.bank.overbalanced","applicationId":"com.bank","intent":"overbalanced","summary":"Something else."},
        {"id":"org.balance.open","applicationId":"org.balance","intent":"open","summary":"Opens the app."},
        {"id":"com.shop.list","applicationId":"com.shop","intent":"list","summary":"Lists orders."}]}"#;

    #[test]
    fn skills_are_ranked_by_where_the_words_are() {
        let registry = Registry::parse(SKILLS.as_bytes()).unwrap();
        let all = SkillQuery::default();
        for (query, expect) in [
            ("balance", "com.bank.read-balance org.balance.open com.bank.overbalanced com.bank.transfer"),
            ("BALANCE", "com.bank.read-balance org.balance.open com.bank.overbalanced com.bank.transfer"),
            ("com.shop.list", "com.shop.list"),
            ("saldo", "com.bank.read-balance"),
            ("money", "com.bank.read-balance com.bank.transfer"),
            ("money balance", "com.bank.read-balance com.bank.transfer"),
            ("of an account", "com.bank.read-balance"),
            ("shop list", "com.shop.list"),
            ("balance nowhere", ""),
            (
                " ",
                "com.bank.read-balance com.bank.transfer com.bank.overbalanced org.balance.open com.shop.list",
            ),
        ] {
            let words = Some(query);
            let found = search(&registry, &SkillQuery { words, ..all });
            let ids: Vec<_> = found.into_iter().map(SkillEntry::id).collect();
            assert_eq!(ids.join(" "), expect, "{query}");
        }
    }

    #[test]
    fn filters_are_exact_and_all_hold() {
        let registry = Registry::parse(SKILLS.as_bytes()).unwrap();
        let count = |app, intent, words| search(&registry, &SkillQuery { app, intent, words }).len();
        assert_eq!(count(Some("com.bank"), None, None), 3);
        assert_eq!(count(Some("com.ban"), None, None), 0);
        assert_eq!(count(None, Some("Transfer"), None), 0);
        assert_eq!(count(Some("com.bank"), Some("transfer"), Some("moves")), 1);
        assert_eq!(count(Some("com.shop"), Some("transfer"), None), 0);
    }
}
