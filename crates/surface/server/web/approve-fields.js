/** The fields of an approval page, and what can be attached. */

import { h } from "./dom.js";

/** How a field of each type is written in HTML. */
const INPUTS = {
  text: { type: "text" },
  textarea: {},
  password: { type: "password", autocomplete: "current-password" },
  email: { type: "email", autocomplete: "email" },
  number: { type: "text", inputMode: "decimal" },
  date: { type: "date" },
  select: {},
  otp: { type: "text", inputMode: "numeric", autocomplete: "one-time-code" },
  "card-number": { type: "text", inputMode: "numeric", autocomplete: "cc-number", placeholder: "1234 5678 9012 3456" },
  expiry: { type: "text", inputMode: "numeric", autocomplete: "cc-exp", placeholder: "MM/YY" },
  cvc: { type: "password", inputMode: "numeric", autocomplete: "cc-csc" },
};
const FILES = {
  photo: { label: "Photo", accept: "image/*", capture: "environment" },
  audio: { label: "Audio", accept: "audio/*", capture: "user" },
  file: { label: "File" },
};
const MAX_BYTES = 16 << 20;

/** @param {any} page @returns {{element: HTMLElement | null, read: () => Promise<any>}} */
export function showFields(page) {
  const fields = page.fields.map((field) => fieldOf(field));
  const has = (kind) => page.attachments.includes(kind);
  const text = has("text") ? textField(page) : null;
  const place = has("location") ? placeField() : null;
  const files = Object.keys(FILES).filter(has).map((kind) => fileField(kind, page));
  const parts = [...fields, text, place, ...files].filter(Boolean);
  const read = async () => {
    const answer = { fields: {} };
    for (const field of fields) answer.fields[field.id] = field.input.value;
    if (text?.input.value) answer.text = text.input.value;
    const location = place?.read();
    if (location) answer.location = location;
    const chosen = (await Promise.all(files.map((each) => each.read()))).flat();
    if (chosen.reduce((sum, file) => sum + file.base64.length, 0) > MAX_BYTES * 1.34) {
      throw new Error("The files are larger than 16 MB together.");
    }
    if (chosen.length) answer.files = chosen;
    return answer;
  };
  const element = parts.length ? h("div", { className: "card" }, ...parts.map((part) => part.element)) : null;
  return { element, read };
}

/** @param {any} field */
function fieldOf(field) {
  const id = `field-${field.id}`;
  const { placeholder, ...usual } = INPUTS[field.type] ?? INPUTS.text;
  const props = {
    id,
    required: Boolean(field.required),
    autocomplete: field.autocomplete ?? usual.autocomplete ?? "off",
    "aria-describedby": field.helperText ? `${id}-help` : null,
  };
  let input;
  if (field.type === "select") {
    const options = (field.options ?? []).map(({ label, value }) => h("option", { value }, label));
    input = h("select", props, h("option", { value: "" }, "Choose …"), ...options);
  } else if (field.type === "textarea") {
    input = h("textarea", { ...props, placeholder: field.placeholder, maxLength: 4000 });
  } else {
    input = h("input", { ...usual, ...props, placeholder: field.placeholder ?? placeholder, maxLength: 4000 });
  }
  const label = field.required ? `${field.label} (required)` : field.label;
  const help = field.helperText ? h("p", { id: `${id}-help`, className: "quiet" }, field.helperText) : null;
  return { id: field.id, input, element: h("div", { className: "field" }, h("label", { htmlFor: id }, label), input, help) };
}

/** @param {any} page */
function textField(page) {
  const required = page.needsArtifact && page.attachments.length === 1 && !page.fields.length;
  const input = h("input", { id: "text", type: "text", maxLength: 4000, autocomplete: "off", required });
  return { input, element: h("div", { className: "field" }, h("label", { htmlFor: "text" }, "Text"), input) };
}

function placeField() {
  const part = (id, label, most) => {
    const input = h("input", { id, type: "text", inputMode: "decimal", autocomplete: "off", placeholder: `-${most} to ${most}` });
    return { input, element: h("div", { className: "field" }, h("label", { htmlFor: id }, label), input) };
  };
  const lat = part("lat", "Latitude", 90);
  const lon = part("lon", "Longitude", 180);
  const says = h("p", { className: "quiet", role: "status" });
  const ask = () => {
    says.textContent = "Asking the browser …";
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        lat.input.value = coords.latitude.toFixed(6);
        lon.input.value = coords.longitude.toFixed(6);
        says.textContent = "";
      },
      () => { says.textContent = "The browser gave no location; write it."; },
    );
  };
  const button = navigator.geolocation ? h("button", { type: "button", on: { click: ask } }, "Use my location") : null;
  const element = h("fieldset", {}, h("legend", {}, "Location"), h("div", { className: "row" }, lat.element, lon.element), button, says);
  const read = () => {
    const [north, east] = [lat, lon].map(({ input }) => input.value.trim().replace(",", "."));
    if (!north && !east) return null;
    if (!north || !east || !Number.isFinite(+north) || !Number.isFinite(+east)) throw new Error("Latitude and longitude must be numbers.");
    return { lat: +north, lon: +east };
  };
  return { element, read };
}

/** @param {"photo" | "audio" | "file"} kind @param {any} page */
function fileField(kind, page) {
  const { label, accept, capture } = FILES[kind];
  const id = `attach-${kind}`;
  const input = h("input", { id, type: "file", multiple: kind !== "audio" });
  const wanted = kind === "file" ? page.fileAccept : accept;
  if (wanted) input.accept = wanted;
  if (capture) input.setAttribute("capture", capture);
  const read = async () => Promise.all([...input.files].slice(0, 8).map((file) => readFile(kind, file)));
  return { element: h("div", { className: "field" }, h("label", { htmlFor: id }, label), input), read };
}

/** @param {string} role @param {File} file */
function readFile(role, file) {
  return new Promise((resolve, reject) => {
    if (file.size > MAX_BYTES) return reject(new Error(`${file.name} is larger than 16 MB.`));
    const reader = new FileReader();
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.onload = () => {
      const base64 = String(reader.result).split(",", 2)[1] ?? "";
      resolve({ role, name: file.name, mediaType: file.type || "application/octet-stream", base64 });
    };
    reader.readAsDataURL(file);
  });
}
