// What the JavaScript clients' tests share: steps that say what they saw.

export const APP = 'com.clawperator.conformance';

/** Prints what was seen; ends the test if it is not what was wanted. */
export function see(what, seen, wanted = true) {
  const holds =
    typeof wanted === 'function' ? wanted(seen) : JSON.stringify(seen) === JSON.stringify(wanted);
  const shown = (JSON.stringify(seen) ?? String(seen)).slice(0, 300);
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}: ${shown}`);
  if (!holds) {
    process.exit(1);
  }
}

/** The attributes of the node of a dump with that resource name. */
export function node(xml, name) {
  return first(xml, `resource-id="${APP}:id/${name}"`);
}

/** The attributes of the first node of a dump that text goes into. */
export function field(xml) {
  return first(xml, 'class="android.widget.EditText"');
}

function first(xml, attribute) {
  const tags = xml.match(/<node [^>]*>/g) ?? [];
  const tag = tags.find((text) => text.includes(attribute));
  if (tag === undefined) {
    console.error(`no ${attribute} in ${xml}`);
    process.exit(1);
  }
  return Object.fromEntries([...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]));
}

/** Where to touch a node. */
export function centre(found) {
  const [left, top, right, bottom] = found.bounds.match(/\d+/g).map(Number);
  return [(left + right) >> 1, (top + bottom) >> 1];
}

/** All bytes of a PNG are there: it begins and ends as one. */
export function isPng(bytes) {
  const png = Buffer.from(bytes);
  return png.subarray(1, 4).toString() === 'PNG' && png.subarray(-8, -4).toString() === 'IEND';
}

// A client that waits for ever is ended, and says so.
setTimeout(() => {
  console.error('the client did not end');
  process.exit(1);
}, 45_000).unref();
