"""adb-shell: pure Python, straight to the phone, with a key of its own."""

import io
import os
import tempfile

from adb_shell.adb_device import AdbDeviceTcp
from adb_shell.auth.keygen import keygen
from adb_shell.auth.sign_pythonrsa import PythonRSASigner
from steps import APP, centre, node, see

host, port = os.environ["PHONE"].split(":")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "adbkey")
    keygen(path)
    signer = PythonRSASigner.FromRSAKeyPath(path)


def connect():
    phone = AdbDeviceTcp(host, int(port), default_transport_timeout_s=9.0)
    see("connected", phone.connect(rsa_keys=[signer], auth_timeout_s=5))
    return phone


phone = connect()
see("shell", phone.shell("getprop ro.product.model"), "Sim Phone\n")
see("the exit code, by hand", phone.shell("false; echo $?"), "1\n")
see("exec_out", phone.exec_out("screencap -p", decode=False)[:8], b"\x89PNG\r\n\x1a\n")
see("streaming", list(phone.streaming_shell("echo a; echo b")), lambda parts: "".join(parts) == "a\nb\n")

contents = bytes(range(251)) * 5000
with tempfile.TemporaryDirectory() as folder:
    here, back = os.path.join(folder, "here"), os.path.join(folder, "back")
    with open(here, "wb") as file:
        file.write(contents)
    phone.push(here, "/sdcard/adb-shell.bin")
    see("stat", phone.stat("/sdcard/adb-shell.bin")[1], len(contents))
    phone.pull("/sdcard/adb-shell.bin", back)
    with open(back, "rb") as file:
        see("pulled what was pushed", file.read() == contents)
taken = io.BytesIO()
phone.pull("/sdcard/adb-shell.bin", taken)
see("pulled into memory", taken.getvalue() == contents)
names = [entry.filename for entry in phone.list("/sdcard")]
see("list", names, lambda names: b"adb-shell.bin" in names)
see("nothing there", phone.stat("/sdcard/none"), (0, 0, 0))

phone.shell(f"am start -n {APP}/.MainActivity")
xml = phone.exec_out("uiautomator dump /dev/tty").partition("UI hier")[0]
x, y = centre(node(xml, "btn_increment"))
phone.shell(f"input tap {x} {y}")
xml = phone.exec_out("uiautomator dump /dev/tty").partition("UI hier")[0]
see("after the tap", node(xml, "txt_counter").get("text"), "Counter: 1")
phone.close()

# The phone knows the key now: a signature is enough.
again = connect()
see("again", again.shell("echo again"), "again\n")
again.close()
