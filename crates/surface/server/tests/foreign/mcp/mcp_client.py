"""The official Python SDK: an agent's client of `clawperator mcp` and `/mcp`.

PROGRAM is the program to start; with MCP_URL and TOKEN it asks that server
instead. MODE is how the client begins: auto takes the newest protocol."""

import asyncio
import os
import re

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

APP = "com.clawperator.conformance"
FIELD = r"(@e\d+) textfield"
MODE = os.environ.get("MODE", "auto")


def see(what, seen, wanted):
    """Prints what was seen; ends the test if it is not what was wanted."""
    print(f"{'ok  ' if wanted(seen) else 'FAIL'} {what}: {seen!r:.300}", flush=True)
    if not wanted(seen):
        raise SystemExit(f"{what}: {seen!r}")


def server():
    url = os.environ.get("MCP_URL")
    if url is None:
        return StdioServerParameters(
            command=os.environ["PROGRAM"], args=["mcp"], env=dict(os.environ)
        )
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    return streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=60))


class Agent:
    """Calls tools; without a session it says which phone and what it saw."""

    def __init__(self, client):
        self.client = client
        self.known = {}

    async def call(self, tool, arguments, **more):
        result = await self.client.call_tool(tool, {**arguments, **self.known}, **more)
        text = "\n".join(block.text for block in result.content if block.type == "text")
        last = text.rsplit("\n", 1)[-1]
        if last.startswith("since: "):
            self.known["since"] = last.removeprefix("since: ")
        if result.is_error:
            raise SystemExit(f"{tool}: {text}")
        return text


async def main():
    async with Client(server(), mode=MODE) as client:
        print(f"     protocol {client.protocol_version}, {client.server_info}")
        see("server", client.server_info.name, lambda name: name == "clawperator")
        agent = Agent(client)
        tools = [tool.name for tool in (await client.list_tools()).tools]
        see("tools", tools, lambda names: {"observe", "act"} <= set(names) and len(names) <= 10)
        phone = await agent.call("device", {"start": True})
        see("a phone", phone, lambda text: "127.0.0.1" in text or "emulator" in text or "sim" in text)
        if phone.startswith("send device: "):
            agent.known["device"] = phone.split()[2]
        steps = [{"do": "open", "on": "com.clawperator.form"}, {"do": "tap", "on": "Notes"}]
        form = await agent.call("act", {"steps": steps})
        see("a form", form, lambda text: re.search(FIELD, text))
        name = re.search(FIELD, form)[1]
        typed = await agent.call("act", {"steps": [{"do": "type", "on": name, "text": "Ada"}]})
        see("type", typed, lambda text: '"Ada"' in text)
        opened = await agent.call("open", {"app": APP})
        see("observe", opened, lambda text: "Increment" in text)
        told = []
        tap = {"steps": [{"do": "tap", "on": "Increment"}]}

        async def progress(done, total, message):
            told.append(message)

        tapped = await agent.call("act", tap, progress_callback=progress)
        see("tap", tapped, lambda text: "Counter: 1" in text and "Open list" not in text)
        see("progress", told, lambda told: "click" in told)
        found = await agent.call("find", {"match": {"textContains": "counter"}})
        see("read", found, lambda text: "Counter: 1" in text)
        # A wait that is given up is given up on the phone, too.
        waiting = asyncio.create_task(agent.call("wait", {"on": "Godot", "timeout_ms": 50000}))
        await asyncio.sleep(1)
        waiting.cancel()
        try:
            await waiting
        except asyncio.CancelledError:
            pass
        again = await asyncio.wait_for(agent.call("act", tap), 20)
        see("after a cancelled call", again, lambda text: "Counter: 2" in text)


asyncio.run(main())
