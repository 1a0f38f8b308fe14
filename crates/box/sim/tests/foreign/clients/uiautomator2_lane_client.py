"""uiautomator2 and clawperator share the server on the phone, in both orders."""

import json
import os
import subprocess
import sys

import uiautomator2
from steps import APP, see

SERIAL = os.environ["PHONE"]
HOW_MANY = "ps -A -o ARGS | grep -c '^app_process.*uia2.Main'"


def ours(*words):
    """What our program says."""
    line = [os.environ["CLAWPERATOR"], *words, "--device", SERIAL]
    environment = {**os.environ, "CLAWPERATOR_PYTHON": sys.executable, "CLAWPERATOR_LANE": "auto"}
    said = subprocess.run(line, capture_output=True, env=environment, check=False)
    return json.loads(said.stdout)


# The package starts its server, and our program uses it.
phone = uiautomator2.connect(SERIAL)
phone.app_start(APP)
see("the app in front", phone.app_current()["package"], APP)
state = ours("lane", "status")
see("our program sees the server", (state["running"], state["startedBy"]), (True, "another program"))
clicked = ours("click", "--text", "Increment")
see("a click of ours", (clicked["envelope"]["status"], clicked.get("lane")), ("success", "resident"))
see("what the package sees of it", phone(textStartsWith="Counter").get_text(), "Counter: 1")
see("servers", phone.shell(HOW_MANY).output.strip(), "1")
phone.stop_uiautomator()
see("our program without the server", ours("snapshot").get("lane"), None)

# Our program starts the server of the installed package, and the package uses it.
done = ours("lane", "setup")
see("set up", (done.get("running"), done.get("startedBy")), (True, "clawperator"))
see("the package's file", done["jar"]["version"], "0.4.1")
seen = ours("snapshot")
see("a look of ours", (seen["envelope"]["status"], seen.get("lane")), ("success", "resident"))
phone = uiautomator2.connect(SERIAL)
phone(text="Increment").click()
see("a click of the package", phone(textStartsWith="Counter").get_text(), "Counter: 2")
see("servers", phone.shell(HOW_MANY).output.strip(), "1")
read = ours("read", "--id", f"{APP}:id/txt_counter")
see("what our program sees of it", read["envelope"]["stepResults"][0]["data"]["text"], "Counter: 2")
see("removed", ours("lane", "remove").get("removed"), True)
see("servers", phone.shell(HOW_MANY).output.strip(), "0")
see("files", "clawperator" in phone.shell("ls /data/local/tmp").output, False)
see("without the server again", ours("snapshot").get("lane"), None)
