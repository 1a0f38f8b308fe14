"""airtest, with its methods that need nothing on the phone."""

import logging
import os

from airtest.core.android.android import Android
from steps import APP, centre, node, see

logging.getLogger("airtest").setLevel(logging.ERROR)
port = int(os.environ["ANDROID_ADB_SERVER_PORT"])
phone = Android(
    serialno=os.environ["PHONE"],
    host=["127.0.0.1", port],
    cap_method="ADBCAP",
    touch_method="ADBTOUCH",
    ime_method="ADBIME",
    adb_path=os.environ["ADB"],
)
adb = phone.adb
see("the version", adb.sdk_version, 34)
see("the display", (adb.display_info["width"], adb.display_info["height"]), (1080, 2400))
see("the address", adb.get_ip_address(), "10.0.2.15")
see("the storage", adb.get_storage(), lambda size: size is not None)
see("the processors", adb.get_cpuinfo()["cpuNum"], 8)
see("their clock", adb.get_cpufreq(), lambda clock: clock is not None)
see("the screen", (adb.is_screenon(), adb.is_locked(), adb.is_keyboard_shown()), (True, False, False))
phone.start_app(APP)
see("the activity in front", phone.get_top_activity()[0], APP)
see("an app's file", adb.path_app(APP), lambda path: path.endswith("base.apk"))
see("a picture", phone.snapshot().shape, (2400, 1080, 3))
xml = adb.shell("uiautomator dump /dev/tty").split("UI hier")[0]
phone.touch(centre(node(xml, "btn_increment")))
xml = adb.shell("uiautomator dump /dev/tty").split("UI hier")[0]
see("after the touch", node(xml, "txt_counter").get("text"), "Counter: 1")
phone.swipe((500, 1800), (500, 600))
phone.text("abc", enter=False)
phone.keyevent("HOME")
see("home", phone.get_top_activity()[0], lambda package: package != APP)
phone.stop_app(APP)
