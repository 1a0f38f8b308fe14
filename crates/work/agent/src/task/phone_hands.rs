//! The loop's hands on a phone: the observer looks, the toolbox acts.

use super::{Element, Focus, Hands, ScreenDetails, TaskLook, TaskResult};
use crate::action::AgentAction;
use crate::model::ModelPicture;
use crate::people;
use crate::phone::PhoneTools;
use crate::result::ToolResult;
use crate::session::Status;
use crate::snapshot::{Observer, ScreenSnapshot, SnapshotOptions};
use crate::space::Space;
use crate::toolbox::{ActionCall, Approval, Toolbox};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clawperator_engine::ActLog;
use clawperator_phone::{Deadline, PhoneLease};
use clawperator_run::RunOptions;
use clawperator_ui::{Attributes, Flag, write};
use std::sync::Arc;
use std::time::Duration;

/// Hands on a phone, and the tools beside it.
pub struct PhoneHands {
    pub lease: PhoneLease,
    pub observer: Observer,
    pub options: SnapshotOptions,
    pub run: RunOptions,
    pub toolbox: Toolbox,
    pub approval: Approval,
    pub space: Space,
    pub log: Option<ActLog>,
}

impl PhoneHands {
    /// Hands for a model of that name. People are asked, if the toolbox has a place for it.
    pub fn new(mut lease: PhoneLease, observer: Observer, model: &str, toolbox: Toolbox) -> Self {
        // A place that a person gives is for this task.
        lease.lends_location = true;
        // An earlier process may have typed one of them.
        for value in toolbox.vault.iter().flat_map(|vault| vault.values()) {
            lease.keep_out(value.expose());
        }
        Self {
            lease,
            observer,
            options: SnapshotOptions { model: Some(model.to_owned()), ..SnapshotOptions::default() },
            run: RunOptions::default(),
            toolbox: Toolbox { vault: toolbox.vault.or_else(|| Some(Arc::default())), ..toolbox },
            approval: Approval::Ask,
            space: Space::default(),
            log: None,
        }
    }

    /// Ends what the tools have started, lets go of the phone, and says in its log
    /// how the task ended.
    pub async fn release(self, ended: &TaskResult) {
        self.toolbox.close().await;
        self.lease.release().await;
        if let Some(log) = self.log {
            let end = match ended.status {
                Status::Finished => Ok(()),
                status => Err((status.word(), ended.message.as_str())),
            };
            log.end(end).await;
        }
    }
}

impl Hands for PhoneHands {
    async fn look(&mut self, deadline: Deadline) -> Result<TaskLook, String> {
        let seen = self.observer.observe(&mut self.lease, &self.options, deadline).await;
        let seen = seen.map_err(|error| error.to_string())?;
        self.space =
            Space { scale_x: seen.scale_x, scale_y: seen.scale_y, size: Some((seen.width, seen.height)) };
        Ok(TaskLook::from(seen))
    }

    async fn describe(&mut self, deadline: Deadline) -> ScreenDetails {
        let Ok(mut tree) = self.lease.screen(deadline).await else {
            return ScreenDetails::default();
        };
        let focused = tree.nodes().find(|(_, node)| node.flags.has(Flag::Focused));
        let secret = focused.is_some_and(|(id, node)| tree.is_secret(id) || node.hides_secret);
        tree.hide_passwords();
        ScreenDetails {
            tree: Some(write(&tree, Attributes::Usual)),
            focus: if secret { Focus::Secret } else { Focus::Open },
        }
    }

    async fn act(&mut self, action: &AgentAction, _deadline: Deadline) -> ToolResult {
        let call = ActionCall {
            action,
            // The screen may have changed while the model was thinking.
            surroundings: None,
            approval: self.approval,
        };
        let phone = PhoneTools { lease: &mut self.lease, options: &self.run, space: self.space };
        self.toolbox.run(call, Some(phone)).await
    }

    fn patience(&self) -> Duration {
        match (&self.toolbox.people, self.approval) {
            (Some(_), Approval::Ask) => people::LONGEST,
            _ => Duration::ZERO,
        }
    }

    fn journal(&self) -> Option<String> {
        self.log.as_ref()?.journal()
    }
}

impl From<ScreenSnapshot> for TaskLook {
    fn from(seen: ScreenSnapshot) -> Self {
        let visual = seen.capture_metrics.as_ref().map(|metrics| metrics.visual_hash.clone());
        let picture = STANDARD.decode(&seen.screenshot_base64).ok();
        let element = |element: crate::snapshot::UiElementSnapshot| Element {
            id: element.id,
            text: element.text,
            desc: element.content_desc,
            resource_id: element.resource_id,
            class: element.class_name,
            clickable: element.clickable,
            enabled: element.enabled,
            checked: element.checked,
            center: [element.scaled_center.x, element.scaled_center.y],
        };
        Self {
            app: seen.current_app,
            hash: seen.tree_hash.or(visual).unwrap_or_default(),
            size: [seen.width, seen.height],
            scaled: [seen.scaled_width, seen.scaled_height],
            picture: picture.map(|bytes| ModelPicture { media_type: "image/png", bytes: Arc::from(bytes) }),
            elements: seen.ui_elements.into_iter().map(element).collect(),
            secure_windows: seen.secure_windows,
        }
    }
}
