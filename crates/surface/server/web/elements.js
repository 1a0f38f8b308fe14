/** The elements of the screen, as a list beside the picture. */

import { ask } from "./api.js";
import { byId, h, say } from "./dom.js";
import { on, shared, tell } from "./shared.js";
import { addTab, showTab } from "./tabs.js";
import { markStale, showSelectors } from "./selectors.js";

/** A screen that changes is looked at when it has been still for so long. */
const STILL_MS = 350;

const filter = h("input", { id: "filter", type: "search", autocomplete: "off", on: { input: () => showList() } });
const all = h("input", { id: "all", type: "checkbox", on: { change: () => showList() } });
const pick = h("input", { id: "pick", type: "checkbox", on: { change: () => (shared.isPicking = pick.checked) } });
const count = h("p", { className: "note", id: "count" });
const list = h("ul", { id: "elements-list", role: "listbox", tabIndex: 0, "aria-label": "Elements of the screen" });
const details = h("div", { id: "details" });

/** @type {number | null} */
let chosen = null;
/** The element whose details are shown, as it was chosen. @type {import("./shared.js").Element | null} */
let shown = null;
let timer = 0;
let isLooking = false;
let isStale = false;

export function showElements() {
  addTab(
    "elements",
    "Elements",
    h(
      "div",
      { className: "row" },
      h("label", { htmlFor: "filter", className: "grow" }, "Find", filter),
      h("label", { htmlFor: "pick", className: "check" }, pick, "Pick on the picture"),
      h("label", { htmlFor: "all", className: "check" }, all, "Show all"),
    ),
    h("div", { className: "split" }, h("div", {}, list, count), details),
  );
  details.append(h("p", { className: "note" }, "Choose an element to get selectors for it."));
  on("device", () => {
    chosen = null;
    showList();
    lookSoon();
  });
  on("frame", lookSoon);
  on("hover", (element) => point(element?.node));
  on("pick", (element) => {
    if (!element) return;
    showTab("elements");
    choose(element.node);
  });
  list.addEventListener("keydown", walk);
}

function lookSoon() {
  clearTimeout(timer);
  timer = setTimeout(look, STILL_MS);
}

async function look() {
  const device = shared.device;
  if (!device || document.hidden) return;
  if (isLooking) {
    isStale = true;
    return;
  }
  isLooking = true;
  list.setAttribute("aria-busy", "true");
  try {
    const tree = await ask("/page/tree", { query: { device: device.serial } });
    if (shared.device === device) {
      const before = shared.tree?.package;
      shared.tree = tree;
      if (shown) markStale(details, before !== tree.package || !tree.nodes.some(isShown));
      showList();
      tell("tree");
    }
  } catch (error) {
    say(`The elements cannot be read: ${error.message}`, true);
  } finally {
    isLooking = false;
    list.removeAttribute("aria-busy");
    if (isStale) lookSoon();
    isStale = false;
  }
}

/** Whether an element is the one that was chosen. @param {import("./shared.js").Element} element */
function isShown(element) {
  const same = ["node", "role", "label", "id", "class", "bounds"];
  return same.every((key) => String(element[key]) === String(shown?.[key]));
}

/** @param {import("./shared.js").Element} element */
function matters(element) {
  const wanted = filter.value.trim().toLowerCase();
  const texts = [element.label, element.id, element.role, element.class];
  if (wanted) return texts.some((text) => text?.toLowerCase().includes(wanted));
  return all.checked || Boolean(element.label || element.is?.some((word) => word !== "disabled"));
}

function showList() {
  const elements = shared.tree?.nodes ?? [];
  const shown = elements.filter(matters);
  const outermost = Math.min(...shown.map((element) => element.depth));
  list.replaceChildren(...shown.map((element) => row(element, element.depth - outermost)));
  if (!shown.some((element) => element.node === chosen)) chosen = null;
  markChosen();
  count.textContent = shared.tree ? `${shown.length} of ${elements.length} elements · ${shared.tree.package}` : "";
}

/** @param {import("./shared.js").Element} element @param {number} depth */
function row(element, depth) {
  const item = h(
    "li",
    {
      id: `element-${element.node}`,
      role: "option",
      data: { node: String(element.node) },
      on: {
        click: () => choose(element.node),
        pointerenter: () => tell("hover", element),
        pointerleave: () => tell("hover", null),
      },
    },
    h("span", { className: "role" }, element.role),
    h("span", { className: "label" }, element.label || shortId(element.id) || ""),
    h("span", { className: "is" }, (element.is ?? []).join(" ")),
  );
  item.style.setProperty("--depth", String(Math.min(depth, 12)));
  return item;
}

/** An id without its package. */
function shortId(id) {
  return id?.split(":id/").pop();
}

/** Shows which element is pointed at. @param {number | undefined} node */
function point(node) {
  for (const item of list.querySelectorAll(".pointed")) item.classList.remove("pointed");
  if (node === undefined) return;
  const item = byId(`element-${node}`);
  item?.classList.add("pointed");
  if (item && !list.matches(":hover")) item.scrollIntoView({ block: "nearest" });
}

/** @param {number} node */
function choose(node) {
  const element = shared.tree?.nodes.find((each) => each.node === node);
  if (!element) return;
  chosen = node;
  if (!byId(`element-${node}`)) {
    filter.value = "";
    all.checked = true;
    showList();
  }
  markChosen();
  byId(`element-${node}`)?.scrollIntoView({ block: "nearest" });
  tell("hover", element);
  shown = element;
  showSelectors(details, element);
  markStale(details, false);
}

function markChosen() {
  for (const item of list.children) {
    item.setAttribute("aria-selected", String(Number(item.dataset.node) === chosen));
  }
  if (chosen === null) list.removeAttribute("aria-activedescendant");
  else list.setAttribute("aria-activedescendant", `element-${chosen}`);
}

/** @param {KeyboardEvent} event */
function walk(event) {
  const items = [...list.children];
  const now = items.findIndex((item) => Number(item.dataset.node) === chosen);
  const next = { ArrowDown: now + 1, ArrowUp: Math.max(now - 1, 0), Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Enter") byId("tap")?.click();
  else if (next === undefined) return;
  else if (items[next]) choose(Number(items[next].dataset.node));
  event.preventDefault();
}
