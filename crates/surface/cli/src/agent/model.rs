//! The model that the command line names, with its key, its prices and its budget.

use crate::args::Args;
use crate::environment::Environment;
use crate::flags::agent as flags;
use clawperator_agent::model::{
    ApiKey, BaseUrl, Budget, Dialect, HttpModel, HttpSettings, Model, ModelError, ModelName, ModelRetry,
    Price, Prices, Script, Transfer,
};
use clawperator_agent::task::USUAL_STEP_TIME;
use clawperator_contract::{ErrorCode, Failure};
use std::path::Path;
use std::time::Duration;

/// The variable that names the usual model.
const USUAL_MODEL: &str = "CLAWPERATOR_MODEL";
/// The most bytes of a price file.
const MAX_PRICES: u64 = 1 << 20;

/// A model, and what it may cost.
pub(super) struct ModelChoice {
    name: ModelName,
    /// Its server; nothing for a script.
    pub(super) http: Option<HttpSettings>,
    pub(super) price: Option<Price>,
    pub(super) budget: Budget,
}

impl ModelChoice {
    /// Reads the flags, and the variables that they leave open.
    pub(super) fn read(args: &Args, clock: fn() -> u64) -> Result<Self, Failure> {
        let environment = Environment(&|name| std::env::var_os(name));
        let named = match args.value(&flags::MODEL)? {
            Some(named) => Some(named.to_owned()),
            None => environment.text(USUAL_MODEL)?,
        };
        let named = named.ok_or_else(|| {
            args.usage(&flags::MODEL, format!("no model is named: use --model, or set {USUAL_MODEL}"))
        })?;
        let name = ModelName::parse(&named).map_err(|error| args.usage(&flags::MODEL, error.to_string()))?;
        let http = match &name {
            ModelName::Script(_) => None,
            ModelName::Http(dialect, model) => Some(HttpSettings {
                dialect: *dialect,
                model: model.clone(),
                base: base(args, environment, *dialect)?,
                key: key(args, environment, *dialect)?,
                transfer: if args.has(&flags::NO_STREAM) { Transfer::Whole } else { Transfer::Stream },
                retry: ModelRetry::default(),
                clock,
            }),
        };
        let price = price(args, &name)?;
        let budget = budget(args)?;
        if budget.lacks_price(price.as_ref()) {
            let message = "a budget in dollars needs the model's prices: use --price or --prices";
            return Err(args.usage(&flags::BUDGET, message));
        }
        Ok(Self { name, http, price, budget })
    }

    /// The model, ready to be asked.
    pub(super) fn open(&self) -> Result<Model, Failure> {
        let opened = match (&self.name, &self.http) {
            (ModelName::Http(..), Some(settings)) => {
                HttpModel::new(settings.clone()).map(|model| Model::Http(Box::new(model)))
            }
            (ModelName::Script(file), _) => Script::open(file).map(|script| Model::Script(Box::new(script))),
            // `read` makes settings for every server.
            (ModelName::Http(..), None) => Err(ModelError::Client("it has no settings".to_owned())),
        };
        opened.map_err(|error| Failure::new(ErrorCode::Usage, error.to_string()).hint(error.hint()))
    }
}

fn base(args: &Args, environment: Environment<'_>, dialect: Dialect) -> Result<BaseUrl, Failure> {
    let (_, variable) = dialect.variables();
    let given = match args.value(&flags::BASE_URL)? {
        Some(given) => Some(given.to_owned()),
        None => environment.text(variable)?.filter(|text| !text.is_empty()),
    };
    let text = given.as_deref().unwrap_or(dialect.usual_base());
    BaseUrl::parse(text).map_err(|why| args.usage(&flags::BASE_URL, why))
}

fn key(args: &Args, environment: Environment<'_>, dialect: Dialect) -> Result<Option<ApiKey>, Failure> {
    if let Some(file) = args.value(&flags::KEY_FILE)? {
        let key = ApiKey::from_file(Path::new(file));
        return key.map(Some).map_err(|error| args.usage(&flags::KEY_FILE, error.to_string()));
    }
    let (variable, _) = dialect.variables();
    Ok(environment.text(variable)?.as_deref().and_then(ApiKey::new))
}

fn price(args: &Args, name: &ModelName) -> Result<Option<Price>, Failure> {
    if let Some(text) = args.value(&flags::PRICE)? {
        return Price::parse(text).map(Some).map_err(|why| args.usage(&flags::PRICE, why));
    }
    let Some(file) = args.value(&flags::PRICES)? else {
        return Ok(None);
    };
    let bad = |why: String| args.usage(&flags::PRICES, format!("{file}: {why}"));
    let size = std::fs::metadata(file).map_err(|error| bad(error.to_string()))?;
    if size.len() > MAX_PRICES {
        return Err(bad(format!("it has more than {MAX_PRICES} bytes")));
    }
    let text = std::fs::read_to_string(file).map_err(|error| bad(error.to_string()))?;
    let prices = Prices::parse(&text).map_err(bad)?;
    Ok(match name {
        ModelName::Http(_, model) => prices.0.get(model).copied(),
        ModelName::Script(_) => None,
    })
}

fn budget(args: &Args) -> Result<Budget, Failure> {
    let mut budget = Budget::default();
    for text in args.values(&flags::BUDGET)? {
        let dollars = text.strip_suffix("usd").or_else(|| text.strip_prefix('$'));
        let good = match (dollars, text.strip_suffix("tokens")) {
            (Some(dollars), _) => {
                budget.dollars =
                    dollars.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
                budget.dollars.is_some()
            }
            (None, tokens) => {
                budget.tokens = tokens.unwrap_or(text).parse().ok().filter(|number| *number > 0);
                budget.tokens.is_some()
            }
        };
        if !good {
            let message = format!("{text:?} is no limit: write 200000tokens or 1.50usd");
            return Err(args.usage(&flags::BUDGET, message));
        }
    }
    Ok(budget)
}

pub(super) fn step_time(args: &Args) -> Result<Duration, Failure> {
    Ok(args.whole(&flags::STEP_TIMEOUT, 1..=3600)?.map_or(USUAL_STEP_TIME, Duration::from_secs))
}
