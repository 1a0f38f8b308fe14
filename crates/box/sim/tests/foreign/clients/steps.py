"""What the Python clients' tests share: steps that say what they saw."""

import re
import xml.etree.ElementTree as ElementTree

APP = "com.clawperator.conformance"


def see(what, seen, wanted=True):
    """Prints what was seen; ends the test if it is not what was wanted."""
    holds = wanted(seen) if callable(wanted) else seen == wanted
    shown = repr(seen)
    shown = shown if len(shown) <= 200 else f"{shown[:200]}…"
    print(f"{'ok  ' if holds else 'FAIL'} {what}: {shown}", flush=True)
    if not holds:
        raise SystemExit(f"{what}: {shown} is not what was wanted")


def node(xml, name):
    """The node of a dump with that resource name."""
    wanted = f"{APP}:id/{name}"
    for found in ElementTree.fromstring(xml).iter("node"):
        if found.get("resource-id") == wanted:
            return found
    raise SystemExit(f"no {wanted} in {xml}")


def centre(found):
    """Where to touch a node."""
    left, top, right, bottom = map(int, re.findall(r"\d+", found.get("bounds")))
    return (left + right) // 2, (top + bottom) // 2
