/** The live picture of the phone, and what is done on it. */

import { ask, send } from "./api.js";
import { byId, say } from "./dom.js";
import { elementAt, on, shared, tell } from "./shared.js";
import { typeLetter } from "./typing.js";

const RETRY_MS = 2000;
/** A finger that moves less than this stays where it is. */
const SLIP_PX = 10;
const LONG_PRESS_MS = 500;
/** How much of the screen a key scrolls. */
const KEY_SCROLL = 0.5;

const glass = byId("glass");
const picture = /** @type {HTMLImageElement} */ (byId("picture"));
const mark = byId("mark");
const finger = byId("finger");
const blind = byId("blind");

/** Shows the phone that is chosen, from now on. */
export function showScreen() {
  let watching = new AbortController();
  on("device", (device) => {
    watching.abort();
    watching = new AbortController();
    show(null);
    if (device) follow(device.serial, watching.signal);
  });
  on("hover", showMark);
  listenToFingers();
  listenToKeys();
}

/** Asks for one picture after the other, while the page is looked at. */
async function follow(device, signal) {
  let tag = null;
  while (!signal.aborted) {
    try {
      if (document.hidden) await untilVisible(signal);
      const headers = tag ? { "If-None-Match": tag } : {};
      const response = await send("/page/frame", { query: { device }, headers, signal });
      if (response.status === 304) continue;
      tag = response.headers.get("ETag");
      const size = (response.headers.get("X-Screen-Size") ?? "").split("x").map(Number);
      if (size.length === 2) shared.size = size;
      show(await response.blob());
      tell("frame");
    } catch (error) {
      if (signal.aborted) return;
      tag = null;
      blind.textContent = `No picture: ${error.message}. Trying again …`;
      blind.hidden = false;
      await new Promise((wake) => setTimeout(wake, RETRY_MS));
    }
  }
}

function untilVisible(signal) {
  return new Promise((wake) => {
    document.addEventListener("visibilitychange", wake, { once: true, signal });
    signal.addEventListener("abort", wake, { once: true });
  });
}

/** @param {Blob | null} blob */
function show(blob) {
  URL.revokeObjectURL(picture.src);
  picture.hidden = !blob;
  blind.hidden = Boolean(blob);
  if (blob) picture.src = URL.createObjectURL(blob);
  else blind.textContent = "Waiting for the picture …";
}

/** Frames an element on the picture. @param {import("./shared.js").Element | null} element */
function showMark(element) {
  mark.hidden = !element;
  if (!element) return;
  const [width, height] = shared.tree?.size ?? shared.size;
  const [left, top, right, bottom] = element.bounds;
  place(mark, { left: left / width, top: top / height, width: (right - left) / width, height: (bottom - top) / height });
}

/** Puts something on the picture, in shares of it. */
function place(element, shares) {
  for (const [side, share] of Object.entries(shares)) element.style[side] = `${share * 100}%`;
}

/** Where on the phone a pointer is. @param {PointerEvent} event */
function pointOf(event) {
  const box = picture.getBoundingClientRect();
  const share = (at, from, length) => Math.min(Math.max((at - from) / length, 0), 0.9999);
  const [width, height] = shared.size;
  return [
    Math.floor(share(event.clientX, box.left, box.width) * width),
    Math.floor(share(event.clientY, box.top, box.height) * height),
  ];
}

function listenToFingers() {
  let down = null;
  glass.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || picture.hidden) return;
    glass.setPointerCapture(event.pointerId);
    down = { at: pointOf(event), x: event.clientX, y: event.clientY, time: event.timeStamp, moved: null };
  });
  const isAway = (event) => Math.hypot(event.clientX - down.x, event.clientY - down.y) > SLIP_PX;
  glass.addEventListener("pointermove", (event) => {
    if (!down && !picture.hidden) tell("hover", elementAt(pointOf(event)));
    if (down && isAway(event)) down.moved ??= event.timeStamp;
  });
  glass.addEventListener("pointerleave", () => tell("hover", null));
  glass.addEventListener("pointercancel", () => (down = null));
  glass.addEventListener("pointerup", (event) => {
    if (!down) return;
    const { at, time, moved } = down;
    const isDrag = isAway(event);
    down = null;
    if (shared.isPicking) tell("pick", elementAt(at));
    else if (isDrag) act({ act: "drag", from: at, to: pointOf(event), ...pace(time, moved ?? time, event.timeStamp) });
    else if (event.timeStamp - time >= LONG_PRESS_MS) act({ act: "long_press", x: at[0], y: at[1] });
    else act({ act: "tap", x: at[0], y: at[1] });
  });
}

/** How long a finger rested and moved. A short rest is none. */
function pace(down, moved, up) {
  const rested = moved - down;
  return rested < LONG_PRESS_MS
    ? { hold_ms: 0, move_ms: Math.round(up - down) }
    : { hold_ms: Math.round(rested), move_ms: Math.round(up - moved) };
}

function listenToKeys() {
  glass.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const towards = { ArrowDown: [0, 1], PageDown: [0, 1], ArrowUp: [0, -1], PageUp: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };
    if (event.key in towards) scroll(towards[event.key]);
    else if (event.key === "Escape") act({ act: "key", key: "back" });
    else if (event.key === "Home") act({ act: "key", key: "home" });
    else if (event.key.length === 1 && event.key !== " ") typeLetter(event.key);
    else return;
    event.preventDefault();
  });
}

/** Scrolls by a key: as a finger that goes the other way. */
function scroll([right, down]) {
  const [width, height] = shared.size;
  const point = (sign) => [
    Math.floor(width * (0.5 + (sign * right * KEY_SCROLL) / 2)),
    Math.floor(height * (0.5 + (sign * down * KEY_SCROLL) / 2)),
  ];
  act({ act: "scroll", from: point(1), to: point(-1) });
}

/** Does something on the phone. @param {Record<string, any>} what */
export async function act(what) {
  if (!shared.device) return;
  const at = what.from ?? (what.x === undefined ? null : [what.x, what.y]);
  if (at) showFinger(at);
  try {
    const done = await ask("/page/input", { body: { device: shared.device.serial, ...what } });
    say(done.ok ? "" : done.message, !done.ok);
    tell("acted", done);
  } catch (error) {
    say(error.message, true);
  }
}

/** Shows where the phone was touched. */
function showFinger([x, y]) {
  place(finger, { left: x / shared.size[0], top: y / shared.size[1] });
  finger.hidden = true;
  // Read once in between, so that the animation begins again.
  void finger.offsetWidth;
  finger.hidden = false;
}
