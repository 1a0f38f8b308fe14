//! Help, manuals, completions and schemas.

use super::line::{answer_to, assert_refused, run_line, words};
use crate::spec::{Command, CommandSpec};
use crate::{commands, flags, parser};
use clawperator_contract::schema::SCHEMAS;
use clawperator_contract::{CATALOGUE, Direction, Key};
use serde_json::Value;

/// Tells whether a line names a command and only what that takes.
fn understood(line: &str) -> bool {
    let words: Vec<_> = words(line).into_iter().skip(1).map(Into::into).collect();
    matches!(parser::parse(&words), Ok(parser::LineRequest::Command(_)))
}

#[test]
fn every_command_has_help_with_examples_that_work() {
    for spec in commands::every() {
        assert!(spec.examples.len() >= 2, "{}", spec.path());
        for name in spec.synonyms.iter().chain([&spec.name]) {
            let mut line = vec![spec.group, name, "--help"];
            line.retain(|word| !word.is_empty());
            let help = answer_to(&line, b"");
            assert_eq!(help.exit_code, 0);
            for example in spec.examples {
                assert!(help.text.contains(example), "{name}: {}", help.text);
            }
        }
        let flags: &[&str] = match spec.command {
            Command::Flat(_) | Command::Exec => &["--validate-only"],
            Command::Schema | Command::Completions | Command::Man => &[],
            // These would act, so only the parsing is checked.
            _ => {
                for example in spec.examples {
                    assert!(understood(example), "{example}");
                }
                continue;
            }
        };
        for example in spec.examples {
            // The file in the example stands at the root of the repository.
            let example =
                example.replace("examples/", concat!(env!("CARGO_MANIFEST_DIR"), "/../../../examples/"));
            let answer = run_line(&example, flags);
            assert_eq!(answer.exit_code, 0, "{example}: {}", answer.text);
        }
    }
}

/// The flags that a text names.
fn named_flags(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    let words = text.split(move |letter| !is_part(letter));
    words.filter_map(|word| word.strip_prefix("--")).filter(|name| !name.is_empty())
}

#[test]
fn what_the_help_of_a_command_names_is_taken_by_its_parser() {
    let every: Vec<_> = commands::every().flat_map(CommandSpec::local_flags).collect();
    let is_known = |name: &str| {
        let mut all = every.iter().copied().chain(flags::GLOBAL);
        all.any(|flag| flag.names().any(|known| known == name)) || ["help", "version"].contains(&name)
    };
    for spec in commands::every() {
        let help = answer_to(&[&spec.path().split(' ').collect::<Vec<_>>()[..], &["--help"]].concat(), b"");
        for name in named_flags(&help.text) {
            assert!(is_known(name), "{}: --{name}", spec.path());
        }
        if !matches!(spec.command, Command::Flat(_)) {
            continue;
        }
        for flag in spec.local_flags() {
            for name in flag.names() {
                let value = flag.words.first().copied().unwrap_or("1");
                let values = vec![value; flag.takes.least()].join(" ");
                let line = format!("{} --{name} {values}", spec.examples[0]);
                let answer: Value =
                    serde_json::from_str(&run_line(&line, &["--validate-only"]).text).unwrap();
                assert_ne!(answer["code"], "USAGE", "{line}: {answer}");
                // No rule may ask for what the help calls the default.
                let said = answer["message"].to_string();
                assert!(!said.contains("needs --json"), "{line}: {answer}");
            }
        }
    }
}

#[test]
fn commands_and_catalogue_name_each_other() {
    for spec in &CATALOGUE {
        for name in spec.commands {
            let (group, name) = name.split_once(' ').unwrap_or(("", name));
            assert!(commands::find(group, name).is_some(), "{name}");
        }
    }
    for command in commands::every() {
        if !matches!(command.command, Command::Flat(_)) {
            assert!(
                CATALOGUE.iter().all(|spec| !spec.commands.contains(&command.path().as_str())),
                "{}",
                command.name
            );
            continue;
        }
        for example in command.examples {
            let answer: Value = serde_json::from_str(&run_line(example, &["--validate-only"]).text).unwrap();
            let kind = answer["execution"]["actions"][0]["type"].as_str().unwrap();
            let spec = CATALOGUE.iter().find(|spec| spec.name == kind).unwrap();
            assert!(spec.commands.contains(&command.path().as_str()), "{example} builds {kind}");
        }
    }
}

#[test]
fn help_names_every_word_there_is_to_choose_from() {
    let all = SCHEMAS.iter().chain(&clawperator_skills::schema::SCHEMAS);
    let mut schemas: Vec<_> = all.map(|schema| schema.name).collect();
    schemas.push("app");
    for (command, words) in [
        ("scroll", Direction::WORDS),
        ("scroll-until", Direction::WORDS),
        ("scroll-and-click", Direction::WORDS),
        ("press", Key::WORDS),
        ("schema", &schemas[..]),
    ] {
        let help = answer_to(&[command, "--help"], b"").text;
        assert!(help.contains(&format!(": {}.", words.join(", "))), "{help}");
    }
}

#[test]
fn schemas_completions_and_manuals_are_printed() {
    for name in [
        "execution",
        "envelope",
        "matcher",
        "error",
        "recipe",
        "registry",
        "skill",
        #[cfg(feature = "sim")]
        "app",
    ] {
        let committed = format!("{}/../../../schemas/{name}.json", env!("CARGO_MANIFEST_DIR"));
        // The contract's own tests write the others.
        if name == "app" && std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&committed, answer_to(&["schema", name], b"").text).unwrap();
        }
        let committed = std::fs::read_to_string(committed).unwrap();
        assert_eq!(answer_to(&["schema", name], b"").text, committed);
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = answer_to(&["completions", shell], b"").text;
        assert!(script.contains("scroll-and-click") && script.contains("text-contains"), "{shell}");
    }
    let page = answer_to(&["man"], b"").text;
    assert!(page.contains(".TH clawperator 1") && page.contains("scroll\\-until"), "{page}");
    let page = answer_to(&["man", "tap"], b"").text;
    assert!(page.contains(".TH clawperator-click 1") && page.contains("\\-\\-coordinate"), "{page}");
}

#[test]
fn a_group_lists_its_commands() {
    for line in [&["record", "help"][..], &["record", "--help"], &["record", "-h"]] {
        let help = answer_to(line, b"");
        assert_eq!(help.exit_code, 0);
        for spec in commands::every().filter(|spec| spec.group == "record") {
            assert!(help.text.contains(spec.name), "{}", help.text);
        }
    }
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = answer_to(&["completions", shell], b"").text;
        assert!(script.contains("compile") && script.contains("session-id"), "{shell}");
    }
    let page = answer_to(&["man", "record", "pull"], b"").text;
    assert!(page.contains(".TH clawperator-record-pull 1") && page.contains("\\-\\-session\\-id"), "{page}");
    for group in ["journal", "record", "packages", "operator", "skills"] {
        for line in [&[group][..], &[group, "--json"]] {
            let answer = assert_refused(line, "USAGE");
            assert_eq!(answer["message"], format!("{group} needs a command"));
        }
    }
}
