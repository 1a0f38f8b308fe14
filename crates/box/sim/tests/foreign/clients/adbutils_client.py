"""adbutils, through an adb server."""

import io
import os

import adbutils
from steps import APP, centre, node, see

serial = os.environ["PHONE"]
client = adbutils.AdbClient(port=int(os.environ["ANDROID_ADB_SERVER_PORT"]))
see("the server's version", client.server_version(), lambda version: version >= 41)
see("listed", [device.serial for device in client.device_list()], [serial])
phone = client.device(serial)
see("its state", phone.get_state(), "device")
see("its features", phone.get_features(), lambda text: "shell_v2" in text)

see("getprop", phone.getprop("ro.build.version.sdk"), "34")
see("the model", phone.prop.model, "Sim Phone")
see("the size", tuple(phone.window_size()), (1080, 2400))
see("the rotation", phone.rotation(), 0)
see("the screen is on", phone.is_screen_on())
see("the battery", phone.battery().level, lambda level: 0 <= level <= 100)

phone.app_start(APP)
see("the app in front", phone.app_current().package, APP)
xml = phone.dump_hierarchy()
see("before the click", node(xml, "txt_counter").get("text"), "Counter: 0")
before = phone.screenshot()
see("the screenshot's size", before.size, (1080, 2400))
phone.click(*centre(node(xml, "btn_increment")))
see("after the click", node(phone.dump_hierarchy(), "txt_counter").get("text"), "Counter: 1")
after = phone.screenshot()
see("the screenshot changed", before.tobytes() != after.tobytes())
see("the framebuffer shows it too", phone.framebuffer().size, (1080, 2400))

see("shell", phone.shell("echo one; echo two >&2"), "one\ntwo")
for version in (True, False):
    ended = phone.shell2("echo out; (exit 7)", v2=version)
    see(f"shell2 with v2={version}", (ended.returncode, ended.output), (7, "out\n"))
ended = phone.shell2("echo out; echo err >&2", v2=True)
see("streams apart", (ended.stdout, ended.stderr), ("out\n", "err\n"))
stream = phone.shell("echo line; sleep 30", stream=True)
see("a stream's first line", stream.conn.recv(5), b"line\n")
stream.close()

contents = bytes(range(256)) * 4096
phone.sync.push(io.BytesIO(contents), "/sdcard/Download/one.bin")
see("stat", phone.sync.stat("/sdcard/Download/one.bin").size, len(contents))
see("exists", phone.sync.exists("/sdcard/Download/none.bin"), False)
see("list", [entry.path for entry in phone.sync.list("/sdcard/Download")], lambda names: "one.bin" in names)
see("read back", phone.sync.read_bytes("/sdcard/Download/one.bin") == contents)
phone.shell("echo 'Grüße' > /sdcard/Download/two.txt")
see("text", phone.sync.read_text("/sdcard/Download/two.txt"), "Grüße\n")
phone.remove("/sdcard/Download/one.bin")
see("removed", phone.sync.exists("/sdcard/Download/one.bin"), False)

see("packages", phone.list_packages(), lambda names: APP in names and "com.android.settings" in names)
see("app_info", phone.app_info(APP).version_name, "1.0.0")
phone.keyevent("HOME")
see("home", phone.app_current().package, lambda package: package != APP)
phone.app_stop(APP)
phone.open_browser("https://example.org/")
see("the browser", phone.app_current().package, "com.clawperator.browser")
phone.volume_up()
phone.swipe(500, 1800, 500, 600, 0.1)
phone.send_keys("abc")

port = phone.forward_port("tcp:7")
see("forwarded", [item.remote for item in client.forward_list()], ["tcp:7"])
with client.device(serial).create_connection(adbutils.Network.TCP, 7) as echo:
    echo.sendall(b"there and back")
    see("a connection into the phone", echo.recv(64), b"there and back")
phone.reverse("tcp:7100", "tcp:7101")
see("reversed", [(item.remote, item.local) for item in phone.reverse_list()], [("tcp:7100", "tcp:7101")])
see("logcat", phone.shell("logcat -d"), lambda text: "beginning of" in text)
