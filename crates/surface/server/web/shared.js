/** What the parts of the page share: which phone, which screen, which element. */

/**
 * @typedef {{serial: string, name: string, isSimulated: boolean}} Device
 * @typedef {{node: number, depth: number, role: string, label?: string, id?: string, class: string, bounds: number[], is?: string[]}} Element
 * @typedef {{snapshot: string, size: number[], package: string, nodes: Element[]}} Tree
 */

export const shared = {
  /** @type {Device | null} */
  device: null,
  /** @type {Tree | null} */
  tree: null,
  /** The size of the phone's screen, in pixels. */
  size: [1080, 2400],
  /** Whether a click on the picture picks an element instead of tapping. */
  isPicking: false,
};

const bus = new EventTarget();

/**
 * Tells everybody that something changed: `device`, `frame`, `tree`, `hover`
 * (an element is pointed at, or none), `pick` (an element is chosen).
 * @param {string} what @param {any} [detail]
 */
export function tell(what, detail) {
  bus.dispatchEvent(new CustomEvent(what, { detail }));
}

/** @param {string} what @param {(detail: any) => void} hear */
export function on(what, hear) {
  bus.addEventListener(what, (event) => hear(/** @type {CustomEvent} */ (event).detail));
}

/** The innermost element at a point: the smallest, and of equals the last. @param {number[]} at */
export function elementAt([x, y]) {
  let best = null;
  let bestArea = Infinity;
  for (const element of shared.tree?.nodes ?? []) {
    const [left, top, right, bottom] = element.bounds;
    if (x < left || x >= right || y < top || y >= bottom) continue;
    const area = (right - left) * (bottom - top);
    if (area <= bestArea) [best, bestArea] = [element, area];
  }
  return best;
}
