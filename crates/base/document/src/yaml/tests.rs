//! What YAML becomes in a type, and what is said of what does not fit.

use super::*;
use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt::{self, Debug};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "they are printed")]
struct App {
    label: Word,
    #[serde(default)]
    count: u8,
    size: Option<i32>,
    #[serde(default)]
    on: bool,
    #[serde(default)]
    words: Vec<Word>,
    #[serde(default)]
    acts: Vec<Act>,
    inner: Option<Box<App>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code, reason = "they are printed")]
enum Act {
    Back,
    Say(String),
    Wait { ms: u32 },
    Pair(u8, u8),
    Odd(Odd),
}

/// A word and where it is.
#[derive(Deserialize)]
struct Word(Spanned<String>);

impl Debug for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = position_of(&self.0).map_or(String::new(), |at| format!("{}:{}", at.line, at.column));
        write!(f, "{}@{place}", self.0.value)
    }
}

/// Takes an odd number, and says so otherwise.
#[derive(Debug)]
#[allow(dead_code, reason = "it is printed")]
struct Odd(u32);

impl<'de> Deserialize<'de> for Odd {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = u32::deserialize(from)?;
        if number % 2 == 1 { Ok(Self(number)) } else { Err(serde::de::Error::custom("not odd")) }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[allow(dead_code, reason = "they are printed")]
enum Any {
    Flag(bool),
    Number(i64),
    Real(f64),
    Text(Word),
    Act(Act),
    List(Vec<Any>),
    Record(BTreeMap<String, Any>),
}

#[derive(Debug, Deserialize)]
#[allow(dead_code, reason = "they are printed")]
struct Flat {
    name: String,
    #[serde(flatten)]
    rest: BTreeMap<String, Any>,
}

#[derive(Debug, Deserialize)]
struct Nothing;

/// What was read, or where and what is wrong.
fn told<T: DeserializeOwned + Debug>(text: &str) -> String {
    match read::<T>(text) {
        Ok(value) => format!("{value:?}"),
        Err(problem) => {
            let place = problem.position.map_or(String::new(), |at| format!("{}:{} ", at.line, at.column));
            let hint = problem.hint.map_or(String::new(), |hint| format!(" | {hint}"));
            format!("{place}{}{hint}", problem.message)
        }
    }
}

fn check<T: DeserializeOwned + Debug>(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(told::<T>(text), *expected, "{text:?}");
    }
}

#[test]
fn a_text_is_any_scalar_but_null() {
    check::<String>(&[
        ("14", "\"14\""),
        ("\"14\"", "\"14\""),
        ("1.20", "\"1.20\""),
        ("true", "\"true\""),
        ("\"\"", "\"\""),
        ("\"null\"", "\"null\""),
        ("|\n  a\n  b\n", "\"a\\nb\\n\""),
        (">-\n  a\n  b", "\"a b\""),
        ("a b\n c", "\"a b c\""),
        ("!!str 5", "\"5\""),
        ("!x a", "\"a\""),
        ("\u{feff}a", "\"a\""),
        ("---\na\n...\n", "\"a\""),
        ("a # b", "\"a\""),
        ("\"a\\u0041\\n\"", "\"aA\\n\""),
        ("~", "1:1 a text is missing here; write '' for an empty one"),
        ("NULL", "1:1 a text is missing here; write '' for an empty one"),
        ("[a]", "1:1 write a text or a number here, not a list or a map"),
        ("{a: b}", "1:1 write a text or a number here, not a list or a map"),
        ("# nothing", "1:10 the text ends where a value is missing"),
    ]);
    check::<Option<String>>(&[
        ("a", "Some(\"a\")"),
        ("~", "None"),
        ("", "None"),
        ("nUll", "None"),
        ("\"\"", "Some(\"\")"),
        ("\"~\"", "Some(\"~\")"),
        ("[a]", "1:1 write a text or a number here, not a list or a map"),
    ]);
    check::<char>(&[("a", "'a'"), ("5", "'5'")]);
}

#[test]
fn a_number_may_be_in_quotes_and_of_another_base() {
    check::<u8>(&[
        ("14", "14"),
        ("\"14\"", "14"),
        ("' 7 '", "7"),
        ("+3", "3"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("0b11", "3"),
        ("1_0", "10"),
        ("0", "0"),
        ("!!int 4", "4"),
        ("-3", "1:1 write a whole number here that fits u8"),
        ("1__0", "1:1 write a whole number here that fits u8"),
        ("007", "1:1 write a whole number here that fits u8"),
        ("256", "1:1 write a whole number here that fits u8"),
        ("1.0", "1:1 write a whole number here that fits u8"),
        ("~", "1:1 write a whole number here that fits u8"),
        ("a", "1:1 write a whole number here that fits u8"),
        ("[1]", "1:1 write a text or a number here, not a list or a map"),
    ]);
    check::<i64>(&[
        ("-3", "-3"),
        ("-0x10", "-16"),
        ("-0", "0"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("9223372036854775808", "1:1 write a whole number here that fits i64"),
    ]);
    check::<u64>(&[
        ("18446744073709551615", "18446744073709551615"),
        ("18446744073709551616", "1:1 write a whole number here that fits u64"),
    ]);
    check::<f64>(&[
        ("1", "1.0"),
        (".5", "0.5"),
        ("-1e3", "-1000.0"),
        (".inf", "inf"),
        ("-.INF", "-inf"),
        (".nan", "NaN"),
        ("\"2.5\"", "2.5"),
        ("007", "7.0"),
        ("inf", "1:1 write a number here"),
        ("1e999", "1:1 write a number here"),
        ("0x10", "1:1 write a number here"),
        ("1_0.5", "1:1 write a number here"),
        ("~", "1:1 write a number here"),
    ]);
    check::<bool>(&[
        ("true", "true"),
        ("False", "false"),
        ("\"TRUE\"", "true"),
        ("yes", "1:1 write true or false here"),
        ("on", "1:1 write true or false here"),
        ("1", "1:1 write true or false here"),
        ("~", "1:1 write true or false here"),
        ("[true]", "1:1 write a text or a number here, not a list or a map"),
    ]);
}

#[test]
fn null_is_an_empty_list_or_map() {
    check::<Vec<String>>(&[
        ("[a, 1, true]", "[\"a\", \"1\", \"true\"]"),
        ("- a\n- b", "[\"a\", \"b\"]"),
        ("~", "[]"),
        ("", "[]"),
        ("a", "1:1 write a list here"),
        ("{a: b}", "1:1 write a list here"),
        ("[a, ~]", "1:5 a text is missing here; write '' for an empty one"),
        ("[a, [b]]", "1:5 write a text or a number here, not a list or a map"),
        ("- a\n-\n", "2:2 a text is missing here; write '' for an empty one"),
    ]);
    check::<BTreeMap<String, u8>>(&[
        ("{a: 1, 2: 2, true: 3}", "{\"2\": 2, \"a\": 1, \"true\": 3}"),
        ("~", "{}"),
        ("", "{}"),
        ("a", "1:1 write a map here"),
        ("[a]", "1:1 write a map here"),
        ("~: 1", "1:1 a text is missing here; write '' for an empty one"),
        ("? [a]\n: 1", "1:3 write a text or a number here, not a list or a map"),
        ("a:\n  b: 1", "2:3 write a text or a number here, not a list or a map"),
        ("x: 1\na: b", "2:4 write a whole number here that fits u8"),
        ("\ta: 1", "{\"a\": 1}"),
    ]);
    check::<BTreeMap<u8, char>>(&[
        ("1: a\n\"2\": b\n0x3: c", "{1: 'a', 2: 'b', 3: 'c'}"),
        ("a: b", "1:1 write a whole number here that fits u8"),
    ]);
    check::<(u8, u8)>(&[("[1, 2]", "(1, 2)")]);
    check::<()>(&[("~", "()"), ("", "()"), ("a", "1:1 nothing may stand here")]);
    check::<Nothing>(&[("~", "Nothing"), ("{}", "Nothing"), ("a", "1:1 nothing may stand here")]);
}

#[test]
fn aliases_and_merge_keys_are_what_they_name() {
    check::<BTreeMap<String, u8>>(&[
        ("a: &x 1\nb: *x", "{\"a\": 1, \"b\": 1}"),
        ("<<: {a: 1}\nb: 2", "{\"a\": 1, \"b\": 2}"),
        ("a: 1\n<<: [{a: 3, c: 3}, {c: 4, d: 5}]", "{\"a\": 1, \"c\": 3, \"d\": 5}"),
        ("\"<<\": 1", "{\"<<\": 1}"),
    ]);
    check::<App>(&[
        (
            "label: &a A\ninner:\n  label: *a\n",
            "App { label: A@1:11, count: 0, size: None, on: false, words: [], acts: [], inner: Some(App { label: A@3:10, count: 0, size: None, on: false, words: [], acts: [], inner: None }) }",
        ),
        (
            "inner: &a {label: B}\n<<: *a",
            "App { label: B@2:5, count: 0, size: None, on: false, words: [], acts: [], inner: Some(App { label: B@1:19, count: 0, size: None, on: false, words: [], acts: [], inner: None }) }",
        ),
        (
            "words: &w [a, b]\nlabel: A\ninner: {label: B, words: *w}",
            "App { label: A@2:8, count: 0, size: None, on: false, words: [a@1:12, b@1:15], acts: [], inner: Some(App { label: B@3:16, count: 0, size: None, on: false, words: [a@3:26, b@3:26], acts: [], inner: None }) }",
        ),
    ]);
}

#[test]
fn a_mistake_of_a_struct_has_a_place_and_a_hint() {
    check::<App>(&[
        (
            "label: 5\nsize:\nwords: ~\nacts:",
            "App { label: 5@1:8, count: 0, size: None, on: false, words: [], acts: [], inner: None }",
        ),
        ("", "1:1 the text ends where a value is missing"),
        ("a", "1:1 write a map here"),
        ("[A]", "1:1 write a map here"),
        ("{}", "1:1 missing field `label`"),
        ("\n\ncount: 1\n", "3:1 missing field `label`"),
        ("count: 1\nsize: 2", "2:1 missing field `label`"),
        ("label: A\ncount: 300", "2:8 write a whole number here that fits u8"),
        (
            "label: A\nlabels: B",
            "2:1 unknown field `labels`, expected one of label, count, size, on, words, acts, inner | Did you mean \"label\"?",
        ),
        (
            "label: A\ncount: 1\nzzzzz: 4",
            "3:1 unknown field `zzzzz`, expected one of label, count, size, on, words, acts, inner",
        ),
        ("label: A\ninner:\n  count: 2\n", "3:3 missing field `label`"),
        (
            "label: A\ninner:\n  label: B\n  cuont: 2\n",
            "4:3 unknown field `cuont`, expected one of label, count, size, on, words, acts, inner",
        ),
        ("label: A\ncount: ~", "2:8 write a whole number here that fits u8"),
        ("label: A\non: yes", "2:5 write true or false here"),
        ("label: A\nwords: x", "2:8 write a list here"),
        ("label: ~", "1:8 a text is missing here; write '' for an empty one"),
        ("label: [a]", "1:8 write a text or a number here, not a list or a map"),
        ("label: A\nwords:\n  - a\n  - [b]", "4:5 write a text or a number here, not a list or a map"),
        (
            "label: A\ninner: {label: B, inner: {label: C, count: -1}}",
            "2:44 write a whole number here that fits u8",
        ),
        (
            "label: A\nacts: [Say: a]",
            "2:8 unknown variant `Say`, expected one of back, say, wait, pair, odd | Did you mean \"say\"?",
        ),
        (
            "label: A\nacts:\n  - bakc",
            "3:5 unknown variant `bakc`, expected one of back, say, wait, pair, odd",
        ),
        (
            "label: A\n1: 5",
            "2:1 unknown field `1`, expected one of label, count, size, on, words, acts, inner",
        ),
        (
            "label: A\n\"l\\u0007\": 1",
            "2:1 unknown field `l\\u{7}`, expected one of label, count, size, on, words, acts, inner",
        ),
    ]);
}

#[test]
fn an_enum_is_a_word_or_one_entry_or_a_tag() {
    check::<Act>(&[
        ("back", "Back"),
        ("\"back\"", "Back"),
        ("{back: ~}", "Back"),
        ("back:", "Back"),
        ("!back", "Back"),
        ("say: a", "Say(\"a\")"),
        ("!say a", "Say(\"a\")"),
        ("wait:\n  ms: 5", "Wait { ms: 5 }"),
        ("!wait {ms: 5}", "Wait { ms: 5 }"),
        ("pair: [1, 2]", "Pair(1, 2)"),
        ("!pair [1, 2]", "Pair(1, 2)"),
        ("odd: 3", "Odd(Odd(3))"),
        ("!Act back", "Back"),
        ("back: 1", "1:7 this word takes no value"),
        ("{say: a, wait: b}", "1:10 only one entry may stand here"),
        ("say: ~", "1:6 a text is missing here; write '' for an empty one"),
        ("!say [a]", "1:6 write a text or a number here, not a list or a map"),
        ("wait:\n  mss: 5", "2:3 missing field `ms`"),
        ("wait: {}", "1:7 missing field `ms`"),
        ("odd: 4", "1:6 not odd"),
        ("odd: a", "1:6 write a whole number here that fits u32"),
        ("[back]", "1:1 write one of the known words here, or one entry with its value"),
        ("~", "1:1 unknown variant `~`, expected one of back, say, wait, pair, odd"),
        ("5", "1:1 unknown variant `5`, expected one of back, say, wait, pair, odd"),
        ("sya: b", "1:1 unknown variant `sya`, expected one of back, say, wait, pair, odd"),
        ("!bakc 5", "1:7 the tag !bakc is not known here"),
    ]);
    check::<Vec<Act>>(&[
        ("- say: a\n- back\n- wait:\n    ms: x", "4:9 write a whole number here that fits u32"),
        ("- odd: 2", "1:8 not odd"),
        ("- say: a\n  wait: 1", "2:3 only one entry may stand here"),
        ("- say: [a]", "1:8 write a text or a number here, not a list or a map"),
    ]);
}

#[test]
fn what_has_no_type_is_what_it_looks_like() {
    check::<Any>(&[
        ("True", "Flag(true)"),
        ("yes", "Text(yes@)"),
        ("\"true\"", "Text(true@)"),
        ("5", "Number(5)"),
        ("-5", "Number(-5)"),
        ("+5", "Number(5)"),
        ("007", "Real(7.0)"),
        ("0x10", "Number(16)"),
        ("-0x10", "Number(-16)"),
        ("1_000", "Number(1000)"),
        ("\"5\"", "Text(5@)"),
        ("1e3", "Real(1000.0)"),
        ("inf", "Text(inf@)"),
        ("!!str 5", "Text(5@)"),
        ("!!int \"5\"", "Number(5)"),
        ("[1, a, [b]]", "List([Number(1), Text(a@), List([Text(b@)])])"),
        ("say: a", "Act(Say(\"a\"))"),
        ("1: a", "Act(Say(\"a\"))"),
        ("18446744073709551615", "Real(1.8446744073709552e19)"),
        ("18446744073709551616", "Real(1.8446744073709552e19)"),
    ]);
    check::<BTreeMap<String, Any>>(&[(
        "a: 1\nb:\n  - ~",
        "3:3 data did not match any variant of untagged enum Any",
    )]);
    check::<Flat>(&[
        ("name: a\nb: 1\nc: [x]", "Flat { name: \"a\", rest: {\"b\": Number(1), \"c\": List([Text(x@)])} }"),
        ("name: 5\n1: b", "Flat { name: \"5\", rest: {\"1\": Text(b@)} }"),
        ("b: 1", "1:1 missing field `name`"),
    ]);
    check::<Json>(&[
        (
            "a: 1\nb: [~, true, 1.5, x, \"5\", -3, 0x10]",
            "Object {\"a\": Number(1), \"b\": Array [Null, Bool(true), Number(1.5), String(\"x\"), String(\"5\"), Number(-3), Number(16)]}",
        ),
        ("a: !t {b: c}", "Object {\"a\": Object {\"b\": String(\"c\")}}"),
        ("", "Null"),
        ("1: 2\ntrue: 1", "Object {\"1\": Number(2), \"true\": Number(1)}"),
        ("~: 1", "1:1 a text is missing here; write '' for an empty one"),
    ]);
}

#[test]
fn what_is_not_yaml_is_refused() {
    check::<Json>(&[
        ("@a", "1:1 unexpected character: `@'"),
        ("[a", "1:1 unclosed bracket '['"),
        ("a: 'x", "1:4 unclosed quote"),
    ]);
}

#[test]
fn mistakes_of_the_whole_text_come_first() {
    check::<BTreeMap<String, u8>>(&[
        ("a: 1\na: 2", "2:1 the key stands twice: a"),
        ("a: 1\n\"a\": 2", "2:1 the key stands twice: a"),
        ("a: x\n b: 2", "2:3 mapping values are not allowed in this context"),
        ("a: x\n---\nb: 1", "3:1 a second document begins here; write only one"),
        ("a: x\nb: *c", "2:4 while parsing node, found unknown anchor"),
        ("a: &a [*a]", "1:8 no anchor of this name stands before it"),
        ("a: !!int [1]", "1:10 write a text or a number here, not a list or a map"),
        ("a: !!binary aGk=", "1:13 the tag !!binary is not known here"),
        ("<<: 1", "1:5 the key << takes a map or a list of maps"),
    ]);
}

#[test]
fn every_mistake_has_a_place() {
    check::<App>(&[
        ("~", "1:1 missing field `label`"),
        (
            "label: A\n~: 5",
            "2:1 unknown field `~`, expected one of label, count, size, on, words, acts, inner",
        ),
    ]);
    check::<(u8, u8)>(&[
        ("[1]", "1:1 invalid length 1, expected a tuple of size 2"),
        ("[1, 2, 3]", "1:1 invalid length 3, expected a tuple of size 2"),
    ]);
    check::<Act>(&[
        ("say", "1:1 the value of this word is missing"),
        ("!back 5", "1:7 this word takes no value"),
        ("wait: ~", "1:7 missing field `ms`"),
        ("pair: [1]", "1:7 invalid length 1, expected tuple variant Act::Pair with 2 elements"),
        ("{}", "1:1 an entry with one of the known words is missing here"),
    ]);
    check::<Any>(&[
        (".inf", "1:1 a number must be finite, not `.inf`"),
        ("~", "1:1 data did not match any variant of untagged enum Any"),
        ("{a: [1, ~]}", "1:1 data did not match any variant of untagged enum Any"),
    ]);
    check::<char>(&[("ab", "1:1 invalid value: string \"ab\", expected a character")]);
}

#[test]
fn the_size_of_a_document_has_limits() {
    let list = |count: usize| format!("[{}]", "1,".repeat(count));
    assert_eq!(read::<Vec<u8>>(&list(99_999)).unwrap().len(), 99_999);
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read::<Json>(&deep(100)).is_ok());
    let laughs =
        format!("a: &a [{}]\nb: &b [{}]\nc: [{}]", "1,".repeat(60), "*a,".repeat(60), "*b,".repeat(60));
    for (text, place) in [(list(100_000), "1:200000"), (deep(101), "1:101"), (laughs, "3:")] {
        assert!(told::<Json>(&text).starts_with(place));
    }
}

#[test]
fn a_message_repeats_little_of_the_text() {
    let long = "x".repeat(900_000);
    for text in [long.clone(), format!("? {long}\n: 1"), format!("? {long}\n: 1\n? {long}\n: 2")] {
        assert!(told::<Act>(&text).len() < 1_200);
        assert!(told::<u8>(&text).len() < 1_200);
    }
}
