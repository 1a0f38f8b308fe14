/** What agents ask a person for, above everything else on the page. */

import { ask, inWords } from "./api.js";
import { button, byId, h, say } from "./dom.js";

const LOOK_MS = 2000;
/** How many are listed; the others are counted. */
const MOST = 3;

/** Shows what waits for a decision, now and from now on. */
export function showRequests() {
  look();
  setInterval(() => document.hidden || look(), LOOK_MS);
}

async function look() {
  try {
    show((await ask("/approvals", { query: { state: "pending", limit: 100 } })).approvals);
  } catch {
    // What was last seen stays; the rest of the page says that the server is gone.
  }
}

let shown = "";

/** @param {{id: string, instruction: string, title?: string}[]} requests */
function show(requests) {
  const now = requests.map(({ id }) => id).join();
  if (now === shown) return;
  shown = now;
  document.title = requests.length ? `(${requests.length}) Clawperator` : "Clawperator";
  const rows = requests.slice(0, MOST).map(({ id, instruction }) =>
    h(
      "p",
      { className: "row" },
      h("span", { className: "badge bad" }, "An agent asks"),
      h("q", { className: "label" }, instruction),
      button("Decide", () => open(id), { className: "primary", "aria-label": `Decide ${id}` }),
    ),
  );
  const more = requests.length - rows.length;
  byId("requests").hidden = !requests.length;
  byId("requests").replaceChildren(...rows, more > 0 ? h("p", { className: "note" }, `and ${more} more`) : "");
}

/** Opens the page of a request, with a new link for it. @param {string} id */
async function open(id) {
  try {
    const { link } = await ask(`/page/approvals/${encodeURIComponent(id)}/link`, { body: {} });
    const { pathname, hash } = new URL(link, location.href);
    location.assign(pathname + hash);
  } catch (error) {
    say(inWords(error), true);
    look();
  }
}
