/** The runs of this computer, and their reports. */

import { ask } from "./api.js";
import { button, h } from "./dom.js";
import { on } from "./shared.js";
import { reportLink } from "./runs.js";
import { addTab } from "./tabs.js";

const SHOWN = 200;

/** Runs of touches on the picture, which are many. */
const TOUCHES = "page-";

const rows = h("tbody");
const touches = h("input", { id: "touches", type: "checkbox", on: { change: () => refresh() } });
const note = h("p", { className: "note", role: "status" });

export function showHistory() {
  const heads = ["Started", "Run", "Phone", "Status", "Steps", "Took", ""].map((text) =>
    text ? h("th", { scope: "col" }, text) : h("td"),
  );
  const panel = addTab(
    "history",
    "History",
    h(
      "div",
      { className: "row" },
      button("Refresh", refresh),
      h("label", { htmlFor: "touches", className: "check" }, touches, "With touches on the picture"),
    ),
    note,
    h("div", { className: "wide", tabIndex: 0, role: "group", "aria-label": "Runs" }, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), rows)),
  );
  panel.addEventListener("show", refresh);
  on("run", () => panel.hidden || refresh());
}

async function refresh() {
  try {
    const { journals, count } = await ask("/journals", { query: { limit: SHOWN } });
    const shown = journals.filter(({ commandId }) => touches.checked || !commandId?.startsWith(TOUCHES));
    rows.replaceChildren(...shown.map(row));
    note.textContent = count
      ? `${shown.length} of the last ${journals.length} runs, the newest first; ${count} left a journal`
      : "No run has left a journal yet.";
  } catch (error) {
    note.textContent = error.message;
  }
}

function row(journal) {
  const started = journal.startedMs ? new Date(journal.startedMs).toLocaleString() : "";
  const status = [journal.status, journal.errorCode].filter(Boolean).join(" ");
  const cells = [
    started,
    journal.skillId ?? journal.commandId ?? journal.name,
    journal.device ?? "",
    h("span", { className: journal.status === "success" ? "good" : "bad" }, status),
    journal.steps === undefined || journal.steps === null ? "" : String(journal.steps),
    journal.durationMs === undefined || journal.durationMs === null ? "" : `${journal.durationMs} ms`,
    reportLink(journal.name),
  ];
  return h("tr", {}, ...cells.map((cell) => h("td", {}, cell)));
}
