/**
 * Builds elements. Whatever is shown goes in as text, never as HTML, so that
 * nothing that a phone says can become a part of the page.
 */

/**
 * An element with properties and children. `on` holds listeners; keys with a
 * dash or `role` are attributes; everything else is a property.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node|string|null|undefined|false)} children
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (key === "on") {
      for (const [name, listener] of Object.entries(value)) element.addEventListener(name, listener);
    } else if (key === "data") {
      Object.assign(element.dataset, value);
    } else if (key === "role" || key.includes("-")) {
      element.setAttribute(key, String(value));
    } else {
      element[key] = value;
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The element with an id. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/** Tells the user something; screen readers read it out. @param {string} text @param {boolean} [isBad] */
export function say(text, isBad = false) {
  const status = byId("status");
  status.textContent = text;
  status.classList.toggle("bad", isBad);
}

/** A button that does something. @param {string} label @param {() => void} act @param {Record<string, any>} [props] */
export function button(label, act, props = {}) {
  return h("button", { type: "button", on: { click: act }, ...props }, label);
}

/** A button that copies a text. @param {string} text @param {string} what */
export function copyButton(text, what) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say(`Copied: ${what}.`);
    } catch {
      say("The browser did not allow copying; select the text instead.", true);
    }
  };
  return button("Copy", copy, { className: "small", "aria-label": `Copy ${what}` });
}
