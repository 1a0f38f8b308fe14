//! The page of commands in docs/.

use super::super::command;
use super::super::flag::{self, Takes};

#[test]
fn the_page_of_commands_is_up_to_date() {
    let mut page = "# Commands\n\n<!-- Written from the tables by `UPDATE_EXPECT=1 cargo test -p clawperator`. -->\n\n\
        Results and structured errors are JSON on standard output, one line unless `--output pretty` is given; \
        colour is used only on a terminal and never with `NO_COLOR`. The exit code is 0 on success and 1 on any \
        failure. `--flag=value` works, `--` ends the flags, and a value may start with a dash unless it is itself \
        a flag. The flags of the first two tables may also stand before the command. `--help` and `--version` \
        before `--` beat everything else on the line.\n"
        .to_owned();
    page.push_str("\n## Flags of every command\n\n| flag | also | meaning |\n|---|---|---|\n");
    page.push_str(&flag_rows(flag::GLOBAL));
    page.push_str(
        "\n## Flags of every command that builds an execution\n\n| flag | also | meaning |\n|---|---|---|\n",
    );
    page.push_str(&flag_rows(flag::GOAL));
    for spec in command::every() {
        page.push_str(&format!("\n## {}\n\n{}", spec.path(), spec.about));
        if !spec.details.is_empty() {
            page.push_str(&format!(" {}", spec.details.replace('\n', " ")));
        }
        if !spec.synonyms.is_empty() {
            page.push_str(&format!(" Also: `{}`.", spec.synonyms.join("`, `")));
        }
        page.push_str("\n\n```sh\n");
        spec.examples
            .iter()
            .for_each(|example| page.push_str(&format!("{example}\n")));
        page.push_str("```\n");
        let own: Vec<_> = spec
            .flags
            .iter()
            .filter(|(heading, _)| *heading != "Checking")
            .collect();
        if spec.argument.is_some() || !own.is_empty() {
            page.push_str("\n| flag | also | meaning |\n|---|---|---|\n");
        }
        for (name, doc) in spec.argument.iter().chain(&spec.second) {
            page.push_str(&format!(
                "| `{}` (argument) | | {doc} |\n",
                name.replace('|', "\\|")
            ));
        }
        own.iter().for_each(|(_, flags)| page.push_str(&flag_rows(flags)));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "docs/cli.md is out of date; run UPDATE_EXPECT=1 cargo test and review the change"
    );
}

fn flag_rows(flags: &[flag::FlagSpec]) -> String {
    let row = |flag: &flag::FlagSpec| {
        let value = match flag.takes {
            Takes::Nothing => String::new(),
            Takes::One(value) | Takes::Several(value) => format!(" {value}"),
            Takes::Two(first, second) => format!(" {first} {second}"),
        };
        let value = value.replace('|', "\\|");
        let also: Vec<_> = flag.aliases.iter().map(|alias| format!("`--{alias}`")).collect();
        format!(
            "| `--{}{value}` | {} | {} |\n",
            flag.name,
            also.join(", "),
            flag.doc
        )
    };
    flags.iter().map(row).collect()
}
