/** Text and keys for the phone. */

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
