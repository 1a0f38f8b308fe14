/** The jobs of the pool that wait, and why each of them does. */

import { ask, inWords } from "./api.js";
import { button, h, say } from "./dom.js";

const SHOWN = 100;
/** Not more often than this is the queue listed, and not less often while somebody looks. */
const SOON_MS = 1000;
const LIST_MS = 4000;

/** The caller's ids of the jobs under way. @type {Map<string, string>} */
let commands = new Map();
/** Those of them that were heard of since the jobs were listed. @type {Map<string, string>} */
const heard = new Map();
/** @type {Map<string, {root: HTMLElement, texts: Text[]}>} */
const rows = new Map();
const title = document.createTextNode("Queue");
const note = h("p", { className: "note" });
const list = h("ol", { className: "queue" });
let due = 0;
/** Hears that the jobs under way were listed. */
let onNames = () => {};

/** Shows the queue, and keeps it true while it is seen. @param {HTMLElement} section @param {{isSeen: () => boolean, named: () => void}} page */
export function followQueue(section, { isSeen, named }) {
  onNames = named;
  section.append(h("h2", { id: "queue-title" }, title), note, list);
  setInterval(() => isSeen() && refresh(), LIST_MS);
}

/** What the caller called a job that runs. @param {string} [job] */
export function commandOf(job) {
  return job && commands.get(job);
}

/** Notes that something happened to a job. */
export function noteJob(job, commandId, isOver) {
  if (!isOver && commands.has(job)) return;
  for (const known of [commands, heard]) {
    if (isOver) known.delete(job);
    else known.set(job, commandId);
  }
  due ||= setTimeout(refresh, SOON_MS);
}

/** Lists the jobs. */
export async function refresh() {
  clearTimeout(due);
  due = 0;
  heard.clear();
  try {
    const jobs = await ask("/pool/jobs", { query: { limit: 1000 } });
    commands = new Map([...jobs.running.map(({ id, commandId }) => [id, commandId]), ...heard]);
    show(jobs);
    onNames();
  } catch (error) {
    note.textContent = `The queue cannot be listed: ${error.message}`;
  }
}

function show({ waiting, waitingCount, runningCount }) {
  const first = waiting.slice(0, SHOWN);
  const there = new Set(first.map(({ id }) => id));
  for (const [id, { root }] of rows) {
    if (there.has(id)) continue;
    root.remove();
    rows.delete(id);
  }
  title.data = `Queue · ${waitingCount} waiting, ${runningCount} running`;
  const more = waitingCount - first.length;
  note.textContent = more > 0 ? `The first ${first.length}; ${more} more wait.` : waitingCount ? "" : "No job waits.";
  first.forEach((job, number) => {
    const row = rows.get(job.id) ?? add(job);
    const texts = [job.label ?? job.commandId, job.why.text, `${job.target} · ${job.priority} · ${waited(job)}`];
    texts.forEach((text, index) => {
      if (row.texts[index].data !== text) row.texts[index].data = text;
    });
    if (list.children[number] !== row.root) list.insertBefore(row.root, list.children[number] ?? null);
  });
}

function add(job) {
  const texts = [0, 1, 2].map(() => document.createTextNode(""));
  const part = (tag, name, index) => h(tag, { className: name }, texts[index]);
  const root = h(
    "li",
    {},
    part("strong", "label", 0),
    button("Cancel", () => cancel(job), { className: "small", "aria-label": `Cancel ${job.commandId}` }),
    part("span", "why", 1),
    part("span", "role", 2),
  );
  rows.set(job.id, { root, texts });
  return { root, texts };
}

/** How long a job has waited, and how many come before it. */
function waited({ storedMs, ahead }) {
  const seconds = Math.max(0, Math.round((Date.now() - storedMs) / 1000));
  const time = seconds < 120 ? `${seconds} s` : seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
  return ahead ? `waits ${time}, ${ahead} before it` : `waits ${time}`;
}

async function cancel({ id, commandId }) {
  try {
    await ask(`/pool/jobs/${encodeURIComponent(id)}`, { method: "DELETE" });
    say(`${commandId} is cancelled.`);
    await refresh();
  } catch (error) {
    say(inWords(error), true);
  }
}
