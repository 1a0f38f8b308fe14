//! Values with numbers: what is assigned, and what room it takes.

use super::options::quoted_words;
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
                let next = self.elements(&name).last().map(|found| found.0 + 1);
                let first = next.filter(|_| assignment.append).unwrap_or(0);
                let shown = || format!("set -A {name} -- {}", quoted_words(&values));
                self.trace(shown).await;
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
        let mut text = String::new();
        for (at, word) in self.braces(word).iter().enumerate() {
            text.push_str(if at > 0 { " " } else { "" });
            text.push_str(&self.text(word).await?);
        }
        if assignment.append {
            text.insert_str(0, &self.element(&name, index.unwrap_or(0)).unwrap_or_default());
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
        let is_new = !self.variables.contains_key(self.target(&name));
        let variable = self.changeable(&name)?;
        if instead || is_new {
            variable.value.clear();
            variable.more.clear();
            variable.headless = true;
        }
        values.into_iter().try_for_each(|(index, value)| self.set_element(&name, index, value))
    }

    pub(super) fn set_element(&mut self, name: &str, index: u32, value: String) -> Result<(), ShellFault> {
        if index == 0 {
            return self.assign(name, value);
        }
        let elements: usize = self.variables.values().map(|variable| variable.more.len()).sum();
        if elements >= limits::MAX_ELEMENTS {
            return Err(no_room(name));
        }
        let is_new = !self.variables.contains_key(self.target(name));
        let value = self.formed(name, value)?;
        self.has_room(name, &value)?;
        let variable = self.changeable(name)?;
        variable.headless |= is_new;
        variable.more.insert(index, value);
        Ok(())
    }

    /// Gives an array these values from the beginning, and no others if that is asked for.
    pub(super) fn set_elements(
        &mut self,
        name: &str,
        values: &[String],
        instead: bool,
    ) -> Result<(), ShellFault> {
        let values = (0..).zip(values.iter().cloned()).collect();
        self.apply_change(VariableChange::Elements { name: name.to_owned(), values, instead })
    }

    /// The values of an array, or the one of a variable, with their numbers.
    pub(super) fn elements(&self, name: &str) -> Vec<(u32, String)> {
        if name == "PIPESTATUS" {
            return (0..).zip(self.pipe_status.iter().map(u8::to_string)).collect();
        }
        let first = self.variable(name).map(|value| (0, value.to_owned()));
        let more = self.variables.get(self.target(name)).into_iter().flat_map(|found| &found.more);
        first.into_iter().chain(more.map(|(index, value)| (*index, value.clone()))).collect()
    }

    pub(super) fn element(&self, name: &str, index: u32) -> Option<String> {
        match index {
            _ if name == "PIPESTATUS" => self.pipe_status.get(index as usize).map(u8::to_string),
            0 => self.value(name),
            index => self.variables.get(self.target(name))?.more.get(&index).cloned(),
        }
    }

    /// The variable that a name means: its own, or the one that it refers to.
    pub(super) fn target<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        for _ in 0..limits::MAX_LINKS {
            match self.variables.get(name) {
                Some(variable) if variable.form.is_reference() => name = &variable.value,
                _ => break,
            }
        }
        name
    }

    /// A value as its variable wants it.
    pub(super) fn formed(&mut self, name: &str, value: String) -> Result<String, ShellFault> {
        let form = self.variables.get(self.target(name)).map(|variable| variable.form);
        match form {
            Some(form) if form.is_number() => Ok(form.number(self.evaluate(&value)?)),
            Some(form) => Ok(form.text(value)),
            None => Ok(value),
        }
    }

    /// The number that an index says.
    pub(super) async fn index(&mut self, word: &ShellWord) -> Result<u32, ShellFault> {
        let text = self.text(word).await?;
        // The last of all numbers is left out, so that there is always a next one.
        self.evaluate(&text).map(|number| (number as u32).min(u32::MAX - 1))
    }

    /// A variable that may be changed, made if there is none.
    pub(super) fn changeable(&mut self, name: &str) -> Result<&mut Variable, ShellFault> {
        if self.variables.len() > limits::MAX_VARIABLES {
            return Err(no_room(name));
        }
        let name = self.target(name).to_owned();
        let variable = Arc::make_mut(&mut self.variables).entry(name.clone()).or_default();
        if variable.read_only {
            return Err(ShellFault(format!("read-only: {name}"), 2));
        }
        variable.exported |= self.options.is_on("allexport");
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
    ShellFault(format!("{name}: no room for its value"), 1)
}
