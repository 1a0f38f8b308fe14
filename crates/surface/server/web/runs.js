/** An execution to write and run. */

import { ask, inWords, send } from "./api.js";
import { button, h, say } from "./dom.js";
import { on, shared } from "./shared.js";
import { liveSteps, runUnderWay } from "./steps.js";
import { addTab, showTab } from "./tabs.js";

const EXAMPLE = {
  commandId: "try-1",
  taskId: "try-1",
  source: "editor",
  expectedFormat: "android-ui-automator",
  timeoutMs: 30000,
  actions: [
    { id: "open", type: "open_app", params: { applicationId: "com.android.settings" } },
    { id: "read", type: "read_text", params: { matcher: { textContains: "Battery" } } },
  ],
};

const editor = h("textarea", { id: "execution", rows: 18, spellcheck: false, value: JSON.stringify(EXAMPLE, null, 2) });
const run = button("Run", start, { className: "primary" });
const cancel = button("Cancel", stop, { disabled: true });
const result = h("div", { className: "result" });

export function showRuns() {
  addTab(
    "runs",
    "Run",
    h(
      "div",
      { className: "split" },
      h(
        "div",
        {},
        h("label", { htmlFor: "execution", className: "grow" }, "Execution", editor),
        h("div", { className: "row" }, run, cancel),
      ),
      h("div", {}, h("h3", {}, "Steps"), liveSteps(), result),
    ),
  );
  on("use", (matcher) => {
    addAction("click", { matcher });
    say("Added a click to the execution.");
  });
  on("edit", (execution) => {
    editor.value = JSON.stringify(execution, null, 2);
    showTab("runs");
    editor.focus();
  });
  on("run", () => (cancel.disabled = !runUnderWay()));
}

/** Adds an action at the end of the execution. @param {string} type @param {any} params */
function addAction(type, params) {
  showTab("runs");
  try {
    const execution = JSON.parse(editor.value);
    const ids = new Set(execution.actions.map(({ id }) => id));
    let number = execution.actions.length + 1;
    while (ids.has(`a${number}`)) number += 1;
    execution.actions.push({ id: `a${number}`, type, params });
    editor.value = JSON.stringify(execution, null, 2);
    editor.scrollTop = editor.scrollHeight;
  } catch {
    say("The execution in the editor is no JSON; correct it first.", true);
  }
}

async function start() {
  let execution;
  try {
    execution = JSON.parse(editor.value);
  } catch (error) {
    return say(`The execution is no JSON: ${error.message}`, true);
  }
  run.disabled = true;
  result.replaceChildren();
  say("Running …");
  try {
    const response = await send("/execute", { body: { execution, deviceId: shared.device?.serial } });
    const { envelope } = await response.json();
    const isGood = envelope.status === "success";
    say(isGood ? "The execution succeeded." : `The execution failed: ${envelope.error ?? envelope.errorCode}`, !isGood);
    result.replaceChildren(...envelope.stepResults.map(stepResult), reportLink(execution.commandId));
  } catch (error) {
    say(inWords(error), true);
  } finally {
    run.disabled = false;
  }
}

/** What a step found out. */
function stepResult({ id, data }) {
  const facts = Object.entries(data ?? {}).filter(([, value]) => value !== "");
  return h(
    "section",
    { className: "card", "aria-label": `Result of ${id}` },
    h("h4", {}, id),
    h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, String(value).slice(0, 2000))])),
  );
}

/** The report of a run. @param {string} id the name of its journal, or its command id */
export function reportLink(id, label = "Report") {
  return h("a", { href: `/journals/${encodeURIComponent(id)}/report`, target: "_blank", rel: "noopener" }, label);
}

async function stop() {
  const runId = runUnderWay();
  if (!runId) return;
  try {
    // What came of it is said when the run has ended.
    await ask(`/runs/${encodeURIComponent(runId)}/cancel`, { method: "POST" });
  } catch (error) {
    say(error.message, true);
  }
}
