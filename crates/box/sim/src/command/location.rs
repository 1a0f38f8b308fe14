//! `cmd location`: test providers, which say where the phone is.
//!
//! A place is written latitude first. Only those may set one that may do
//! `mock_location`, which the shell may not before it is allowed.

use crate::phone::Phone;
use crate::phone::test_provider::TestProvider;

const MAX_PROVIDERS: usize = 16;
const DENIED: &str =
    "java.lang.SecurityException: com.android.shell from uid 2000 not allowed to perform MOCK_LOCATION\n";

pub(super) fn run(phone: &mut Phone, words: &[&str]) -> Result<String, String> {
    match words {
        ["is-location-enabled"] => Ok("true\n".to_owned()),
        ["providers", rest @ ..] => {
            let is_allowed = phone.app_ops.iter().any(|((package, op), mode)| {
                package == "com.android.shell"
                    && op.to_ascii_lowercase().ends_with("mock_location")
                    && mode == "allow"
            });
            if !is_allowed {
                return Err(DENIED.to_owned());
            }
            providers(phone, rest)
        }
        _ => Err("Unknown command\n".to_owned()),
    }
}

fn providers(phone: &mut Phone, words: &[&str]) -> Result<String, String> {
    let missing =
        |name: &str| format!("java.lang.IllegalArgumentException: {name} provider is not a test provider\n");
    match words {
        ["add-test-provider", name, ..] => {
            if phone.test_providers.len() >= MAX_PROVIDERS {
                return Err("java.lang.IllegalArgumentException: too many providers\n".to_owned());
            }
            phone.test_providers.insert((*name).to_owned(), TestProvider::default());
        }
        ["remove-test-provider", name] => {
            phone.test_providers.remove(*name);
        }
        ["set-test-provider-enabled", name, value] => {
            let provider = phone.test_providers.get_mut(*name).ok_or_else(|| missing(name))?;
            provider.enabled = *value == "true";
        }
        ["set-test-provider-location", name, "--location", place, ..] => {
            let provider = phone.test_providers.get_mut(*name).ok_or_else(|| missing(name))?;
            provider.place = Some(parse(place)?);
        }
        _ => return Err("Unknown command\n".to_owned()),
    }
    Ok(String::new())
}

fn parse(place: &str) -> Result<(f64, f64), String> {
    let wrong = || {
        format!(
            "java.lang.IllegalArgumentException: Location argument must be in the form of \"<LATITUDE>,<LONGITUDE>\", not {place}\n"
        )
    };
    let (lat, lon) = place.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<f64>().map_err(|_| wrong());
    Ok((number(lat)?, number(lon)?))
}
