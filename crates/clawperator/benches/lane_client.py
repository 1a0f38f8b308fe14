"""What uiautomator2's own client takes for the steps of the benchmark `lane`."""

import json
import os
import sys
import time

import uiautomator2

X, Y, STEPS, TASKS = map(int, sys.argv[1:5])
APP = "com.clawperator.conformance"


def timed(rounds, work):
    """How long each round took, in seconds; the first one does not count."""
    work()
    times = []
    for _ in range(rounds):
        began = time.monotonic()
        work()
        times.append(time.monotonic() - began)
    return times


phone = uiautomator2.connect(os.environ["PHONE"])
phone.app_start(APP, wait=True)


def by_point():
    phone.click(X, Y)
    assert "Counter" in phone.dump_hierarchy()


def by_selector():
    phone(text="Increment").click()
    assert "Counter" in phone.dump_hierarchy()


def task():
    phone.app_start("com.android.settings", wait=True)
    phone(text="Settings").wait()
    phone(scrollable=True).scroll.to(text="About phone")
    phone(text="About phone").click()
    phone(text="Device name").get_text()
    phone.press("back")
    phone(scrollable=True).scroll.toBeginning()
    phone(text="Display").click()
    phone(text="Dark theme").click()
    phone(text="Dark theme").get_text()
    phone.press("back")
    phone.press("home")


point, selector = timed(STEPS, by_point), timed(STEPS, by_selector)
print(json.dumps({"point": point, "selector": selector, "task": timed(TASKS, task)}))
