//! Patterns in words: the names of files they fit.

use super::Shell;
use crate::pattern::Pattern;
use crate::{Actor, limits};

impl Shell {
    /// The paths a pattern fits, sorted; none where it fits nothing.
    pub(super) fn glob(&self, pattern: &Pattern) -> Vec<String> {
        let absolute = pattern.0.starts_with('/');
        let mut found = vec![if absolute { "/".to_owned() } else { String::new() }];
        let names: Vec<&str> = pattern.0.split('/').filter(|name| !name.is_empty()).collect();
        let last = names.len().saturating_sub(1);
        for (at, name) in names.iter().enumerate() {
            let want_directory = at < last || pattern.0.ends_with('/');
            found = found
                .iter()
                .flat_map(|base| self.fitting(base, name, want_directory))
                .take(limits::MAX_WORDS)
                .collect();
        }
        if pattern.0.ends_with('/') {
            found.iter_mut().for_each(|path| path.push('/'));
        }
        found
    }

    /// The paths one name of a pattern leads to from a directory.
    fn fitting(&self, base: &str, name: &str, want_directory: bool) -> Vec<String> {
        let directory = if base.is_empty() { self.cwd.clone() } else { crate::call::join(&self.cwd, base) };
        self.machine.refresh(&directory, self.pid);
        let path = |name: &str| match base {
            "" => name.to_owned(),
            "/" => format!("/{name}"),
            base => format!("{base}/{name}"),
        };
        let actor = Actor { who: &self.identity, umask: self.umask, now: self.machine.now() };
        self.machine.kernel().files.with(|files| {
            let is_there = |name: &str| {
                let stat = files.stat(&actor, &format!("{directory}/{name}"));
                if want_directory { stat.is_ok_and(|stat| stat.is_directory()) } else { true }
            };
            if !Pattern::is_special(name) {
                let plain = name.replace('\\', "");
                let exists = files.lstat(&actor, &format!("{directory}/{plain}")).is_ok();
                return if exists && is_there(&plain) { vec![path(&plain)] } else { Vec::new() };
            }
            let pattern = Pattern(name.to_owned());
            let entries = files.list(&actor, &directory).unwrap_or_default();
            entries
                .iter()
                .filter(|entry| !entry.name.starts_with('.') || name.starts_with('.'))
                // A pattern too long to be matched is longer than any name.
                .filter(|entry| pattern.fits(&entry.name) == Ok(true) && is_there(&entry.name))
                .map(|entry| path(&entry.name))
                .collect()
        })
    }
}
