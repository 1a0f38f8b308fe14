//! What steps cost, and when that is too much. Prices come from the user; none is built in. Pure.

use super::reply::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const MILLION: f64 = 1_000_000.0;

/// What a million tokens of a model cost, in dollars.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    /// Tokens read from a cache; as other tokens without this.
    pub cached: Option<f64>,
    pub output: f64,
}

/// Prices by the names of models.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(transparent)]
pub struct Prices(pub BTreeMap<String, Price>);

/// What may be spent on a task.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Budget {
    pub tokens: Option<u64>,
    pub dollars: Option<f64>,
}

/// What was spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spending {
    #[serde(flatten)]
    pub usage: Usage,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dollars: Option<f64>,
}

impl Prices {
    /// Reads a price file: `{"model": {"input": 1.0, "cached": 0.1, "output": 4.0}}`,
    /// in dollars per million tokens.
    pub fn parse(text: &str) -> Result<Self, String> {
        let prices: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match prices.0.iter().find(|(_, price)| !price.is_sound()) {
            Some((name, _)) => Err(format!("the prices of {name} must be numbers from 0")),
            None => Ok(prices),
        }
    }
}

impl Price {
    /// Reads `INPUT,OUTPUT` or `INPUT,CACHED,OUTPUT`, in dollars per million tokens.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse::<f64>()).collect();
        let price = match numbers.as_deref() {
            Ok([input, output]) => Some(Self { input: *input, cached: None, output: *output }),
            Ok([input, cached, output]) => {
                Some(Self { input: *input, cached: Some(*cached), output: *output })
            }
            _ => None,
        };
        price.filter(Self::is_sound).ok_or_else(|| {
            format!("{text:?} is no price: write INPUT,OUTPUT or INPUT,CACHED,OUTPUT in dollars per million tokens")
        })
    }

    fn is_sound(&self) -> bool {
        let numbers = [Some(self.input), self.cached, Some(self.output)];
        numbers.into_iter().flatten().all(|number| number.is_finite() && number >= 0.0)
    }

    /// What that many tokens cost.
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^53")]
    pub fn of(&self, usage: Usage) -> f64 {
        let fresh = usage.input_tokens.saturating_sub(usage.cached_tokens) as f64;
        let cached = usage.cached_tokens as f64 * self.cached.unwrap_or(self.input);
        (fresh * self.input + cached + usage.output_tokens as f64 * self.output) / MILLION
    }
}

impl Spending {
    /// Adds a step.
    pub fn add(&mut self, usage: Usage, price: Option<&Price>) {
        self.usage += usage;
        if let Some(price) = price {
            self.dollars = Some(self.dollars.unwrap_or_default() + price.of(usage));
        }
    }
}

impl Budget {
    /// Whether a budget needs a price that is not there.
    pub fn lacks_price(&self, price: Option<&Price>) -> bool {
        self.dollars.is_some() && price.is_none()
    }

    /// What of the budget is used up, if any.
    pub fn exceeded(&self, spent: &Spending) -> Option<String> {
        let tokens = spent.usage.input_tokens.saturating_add(spent.usage.output_tokens);
        if let Some(most) = self.tokens.filter(|most| tokens >= *most) {
            return Some(format!("{tokens} tokens were used, and the budget is {most}"));
        }
        let dollars = spent.dollars.unwrap_or_default();
        let most = self.dollars.filter(|most| dollars >= *most)?;
        Some(format!("{dollars:.4} dollars were spent, and the budget is {most}"))
    }
}
