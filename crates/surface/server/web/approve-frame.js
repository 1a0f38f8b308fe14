/**
 * What the agent wrote itself, in a frame without this page's origin: it can
 * neither read this page nor send anything anywhere. It talks through one
 * channel, and what comes out of that is checked here.
 */

import { h } from "./dom.js";

const LIMIT_MS = 15000;
const MAX_VALUES = 20;
const MAX_LETTERS = 4000;

/** @param {any} frame @param {any} request @param {(text: string) => void} tell */
export function showFrame(frame, request, tell) {
  const channel = new MessageChannel();
  const port = channel.port1;
  /** @type {((answer: any) => void) | null} */
  let answered = null;
  const box = h("iframe", { title: "Content from the agent", src: "/web/approve-frame.html" });
  box.setAttribute("sandbox", "allow-scripts");
  box.addEventListener("load", () => {
    const { id, capability } = request;
    // Its origin is none, so no other target can be named; only this frame has the port.
    box.contentWindow?.postMessage({ ...frame, id, capability }, "*", [channel.port2]);
  }, { once: true });
  port.onmessage = ({ data }) => {
    if (typeof data?.height === "number") box.style.height = `${Math.min(Math.max(data.height, 60), 600)}px`;
    else if (typeof data?.status === "string") tell(`The agent's content says: ${data.status.slice(0, 200)}`);
    else if (data?.answer) answered?.(data.answer);
  };
  const read = () =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("The agent's content did not answer in time.")), LIMIT_MS);
      answered = (answer) => {
        clearTimeout(timer);
        if (answer.ok === false) reject(new Error(`The agent's content says: ${String(answer.error).slice(0, 200)}`));
        else resolve(checked(answer.values));
      };
      port.postMessage({ approve: true });
    });
  const element = h(
    "section",
    { className: "card", "aria-labelledby": "frame-title" },
    h("h2", { id: "frame-title" }, "Content from the agent"),
    h("p", { className: "quiet" }, "The agent made what is inside this frame. It cannot see the fields of this page."),
    box,
  );
  return { element, read };
}

/** Texts by name, a few. @param {any} values @returns {Record<string, string>} */
function checked(values) {
  const entries = Object.entries(values ?? {}).slice(0, MAX_VALUES);
  const texts = entries.filter(([key, value]) => typeof value === "string" && /^[\w-]{1,60}$/.test(key));
  return Object.fromEntries(texts.map(([key, value]) => [key, value.slice(0, MAX_LETTERS)]));
}
