//! Builtins that change the shell's variables, options and directory.

use super::{Flow, Shell};

impl Shell {
    pub(super) async fn cd(&mut self, words: &[String]) -> Flow {
        let words = match Self::split_options("LPe", words) {
            Ok((_, words)) => words,
            Err(problem) => return self.refuse_use("cd", &problem, 2).await,
        };
        let (target, tells) = match words {
            [] => (self.variable("HOME").map(str::to_owned).ok_or("no home directory (HOME not set)"), false),
            [word] if word == "-" => (self.variable("OLDPWD").map(str::to_owned).ok_or("no OLDPWD"), true),
            [path] => (Ok(path.clone()), false),
            [from, to] if self.cwd.contains(from.as_str()) => (Ok(self.cwd.replacen(from, to, 1)), true),
            [_, _] => (Err("bad substitution"), false),
            _ => (Err("too many arguments"), false),
        };
        let target = match target {
            Ok(target) if target.is_empty() => self.cwd.clone(),
            Ok(target) => target,
            Err(problem) => return self.refuse_use("cd", problem, 2).await,
        };
        let before = self.cwd.clone();
        match self.change_directory(&target) {
            Ok(()) => {
                self.set_env("OLDPWD", &before);
                let told = if tells { format!("{}\n", self.cwd) } else { String::new() };
                self.say(&told).await
            }
            Err(error) => self.refuse_use("cd", &format!("{target}: {error}"), 2).await,
        }
    }

    pub(super) async fn pwd(&mut self, words: &[String]) -> Flow {
        let physical = match Self::split_options("LP", words) {
            Ok((options, _)) => options.ends_with('P'),
            Err(problem) => return self.refuse_use("pwd", &problem, 1).await,
        };
        let call = self.call_with(Vec::new(), self.streams.clone());
        let real = call.files(|files, actor| files.canonical(actor, &self.cwd));
        let place = real.ok().filter(|_| physical).unwrap_or_else(|| self.cwd.clone());
        self.say(&format!("{place}\n")).await
    }

    pub(super) async fn shift(&mut self, words: &[String]) -> Flow {
        let word = words.first().map_or("1", String::as_str);
        let count = self.evaluate(word).ok().and_then(|count| usize::try_from(count).ok());
        match count.filter(|count| *count <= self.positional.len()) {
            Some(count) => {
                self.positional.drain(..count);
                self.conclude(0)
            }
            None => self.refuse_use("shift", "nothing to shift", 1).await,
        }
    }

    pub(super) async fn umask_builtin(&mut self, words: &[String]) -> Flow {
        let (options, words) = match Self::split_options("S", words) {
            Ok(split) => split,
            Err(problem) => return self.refuse_use("umask", &problem, 1).await,
        };
        let Some(word) = words.first() else {
            let rights = |shift: u32| {
                let bits = !self.umask >> shift;
                let letters = [(4, 'r'), (2, 'w'), (1, 'x')].into_iter().filter(|(bit, _)| bits & bit != 0);
                letters.map(|(_, letter)| letter).collect::<String>()
            };
            let symbolic = format!("u={},g={},o={}\n", rights(6), rights(3), rights(0));
            let octal = format!("{:03o}", self.umask);
            let lead = if octal.starts_with('0') { "" } else { "0" };
            let text = if options.is_empty() { format!("{lead}{octal}\n") } else { symbolic };
            return self.say(&text).await;
        };
        let mask = if word.starts_with(|first: char| first.is_ascii_digit()) {
            u32::from_str_radix(word, 8).map_err(|_| "bad number")
        } else {
            crate::toybox::mode_of(word, !self.umask & 0o777, false).map(|mode| !mode).ok_or("bad mask")
        };
        match mask {
            Ok(mask) => {
                self.umask = mask & 0o777;
                self.conclude(0)
            }
            Err(problem) => self.refuse_use("umask", problem, 1).await,
        }
    }

    pub(super) async fn ulimit(&mut self, words: &[String]) -> Flow {
        let known: String = LIMITS.iter().map(|limit| limit.0).chain("aHS".chars()).collect();
        let (options, words) = match Self::split_options(&known, words) {
            Ok(split) => split,
            Err(problem) => return self.refuse_use("ulimit", &problem, 1).await,
        };
        let value = |limit: &(char, &str, &str)| {
            self.limits.get(&limit.0).cloned().unwrap_or_else(|| limit.2.to_owned())
        };
        if options.contains('a') {
            let lines = LIMITS.iter().map(|limit| format!("-{}: {:<22}{}\n", limit.0, limit.1, value(limit)));
            return self.say(&lines.collect::<String>()).await;
        }
        let letter = options.chars().rfind(|letter| !"HS".contains(*letter)).unwrap_or('f');
        let Some(limit) = LIMITS.iter().find(|limit| limit.0 == letter) else {
            return self.conclude(1);
        };
        match words {
            [] => self.say(&format!("{}\n", value(limit))).await,
            [word] if word == "unlimited" || word.parse::<u32>().is_ok() => {
                self.limits.insert(letter, word.clone());
                self.conclude(0)
            }
            [word] => self.refuse_use("ulimit", &format!("invalid {} limit: {word}", limit.1), 1).await,
            _ => self.refuse_use("ulimit", "too many arguments", 1).await,
        }
    }
}

/// What `ulimit` knows: a letter, its words, and the value at the start. Nothing is bounded by them.
const LIMITS: &[(char, &str, &str)] = &[
    ('t', "time(cpu-seconds)", "unlimited"),
    ('f', "file(blocks)", "unlimited"),
    ('c', "coredump(blocks)", "0"),
    ('d', "data(KiB)", "unlimited"),
    ('s', "stack(KiB)", "8192"),
    ('l', "lockedmem(KiB)", "65536"),
    ('n', "nofiles(descriptors)", "32768"),
    ('p', "processes", "unlimited"),
    ('v', "address-space(KiB)", "unlimited"),
];
