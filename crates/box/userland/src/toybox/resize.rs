//! Commands that make files longer or shorter: `truncate`, `fallocate`.

use super::change::each;
use super::options::{integer, options};
use super::{BasicCommand, row};
use crate::call::Call;
use crate::machine::ExitResult;
use crate::{Actor, Errno, FileSystem};

pub(super) const ROWS: &[BasicCommand] = &[
    row!("truncate", "[-c] -s SIZE FILE...", truncate),
    row!("fallocate", "[-l SIZE] [-o OFFSET] FILE", fallocate),
];

async fn truncate(call: &mut Call) -> ExitResult {
    let given = options(call, "<1s:|c")?;
    let text = given.value('s').unwrap_or("");
    let sign = text.chars().next();
    let amount = integer(text.trim_start_matches(['+', '-']))?.max(0) as u64;
    let create = !given.has('c');
    each(call, &given.operands, move |files, actor, path| {
        let old = files.stat(actor, path).ok().map(|stat| stat.size);
        if old.is_none() && !create {
            return Ok(());
        }
        let old = old.unwrap_or(0);
        let size = match sign {
            Some('+') => old.saturating_add(amount),
            Some('-') => old.saturating_sub(amount),
            _ => amount,
        };
        resize(files, actor, path, size)
    })
    .await
}

async fn fallocate(call: &mut Call) -> ExitResult {
    let given = options(call, ">1l#|o#")?;
    let number = |letter| given.number(letter).unwrap_or(0).max(0) as u64;
    let end = number('l').saturating_add(number('o'));
    each(call, &given.operands, move |files, actor, path| {
        let old = files.stat(actor, path).map_or(0, |stat| stat.size);
        resize(files, actor, path, old.max(end))
    })
    .await
}

/// Cuts a file, or fills it up with zeros.
fn resize(files: &mut FileSystem, actor: &Actor<'_>, path: &str, size: u64) -> Result<(), Errno> {
    files.append(actor, path, b"")?;
    let old = files.read(actor, path)?;
    if size <= old.len() as u64 {
        return files.write(actor, path, old.slice(..usize::try_from(size).map_err(|_| Errno::TooBig)?));
    }
    files.write_at(actor, path, (size - 1, b"\0"))
}
