/**
 * The page of one approval request. It has the token of this request and of
 * nothing else; it is behind the # of the address, so that no server logs it.
 */

import { byId, h, say } from "./dom.js";
import { showFields } from "./approve-fields.js";
import { showFrame } from "./approve-frame.js";

/** How often to look whether somebody decided elsewhere. */
const LOOK_MS = 3000;
const id = location.pathname.split("/").at(-1) ?? "";
const token = location.hash.slice(1);
let isOpen = false;

/** Sends a request with the token in a header. @param {string} what @param {any} [body] */
async function send(what, body) {
  const headers = { "x-approval-token": token };
  const init = { method: body === undefined ? "GET" : "POST", headers, cache: "no-store", credentials: "omit" };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    headers["Content-Type"] = "application/json";
  }
  return fetch(`/approve/${encodeURIComponent(id)}/${what}`, init);
}

/** @param {Response} response */
async function refusal(response) {
  const answer = await response.json().catch(() => null);
  const text = answer?.error?.message ?? `the server answered ${response.status}`;
  return text.charAt(0).toUpperCase() + text.slice(1) + ".";
}

async function begin() {
  // It stays out of bookmarks, shared links and pictures of the screen.
  history.replaceState(null, "", location.pathname);
  if (!token) return finish("This link is not complete: it has no token. Open the whole link.", true);
  const response = await send("request").catch(() => null);
  if (!response) return finish("The server does not answer. Reload the page to try again.", true);
  if (response.status === 403) return finish("This link is not valid for this request.", true);
  if (!response.ok) return finish(await refusal(response), true);
  const request = await response.json();
  if (request.state !== "pending") return finish(ended(request), request.state !== "approved");
  show(request);
}

/** @param {{state: string}} request */
function ended(request) {
  if (request.state === "timeout") return "This request has expired. No person decided in time, so it was not done.";
  return `This request was ${request.state} already. A link decides once.`;
}

/** Nothing is left to do here. @param {string} text @param {boolean} isBad */
function finish(text, isBad) {
  isOpen = false;
  byId("content").replaceChildren(h("div", { className: "card" }, h("h1", {}, isBad ? "Nothing to approve" : "Done")));
  say(text, isBad);
}

/** @param {any} request */
function show(request) {
  isOpen = true;
  const { page } = request;
  style(page.style);
  document.title = "Approve? · Clawperator";
  const fields = showFields(page);
  const frame = page.frame ? showFrame(page.frame, request, (text) => say(text)) : null;
  const note = page.note ? noteField(page.note) : null;
  const approve = h("button", { type: "submit", className: "primary" }, "Approve");
  const reject = h("button", { type: "button", className: "reject", on: { click: () => decide("reject") } }, "Reject");
  const buttons = [approve, reject];

  async function decide(verdict) {
    buttons.forEach((each) => (each.disabled = true));
    try {
      const body = { verdict };
      const text = note?.querySelector("textarea")?.value.trim();
      if (text) body.note = text;
      if (verdict === "approve") {
        say("Sending …");
        body.answer = await fields.read();
        if (frame) body.answer.frame = await frame.read();
      }
      const response = await send("decision", body);
      if (response.ok) return finish(verdict === "approve" ? thanks(request) : "Rejected. It will not be done.", false);
      if (response.status === 409) return finish(await refusal(response), true);
      say(await refusal(response), true);
    } catch (error) {
      say(error.message, true);
    }
    buttons.forEach((each) => (each.disabled = false));
  }

  const form = h(
    "form",
    { on: { submit: (event) => { event.preventDefault(); decide("approve"); } } },
    fields.element,
    frame?.element,
    note,
    h("div", { className: "row" }, approve, reject),
    page.approveLabel !== "Approve" || page.rejectLabel !== "Reject"
      ? h("p", { className: "quiet" }, `The agent's words for these: “${page.approveLabel}” to approve, “${page.rejectLabel}” to reject.`)
      : null,
    page.needsArtifact ? h("p", { className: "quiet" }, "To approve, give what is asked for above.") : null,
  );
  byId("content").replaceChildren(...[about(request), picture(request), form].filter(Boolean));
  say("");
  setTimeout(look, LOOK_MS);
}

/** @param {any} request */
function thanks(request) {
  return `Approved. ${request.hasPicture ? "If the screen has changed since, you are asked again." : "You can close this page."}`;
}

/** @param {any} request */
function about(request) {
  const { page } = request;
  const isOurs = request.author === "policy";
  const facts = [
    ["Asked by", request.origin],
    ["Kind", request.capability],
    ["Phone", request.device],
    ["Expires", new Date(request.expiresMs).toLocaleTimeString()],
  ].filter((fact) => fact[1]);
  return h(
    "section",
    { className: "card", "aria-labelledby": "title" },
    h("h1", { id: "title" }, isOurs ? page.title : "An agent asks you"),
    isOurs ? null : h("p", { className: "quiet" }, "In its words:"),
    h(
      isOurs ? "div" : "blockquote",
      {},
      isOurs ? null : h("p", {}, h("strong", {}, `“${page.title}”`)),
      page.summary ? h("p", {}, page.summary) : null,
      h("p", { className: "instruction" }, request.instruction),
      page.hint ? h("p", { className: "quiet" }, page.hint) : null,
    ),
    request.againOf
      ? h("p", { className: "warning" }, "You were asked this before. The screen has changed since, so look again before you decide.")
      : null,
    h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    h("p", { className: "quiet" }, isOurs ? "What is in quotes was written by the screen or the agent. Approve only what you expect." : "An agent wrote these words. Approve only what you expect."),
  );
}

/** The screen that will be acted on. @param {any} request */
function picture(request) {
  if (!request.hasPicture) return null;
  const image = h("img", { alt: "The screen of the phone that will be acted on" });
  send("picture").then(async (response) => {
    if (response.ok) image.src = URL.createObjectURL(await response.blob());
  });
  return h("figure", { className: "card" }, image, h("figcaption", { className: "quiet" }, "The agent will act on this screen, and on no other."));
}

/** @param {{label: string, placeholder: string}} note */
function noteField({ label, placeholder }) {
  return h(
    "div",
    { className: "field card" },
    h("label", { htmlFor: "note" }, label),
    h("textarea", { id: "note", maxLength: 2000, placeholder, autocomplete: "off", "aria-describedby": "note-help" }),
    h("p", { id: "note-help", className: "quiet" }, "The agent reads this. Write no password here."),
  );
}

/** Colours and letters that the agent chose; the server let only plain ones through. */
function style({ brandColor, backgroundCss, fontFamily }) {
  const root = document.documentElement.style;
  if (brandColor) {
    root.setProperty("--accent", brandColor);
    root.setProperty("--on-accent", isDark(brandColor) ? "#ffffff" : "#000000");
  }
  if (backgroundCss) document.body.style.background = backgroundCss;
  if (fontFamily) root.fontFamily = fontFamily;
}

/** Whether white letters can be read on a colour. @param {string} color */
function isDark(color) {
  const digits = color.length === 4 ? [...color.slice(1)].map((digit) => digit + digit) : color.slice(1).match(/../g);
  const [red, green, blue] = digits.map((digit) => {
    const part = parseInt(digit, 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
}

/** Looks whether it was decided elsewhere, or has expired. */
async function look() {
  if (!isOpen) return;
  const response = document.hidden ? null : await send("request").catch(() => null);
  const request = response?.ok ? await response.json() : null;
  if (isOpen && request && request.state !== "pending") return finish(ended(request), request.state !== "approved");
  setTimeout(look, LOOK_MS);
}

begin();
