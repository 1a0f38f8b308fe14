//! The walks of the first hour, typed into a shell as they stand there: twice in a
//! row, on one phone, which was used before.

use super::serve::Server;
use super::sim::Place;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A phone that shows a page inside Settings.
fn used() -> Place {
    let place = Place::new();
    place.json(&["start"]);
    for line in ["clawperator open com.android.settings", "clawperator click --text Display"] {
        typed(&place, &place.folder, line);
    }
    place
}

/// Types lines into a shell in a folder; all of them must work.
fn typed(place: &Place, folder: &Path, lines: &str) -> String {
    let program = place.program();
    let bin = Path::new(program.get_program()).parent().unwrap().display();
    let mut shell = Command::new("sh");
    shell.args(["-ec", lines]).current_dir(folder);
    for (name, value) in program.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let output = shell
        .env("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()))
        // Some pages name no phone; this names it for them.
        .env("ANDROID_SERIAL", "sim")
        .output()
        .unwrap();
    assert!(output.status.success(), "{lines}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The blocks of these kinds in a part of a page, or in all of it.
fn blocks(page: &str, heading: &str, kinds: &[&str]) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(crate::root().join(page)).unwrap();
    let part = match heading {
        "" => text.as_str(),
        _ => {
            let (_, part) = text.split_once(&format!("\n## {heading}\n")).unwrap();
            part.split("\n## ").next().unwrap()
        }
    };
    let fenced = part.split("\n```").skip(1).step_by(2);
    let blocks = fenced.filter_map(|block| block.split_once('\n'));
    let blocks: Vec<_> = blocks
        .filter(|(kind, _)| kinds.contains(kind))
        .map(|(kind, text)| (kind.to_owned(), format!("{text}\n")))
        .collect();
    assert!(!blocks.is_empty(), "{page} {heading}");
    blocks
}

fn lines(page: &str, heading: &str) -> String {
    let blocks = blocks(page, heading, &["sh"]);
    blocks.into_iter().map(|(_, text)| text).collect()
}

/// Does something twice, each time in an empty folder.
fn twice(place: &Place, mut walk: impl FnMut(&Path)) {
    for time in ["first", "second"] {
        let folder = place.folder.join(time);
        std::fs::create_dir(&folder).unwrap();
        walk(&folder);
    }
}

#[test]
fn the_first_page_is_walked_twice() {
    let place = used();
    let lines = lines("README.md", "First success, without a phone");
    twice(&place, |folder| {
        typed(&place, folder, &lines);
        assert!(folder.join("page.html").exists());
    });
}

#[test]
fn the_way_to_a_real_phone_is_walked_twice() {
    let place = used();
    let parts = ["3. Check it", "4. Look", "5. Click"].map(|part| lines("docs/real-phone.md", part));
    let lines = parts.concat();
    twice(&place, |folder| {
        typed(&place, folder, &lines);
    });
}

#[test]
fn the_page_about_agents_is_walked_twice() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("skipped, because there is no curl");
        return;
    }
    let place = used();
    // It ends with the test, and the page's own line finds it.
    let server = Server::start(&place, &[]);
    let lines = lines("docs/agent.md", "");
    twice(&place, |folder| {
        let said = typed(&place, folder, &lines);
        assert!(said.contains(&format!("127.0.0.1:{}", server.port)), "{said}");
        assert!(!said.contains("\"ok\":false"), "{said}");
        // The replay switched it back on; what is exported is what came before.
        let recipe = "skills/com.android.settings.wifi-off/artifacts/wifi-off.recipe.yaml";
        let recipe = std::fs::read_to_string(folder.join(recipe)).unwrap();
        assert!(recipe.contains("Wi-Fi"), "{recipe}");
        let sessions: Value =
            serde_json::from_str(&typed(&place, folder, "clawperator agent sessions")).unwrap();
        let [replay, run, ..] = &sessions["sessions"].as_array().unwrap()[..] else {
            panic!("{sessions}");
        };
        assert_eq!(replay["replayOf"], run["session"], "{sessions}");
        let manifest =
            "grep -rl SESSION skills | head -1".replace("SESSION", run["session"].as_str().unwrap());
        assert!(!typed(&place, folder, &manifest).is_empty(), "{sessions}");
    });
}

#[test]
fn a_skill_is_made_of_a_recording_twice() {
    let place = used();
    let heading = "From a recording to a tested skill in ten minutes";
    let blocks = blocks("docs/skills.md", heading, &["sh", "yaml"]);
    let recipe = "skills/com.android.settings.screen-timeout/artifacts/screen-timeout.recipe.yaml";
    // The phone has already what will be recorded.
    let (set, _) = blocks[0].1.split_once("clawperator record").unwrap();
    typed(&place, &place.folder, &set.replace("30 seconds", "5 minutes"));
    twice(&place, |folder| {
        let file = folder.join(recipe);
        for (kind, text) in &blocks {
            if kind == "sh" {
                // A second is enough here, and saves the rest.
                typed(&place, folder, &text.replace("sleep 3", "sleep 1"));
                continue;
            }
            let before = std::fs::read_to_string(&file).unwrap();
            let after = if text.starts_with("inputs:") {
                before.replace("inputs: []\n", text)
            } else {
                with_last_step(&before, text)
            };
            assert_ne!(before, after, "{text}");
            std::fs::write(&file, after).unwrap();
        }
    });
}

/// A recipe whose last step is this.
fn with_last_step(recipe: &str, step: &str) -> String {
    let at = recipe.rfind("  - id: ").unwrap();
    let (steps, last) = recipe.split_at(at);
    let rest = last.lines().skip_while(|line| line.starts_with(' '));
    let rest: String = rest.map(|line| format!("{line}\n")).collect();
    format!("{steps}{step}{rest}")
}
