//! `echo` and `print`: the shell's own ways to say something.

use super::redirect::RedirectEnd;
use super::{Flow, Shell};
use crate::stream::Output;
use crate::toybox::escape::{Escapes, unescape};

/// How words are said.
struct Saying {
    escapes: bool,
    newline: bool,
    /// What stands between the words.
    between: char,
    /// What stands at the end.
    end: char,
    output: Output,
}

impl Shell {
    /// `echo [-neE] [WORD...]`: words that only look like options are said.
    pub(super) async fn echo(&mut self, words: &[String]) -> Flow {
        let mut saying = self.saying(true);
        let mut rest = words;
        while let [option, more @ ..] = rest
            && let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty())
            && letters.bytes().all(|letter| b"neE".contains(&letter))
        {
            for letter in letters.chars() {
                match letter {
                    'n' => saying.newline = false,
                    letter => saying.escapes = letter == 'e',
                }
            }
            rest = more;
        }
        self.say_words(rest, &saying).await
    }

    /// `print [-AclNnpRrsu]`: as ksh has it.
    pub(super) async fn print(&mut self, words: &[String]) -> Flow {
        let mut saying = self.saying(true);
        let mut rest = words.to_vec();
        while let Some(option) = rest.first().filter(|word| word.len() > 1 && word.starts_with('-')).cloned()
        {
            rest.remove(0);
            let mut letters = &option[1..];
            while let Some(letter) = letters.chars().next().filter(|_| option != "--") {
                letters = &letters[letter.len_utf8()..];
                match letter {
                    'n' => saying.newline = false,
                    'r' | 'R' => saying.escapes = false,
                    'e' => saying.escapes = true,
                    'l' => (saying.between, saying.end) = ('\n', '\n'),
                    'N' => (saying.between, saying.end) = ('\0', '\0'),
                    's' => return self.conclude(0),
                    _ => {}
                }
                if !"nrRelNspu".contains(letter) {
                    return self.refuse_use("print", &format!("-{letter}: unknown option"), 1).await;
                }
                if "pu".contains(letter) {
                    let mut number = std::mem::take(&mut letters).to_owned();
                    if letter == 'p' {
                        number = "p".to_owned();
                    }
                    saying.output = match self.streams.named(&number, false) {
                        Some(RedirectEnd::Out(output)) => output,
                        _ if letter == 'p' => return self.refuse_use("print", "-p: no coprocess", 1).await,
                        _ => {
                            let problem = format!("-u{number}: bad file descriptor");
                            return self.refuse_use("print", &problem, 1).await;
                        }
                    };
                }
            }
            if option == "--" {
                break;
            }
        }
        if rest.first().is_some_and(|word| word == "-") {
            rest.remove(0);
        }
        self.say_words(&rest, &saying).await
    }

    fn saying(&self, escapes: bool) -> Saying {
        let output = self.streams.stdout.clone();
        Saying { escapes, newline: true, between: ' ', end: '\n', output }
    }

    async fn say_words(&mut self, words: &[String], saying: &Saying) -> Flow {
        let text = words.join(saying.between.encode_utf8(&mut [0; 4]));
        let (mut bytes, cut) =
            if saying.escapes { unescape(&text, Escapes::Builtin) } else { (text.into_bytes(), false) };
        if saying.newline && !cut {
            bytes.push(saying.end as u8);
        }
        let written = saying.output.write(bytes).await;
        self.written(written)
    }
}
