//! Resources: the screens of phones, journals, reports and skills.

use crate::App;
use clawperator_engine::Engine;
use clawperator_journal::{JournalFolder, StoredJournal, report};
use clawperator_phone::Deadline;
use clawperator_phone::vault::Vault;
use clawperator_ui::{Extent, ViewFormat, ViewRequest};
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use std::time::Duration;

/// What every address begins with.
const SCHEME: &str = "clawperator://";
/// How many journals and skills are listed.
const MAX_LISTED: usize = 20;
/// How long a look or a list may take.
const LIMIT: Duration = Duration::from_secs(15);

/// Kinds of resources: the first part of an address, the type, what it is.
const KINDS: [(&str, &str, &str); 4] = [
    ("screen", "text/plain", "The current screen of a phone, by its serial."),
    ("journal", "text/plain", "What happened in a run, by its id."),
    ("report", "text/html", "The page about a run, by its id."),
    ("skill", "text/markdown", "What a skill says of itself, by its id."),
];

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |(kind, mime, about): &(&str, &str, &str)| {
        ResourceTemplate::new(format!("{SCHEME}{kind}/{{id}}"), *kind)
            .with_description(*about)
            .with_mime_type(*mime)
    };
    KINDS.iter().map(template).collect()
}

/// The phones that are there, the newest journals, and skills.
pub(super) async fn list(app: &App) -> Vec<Resource> {
    let resource = |kind: usize, id: &str| {
        let (word, mime, _) = KINDS[kind];
        Resource::new(format!("{SCHEME}{word}/{id}"), format!("{word} {id}")).with_mime_type(mime)
    };
    let phones = app.engine.devices(Deadline::after(LIMIT)).await.unwrap_or_default();
    let mut all: Vec<Resource> = phones.iter().map(|phone| resource(0, &phone.serial)).collect();
    for journal in journals(app).list().unwrap_or_default().iter().take(MAX_LISTED) {
        all.push(resource(1, &journal.name));
        all.push(resource(2, &journal.name));
    }
    if let Ok(repository) = app.skills.open() {
        let skills = repository.list().skills;
        all.extend(skills.iter().take(MAX_LISTED).map(|skill| resource(3, skill.id())));
    }
    all
}

/// Reads a resource. A screen is without what people gave in the reader's session;
/// journals were written so, and dots in the reader's own words would tell a guess.
pub(super) async fn read(app: &App, uri: &str, vault: &Vault) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || ErrorData::resource_not_found(format!("there is no resource {uri:?}"), None);
    let (kind, id) = uri
        .strip_prefix(SCHEME)
        .and_then(|path| path.split_once('/'))
        .filter(|(_, id)| !id.is_empty())
        .ok_or_else(unknown)?;
    let (_, mime, _) = KINDS.iter().find(|(word, ..)| *word == kind).ok_or_else(unknown)?;
    let text = match kind {
        "screen" => vault.secrets().dots(&screen(&app.engine, id).await?),
        "journal" => report::text(&journal(app, id)?),
        "report" => report::page(&journal(app, id)?),
        _ => skill(app, id).ok_or_else(unknown)?,
    };
    let contents = ResourceContents::text(text, uri).with_mime_type(*mime);
    Ok(ReadResourceResult::new(vec![contents]))
}

async fn screen(engine: &Engine, serial: &str) -> Result<String, ErrorData> {
    let whole = ViewRequest { style: ViewFormat::Compact, budget: None, extent: Extent::Whole };
    let seen = engine.observe(Some(serial), whole, Deadline::after(LIMIT)).await.map_err(|failure| {
        ErrorData::internal_error(format!("{}: {}", failure.code, failure.message), None)
    })?;
    Ok(seen.view.text)
}

fn journals(app: &App) -> JournalFolder {
    JournalFolder::new(app.state.join("journal"))
}

/// A journal by the name in the list. A path is no name.
fn journal(app: &App, id: &str) -> Result<StoredJournal, ErrorData> {
    let missing = |error: &dyn std::fmt::Display| ErrorData::resource_not_found(error.to_string(), None);
    let list = journals(app).list().map_err(|error| missing(&error))?;
    let found = list.iter().find(|found| found.name == id || found.is_of(id));
    let found = found.ok_or_else(|| missing(&format!("there is no journal {id:?}")))?;
    StoredJournal::open(found).map_err(|error| missing(&error))
}

/// The page of a skill; its registry says where it is.
fn skill(app: &App, id: &str) -> Option<String> {
    let repository = app.skills.open().ok()?;
    let entry = repository.skill(id).ok()?;
    let file = repository.root.file(entry.skill_file()).ok()?;
    std::fs::read_to_string(file).ok()
}
