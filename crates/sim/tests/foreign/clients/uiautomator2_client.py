"""uiautomator2: its server runs on the phone, and is asked over HTTP."""

import os

import uiautomator2
from steps import APP, see

phone = uiautomator2.connect(os.environ["PHONE"])
see("info", (phone.info["displayWidth"], phone.info["displayHeight"]), (1080, 2400))
see("the window's size", phone.window_size(), (1080, 2400))
phone.app_start(APP)
see("the app in front", phone.app_current()["package"], APP)
see("a dump", phone.dump_hierarchy(), lambda xml: "Counter: 0" in xml)
phone(resourceId=f"{APP}:id/btn_increment").click()
see("after a click by id", phone(resourceId=f"{APP}:id/txt_counter").get_text(), "Counter: 1")
phone(text="Increment").click()
see("after a click by text", phone(textStartsWith="Counter").get_text(), "Counter: 2")
phone.xpath("//*[@text='Increment']").click()
see("after a click by path", phone(textContains="ounter").get_text(), "Counter: 3")
see("exists", (bool(phone(text="Increment").exists), bool(phone(text="Nothing").exists)), (True, False))
see("a screenshot", phone.screenshot().size, (1080, 2400))
phone.press("home")
see("home", phone.app_current()["package"], lambda package: package != APP)
phone.app_start("com.clawperator.form", ".SearchActivity")
field = phone(className="android.widget.EditText", instance=0)
field.set_text("Ada Löwe")
see("a text set", field.get_text(), "Ada Löwe")
field.clear_text()
see("a text cleared", field.get_text(), lambda text: "Ada" not in (text or ""))
see("a shell", phone.shell("echo $((6*7))").output, "42\n")
phone.app_stop("com.clawperator.form")
phone.stop_uiautomator()
