//! Test results as JUnit's XML, which CI servers read. Pure.

/// What came of one test, for JUnit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TestVerdict<'t> {
    Passed,
    /// What was wrong, a line each.
    Failed(&'t [String]),
    /// Why it was not run.
    Skipped(&'t str),
    /// Why it has no verdict.
    Error(&'t [String]),
}

/// One test.
#[derive(Clone, Debug)]
pub(crate) struct Case<'t> {
    pub(crate) class: &'t str,
    pub(crate) name: String,
    pub(crate) verdict: TestVerdict<'t>,
    pub(crate) took_ms: Option<u64>,
}

pub(crate) fn junit(suite: &str, cases: &[Case<'_>]) -> String {
    let count = |fits: fn(&TestVerdict<'_>) -> bool| cases.iter().filter(|case| fits(&case.verdict)).count();
    let failures = count(|verdict| matches!(verdict, TestVerdict::Failed(_)));
    let skipped = count(|verdict| matches!(verdict, TestVerdict::Skipped(_)));
    let errors = match count(|verdict| matches!(verdict, TestVerdict::Error(_))) {
        0 => String::new(),
        errors => format!(" errors=\"{errors}\""),
    };
    let totals = format!("tests=\"{}\" failures=\"{failures}\"{errors} skipped=\"{skipped}\"", cases.len());
    let suite = escaped(suite);
    let mut xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {totals}>\n");
    xml.push_str(&format!("  <testsuite name=\"{suite}\" {totals}>\n"));
    for case in cases {
        let (class, name) = (escaped(case.class), escaped(&case.name));
        let seconds = |ms: u64| format!(" time=\"{}.{:03}\"", ms / 1000, ms % 1000);
        let time = case.took_ms.map(seconds).unwrap_or_default();
        let open = format!("    <testcase classname=\"{class}\" name=\"{name}\"{time}");
        let wrong = |kind: &str, problems: &[String]| {
            let first = escaped(problems.first().map_or("", String::as_str));
            let all = escaped(&problems.join("\n"));
            format!("{open}>\n      <{kind} message=\"{first}\">{all}</{kind}>\n    </testcase>\n")
        };
        xml.push_str(&match case.verdict {
            TestVerdict::Passed => format!("{open}/>\n"),
            TestVerdict::Failed(problems) => wrong("failure", problems),
            TestVerdict::Error(problems) => wrong("error", problems),
            TestVerdict::Skipped(why) => {
                format!("{open}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", escaped(why))
            }
        });
    }
    xml.push_str("  </testsuite>\n</testsuites>\n");
    xml
}

/// A text as XML has it; what XML cannot have is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_xml_whatever_their_texts_are() {
        let problems = ["a <b> & \"c\"\u{7}".to_owned(), "second".to_owned()];
        let case =
            |name: &str, verdict| Case { class: "com.ex.a", name: name.to_owned(), verdict, took_ms: None };
        let xml = junit(
            "skills",
            &[
                case("plain", TestVerdict::Passed),
                case("slow", TestVerdict::Failed(&problems)),
                case("restless", TestVerdict::Skipped("the plain one failed")),
            ],
        );
        assert!(xml.contains("<testsuites tests=\"3\" failures=\"1\" skipped=\"1\">"));
        assert!(xml.contains("message=\"a &lt;b&gt; &amp; &quot;c&quot;\u{fffd}\""), "{xml}");
        assert!(xml.contains("\u{fffd}&#10;second</failure>"));
        assert!(xml.contains("<skipped message=\"the plain one failed\"/>"));
    }
}
