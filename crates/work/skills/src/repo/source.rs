//! Where a skills repository comes from: a URL or a folder, and which state of
//! it. Pure, but for looking whether a folder is there.

use std::path::Path;

/// The repository that is installed if no other is named.
pub const PUBLIC_SOURCE: &str = "https://github.com/clawperator/clawperator-skills";
/// The branch that is installed if no other is named.
pub const USUAL_REF: &str = "main";

const SCHEMES: [&str; 5] = ["https://", "http://", "ssh://", "git://", "file://"];
/// The longest name of a branch, a tag or a commit.
const MAX_REF: usize = 200;

/// A URL, or the absolute path of a folder, that git can clone and cannot take
/// for an option or a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source(String);

/// The name of a branch or a tag, or the hash of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitRef(String);

/// Why something cannot be cloned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceFault {
    #[error("it is neither a URL nor a folder that is there")]
    Neither,
    #[error("its path is not valid UTF-8")]
    NotUtf8,
    #[error("it cannot be the name of a branch or a tag, or the hash of a commit")]
    BadRef,
}

impl Source {
    /// Takes a URL or a path.
    pub fn parse(text: &str) -> Result<Self, SourceFault> {
        if text.chars().any(char::is_control) {
            return Err(SourceFault::Neither);
        }
        let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
        if let Some(rest) = rest {
            // A host that begins with a dash is an option to ssh.
            let is_host = !rest.is_empty() && !rest.starts_with('-') && !rest.contains("@-");
            return is_host.then(|| Self(text.to_owned())).ok_or(SourceFault::Neither);
        }
        let path = Path::new(text);
        if path.is_dir() {
            let path = path.canonicalize().map_err(|_| SourceFault::Neither)?;
            let path = path.to_str().ok_or(SourceFault::NotUtf8)?;
            return Ok(Self(path.to_owned()));
        }
        // user@host:path, as ssh writes it. `a::b` names a helper program.
        let (host, path) = text.split_once(':').ok_or(SourceFault::Neither)?;
        let (user, host) = host.split_once('@').ok_or(SourceFault::Neither)?;
        let is_word = |word: &str| {
            let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            !word.is_empty() && !word.starts_with('-') && word.chars().all(is_letter)
        };
        let fits = is_word(user) && is_word(host) && !path.is_empty() && !path.starts_with([':', '-']);
        fits.then(|| Self(text.to_owned())).ok_or(SourceFault::Neither)
    }

    /// As git takes it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As it may be shown: without a name and a password in it.
    pub fn public_text(&self) -> String {
        without_secrets(&self.0)
    }
}

impl GitRef {
    /// Takes the name of a branch or a tag, or the hash of a commit.
    ///
    /// # Errors
    /// If git could take it for something else.
    pub fn parse(text: &str) -> Result<Self, SourceFault> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-/+".contains(c);
        let is_part = |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
        let fits = text.len() <= MAX_REF
            && text.chars().all(is_letter)
            && !text.starts_with('-')
            && !text.ends_with('.')
            && !text.contains("..")
            && text != "HEAD"
            && text.split('/').all(is_part);
        fits.then(|| Self(text.to_owned())).ok_or(SourceFault::BadRef)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text in which every URL has lost its name and password.
pub(super) fn without_secrets(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        out.push_str(before);
        let end = after
            .find(|c: char| c == '/' || c == '\'' || c == '"' || c.is_whitespace())
            .unwrap_or(after.len());
        match after[..end].rfind('@') {
            Some(at) => {
                out.push_str("***");
                rest = &after[at..];
            }
            None => rest = after,
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_and_folders_are_sources() {
        let here = Source::parse(".").unwrap();
        assert!(here.as_str().starts_with('/'), "{here:?}");
        for good in
            [PUBLIC_SOURCE, "ssh://git@host/x.git", "git@github.com:a/b.git", "file:///x", "https://u:p@h/x"]
        {
            assert_eq!(Source::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "",
            "--upload-pack=touch x",
            "-x",
            "ext::sh -c touch% x",
            "nowhere/at/all",
            "ssh://-oProxyCommand=x/y",
            "ssh://git@-oProxyCommand=x/y",
            "git@-host:x",
            "-u@host:x",
            "git@host:-x",
            "git@host::x",
            "https://",
            "https://h/\n",
        ] {
            assert_eq!(Source::parse(bad), Err(SourceFault::Neither), "{bad}");
        }
    }

    #[test]
    fn only_names_are_refs() {
        for good in ["main", "v1.2.3", "feature/a-b_c", "0123abcd"] {
            assert_eq!(GitRef::parse(good).unwrap().as_str(), good);
        }
        for bad in [
            "", "-x", "--force", "a..b", "a b", "a:b", "+a^", "a~1", "@{u}", "/a", "a/", "a//b", ".a",
            "a/.b", "a.", "a.lock", "HEAD",
        ] {
            assert_eq!(GitRef::parse(bad), Err(SourceFault::BadRef), "{bad}");
        }
    }

    #[test]
    fn names_and_passwords_are_not_shown() {
        for (text, shown) in [
            ("https://u:p@h/x", "https://***@h/x"),
            ("fatal: 'https://tok@h/x/': no", "fatal: 'https://***@h/x/': no"),
            ("https://h/x@y", "https://h/x@y"),
            ("ssh://a@b ssh://c:d@e@f", "ssh://***@b ssh://***@f"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }
}
