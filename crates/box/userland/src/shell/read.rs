//! `read` and `getopts`: words and options into variables.

use super::redirect::RedirectEnd;
use super::token::is_name;
use super::{Flow, Shell, ShellFault};
use crate::limits;
use crate::stream::Input;
use std::time::Duration;

/// How `read` reads.
#[derive(Default)]
struct Reading {
    /// `r`, `A` (an array of words), `a` (one of the codes of the letters), `N` (exactly so many bytes).
    letters: String,
    end: Option<u8>,
    /// At most this many bytes.
    most: Option<usize>,
    time: Option<Duration>,
}

/// Where `getopts` is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OptionPlace {
    /// What `OPTIND` was set to; where it is something else, it all begins there.
    told: usize,
    /// The word, counted from 1, and the place in it.
    index: usize,
    at: usize,
}

impl Shell {
    pub(super) async fn read(&mut self, words: &[String]) -> Flow {
        let mut reading = Reading::default();
        let mut input = self.streams.stdin.clone();
        let mut words = words.to_vec();
        while let Some(option) = words.first().filter(|word| word.len() > 1 && word.starts_with('-')).cloned()
        {
            words.remove(0);
            if option == "--" {
                break;
            }
            let mut rest = &option[1..];
            while let Some(letter) = rest.chars().next() {
                rest = &rest[letter.len_utf8()..];
                let mut text = String::new();
                if letter == 'u' {
                    text = std::mem::take(&mut rest).to_owned();
                } else if "dnNt".contains(letter) {
                    if rest.is_empty() && words.is_empty() {
                        return self.refuse_use("read", &format!("-{letter}: requires an argument"), 2).await;
                    }
                    text =
                        if rest.is_empty() { words.remove(0) } else { std::mem::take(&mut rest).to_owned() };
                }
                let done = match letter {
                    'u' | 'p' => {
                        self.input(if letter == 'p' { "p" } else { &text }).map(|found| input = found)
                    }
                    letter => reading.option(letter, &text),
                };
                if let Err(problem) = done {
                    return self.refuse_use("read", &problem, 2).await;
                }
            }
        }
        // A prompt is for a terminal.
        if let Some(first) = words.first_mut()
            && let Some(at) = first.find('?')
        {
            first.truncate(at);
        }
        if words.is_empty() {
            words.push("REPLY".to_owned());
        }
        let (text, code) = match reading.time {
            Some(time) => {
                let machine = self.machine.clone();
                tokio::select! {
                    biased;
                    read = reading.text(&input) => read,
                    () = machine.sleep(time) => (String::new(), 142),
                }
            }
            None => reading.text(&input).await,
        };
        match self.take_fields(&reading, &words, &text) {
            Ok(()) => self.conclude(code),
            Err(ShellFault(what, code)) => self.refuse_use("read", &what, code).await,
        }
    }

    /// The input of a number, or of the co-process.
    fn input(&self, number: &str) -> Result<Input, String> {
        match self.streams.named(number, true) {
            Some(RedirectEnd::In(input)) => Ok(input),
            _ if number.is_empty() => Ok(self.streams.stdin.clone()),
            _ if number == "p" => Err("-p: no coprocess".to_owned()),
            _ => Err(format!("-u{number}: bad file descriptor")),
        }
    }

    fn take_fields(&mut self, reading: &Reading, names: &[String], text: &str) -> Result<(), ShellFault> {
        if reading.has('a') {
            let codes: Vec<String> = text.chars().map(|next| u32::from(next).to_string()).collect();
            return self.set_elements(&names[0], &codes, true);
        }
        let separators = self.variable("IFS").unwrap_or(" \t\n").to_owned();
        let blank =
            |(next, quoted): (char, bool)| !quoted && separators.contains(next) && next.is_ascii_whitespace();
        let parts = |(next, quoted): (char, bool)| !quoted && separators.contains(next);
        let letters = unescaped(text, reading.has('r'));
        let mut rest = &letters[letters.iter().take_while(|next| blank(**next)).count()..];
        let mut values = Vec::new();
        while reading.has('A') && !rest.is_empty() || !reading.has('A') && values.len() < names.len() {
            let is_last = !reading.has('A') && values.len() + 1 == names.len();
            let end = rest.iter().position(|next| parts(*next)).unwrap_or(rest.len());
            let mut after = end + rest[end..].iter().take_while(|next| blank(**next)).count();
            if rest.get(after).is_some_and(|next| parts(*next)) {
                after += 1;
                after += rest[after..].iter().take_while(|next| blank(**next)).count();
            }
            // The last name takes the rest, unless nothing is behind its first word.
            let whole = is_last && after < rest.len();
            let trimmed = rest.len() - rest.iter().rev().take_while(|next| blank(**next)).count();
            let cut = if whole { trimmed } else { end };
            values.push(rest[..cut].iter().map(|(next, _)| next).collect::<String>());
            rest = &rest[after..];
        }
        if reading.has('A') {
            return self.set_elements(&names[0], &values, true);
        }
        names.iter().zip(values).try_for_each(|(name, value)| self.assign_named(name, value))
    }

    fn assign_named(&mut self, name: &str, value: String) -> Result<(), ShellFault> {
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(ShellFault(format!("read-only: {name}"), 2));
        }
        self.assign(name, value)
    }

    /// `getopts OPTIONS NAME [WORD...]`: the next option, with the place in `OPTIND`.
    pub(super) async fn getopts(&mut self, words: &[String]) -> Flow {
        let [options, name, given @ ..] = words else {
            let what = if words.is_empty() { "options" } else { "name" };
            return self.refuse_use("getopts", &format!("{what}: missing argument"), 1).await;
        };
        if !is_name(name) {
            return self.refuse_use("getopts", &format!("{name}: is not an identifier"), 1).await;
        }
        let all = if given.is_empty() { self.positional.clone() } else { given.to_vec() };
        let done = self.next_option(options, name, &all);
        match done {
            Ok((code, problem)) => {
                if let Some(problem) = problem {
                    self.complain(&problem).await;
                }
                self.conclude(code)
            }
            Err(fault) => self.flow(Err(fault)).await,
        }
    }

    fn next_option(
        &mut self,
        options: &str,
        name: &str,
        words: &[String],
    ) -> Result<(u8, Option<String>), ShellFault> {
        let (quiet, known) = options.strip_prefix(':').map_or((false, options), |rest| (true, rest));
        let told: usize = self.variable("OPTIND").and_then(|text| text.parse().ok()).unwrap_or(1).max(1);
        if self.option_place.told != told {
            self.option_place = OptionPlace { told, index: told, at: 0 };
        }
        let OptionPlace { mut index, mut at, .. } = self.option_place;
        let word = words.get(index - 1).map_or("", String::as_str);
        if at == 0 && (word.len() < 2 || !word.starts_with('-') || word == "--") {
            index += usize::from(word == "--");
            self.option_place = OptionPlace { told: index, index, at: 0 };
            self.assign("OPTIND", index.to_string())?;
            self.assign(name, "?".to_owned())?;
            return Ok((1, None));
        }
        at = at.max(1);
        let letter = word[at..].chars().next().unwrap_or('?');
        at += letter.len_utf8();
        let found = known.find(letter).filter(|_| letter != ':');
        let takes = found.is_some_and(|found| known[found + letter.len_utf8()..].starts_with(':'));
        let mut value = None;
        if takes && at < word.len() {
            value = Some(word[at..].to_owned());
            at = word.len();
        } else if takes {
            value = words.get(index).cloned();
            index += usize::from(value.is_some());
            at = usize::MAX;
        }
        // The next word is reported as soon as this one has begun.
        let told = index + 1;
        if at >= word.len() {
            (index, at) = (told, 0);
        }
        let (shown, problem, argument) = match (found, takes && value.is_none()) {
            (Some(_), false) => (letter.to_string(), None, value),
            (None, _) => ("?".to_owned(), Some("unknown option"), Some(letter.to_string())),
            (Some(_), true) => {
                let shown = if quiet { ":" } else { "?" };
                (shown.to_owned(), Some("requires an argument"), Some(letter.to_string()))
            }
        };
        self.option_place = OptionPlace { told, index, at };
        self.assign("OPTIND", told.to_string())?;
        self.assign(name, shown)?;
        match argument.filter(|_| quiet || problem.is_none()) {
            Some(argument) => self.assign("OPTARG", argument)?,
            None => drop(std::sync::Arc::make_mut(&mut self.variables).remove("OPTARG")),
        }
        Ok((0, problem.filter(|_| !quiet).map(|problem| format!("-{letter}: {problem}"))))
    }
}

impl Reading {
    fn has(&self, letter: char) -> bool {
        self.letters.contains(letter)
    }

    fn option(&mut self, letter: char, text: &str) -> Result<(), String> {
        let number = || text.parse::<usize>().map_err(|_| format!("bad number: {text}"));
        match letter {
            'r' | 's' | 'A' | 'a' => {}
            'd' => self.end = Some(text.bytes().next().unwrap_or(0)),
            'n' | 'N' => self.most = Some(number()?),
            't' => {
                let time = text.parse::<f64>().ok().and_then(|time| Duration::try_from_secs_f64(time).ok());
                self.time = Some(time.ok_or_else(|| format!("invalid timeout: {text}"))?);
            }
            letter => return Err(format!("-{letter}: unknown option")),
        }
        self.letters.push(letter);
        Ok(())
    }

    /// The line, and the exit code.
    async fn text(&self, input: &Input) -> (String, u8) {
        let end = self.end.unwrap_or(b'\n');
        let mut line: Vec<u8> = Vec::new();
        let mut code = 1;
        while let Some(mut piece) = input.read().await {
            let room = self.most.unwrap_or(limits::MAX_LINE).saturating_sub(line.len());
            let found = if self.has('N') { None } else { piece.iter().position(|byte| *byte == end) };
            let length = found.map_or(piece.len(), |at| at + 1).min(room);
            let head = piece.split_to(length);
            input.put_back(piece).await;
            line.extend_from_slice(&head);
            let ended = found.is_some_and(|at| at < room);
            if ended {
                line.pop();
                let slashes = line.iter().rev().take_while(|byte| **byte == b'\\').count();
                if !self.has('r') && end == b'\n' && slashes % 2 == 1 {
                    line.pop();
                    continue;
                }
            }
            if ended || length >= room {
                code = 0;
                break;
            }
        }
        line.retain(|byte| *byte != 0);
        (String::from_utf8_lossy(&line).into_owned(), code)
    }
}

/// The letters of a line, and which of them a backslash protects.
fn unescaped(line: &str, raw: bool) -> Vec<(char, bool)> {
    let mut letters = Vec::new();
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        match next {
            '\\' if !raw => letters.extend(rest.next().map(|next| (next, true))),
            next => letters.push((next, false)),
        }
    }
    letters
}
