"""pure-python-adb, through an adb server."""

import os
import pathlib

from ppadb.client import Client
from steps import APP, centre, node, see

client = Client(host="127.0.0.1", port=int(os.environ["ANDROID_ADB_SERVER_PORT"]))
see("the server's version", client.version(), lambda version: version >= 41)
phone = client.device(os.environ["PHONE"])
see("its state", phone.get_state(), "device")
see("its properties", phone.get_properties()["ro.product.model"], "Sim Phone")
see("its size", tuple(phone.wm_size()), (1080, 2400))
see("its battery", phone.get_battery_level(), 85)
see("packages", phone.list_packages(), lambda names: APP in names)
see("installed", (phone.is_installed(APP), phone.is_installed("com.example.none")), (True, False))

phone.shell(f"am start -n {APP}/.MainActivity")
see("the activity in front", phone.get_top_activity().package, APP)
xml = phone.shell("uiautomator dump /dev/tty").split("UI hier")[0]
phone.input_tap(*centre(node(xml, "btn_increment")))
xml = phone.shell("uiautomator dump /dev/tty").split("UI hier")[0]
see("after the tap", node(xml, "txt_counter").get("text"), "Counter: 1")
see("a picture", bytes(phone.screencap()[:8]), b"\x89PNG\r\n\x1a\n")

pid = phone.get_pid(APP)
see("its process", pid, str.isdigit)
see("its user", phone.get_uid(APP), lambda uid: int(uid) >= 10000)
see("its version", phone.get_package_version_name(APP), "1.0.0")
see("its threads", phone.get_tids(pid), lambda tids: pid in tids)
see("its time", phone.get_pid_cpu(pid).name, lambda name: name.startswith("("))
see("all its threads' times", phone.get_all_thread_cpu(pid), lambda times: pid in times)
see("processors", phone.cpu_count(), 8)
see("the processors' time", phone.get_total_cpu().idle, lambda idle: idle >= 0)

here = pathlib.Path(os.environ["HOME"])
(here / "one.bin").write_bytes(bytes(range(256)) * 1000)
phone.push(str(here / "one.bin"), "/sdcard/one.bin")
phone.pull("/sdcard/one.bin", str(here / "back.bin"))
see("pushed and pulled", (here / "back.bin").read_bytes() == (here / "one.bin").read_bytes())
phone.forward("tcp:7391", "tcp:7")
see("forwarded", phone.list_forward(), {"tcp:7391": "tcp:7"})
phone.killforward_all()
