/** The pool: a wall of all its phones with what each is doing, beside the jobs that wait. */

import { ask } from "./api.js";
import { button, byId, h, say } from "./dom.js";
import { commandOf, followQueue, noteJob, refresh } from "./queue.js";
import { on } from "./shared.js";

/** @typedef {{phone: string, state: string, model?: string, android?: string, why?: string, untilMs?: number, job?: string}} Phone */
/** @typedef {{phone: Phone, root: HTMLElement, texts: Record<string, Text>}} Tile */

const STATES = ["running", "idle", "cleaning", "reserved", "quarantined", "lost", "drained"];
const LIST_MS = 15_000;
const RETRY_MS = 5000;

const wall = h("div", { id: "wall" });
const states = h("div", { className: "row", role: "group", "aria-label": "Show only phones that are" });
const note = h("p", { className: "note" });
/** The tiles by the names of their phones. @type {Map<string, Tile>} */
const tiles = new Map();
/** @type {Map<string, {section: HTMLElement, list: HTMLElement, text: Text}>} */
const hosts = new Map();
/** What has changed since the last frame; null if the phone is gone. @type {Map<string, Phone | null>} */
const changed = new Map();
/** What the phones do just now. @type {Map<string, string>} */
const steps = new Map();
/** @type {Map<string, {button: HTMLElement, text: Text}>} */
const counts = new Map();
let only = "";
let frame = 0;
/** @type {EventSource | null} */
let source = null;
let retry = 0;
let isChosen = false;
let isAway = false;

/** Adds the view of the pool. It follows the pool while it is looked at. */
export function showPool() {
  for (const state of STATES) {
    const text = document.createTextNode(`${state} 0`);
    const dot = h("span", { className: `dot ${state}`, "aria-hidden": "true" });
    const chip = h("button", { type: "button", className: "small", "aria-pressed": "false", on: { click: () => filter(state) } }, dot, text);
    counts.set(state, { button: chip, text });
    states.append(chip);
  }
  const queue = h("section", { id: "queue", "aria-labelledby": "queue-title" });
  byId("pool").append(
    h("section", { "aria-labelledby": "wall-title" }, h("h2", { id: "wall-title" }, "Phones of the pool"), states, note, wall),
    queue,
  );
  followQueue(queue, { isSeen: () => source !== null, named: () => tiles.forEach(({ phone }, name) => changed.has(name) || change(name, phone)) });
  const choose = (isPool) => () => {
    isChosen = true;
    view(isPool);
  };
  byId("views").append(button("This computer", choose(false)), button("Pool", choose(true)));
  byId("views").hidden = false;
  document.addEventListener("visibilitychange", follow);
  setInterval(() => source && list(), LIST_MS);
  // Without a phone here, the pool is what there is to see.
  on("device", (device) => device || isChosen || view(true));
  view(location.hash === "#pool");
}

/** @param {boolean} isPool */
function view(isPool) {
  document.body.classList.toggle("in-pool", isPool);
  byId("pool").hidden = !isPool;
  [...byId("views").children].forEach((each, number) => each.setAttribute("aria-current", String(Boolean(number) === isPool)));
  follow();
}

/** Hears of what happens, as long as somebody looks. */
function follow() {
  const isSeen = !document.hidden && !byId("pool").hidden;
  if (isSeen === (source !== null)) return;
  clearTimeout(retry);
  source?.close();
  source = null;
  if (!isSeen) return;
  source = new EventSource("/pool/events");
  // Whatever happened before is in the list.
  source.addEventListener("open", () => (list(), refresh()));
  source.addEventListener("gap", list);
  source.addEventListener("clawperator:phone", ({ data }) => noteChange(JSON.parse(data)));
  source.addEventListener("clawperator:job", ({ data }) => hear(JSON.parse(data)));
  source.addEventListener("error", () => {
    isAway = true;
    say("The pool does not answer; trying again …", true);
    if (source?.readyState !== EventSource.CLOSED) return;
    source = null;
    retry = setTimeout(follow, RETRY_MS);
  });
}

async function list() {
  try {
    const { phones } = await ask("/pool/phones", { query: { limit: 10_000 } });
    const there = new Set(phones.map(({ phone }) => phone));
    phones.forEach(noteChange);
    for (const name of tiles.keys()) if (!there.has(name)) change(name, null);
    note.textContent = phones.length ? "" : "No host gives its phones to this pool yet: run clawperator worker --pool on one.";
    if (isAway) say("");
    isAway = false;
  } catch (error) {
    isAway = true;
    say(`The phones of the pool cannot be listed: ${error.message}`, true);
  }
}

/** @param {Phone} phone */
function noteChange(phone) {
  change(phone.phone, phone);
}

/** Something happened to a job. */
function hear({ job, commandId, phone, what }) {
  noteJob(job, commandId, what === "ended");
  if (!phone) return;
  const step = what.stepBegan ?? what.stepEnded;
  if (step) steps.set(phone, `${step.step + 1}. ${step.action}`);
  else steps.delete(phone);
  const tile = tiles.get(phone);
  if (tile && !changed.has(phone)) change(phone, tile.phone);
}

/** Draws a phone with the next frame; what comes until then is drawn at once. */
function change(name, phone) {
  changed.set(name, phone);
  frame ||= requestAnimationFrame(draw);
}

function draw() {
  frame = 0;
  let isNew = false;
  for (const [name, phone] of changed) {
    const tile = tiles.get(name);
    if (!phone) {
      tile?.root.remove();
      tiles.delete(name);
      steps.delete(name);
    } else if (tile) {
      fill(tile, phone);
    } else {
      isNew = true;
      tiles.set(name, fill(blank(), phone));
    }
  }
  if (isNew) place();
  changed.clear();
  count();
}

/** @returns {Tile} */
function blank() {
  const texts = Object.fromEntries(["serial", "state", "model", "doing", "step"].map((name) => [name, document.createTextNode("")]));
  const part = (name) => h("span", { className: name }, texts[name]);
  return { phone: { phone: "", state: "" }, root: h("li", {}, part("serial"), part("state"), part("model"), part("doing"), part("step")), texts };
}

/** Shows a phone in its tile, and touches only what has changed. @param {Tile} tile @param {Phone} phone */
function fill(tile, phone) {
  const isSameState = tile.phone.state === phone.state;
  tile.phone = phone;
  if (phone.state !== "running") steps.delete(phone.phone);
  const model = [phone.model, phone.android && `Android ${phone.android}`].filter(Boolean).join(" · ");
  const texts = { serial: split(phone.phone)[1], state: phone.state, model, doing: doing(phone), step: steps.get(phone.phone) ?? "" };
  for (const [name, text] of Object.entries(texts)) if (tile.texts[name].data !== text) tile.texts[name].data = text;
  if (!isSameState) {
    tile.root.className = `tile ${phone.state}`;
    tile.root.hidden = Boolean(only) && only !== phone.state;
  }
  const title = [phone.phone, phone.why].filter(Boolean).join(": ");
  if (tile.root.title !== title) tile.root.title = title;
  return tile;
}

/** What a phone is doing, in words. @param {Phone} phone */
function doing(phone) {
  if (phone.state === "running") return phone.job ? (commandOf(phone.job) ?? phone.job) : "a job of others";
  const until = phone.untilMs ? `until ${new Date(phone.untilMs).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}` : "";
  return [until, phone.why].filter(Boolean).join(" · ");
}

/** The host and the serial. @param {string} name */
function split(name) {
  const at = name.indexOf("/");
  return [name.slice(0, at), name.slice(at + 1)];
}

/** Puts new phones where they belong: by host and serial. */
function place() {
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  for (const name of [...tiles.keys()].sort()) {
    const [host] = split(name);
    if (!hosts.has(host)) {
      const text = document.createTextNode(host);
      const list = h("ul", { "aria-label": `Phones of ${host}` });
      hosts.set(host, { section: h("section", {}, h("h3", {}, text), list), list, text });
    }
    hosts.get(host).list.append(tiles.get(name).root);
  }
  wall.append(...[...hosts.keys()].sort(compare).map((host) => hosts.get(host).section));
}

/** How many phones are in each state, and on each host. */
function count() {
  const found = new Map(STATES.map((state) => [state, 0]));
  const of = new Map();
  for (const [name, { phone }] of tiles) {
    found.set(phone.state, (found.get(phone.state) ?? 0) + 1);
    const [host] = split(name);
    const sum = of.get(host) ?? { all: 0, running: 0 };
    sum.all += 1;
    sum.running += Number(phone.state === "running");
    of.set(host, sum);
  }
  for (const [state, { text }] of counts) write(text, `${state} ${found.get(state)}`);
  for (const [host, { section, text }] of hosts) {
    const sum = of.get(host);
    if (sum) write(text, `${host} · ${sum.all} ${sum.all === 1 ? "phone" : "phones"}, ${sum.running} running`);
    else {
      section.remove();
      hosts.delete(host);
    }
  }
}

/** @param {Text} text @param {string} value */
function write(text, value) {
  if (text.data !== value) text.data = value;
}

/** Shows only phones in a state, or all again. @param {string} state */
function filter(state) {
  only = only === state ? "" : state;
  for (const [each, { button: chip }] of counts) chip.setAttribute("aria-pressed", String(each === only));
  for (const { root, phone } of tiles.values()) root.hidden = Boolean(only) && only !== phone.state;
}
