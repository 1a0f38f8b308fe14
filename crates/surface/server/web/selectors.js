/** What is known of one element, and the selectors that name it. */

import { ask } from "./api.js";
import { button, copyButton, h } from "./dom.js";
import { act } from "./screen.js";
import { shared, tell } from "./shared.js";

/** Shows an element. @param {HTMLElement} place @param {import("./shared.js").Element} element */
export async function showSelectors(place, element) {
  const touch = (press) => act({ act: "element", node: element.node, snapshot: shared.tree?.snapshot, press });
  const facts = [
    ["Text", element.label],
    ["Id", element.id],
    ["Class", element.class],
    ["Is", element.is?.join(", ")],
    ["Place", element.bounds.join(", ")],
  ].filter(([, value]) => value);
  const selectors = h("div", { className: "selectors" }, h("p", { className: "note" }, "Looking for selectors …"));
  place.replaceChildren(
    h("h3", {}, element.label || element.role),
    h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h(
      "div",
      { className: "row" },
      button("Tap", () => touch("short"), { id: "tap" }),
      button("Press long", () => touch("long")),
    ),
    h("p", { className: "note stale", role: "status" }),
    selectors,
  );
  try {
    const query = { device: shared.device?.serial, snapshot: shared.tree?.snapshot, node: element.node };
    const answer = await ask("/page/selectors", { query });
    selectors.replaceChildren(...answer.selectors.map(card));
    if (!answer.selectors.length) {
      selectors.append(h("p", { className: "note" }, "Nothing names this element: it has no id, no text and no role."));
    }
  } catch (error) {
    selectors.replaceChildren(h("p", { className: "note" }, error.message));
  }
}

/** Shows that an element is no longer on the screen as it was chosen. @param {HTMLElement} place @param {boolean} isStale */
export function markStale(place, isStale) {
  place.classList.toggle("is-stale", isStale);
  for (const each of place.querySelectorAll(":scope > .row button")) each.disabled = isStale;
  const note = place.querySelector(".stale");
  if (note) note.textContent = isStale ? "The screen has changed since this was chosen. Choose it again." : "";
}

/** One selector in its three forms. */
function card(selector, index) {
  const json = JSON.stringify(selector.matcher, null, 1).replace(/\n\s*/g, " ");
  const forms = [
    ["Flags", selector.flags],
    ["JSON", json],
    ["Recipe", selector.recipe],
  ].filter(([, text]) => text);
  return h(
    "section",
    { className: "card", "aria-label": `Selector by ${selector.by}` },
    h(
      "h4",
      {},
      `By ${selector.by}`,
      index === 0 && !selector.note ? h("span", { className: "badge" }, "best") : null,
      selector.fits > 1 ? h("span", { className: "badge bad" }, `${selector.fits} fit`) : null,
    ),
    selector.note ? h("p", { className: "note" }, selector.note) : null,
    ...forms.map(([name, text]) =>
      h(
        "div",
        { className: "form" },
        h("span", { className: "name" }, name),
        h("code", {}, text.trimEnd()),
        copyButton(text, `selector by ${selector.by} as ${name}`),
      ),
    ),
    button("Use in an execution", () => tell("use", selector.matcher), { className: "small" }),
  );
}
