//! How long a skills repository of thirty packages takes: `cargo bench -p
//! clawperator-skills --bench repository`.

#![allow(clippy::unwrap_used, reason = "a panic is how a benchmark fails")]

use clawperator_skills::repo::{IndexMode, Payloads, Repository, SkillQuery, index, new_skill, validate_all};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

const PACKAGES: usize = 30;
const ARTIFACT: &str = r#"{"commandId":"{{COMMAND_ID}}","taskId":"{{TASK_ID}}","source":"s","expectedFormat":"android-ui-automator","timeoutMs":5000,"actions":[{"id":"a","type":"click","params":{"matcher":{"textEquals":"{{LABEL}}"}}}]}"#;

/// Makes the repository, and returns its registry.
fn repository(folder: &Path) -> PathBuf {
    let registry = folder.join("skills/skills-registry.json");
    for number in 0..PACKAGES {
        let id = format!("com.app{}.read-{number}", number % 7);
        new_skill(&registry, &id, Some("Reads the climate of a room.")).unwrap();
        let package = folder.join("skills").join(&id);
        fs::create_dir(package.join("artifacts")).unwrap();
        fs::write(package.join("artifacts/read.recipe.json"), ARTIFACT).unwrap();
        let file = package.join("skill.json");
        let mut skill: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        skill["artifacts"] = json!([format!("skills/{id}/artifacts/read.recipe.json")]);
        fs::write(file, skill.to_string()).unwrap();
    }
    index(&registry, IndexMode::Write, "").unwrap();
    registry
}

fn measure(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("clawperator-skills-bench-{}", std::process::id()));
    let registry = repository(&folder);
    criterion.bench_function("30 packages: open, validate, index, search", |bencher| {
        bencher.iter(|| {
            let repo = Repository::open(&registry).unwrap();
            validate_all(&repo, Payloads::Checked).unwrap();
            index(&registry, IndexMode::Check, "").unwrap();
            let words = Some("climate room");
            let query = SkillQuery { words, ..SkillQuery::default() };
            assert_eq!(black_box(repo.search(&query)).count, PACKAGES);
        });
    });
    fs::remove_dir_all(&folder).unwrap();
}

criterion_group!(benches, measure);
criterion_main!(benches);
