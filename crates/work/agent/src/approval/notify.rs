//! How a person hears of a request: a command of the user's own, or a webhook.
//!
//! What the agent wrote goes to the command in its environment and as JSON on
//! its standard input, never as a part of a command line.

use super::page::title;
use super::request::{ApprovalRequest, Author};
use serde::Serialize;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

/// How long a command or a webhook may take.
const LIMIT: Duration = Duration::from_secs(20);

/// Who hears of requests. Telling never fails a request: the result goes to `trouble`.
#[derive(Clone, Debug, Default)]
pub struct Notifier {
    pub command: Option<String>,
    /// An `http` or `https` address.
    pub webhook: Option<String>,
    pub show: Option<fn(&Notice)>,
    /// Where it goes that a notice was not sent.
    pub trouble: Option<fn(&str)>,
}

/// A notice of a request. The link opens it, so Debug does not show it.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    pub id: String,
    /// Its page; empty if no server runs that has it.
    pub link: String,
    pub capability: &'static str,
    pub title: String,
    pub instruction: String,
    /// When it ends, in milliseconds since 1970.
    pub expires_ms: u64,
}

impl std::fmt::Debug for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Notice({})", self.id)
    }
}

impl Notice {
    /// The notice of a request.
    pub fn new(request: &ApprovalRequest, link: &str) -> Self {
        Self {
            id: request.id.clone(),
            link: link.to_owned(),
            capability: request.asked.capability.word(),
            title: match request.asked.author {
                Author::Policy => request.asked.page.title.clone(),
                Author::Agent => title(request.asked.capability),
            },
            instruction: request.asked.question_text(),
            expires_ms: request.expires_ms,
        }
    }
}

impl Notifier {
    /// Tells everybody, in the background.
    pub fn send(&self, notice: Notice) {
        if let Some(show) = self.show {
            show(&notice);
        }
        if self.command.is_none() && self.webhook.is_none() {
            return;
        }
        let notifier = self.clone();
        tokio::spawn(async move {
            for error in notifier.tell(&notice).await {
                let message = format!("no notice of the request {} was sent: {error}\n", notice.id);
                if let Some(tell) = notifier.trouble {
                    tell(&message);
                }
            }
        });
    }

    /// Tells everybody, and says what went wrong.
    pub async fn tell(&self, notice: &Notice) -> Vec<String> {
        let mut errors = Vec::new();
        if let Some(command) = &self.command {
            errors.extend(within(run(command, notice)).await.err());
        }
        if let Some(address) = &self.webhook {
            errors.extend(within(post(address, notice)).await.err());
        }
        errors
    }
}

async fn within(work: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let done = tokio::time::timeout(LIMIT, work).await;
    done.unwrap_or_else(|_| Err(format!("it took longer than {} s", LIMIT.as_secs())))
}

async fn run(command: &str, notice: &Notice) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("the command of --notify: {error}");
    let json = serde_json::to_vec(notice).map_err(|error| error.to_string())?;
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut child = Command::new(shell)
        .args([flag, command])
        .env("CLAWPERATOR_APPROVAL_ID", &notice.id)
        .env("CLAWPERATOR_APPROVAL_LINK", &notice.link)
        .env("CLAWPERATOR_APPROVAL_CAPABILITY", notice.capability)
        .env("CLAWPERATOR_APPROVAL_TITLE", notice.title.replace('\0', ""))
        .env("CLAWPERATOR_APPROVAL_INSTRUCTION", notice.instruction.replace('\0', ""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // A command that does not read its input has the environment.
        let _ = input.write_all(&json).await;
    }
    let status = child.wait().await.map_err(failed)?;
    if status.success() {
        return Ok(());
    }
    Err(format!("the command of --notify ended with {status}"))
}

async fn post(address: &str, notice: &Notice) -> Result<(), String> {
    // The address may have a secret in it, so errors do not repeat it.
    let failed = |error: reqwest::Error| format!("the webhook: {}", error.without_url());
    // Somebody else may have said first which one to use.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(LIMIT)
        .build()
        .map_err(failed)?;
    let json = serde_json::to_vec(notice).map_err(|error| error.to_string())?;
    let sent = client.post(address).header("content-type", "application/json").body(json);
    let response = sent.send().await.map_err(failed)?;
    if response.status().is_success() {
        return Ok(());
    }
    Err(format!("the webhook answered {}", response.status()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(instruction: &str) -> Notice {
        Notice {
            id: "ap-1".to_owned(),
            link: "http://127.0.0.1:1/approve/ap-1#secret-token".to_owned(),
            capability: "sms",
            title: "Title".to_owned(),
            instruction: instruction.to_owned(),
            expires_ms: 1,
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn the_words_of_an_agent_are_no_part_of_a_command() {
        let file = std::env::temp_dir().join(format!("clawperator-notify-{}", std::process::id()));
        let evil = "$(touch /tmp/clawperator-evil); `id` ' \" \n x";
        let notifier = Notifier {
            command: Some(format!(
                "printf '%s' \"$CLAWPERATOR_APPROVAL_INSTRUCTION\" > {0}; cat >> {0}",
                file.display()
            )),
            ..Notifier::default()
        };
        assert_eq!(notifier.tell(&notice(evil)).await, Vec::<String>::new());
        let written = std::fs::read_to_string(&file).unwrap();
        let json = written.strip_prefix(evil).unwrap();
        let told: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(told["instruction"], evil);
        assert!(told["link"].as_str().unwrap().ends_with("#secret-token"));
        assert!(!std::path::Path::new("/tmp/clawperator-evil").exists());
        std::fs::remove_file(&file).unwrap();
    }

    #[tokio::test]
    async fn what_went_wrong_is_told_without_the_link() {
        let notifier = Notifier {
            command: Some("exit 3".to_owned()),
            webhook: Some("http://127.0.0.1:9/secret-path".to_owned()),
            ..Notifier::default()
        };
        let errors = notifier.tell(&notice("x")).await;
        assert_eq!(errors.len(), 2);
        let shown = format!("{errors:?} {:?}", notice("x"));
        assert!(!shown.contains("secret"), "{shown}");
    }
}
