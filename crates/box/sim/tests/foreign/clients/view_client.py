"""AndroidViewClient, through an adb server."""

import os
import sys

# It reads the command line of whoever imports it.
sys.argv = sys.argv[:1]

from com.dtmilano.android.adb import adbclient
from com.dtmilano.android.viewclient import ViewClient
from steps import APP, see

serial = os.environ["PHONE"]
port = int(os.environ["ANDROID_ADB_SERVER_PORT"])
phone = adbclient.AdbClient(serial, hostname="127.0.0.1", port=port)
display = phone.getDisplayInfo()
see("the display", (display["width"], display["height"], display["orientation"]), (1080, 2400, 0))
see("the version", (phone.getSdkVersion(), phone.getProperty("ro.product.model")), (34, "Sim Phone"))
phone.startActivity(f"{APP}/.MainActivity")
see("the activity in front", phone.getTopActivityName(), f"{APP}/.MainActivity")
see("the screen", (phone.isScreenOn(), phone.isLocked(), phone.isKeyboardShown()), (True, False, False))
views = ViewClient(phone, serial, autodump=False, useuiautomatorhelper=False, startviewserver=False)
views.dump(window=-1)
views.findViewWithTextOrRaise("Increment").touch()
views.dump(window=-1)
counter = views.findViewByIdOrRaise(f"{APP}:id/txt_counter")
see("after the touch", counter.getText(), "Counter: 1")
see("a picture", phone.takeSnapshot(reconnect=True).size, (1080, 2400))
phone.drag((500, 1800), (500, 600), 300)
phone.type("abc")
phone.press("HOME")
see("home", phone.getTopActivityName(), lambda name: APP not in name)
