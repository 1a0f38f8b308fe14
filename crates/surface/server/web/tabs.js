/** The tools beside the phone, one at a time. */

import { byId, h } from "./dom.js";

/** @type {{id: string, tab: HTMLElement, panel: HTMLElement}[]} */
const tabs = [];
const bar = h("div", { role: "tablist", "aria-label": "Tools" });

/**
 * Adds a tool. Its panel gets the event `show` each time that it is shown.
 * @param {string} id @param {string} label @param {...Node} content
 */
export function addTab(id, label, ...content) {
  if (!tabs.length) {
    byId("tabs").append(bar);
    bar.addEventListener("keydown", walk);
  }
  const tab = h(
    "button",
    { type: "button", id: `tab-${id}`, role: "tab", "aria-controls": id, on: { click: () => showTab(id) } },
    label,
  );
  const panel = h("div", { id, role: "tabpanel", "aria-labelledby": `tab-${id}`, className: "tool" }, ...content);
  tabs.push({ id, tab, panel });
  bar.append(tab);
  byId("tabs").append(panel);
  showTab(tabs[0].id);
  return panel;
}

/** Shows a tool and hides the others. @param {string} id */
export function showTab(id) {
  for (const each of tabs) {
    const isIt = each.id === id;
    const isNew = isIt && each.panel.hidden;
    each.panel.hidden = !isIt;
    each.tab.setAttribute("aria-selected", String(isIt));
    each.tab.tabIndex = isIt ? 0 : -1;
    if (isNew) each.panel.dispatchEvent(new Event("show"));
  }
}

/** @param {KeyboardEvent} event */
function walk(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const now = tabs.findIndex((each) => each.tab.tabIndex === 0);
  const next = tabs[(now + step + tabs.length) % tabs.length];
  showTab(next.id);
  next.tab.focus();
}
