/** Records what is done on the picture, as an execution and as a skill. */

import { ask, inWords } from "./api.js";
import { button, copyButton, h, say } from "./dom.js";
import { on, shared, tell } from "./shared.js";
import { addTab } from "./tabs.js";

const start = button("Record", begin, { className: "primary" });
const stop = button("Stop", end, { disabled: true });
const count = h("p", { className: "note", role: "status" }, "Everything that is done on the picture becomes a step.");
const steps = h("ol", { className: "steps", "aria-label": "Recorded actions" });
const notes = h("ul", { className: "note", hidden: true, "aria-label": "What is not certain" });
const code = h("pre", { tabIndex: 0, "aria-label": "Recorded execution" });
const rest = h("div", { hidden: true });
const made = h("div", { className: "result" });

export function showRecorder() {
  addTab("recorder", "Record", h("div", { className: "row" }, start, stop), count, steps, notes, rest, made);
  on("acted", ({ recording }) => recording && show(recording));
  on("device", async (device) => {
    show(null);
    if (!device) return;
    // One may be under way since an earlier visit.
    const known = await ask("/page/recording", { query: { device: device.serial } }).catch(() => null);
    if (known && shared.device === device) show(known);
  });
}

async function begin() {
  await change("/page/recording", "Recording. Use the phone.");
  made.replaceChildren();
}

async function end() {
  await change("/page/recording/stop", "The recording has ended.");
}

async function change(path, done) {
  try {
    show(await ask(path, { body: { device: shared.device?.serial } }));
    say(done);
  } catch (error) {
    say(error.message, true);
  }
}

/** Shows how far a recording is. */
function show(recording) {
  const isRunning = Boolean(recording) && !recording.isOver;
  start.disabled = isRunning;
  stop.disabled = !isRunning;
  document.body.classList.toggle("recording", isRunning);
  const actions = recording?.execution?.actions ?? [];
  steps.replaceChildren(...actions.map(row));
  const unsure = recording?.unsure ?? [];
  notes.replaceChildren(...unsure.map((text) => h("li", {}, text)));
  notes.hidden = !unsure.length;
  if (recording) count.textContent = `${isRunning ? "Recording" : "Recorded"}: ${actions.length} actions`;
  rest.hidden = !actions.length;
  if (actions.length) showRest(recording, isRunning);
}

function row({ id, type, params }) {
  const { matcher, ...others } = params ?? {};
  const about = { ...(matcher ?? {}), ...others };
  return h(
    "li",
    {},
    h("span", { className: "state" }, id),
    h("span", { className: "label" }, type),
    h("code", {}, JSON.stringify(about)),
  );
}

function showRest(recording, isRunning) {
  const json = JSON.stringify(recording.execution, null, 2);
  code.textContent = json;
  const use = button("Edit and run it", () => tell("edit", recording.execution));
  rest.replaceChildren(
    h("details", {}, h("summary", {}, "Execution"), h("div", { className: "row" }, use, copyButton(json, "the execution")), code),
    isRunning ? "" : skillForm(recording),
  );
}

function skillForm(recording) {
  const app = recording.execution.actions.find(({ type }) => type === "open_app")?.params.applicationId ?? "";
  const id = h("input", { id: "skill-id", required: true, autocomplete: "off", value: app ? `${app}.` : "" });
  const summary = h("input", { id: "skill-summary", autocomplete: "off" });
  const submit = (event) => {
    event.preventDefault();
    saveSkill(id.value.trim(), summary.value.trim());
  };
  return h(
    "form",
    { className: "card", on: { submit } },
    h("h3", {}, "Save as a skill"),
    h("label", { htmlFor: "skill-id", className: "grow" }, "Id: the app, a dot and what it does, such as com.example.app.open-basket", id),
    h("label", { htmlFor: "skill-summary", className: "grow" }, "What it does, in a sentence", summary),
    h("button", { type: "submit", className: "primary" }, "Save the skill and its test world"),
  );
}

async function saveSkill(id, summary) {
  try {
    const skill = await ask("/page/recording/skill", { body: { device: shared.device?.serial, id, summary } });
    const left = [...skill.toDo, ...skill.leftOut.map(({ action, why }) => `left out ${action}: ${why}`)];
    const inside = (file) => (file.startsWith(skill.skillPath) ? file.slice(skill.skillPath.length + 1) : file);
    made.replaceChildren(
      h("h3", {}, `Saved ${skill.skillId}`),
      h("p", {}, "In ", h("code", {}, skill.skillPath), ":"),
      h("ul", {}, ...skill.files.map((file) => h("li", {}, h("code", {}, inside(file))))),
      left.length ? h("ul", {}, ...left.map((text) => h("li", {}, text))) : "",
      h("p", {}, skill.next),
    );
    say(`Saved ${skill.skillId}.`);
  } catch (error) {
    say(inWords(error), true);
  }
}
