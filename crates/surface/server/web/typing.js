/** Text and keys for the phone. */

import { ask } from "./api.js";
import { button, byId, h } from "./dom.js";
import { act } from "./screen.js";

const KEYS = { back: "Back", home: "Home", recents: "Recent apps" };

const text = h("input", { id: "text", type: "text", autocomplete: "off", spellcheck: false });
const clear = h("input", { id: "clear", type: "checkbox", checked: true });

/** Shows the keys and the line to type in. */
export function showTyping() {
  const keys = Object.entries(KEYS).map(([key, label]) => button(label, () => act({ act: "key", key })));
  const submit = (event) => {
    event.preventDefault();
    type(event.submitter?.value === "send");
  };
  byId("typing").append(
    h("div", { className: "row", role: "group", "aria-label": "Keys of the phone" }, ...keys),
    h(
      "form",
      { className: "row", on: { submit } },
      h("label", { htmlFor: "text", className: "grow" }, "Text for the focused field", text),
      h("button", { type: "submit" }, "Type"),
      h("button", { type: "submit", value: "send", title: "Type, then press Enter" }, "Type and send"),
      h("label", { htmlFor: "clear", className: "check" }, clear, "Replace what is there"),
    ),
  );
}

/** Shows a form for each action that has no place of its own here, as the server describes it. */
export async function showActions() {
  for (const { action, about, params } of await ask("/page/actions")) {
    const inputs = Object.entries(params.properties)
      .map(([name, rule]) => [name, field(`${action}-${name}`, rule)])
      .filter(([, input]) => input);
    const submit = (event) => {
      event.preventDefault();
      const given = inputs.map(([name, input]) => [name, value(input)]);
      act({ act: "action", action, params: Object.fromEntries(given.filter(([, sent]) => sent !== null)) });
    };
    const labels = inputs.map(([name, input]) => h("label", { htmlFor: input.id, className: "grow" }, inWords(name), input));
    const send = h("button", { type: "submit", title: about }, inWords(action));
    byId("typing").append(h("form", { className: "row", on: { submit } }, ...labels, send));
  }
}

/** "set_clipboard" and "setClipboard" as "Set clipboard". @param {string} name */
function inWords(name) {
  const words = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll("_", " ");
  return words[0].toUpperCase() + words.slice(1);
}

/** The field of a parameter; none for what is no text, number or switch. */
function field(id, { type, description }) {
  const types = { string: "text", number: "number", integer: "number", boolean: "checkbox" };
  return types[type] && h("input", { id, type: types[type], title: description, autocomplete: "off" });
}

/** What a field says; null if it says nothing. */
function value(input) {
  if (input.type === "checkbox") return input.checked || null;
  if (!input.value) return null;
  return input.type === "number" ? input.valueAsNumber : input.value;
}

/** @param {boolean} submit */
async function type(submit) {
  if (!text.value) return;
  await act({ act: "text", text: text.value, submit, clear: clear.checked });
  text.value = "";
}

/** A letter that was typed on the picture begins a text. @param {string} letter */
export function typeLetter(letter) {
  text.value += letter;
  text.focus();
}
