/** Which phone: the list, and phones in the box to start. */

import { ask } from "./api.js";
import { button, byId, h, say } from "./dom.js";
import { shared, tell } from "./shared.js";

const REFRESH_MS = 5000;
/** The phone that was looked at last, for the next visit. */
const LAST = "clawperator.device";

const list = h("select", { id: "device", on: { change: () => choose(list.value) } });
/** @type {import("./shared.js").Device[]} */
let devices = [];
let isStarting = false;

/** Shows the list and keeps it true. */
export async function showDevices() {
  byId("devices").append(
    h("label", { htmlFor: "device" }, "Phone"),
    list,
    button("Start a phone", startPhone, { id: "start-phone", title: "Start a simulated phone" }),
  );
  await refresh();
  setInterval(() => document.hidden || refresh(), REFRESH_MS);
}

async function refresh() {
  let answer;
  try {
    answer = await ask("/devices");
  } catch (error) {
    say(`The phones cannot be listed: ${error.message}`, true);
    return;
  }
  const usable = answer.devices.filter((device) => device.state === "device");
  const ready = usable.map(({ serial, sim }) => ({ serial, name: sim ?? serial, isSimulated: Boolean(sim) }));
  const others = answer.devices.length - ready.length;
  const isSame = JSON.stringify(ready) === JSON.stringify(devices);
  devices = ready;
  if (!isSame || !list.options.length) showList(others);
  if (!shared.device || !devices.some((device) => device.serial === shared.device?.serial)) {
    const last = localStorage.getItem(LAST);
    const next = devices.find((device) => device.serial === last) ?? devices[0];
    if (next) choose(next.serial);
    else showStart();
  }
}

function showList(others) {
  const options = devices.map((device) =>
    h("option", { value: device.serial }, device.isSimulated ? `${device.name} (simulated)` : device.name),
  );
  if (!options.length) options.push(h("option", { value: "" }, "no phone"));
  list.replaceChildren(...options);
  list.title = others ? `${others} more cannot be used: see clawperator devices` : "";
  if (shared.device) list.value = shared.device.serial;
}

/** @param {string} serial */
function choose(serial) {
  const device = devices.find((each) => each.serial === serial);
  if (!device) return;
  shared.device = device;
  shared.tree = null;
  list.value = serial;
  localStorage.setItem(LAST, serial);
  byId("start").hidden = true;
  byId("work").hidden = false;
  byId("glass").setAttribute("aria-label", `Screen of ${device.name}`);
  tell("device", device);
}

/** There is no phone: one click away from one that can be touched. */
function showStart() {
  shared.device = null;
  tell("device", null);
  byId("work").hidden = true;
  const start = byId("start");
  if (!start.hidden) return;
  start.hidden = false;
  const begin = button("Start the phone in the box", startPhone, { className: "primary" });
  start.replaceChildren(
    h("h2", {}, "No phone is connected"),
    h("p", {}, "Try one that is simulated: it has apps, settings and a launcher, and starts in a second."),
    begin,
    h("p", {}, "Or connect a phone over USB with USB debugging on. It shows up here by itself."),
  );
  begin.focus();
}

async function startPhone() {
  if (isStarting) return;
  isStarting = true;
  say("Starting a phone …");
  try {
    const device = await ask("/page/phones", { method: "POST" });
    await refresh();
    choose(device.serial);
    say(`${device.name} is running.`);
    byId("glass").focus();
  } catch (error) {
    say(`No phone was started: ${error.message}`, true);
  } finally {
    isStarting = false;
  }
}
