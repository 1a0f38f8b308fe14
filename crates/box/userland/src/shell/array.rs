//! Values with numbers: what is assigned, and what room it takes.

use super::tree::{AssignedValue, Assignment, ShellWord};
use super::{Shell, ShellFault, Variable};
use crate::limits;
use std::sync::Arc;

/// Values up to this length are bounded by their number alone.
const SHORT: usize = 4096;

/// What an assignment does, once its words are expanded.
pub(super) enum VariableChange {
    Text(String, String),
    Elements {
        name: String,
        values: Vec<(u32, String)>,
        /// What was there before goes.
        instead: bool,
    },
}

impl Shell {
    pub(super) async fn change(&mut self, assignment: &Assignment) -> Result<VariableChange, ShellFault> {
        let name = assignment.name.clone();
        let word = match &assignment.value {
            AssignedValue::Text(word) => word,
            AssignedValue::List(words) => {
                let values = self.fields(words).await?;
                let last = self.elements(&name).last().map(|found| found.0);
                let first = last.filter(|_| assignment.append).map_or(0, |last| last + 1);
                return Ok(VariableChange::Elements {
                    name,
                    values: (first..).zip(values).collect(),
                    instead: !assignment.append,
                });
            }
        };
        let index = match &assignment.index {
            Some(index) => Some(self.index(index).await?),
            None => None,
        };
        let mut text = self.text(word).await?;
        if assignment.append {
            text.insert_str(0, self.element(&name, index.unwrap_or(0)).unwrap_or_default());
        }
        Ok(match index {
            None => VariableChange::Text(name, text),
            Some(index) => VariableChange::Elements { name, values: vec![(index, text)], instead: false },
        })
    }

    pub(super) fn apply_change(&mut self, change: VariableChange) -> Result<(), ShellFault> {
        let (name, values, instead) = match change {
            VariableChange::Text(name, value) => return self.assign(&name, value),
            VariableChange::Elements { name, values, instead } => (name, values, instead),
        };
        let is_new = !self.variables.contains_key(&name);
        let variable = self.changeable(&name)?;
        if instead || is_new {
            variable.value.clear();
            variable.more.clear();
            variable.headless = true;
        }
        let arrays = self.variables.values();
        let mut count: usize = arrays.map(|variable| variable.more.len()).sum();
        for (index, value) in values {
            if index == 0 {
                self.assign(&name, value)?;
                continue;
            }
            count += 1;
            if count > limits::MAX_ELEMENTS {
                return Err(no_room(&name));
            }
            self.has_room(&name, &value)?;
            self.changeable(&name)?.more.insert(index, value);
        }
        Ok(())
    }

    /// The values of an array, or the one of a variable, with their numbers.
    pub(super) fn elements(&self, name: &str) -> Vec<(u32, &str)> {
        let first = self.variable(name).map(|value| (0, value));
        let more = self.variables.get(name).into_iter().flat_map(|found| &found.more);
        let more = more.map(|(index, value)| (*index, value.as_str()));
        first.into_iter().chain(more).collect()
    }

    pub(super) fn element(&self, name: &str, index: u32) -> Option<&str> {
        match index {
            0 => self.variable(name),
            index => self.variables.get(name)?.more.get(&index).map(String::as_str),
        }
    }

    /// The number that an index says.
    pub(super) async fn index(&mut self, word: &ShellWord) -> Result<u32, ShellFault> {
        let text = self.text(word).await?;
        let number = self.evaluate(&text)?;
        let most = u32::try_from(i32::MAX).unwrap_or(u32::MAX);
        let index = u32::try_from(number).ok().filter(|index| *index < most);
        index.ok_or_else(|| ShellFault(format!("{text}: bad array subscript")))
    }

    /// A variable that may be changed, made if there is none.
    pub(super) fn changeable(&mut self, name: &str) -> Result<&mut Variable, ShellFault> {
        if self.variables.len() > limits::MAX_VARIABLES {
            return Err(no_room(name));
        }
        let variable = Arc::make_mut(&mut self.variables).entry(name.to_owned()).or_default();
        if variable.read_only {
            return Err(ShellFault(format!("read-only: {name}")));
        }
        Ok(variable)
    }

    /// Refuses a value for which there is no room.
    pub(super) fn has_room(&self, name: &str, value: &str) -> Result<(), ShellFault> {
        let held = || {
            let length = |variable: &Variable| {
                let more = variable.more.values().map(String::len);
                variable.value.len() + more.sum::<usize>()
            };
            self.variables.values().map(length).sum::<usize>()
        };
        let long = value.len() > SHORT && value.len() + held() > 2 * limits::MAX_SUBSTITUTION;
        if long { Err(no_room(name)) } else { Ok(()) }
    }
}

fn no_room(name: &str) -> ShellFault {
    ShellFault(format!("{name}: no room for its value"))
}
