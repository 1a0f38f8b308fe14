//! The page of commands in docs/.

use crate::spec::{FlagSpec, Often};
use crate::{commands, flags};

#[test]
fn the_page_of_commands_is_up_to_date() {
    let mut page = "# Commands\n\n<!-- Written from the tables by `UPDATE_EXPECT=1 cargo test -p clawperator-cli`. -->\n\n\
        Results and structured errors are JSON on standard output, one line unless `--output pretty` is given; \
        colour is used only on a terminal and never with `NO_COLOR`. The exit code is 0 on success and 1 on any \
        failure. `--flag=value` works, `--` ends the flags, and a value may start with a dash unless it is itself \
        a flag. The flags of the first two tables may also stand before the command. `--help` and `--version` \
        before `--` win over everything else on the line. Every action type and alias of the contract is also a \
        command, with `-` or `_`: `open_app`, `take-screenshot`, `enter_text`.\n"
        .to_owned();
    page.push_str("\n## Flags of every command\n\n| flag | also | meaning |\n|---|---|---|\n");
    page.push_str(&flag_rows(flags::GLOBAL));
    page.push_str(
        "\n## Flags of every command that builds an execution\n\n| flag | also | meaning |\n|---|---|---|\n",
    );
    page.push_str(&flag_rows(flags::EXECUTION));
    for spec in commands::every() {
        page.push_str(&format!("\n## {}\n\n{}", spec.path(), spec.about));
        if !spec.details.is_empty() {
            page.push_str(&format!(" {}", spec.details.replace('\n', " ")));
        }
        let synonyms = commands::synonyms(spec);
        if !synonyms.is_empty() {
            page.push_str(&format!(" Also: `{}`.", synonyms.join("`, `")));
        }
        page.push_str("\n\n```sh\n");
        spec.examples.iter().for_each(|example| page.push_str(&format!("{example}\n")));
        page.push_str("```\n");
        let own: Vec<_> = spec.flags.iter().filter(|group| group.heading != "Execution").collect();
        if !spec.arguments.is_empty() || !own.is_empty() {
            page.push_str("\n| flag | also | meaning |\n|---|---|---|\n");
        }
        for argument in spec.arguments {
            let more = match argument.often {
                Often::Once => "",
                Often::Many | Often::Rest => "...",
            };
            let words = match argument.words {
                [] => String::new(),
                words => format!(" One of: {}.", words.join(", ")),
            };
            page.push_str(&format!("| `{}{more}` (argument) | | {}{words} |\n", argument.name, argument.doc));
        }
        own.iter().for_each(|group| page.push_str(&flag_rows(group.flags)));
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/cli.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == page,
        "docs/cli.md is out of date; run UPDATE_EXPECT=1 cargo test and review the change"
    );
}

#[test]
fn the_page_of_the_simulated_phone_names_every_fault_and_command() {
    let page = include_str!("../../../../../docs/sim.md");
    for (point, name, does) in clawperator_sim::fault::FaultPoint::ALL {
        let value = point.value().unwrap_or("none");
        let row = format!("| `{name}` | {value} | {} |", does.trim());
        assert!(page.contains(&row), "{row}");
    }
    for spec in commands::inside("sim") {
        assert!(page.contains(&spec.path()), "{}", spec.path());
    }
}

fn flag_rows(flags: &[FlagSpec]) -> String {
    let row = |flag: &FlagSpec| {
        let values = flag.takes.names().into_iter().map(|name| format!(" {name}"));
        let values = values.collect::<String>().replace('|', "\\|");
        let also: Vec<_> = flag.aliases.iter().map(|alias| format!("`--{alias}`")).collect();
        let (name, also, doc) = (flag.name, also.join(", "), flag.doc);
        format!("| `--{name}{values}` | {also} | {doc} |\n")
    };
    flags.iter().map(row).collect()
}
