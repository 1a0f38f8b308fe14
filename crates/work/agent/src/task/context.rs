//! What of a task a model is still told: everything while it fits, then without
//! old pictures, then without old screens, then without old steps. Pure.

use crate::model::{Conversation, Message, MessagePart, ModelPicture, ToolCall, ToolSpec};
use std::sync::Arc;

/// What a picture counts, in letters.
const PICTURE: usize = 6000;
/// How many pictures a model gets at most, the current one included.
const PICTURES: usize = 2;
pub(super) const UNPICTURED: &str = "Its picture is left out here.";
const FORGOTTEN: &str = "(Earlier steps are left out here.)";

/// What a model was told and what it did.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) system: String,
    pub(super) task: String,
    pub(super) tools: Arc<Vec<ToolSpec>>,
    /// The steps that are done.
    pub(super) turns: Vec<ModelTurn>,
    /// How many letters may be told.
    pub(super) budget: usize,
}

#[derive(Clone, Debug)]
pub(super) struct ModelTurn {
    pub(super) screen: TurnScreen,
    pub(super) said: String,
    pub(super) call: ToolCall,
    pub(super) result: String,
}

#[derive(Clone, Debug, Default)]
pub(super) struct TurnScreen {
    pub(super) step: u32,
    /// What is said of its picture, if the model gets it.
    pub(super) pictured: String,
    /// What is said if there is none.
    pub(super) unpictured: String,
    pub(super) listed: String,
    /// One line that is left of it later.
    pub(super) short: String,
    pub(super) picture: Option<ModelPicture>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnDetail {
    Everything,
    NoPicture,
    OneLine,
    Nothing,
}

impl Context {
    /// The conversation with this screen as its last message.
    pub(super) fn conversation(&self, now: &TurnScreen) -> Conversation {
        let kept = self.turn_details(now);
        let mut messages = vec![Message::User(vec![MessagePart::Text(self.task.clone())])];
        if kept.contains(&TurnDetail::Nothing) {
            messages.push(Message::User(vec![MessagePart::Text(FORGOTTEN.to_owned())]));
        }
        for (turn, kept) in self.turns.iter().zip(&kept) {
            if *kept == TurnDetail::Nothing {
                continue;
            }
            messages.push(screen_message(&turn.screen, *kept));
            messages.push(Message::Assistant { text: turn.said.clone(), call: turn.call.clone() });
            messages.push(Message::ToolResult { call: turn.call.id.clone(), text: turn.result.clone() });
        }
        messages.push(screen_message(now, TurnDetail::Everything));
        Conversation { system: self.system.clone(), messages, tools: self.tools.clone() }
    }

    fn turn_details(&self, now: &TurnScreen) -> Vec<TurnDetail> {
        let count = self.turns.len();
        let with_picture = (count + 1).saturating_sub(PICTURES);
        let mut kept: Vec<TurnDetail> = (0..count)
            .map(|at| if at < with_picture { TurnDetail::NoPicture } else { TurnDetail::Everything })
            .collect();
        let fixed = self.system.len() + self.task.len() + now.listed.len() + PICTURE;
        let mut size =
            fixed + self.turns.iter().zip(&kept).map(|(turn, kept)| turn.size(*kept)).sum::<usize>();
        for less in [TurnDetail::NoPicture, TurnDetail::OneLine, TurnDetail::Nothing] {
            for (turn, kept) in self.turns.iter().zip(&mut kept) {
                if size <= self.budget {
                    break;
                }
                size = size - turn.size(*kept) + turn.size(less).min(turn.size(*kept));
                *kept = less;
            }
        }
        kept
    }
}

impl ModelTurn {
    fn size(&self, kept: TurnDetail) -> usize {
        let rest = self.said.len() + self.call.args.to_string().len() + self.result.len();
        match kept {
            TurnDetail::Everything => {
                let picture = self.screen.picture.as_ref().map_or(0, |_| PICTURE);
                rest + self.screen.listed.len() + picture
            }
            TurnDetail::NoPicture => rest + self.screen.listed.len(),
            TurnDetail::OneLine => rest + self.screen.short.len(),
            TurnDetail::Nothing => 0,
        }
    }
}

fn screen_message(screen: &TurnScreen, kept: TurnDetail) -> Message {
    let picture = screen.picture.as_ref().filter(|_| kept == TurnDetail::Everything);
    let head = match (kept, picture) {
        (_, Some(_)) => screen.pictured.as_str(),
        (TurnDetail::Everything, None) => screen.unpictured.as_str(),
        (TurnDetail::NoPicture, None) => UNPICTURED,
        (TurnDetail::OneLine | TurnDetail::Nothing, None) => {
            return Message::User(vec![MessagePart::Text(screen.short.clone())]);
        }
    };
    let text = format!("Step {}. {head}\n{}", screen.step, screen.listed);
    let picture = picture.cloned().map(MessagePart::Picture);
    Message::User(std::iter::once(MessagePart::Text(text)).chain(picture).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn screen(number: usize) -> TurnScreen {
        TurnScreen {
            pictured: "screen".to_owned(),
            listed: format!("{number} {}", "x".repeat(1000)),
            short: format!("was {number}"),
            picture: Some(ModelPicture { media_type: "image/png", bytes: Arc::from(&b"p"[..]) }),
            ..TurnScreen::default()
        }
    }

    /// What a model gets of ten steps: P for a picture, S for a screen, s for its one
    /// line, and c for a call.
    fn told(budget: usize) -> String {
        let turn = |number| ModelTurn {
            screen: screen(number),
            said: String::new(),
            call: ToolCall { id: "c".to_owned(), name: "wait".to_owned(), args: json!({}) },
            result: "r".repeat(100),
        };
        let context = Context {
            system: String::new(),
            task: "the task".to_owned(),
            tools: Arc::default(),
            turns: (0..6).map(turn).collect(),
            budget,
        };
        let conversation = context.conversation(&screen(9));
        conversation.messages.iter().map(letters).collect()
    }

    fn letters(message: &Message) -> String {
        let part = |part: &MessagePart| match part {
            MessagePart::Picture(_) => "P",
            MessagePart::Text(text) if text == "the task" => "T",
            MessagePart::Text(text) if text == FORGOTTEN => "…",
            MessagePart::Text(text) if text.starts_with("Step") => "S",
            MessagePart::Text(_) => "s",
        };
        match message {
            Message::User(parts) => parts.iter().map(part).collect(),
            Message::Assistant { .. } => "c".to_owned(),
            Message::ToolResult { .. } => String::new(),
        }
    }

    /// In the original the prompt spoke of a picture that was not sent.
    #[test]
    fn bug_05_a_picture_is_spoken_of_only_where_it_is_sent() {
        let said = |screen: &TurnScreen, kept| match screen_message(screen, kept) {
            Message::User(parts) => {
                let sent = parts.iter().any(|part| matches!(part, MessagePart::Picture(_)));
                let MessagePart::Text(text) = &parts[0] else {
                    panic!("a screen begins with its text");
                };
                (text.contains("The picture has"), sent)
            }
            other => panic!("{other:?}"),
        };
        let mut screen =
            TurnScreen { pictured: "The picture has 768 x 1707 pixels.".to_owned(), ..screen(1) };
        for kept in [TurnDetail::Everything, TurnDetail::NoPicture, TurnDetail::OneLine] {
            let (spoken, sent) = said(&screen, kept);
            assert_eq!((spoken, sent), (sent, kept == TurnDetail::Everything));
        }
        screen.picture = None;
        assert_eq!(said(&screen, TurnDetail::Everything), (false, false));
    }

    #[test]
    fn old_pictures_go_first_then_old_screens_then_old_steps() {
        for (budget, wanted) in [
            (100_000, "TScScScScScSPcSP"),
            (15_000, "TScScScScScScSP"),
            (12_000, "TscscScScScScSP"),
            (7_600, "T…scscscscscSP"),
            (0, "T…SP"),
        ] {
            assert_eq!(told(budget), wanted, "{budget}");
        }
    }
}
