//! Patterns mean what they mean in ECMAScript. What fits and what does not in
//! the first table, and that the second is refused, is what node says of each
//! pattern between `^(?:` and `)$`.

use clawperator_contract::Pattern;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A pattern, texts that fit it, texts that do not.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (r"\d+", &["120"], &["٣", "", "1a"]),
    (r"\D", &["a", "٣"], &["7"]),
    (r"^\w{1,64}$", &["user_01"], &["", "naïve", "a b"]),
    (r"\W", &["é", "-"], &["_"]),
    (r"\s", &[" ", "\u{a0}", "\u{feff}", "\u{2028}", "\u{b}"], &["\u{200b}", "\u{85}"]),
    (r"\S+", &["a\u{200b}"], &["a\u{a0}"]),
    (".", &["a", "\u{85}"], &["\n", "\r", "\u{2028}", "\u{2029}", ""]),
    ("[^]", &["\n", "a"], &[""]),
    ("[]", &[], &["", "a"]),
    ("[]|a", &["a"], &[""]),
    (r"\bword\b", &["word"], &["words"]),
    (r"é\b", &[], &["é"]),
    (r".*\bé.*", &["aé"], &["é"]),
    (r"a\Bb", &["ab"], &[]),
    (r"\B", &[""], &["a"]),
    (r"a\b-", &["a-"], &[]),
    (r"[\w-.]+", &["a-b.c"], &["a b"]),
    (r"[a-\d]+", &["a-7"], &["b"]),
    (r"[\d-z]+", &["7-z"], &["y"]),
    ("[a-c-e]+", &["b-e"], &["d"]),
    ("[--/]+", &["-./"], &["0", ","]),
    ("[-a]+", &["-a"], &["b"]),
    ("[a-]+", &["a-"], &["b"]),
    ("[a&&b]+", &["a&b"], &["c"]),
    ("[+--b]+", &["+,-b"], &["a"]),
    ("[a&&[b]", &["a", "[", "&", "b"], &[]),
    ("[a~~b]+", &["a~b"], &["c"]),
    ("[[]", &["["], &["a"]),
    ("[[a]", &["a", "["], &["b"]),
    ("[a[b]c]", &["bc]"], &["abc]", "b"]),
    ("[^a]]", &["b]"], &["a]"]),
    (r"[\]]", &["]"], &["\\"]),
    (r"[\b]", &["\u{8}"], &["b"]),
    (r"[\B]", &["B"], &["b"]),
    ("[.*+?^$|(){}]+", &[".*+?^$|(){}"], &["a"]),
    (r"[^\D]", &["7"], &["a"]),
    (r"[^\s\d]+", &["ab"], &["a b", "a7"]),
    ("{", &["{"], &[]),
    ("}", &["}"], &[]),
    ("]", &["]"], &[]),
    ("a{,5}", &["a{,5}"], &["aaa", ""]),
    ("a{", &["a{"], &[]),
    ("a{1", &["a{1"], &["a"]),
    ("a{x}", &["a{x}"], &[]),
    ("{a}", &["{a}"], &[]),
    ("a{2}", &["aa"], &["a", "aaa"]),
    ("a{2,}", &["aa", "aaaa"], &["a"]),
    ("a{1,2}", &["a", "aa"], &["aaa"]),
    ("a{0}", &[""], &["a"]),
    ("a{2}?", &["aa"], &["a"]),
    ("a+?", &["aaa"], &[""]),
    ("a*?b", &["aab", "b"], &[]),
    ("a??", &["", "a"], &["aa"]),
    ("a{02}", &["aa"], &[]),
    (r"\0", &["\u{0}"], &["0"]),
    (r"\00", &["\u{0}"], &[]),
    (r"\012", &["\n"], &[]),
    (r"\1", &["\u{1}"], &["1"]),
    (r"\8", &["8"], &[]),
    (r"\400", &[" 0"], &[]),
    (r"(a)\2", &["a\u{2}"], &[]),
    (r"[\1]", &["\u{1}"], &[]),
    (r"[\8]", &["8"], &[]),
    (r"\cA", &["\u{1}"], &["cA"]),
    (r"\cj", &["\n"], &[]),
    (r"\c", &["\\c"], &["c"]),
    (r"\c1", &["\\c1"], &[]),
    (r"[\c1]", &["\u{11}"], &["c"]),
    (r"[\c]+", &["\\c"], &[]),
    (r"\x41", &["A"], &[]),
    (r"\x4", &["x4"], &[]),
    (r"\u0041", &["A"], &[]),
    (r"\u004", &["u004"], &[]),
    (r"\u{3}", &["uuu"], &["\u{3}"]),
    (r"\ud83d\ude00", &["😀"], &["😎"]),
    ("😀+", &["😀"], &[""]),
    (r"\/path\/", &["/path/"], &[]),
    (r#"\-\_\"\@\e\q"#, &["-_\"@eq"], &[]),
    (r"\k", &["k"], &[]),
    (r"\a", &["a"], &[]),
    (r"\t\n\v\f\r", &["\t\n\u{b}\u{c}\r"], &[]),
    (r"\.\*\\", &[".*\\"], &[]),
    (r"(?<year>\d{4})-(?<month>\d\d)", &["2026-11"], &["26-11"]),
    ("(?<$a_1>x)", &["x"], &[]),
    ("(?:a|b)+", &["abba"], &[""]),
    ("a|ab", &["ab", "a"], &["b"]),
    ("|a", &["", "a"], &[]),
    ("()", &[""], &[]),
    ("(|a)+", &["aa", ""], &[]),
    ("(?:^a)|b$", &["a", "b"], &[]),
    ("(?:^)*a", &["a"], &[]),
    ("a b # c", &["a b # c"], &["ab"]),
    (" x ", &[" x "], &["x"]),
    ("#", &["#"], &[]),
    (r#""\s*:\s*""#, &["\" : \""], &[]),
    ("^a$", &["a"], &["a\n", "b\na"]),
    ("a^b", &[], &["a^b", "ab"]),
    ("$a", &[], &["a"]),
    ("^^a$$", &["a"], &[]),
    ("ORD-[0-9]{6}", &["ORD-120944"], &["xORD-120944", "ORD-120944 "]),
    (r"^\d+(\.\d+)*\s*(°[CF])?$", &["21.5 °C", "21"], &["C"]),
    (r"^[\w.+-]+@[\w-]+\.[\w.-]+$", &["a.b+c@d-e.org"], &["a@b"]),
    (r"^\$\d{1,3}(,\d{3})*(\.\d{2})?$", &["$1,234.50"], &["$12,34"]),
    (r"^(?:[01]\d|2[0-3]):[0-5]\d$", &["23:59"], &["24:00"]),
    (r"^#?([a-f\d]{6}|[a-f\d]{3})$", &["#ff00aa", "#ff0"], &[]),
    (r"[^\x00-\x7F]+", &["äö"], &["ao"]),
    ("^[^,]{1,300}$", &["a b"], &["a,b"]),
    (r#"^\{"id":\s*\d+}$"#, &["{\"id\": 7}"], &[]),
    (r"[\u4e00-\u9fa5]{2,}", &["中文"], &["ab"]),
    (r"[\s\S]*", &["a\nb", ""], &[]),
    (".*", &["ab"], &["a\nb"]),
];

/// What is no pattern in ECMAScript either.
#[rustfmt::skip]
const REFUSED: &[&str] = &[
    "a**", "a++", "a+*", "a??+", "a{2}{3}", "a{2}+", "a*{2}", "^*", "$*", "$+", r"\b+", r"\B{2}",
    "(?P<n>x)", "(?P=n)", "(?#c)", "(?>a)", "(?i:a)", "(?x) a", "a(?i)b", "(?|a)", "(", "(a", "((a)", "a)",
    "a)(b", "*a", "+", "?", "|*", "(*a)", "(?:+)", "{2}", "{2,}", "a{3,2}", "[z-a]", "[b-a]", "[a--b]",
    "[a", "[", "[^", r"[\]", "a[^b", r"\", r"a\", r"[a-\]", "(?", "(?<", "(?<n", "(?<>x)", "(?<1>x)",
    "(?<n-m>x)", "(?<n>a)(?<n>b)", r"(?<n>a)[\k]", "(?<n>x",
];

/// What is ours: by characters where ECMAScript goes by UTF-16 units, Unicode
/// properties, and flags at the very start.
const BEYOND: &[Row] = &[
    (".", &["😀"], &["😀😀"]),
    ("[😀-😎]", &["😀", "😃"], &["🤖"]),
    (r"[\ud83d\ude00]", &["😀"], &["😃"]),
    (r"\p{L}+", &["naïve", "中"], &["p{L}", "7"]),
    (r"[\p{Nd}.]+", &["٣.7"], &["a"]),
    (r"\P{Lu}", &["a"], &["A"]),
    (r"\p{Script=Greek}+", &["λόγος"], &["logos"]),
    (r"\p", &["p"], &[]),
    (r"\p{2}", &["pp"], &["p"]),
    ("(?i)ok", &["OK", "Ok"], &["ko"]),
    ("(?i)[a-c]+", &["aBC"], &["d"]),
    ("(?s).*", &["a\nb"], &[]),
    ("(?m)a\n^b$\nc", &["a\nb\nc"], &[]),
    ("(?m)^a$", &["a"], &["b\na"]),
    ("(?ims)A.^b", &["a\nB"], &["a\nC"]),
];

#[test]
fn patterns_mean_what_they_mean_in_ecmascript() {
    let pairs: usize = ROWS.iter().map(|(_, fitting, others)| fitting.len() + others.len()).sum();
    assert!(pairs >= 200, "{pairs}");
    for (pattern, fitting, others) in ROWS.iter().chain(BEYOND) {
        let compiled = Pattern::compile(pattern).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        for text in *fitting {
            assert!(compiled.fits(text), "{pattern} does not fit {text:?}");
        }
        for text in *others {
            assert!(!compiled.fits(text), "{pattern} fits {text:?}");
        }
    }
}

#[test]
fn what_ecmascript_refuses_is_refused() {
    for pattern in REFUSED {
        let error = Pattern::compile(pattern).err();
        let error = error.unwrap_or_else(|| panic!("{pattern} was accepted"));
        assert!(error.reason.contains("character"), "{pattern}: {error}");
        assert!(!error.hint.is_empty());
    }
}

#[test]
fn what_cannot_be_run_is_named() {
    for (pattern, cause, hint) in [
        ("(?=x)y", "look-ahead", "start to end"),
        ("a(?!b)", "look-ahead", "start to end"),
        ("(?<=x)y", "look-behind", "start to end"),
        ("(?<!x)y", "look-behind", "start to end"),
        (r"(a)\1", "back-reference", "Write out"),
        (r"\1(a)", "back-reference", "Write out"),
        (r"(?<n>a)\k<n>", "back-reference", "Write out"),
        (r"\ud83d", "half a surrogate pair", "whole character"),
        (r"[\ud800-\udbff]", "half a surrogate pair", "whole character"),
        (r"a{1000}{1000}", "nothing to repeat", "before it"),
        ("((a{1000}){1000}){1000}", "when compiled", "smaller"),
        ("a{99999999999}", "when compiled", "smaller"),
        (r"\p{Leter}", "property", "names"),
        ("(?<n>a)(?<n>b)", "another group", "name of its own"),
        ("(?P<n>x)", "no group of this kind", "(?<name>…)"),
    ] {
        let error = Pattern::compile(pattern).unwrap_err();
        assert!(error.reason.contains(cause), "{pattern}: {error}");
        assert!(error.hint.contains(hint), "{pattern}: {}", error.hint);
        assert!(!error.reason.contains('\n'), "{pattern}: {error}");
    }
    let deep = "(".repeat(30_000) + &")".repeat(30_000);
    assert!(Pattern::compile(&deep).unwrap_err().reason.contains("nested"));
    assert!(Pattern::compile(&"a".repeat(64_001)).is_err());
}

/// These took too much memory while letters were all of Unicode's.
#[test]
fn ordinary_repetitions_are_small_enough() {
    let long = "x|".repeat(5_000);
    for pattern in [r"\w{1,1000}", r"^\d{1,5000}$", ".{1,1000}", r"[^,\n]{0,500}", r"\S{1,500}", &long] {
        assert!(Pattern::compile(pattern).is_ok(), "{pattern}");
    }
}

/// Pieces that mean something, so that random patterns are often good ones.
fn pieces() -> impl Strategy<Value = String> {
    let pieces = [
        "a", "-", "]", "[", "[^", "(", "(?:", "(?<n>", ")", "|", "*", "+", "?", "{2}", "{1,", "{", "}", "^",
        "$", ".", r"\", r"\d", r"\W", r"\s", r"\b", r"\B", r"\0", r"\1", r"\12", r"\x4", r"\x41", r"\u00",
        r"\ud83d", r"\ude00", r"\c", r"\cA", r"\k<n>", r"\p{L}", r"\p", "(?i)", "(?=", "&&", "--", "~~", "#",
        " ", "é", "😀",
    ];
    vec(select(pieces.to_vec()), 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_pattern_compiles_or_is_refused(pattern in prop_oneof![pieces(), any::<String>()], text in ".{0,8}") {
        match Pattern::compile(&pattern) {
            Ok(compiled) => { let _ = compiled.fits(&text); }
            Err(error) => {
                prop_assert!(!error.reason.is_empty() && !error.hint.is_empty());
                // What was rewritten is good syntax to the engine.
                let known = ["character", "when compiled", "nested", "property not found", "property value not found"];
                prop_assert!(known.iter().any(|part| error.reason.contains(part)), "{}: {}", pattern, error);
            }
        }
    }
}
