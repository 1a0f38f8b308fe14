"""mobly: a controller of Android devices, with a reboot."""

import logging
import os

from mobly.controllers import android_device
from mobly.controllers.android_device_lib import adb
from steps import see

adb.ADB = os.environ["ADB"]
logging.log_path = os.environ["HOME"]
see("listed", android_device.list_adb_devices(), [os.environ["PHONE"]])
(phone,) = android_device.create([os.environ["PHONE"]])
see("the build", phone.build_info["build_version_sdk"], "34")
see("booted", phone.is_boot_completed(), True)
see("root", phone.is_adb_root, False)
see("the log is followed", phone.services.logcat.is_alive, True)
see("the address", phone.adb.shell("ip -f inet addr show wlan0").decode(), lambda text: "inet 10.0.2.15/24" in text)
see("a command", phone.adb.has_shell_command("screencap"), True)
picture = phone.take_screenshot(os.environ["HOME"])
see("a picture", open(picture, "rb").read(8), b"\x89PNG\r\n\x1a\n")
phone.adb.shell("echo kept > /sdcard/kept")
phone.reboot()
see("booted again", phone.is_boot_completed(), True)
see("its files are there", phone.adb.shell("cat /sdcard/kept"), b"kept\n")
see("the log is followed again", phone.services.logcat.is_alive, True)
android_device.destroy([phone])
