"""BetterADBSync: folders in both directions. It reads errors and results of one
shell in their order, and a second run copies nothing."""

import filecmp
import os
import pathlib
import subprocess
import sys

from steps import see

home = pathlib.Path(os.environ["HOME"])
program = pathlib.Path(sys.executable).parent / "adbsync"


def sync(*words):
    """Runs it, and gives what it says about copying."""
    ended = subprocess.run(
        [str(program), "--adb-bin", os.environ["ADB"], *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    said = ended.stdout + ended.stderr
    see(" ".join(words), (ended.returncode, said), lambda seen: seen[0] == 0)
    return "nothing" if "Empty copy tree" in said else "something"


here, back = home / "here", home / "back"
(here / "deep" / "er").mkdir(parents=True)
(here / "one.txt").write_text("one\n")
(here / "deep" / "er" / "zwei ü.txt").write_text("two\n")
(here / "deep" / "bytes.bin").write_bytes(bytes(range(256)) * 500)
back.mkdir()
see("the first push copies", sync("push", f"{here}/", "/sdcard/there"), "something")
see("the second push copies", sync("push", f"{here}/", "/sdcard/there"), "nothing")
see("the first pull copies", sync("pull", "/sdcard/there/", str(back)), "something")
see("the second pull copies", sync("pull", "/sdcard/there/", str(back)), "nothing")
differs = filecmp.dircmp(here, back)
see("both folders", (differs.left_only, differs.right_only, differs.diff_files), ([], [], []))
see("deep down", (back / "deep" / "er" / "zwei ü.txt").read_text(), "two\n")
(here / "one.txt").write_text("another one\n")
os.utime(here / "one.txt", (1_900_000_000, 1_900_000_000))
see("a newer file is pushed", sync("push", f"{here}/", "/sdcard/there"), "something")
(here / "one.txt").unlink()
sync("--del", "push", f"{here}/", "/sdcard/there")
listed = subprocess.run([os.environ["ADB"], "shell", "ls /sdcard/there"], capture_output=True, text=True)
see("a removed file is removed there", listed.stdout.split(), ["deep"])
