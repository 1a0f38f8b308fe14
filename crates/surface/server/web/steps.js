/** What happens on the phone, step by step, no matter who started it. */

import { h } from "./dom.js";
import { on, shared, tell } from "./shared.js";

/** Executions of the page's own touches, which are not shown. */
const TOUCHES = "page-";

/** @typedef {{id: string, action: string, state: string, tries: number, tookMs?: number, why?: string}} Step */

/** The run that is shown. @type {{runId: string, commandId: string, endsAt: number, steps: Step[], end?: any} | null} */
let run = null;
const list = h("ol", { className: "steps", "aria-label": "Steps" });
const headline = h("p", { className: "note", role: "status" });

/** The live list. */
export function liveSteps() {
  let source = null;
  const follow = () => {
    source?.close();
    source = null;
    if (!shared.device || document.hidden) return;
    source = new EventSource(`/page/steps?${new URLSearchParams({ device: shared.device.serial })}`);
    source.addEventListener("step", (message) => hear(JSON.parse(message.data)));
  };
  on("device", () => {
    run = null;
    show();
    follow();
  });
  document.addEventListener("visibilitychange", follow);
  setInterval(showHeadline, 500);
  return h("div", {}, headline, list);
}

/** The run under way, to cancel it. */
export function runUnderWay() {
  return run && !run.end ? run.runId : null;
}

function hear(event) {
  if (event.event === "begin") {
    if (event.commandId.startsWith(TOUCHES)) return;
    run = begun(event);
    tell("run");
  }
  if (event.runId !== run?.runId) return;
  const step = run.steps[event.step];
  if (event.event === "step_begin" && step) step.state = "running";
  if (event.event === "wait") waited(event);
  if (event.event === "step_end" && step) {
    step.state = event.success ? "done" : "failed";
    step.tookMs = event.tookUs === undefined ? undefined : Math.round(event.tookUs / 1000);
    step.why = event.success ? undefined : (event.data?.message ?? event.data?.error);
  }
  if (event.event === "end") {
    run.end = event;
    for (const each of run.steps) {
      if (each.state === "running") each.state = "interrupted";
      if (each.state === "waiting") each.state = "not run";
    }
    tell("run");
  }
  show();
}

function begun({ runId, commandId, execution }) {
  const steps = execution.actions.map(({ id, type }) => ({ id, action: type, state: "waiting", tries: 1 }));
  return { runId, commandId, endsAt: Date.now() + (execution.timeoutMs ?? 0), steps };
}

/** A step waits; it may be about to try again. */
function waited({ attempt, why }) {
  const step = run?.steps.find((each) => each.state === "running");
  if (!step) return;
  if (attempt) step.tries = attempt + 1;
  step.why = why;
}

function show() {
  list.replaceChildren(...(run?.steps ?? []).map(row));
  showHeadline();
}

/** @param {Step} step */
function row(step) {
  const tries = step.tries > 1 ? `attempt ${step.tries}` : "";
  const took = step.tookMs === undefined ? "" : `${step.tookMs} ms`;
  return h(
    "li",
    { className: step.state },
    h("span", { className: "state" }, step.state),
    h("span", { className: "label" }, `${step.action} `, h("code", {}, step.id)),
    h("span", { className: "is" }, [tries, took].filter(Boolean).join(" · ")),
    step.why && step.state !== "done" ? h("span", { className: "why" }, step.why) : null,
  );
}

function showHeadline() {
  let text = "The steps of a run show up here as they happen, no matter who started it.";
  if (run?.end) text = `${run.commandId}: ${run.end.status} after ${Math.round(run.end.tookUs / 1000)} ms`;
  else if (run) text = `${run.commandId} is running, ${Math.max(0, Math.ceil((run.endsAt - Date.now()) / 1000))} s left`;
  if (headline.textContent !== text) headline.textContent = text;
}
