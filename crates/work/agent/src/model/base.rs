//! Where a model's server is. Plain HTTP is for this computer and this network
//! only: a key must not cross the internet in clear. Pure.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A base address that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    local: bool,
}

impl BaseUrl {
    /// Checks a base address, such as `http://127.0.0.1:11434/v1`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim().trim_end_matches('/');
        let url = reqwest::Url::parse(text).map_err(|error| format!("{text:?} is no address: {error}"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                "the address must not contain a name or a password; keys come from the environment or a file"
                    .to_owned(),
            );
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("the address must end with its path, without ? and #".to_owned());
        }
        let host = url.host_str().unwrap_or_default();
        let local = is_local(host);
        match url.scheme() {
            "https" => {}
            "http" if local => {}
            "http" => {
                return Err(format!(
                    "http is for this computer and this network only, and {host} is neither; use https"
                ));
            }
            other => return Err(format!("{other} is neither https nor http")),
        }
        Ok(Self { text: text.to_owned(), local })
    }

    pub(super) fn join(&self, path: &str) -> String {
        format!("{}/{path}", self.text)
    }

    /// Whether the server is on this computer or in this network; no proxy leads there.
    pub(super) fn is_local(&self) -> bool {
        self.local
    }
}

fn is_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => is_local_v4(address),
        Ok(IpAddr::V6(address)) => is_local_v6(address),
        Err(_) => bare == "localhost" || bare.ends_with(".localhost") || bare.ends_with(".local"),
    }
}

fn is_local_v4(address: Ipv4Addr) -> bool {
    address.is_loopback() || address.is_private() || address.is_link_local()
}

fn is_local_v6(address: Ipv6Addr) -> bool {
    address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_network_only() {
        for (text, good) in [
            ("https://api.example.com/v1/", true),
            ("http://127.0.0.1:8080/v1", true),
            ("http://[::1]:8080", true),
            ("http://localhost/v1", true),
            ("http://box.local:11434/v1", true),
            ("http://192.168.1.4/v1", true),
            ("http://api.example.com/v1", false),
            ("http://127.0.0.1.example.com/v1", false),
            ("http://localhost.example.com", false),
            ("http://8.8.8.8/v1", false),
            ("https://key@example.com/v1", false),
            ("https://example.com/v1?key=1", false),
            ("ftp://localhost", false),
            ("example", false),
        ] {
            assert_eq!(BaseUrl::parse(text).is_ok(), good, "{text}");
        }
        assert_eq!(
            BaseUrl::parse("https://a.example/v1/").unwrap().join("messages"),
            "https://a.example/v1/messages"
        );
    }
}
