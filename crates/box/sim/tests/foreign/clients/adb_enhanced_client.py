"""adb-enhanced: a command line of its own, around adb's."""

import os
import pathlib
import subprocess
import sys

from steps import APP, see

adb = pathlib.Path(os.environ["ADB"])
home = pathlib.Path(os.environ["HOME"])
environment = {**os.environ, "PATH": f"{adb.parent}:{os.environ['PATH']}"}
program = pathlib.Path(sys.executable).parent / "adbe"


def adbe(words, wanted=""):
    """Runs it; it must end well and say this."""
    ended = subprocess.run(
        [str(program), *words.split()], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    said = ended.stdout + ended.stderr
    see(words, (ended.returncode, said), lambda seen: seen[0] == 0 and wanted in seen[1])


def phone(command):
    """What a command of the phone prints."""
    return subprocess.run([str(adb), "shell", command], capture_output=True, text=True).stdout


adbe("devices", "Model: Sim Phone")
adbe(f"start {APP}")
adbe("top-activity", APP)
adbe(f"app info {APP}", "Version: 1.0.0")
adbe(f"app path {APP}", "base.apk")
adbe("apps list third-party", APP)
adbe("battery level 50")
adbe("battery reset")
adbe("battery saver on")
adbe("battery saver off")
adbe("dark mode on")
adbe("dark mode off")
adbe("doze on")
see("dozing", phone("dumpsys deviceidle get deep"), "IDLE\n")
adbe("doze off")
see("awake", phone("dumpsys deviceidle get deep"), "ACTIVE\n")
adbe("wifi off")
adbe("wifi on")
adbe("alarm all", "TIME_TICK")
adbe("alarm pending", "Pending Alarms")
adbe("alarm history", APP)
adbe("mobile-data saver on")
see("data saver", phone("cmd netpolicy get restrict-background"), "Restrict background status: enabled\n")
adbe("mobile-data saver off")
see("no data saver", phone("dumpsys netpolicy"), lambda text: "Restrict background: false" in text)
adbe("rotate landscape")
adbe("rotate portrait")
adbe(f"standby-bucket set {APP} rare")
adbe(f"standby-bucket get {APP}", "rare")
adbe(f"dump-ui {home}/screen.xml")
see("the dump", (home / "screen.xml").read_text(), lambda xml: "Counter: 0" in xml)
adbe(f"screenshot {home}/screen.png")
see("the picture", (home / "screen.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
adbe("input-text hi")
adbe("press back")
adbe(f"force-stop {APP}")
adbe(f"clear-data {APP}")
