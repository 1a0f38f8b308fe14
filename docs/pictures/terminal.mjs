// Draws a recorded session as a terminal: node terminal.mjs SESSION OUT.svg.
// Lines appear as they would be typed and answered; the pauses are drawn, not
// measured. Where nothing may move, all of it is there at once.

import { readFileSync, writeFileSync } from 'node:fs';

const [, , session, out] = process.argv;
const WIDTH = 880;
const COLUMNS = 100;
const LINE = 19;
const LEFT = 20;
const TOP = 58;

const quoted = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The kind of a line, which is its colour. */
function kind(line) {
  if (line.startsWith('$ ')) return 'typed';
  if (/^[A-Z]+(_[A-Z]+)+:/.test(line)) return 'wrong';
  if (line.startsWith('+ ')) return 'new';
  if (line.startsWith('- ')) return 'gone';
  if (line.startsWith('~ ') || line.startsWith('dispatched:')) return 'changed';
  if (/^(done|clicked)/.test(line)) return 'new';
  return line.startsWith('…') ? 'soft' : 'plain';
}

/** A line with its refs marked. */
const marked = (line) => quoted(line).replace(/@e\d+/g, '<tspan class="ref">$&</tspan>');

const lines = readFileSync(session, 'utf8').trimEnd().split('\n');
let at = 0;
const drawn = lines.map((line, number) => {
  at += line.startsWith('$ ') ? (number === 0 ? 0 : 1.6) : 0.06;
  const cut = line.length > COLUMNS ? `${line.slice(0, COLUMNS - 1)}…` : line;
  const style = `animation-delay:${at.toFixed(2)}s`;
  return `<text class="${kind(line)}" x="${LEFT}" y="${TOP + number * LINE}" style="${style}" xml:space="preserve">${marked(cut)}</text>`;
});
const height = TOP + lines.length * LINE + 4;

writeFileSync(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A session in a terminal">
<style>
text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #c9d1d9; animation: come .01s both; }
.typed { fill: #fff; font-weight: 700; }
.ref { fill: #79b8ff; }
.new { fill: #7ee787; }
.gone, .wrong { fill: #ff9a9a; }
.changed { fill: #ffcf7a; }
.soft { fill: #8b949e; }
@keyframes come { from { opacity: 0; } to { opacity: 1; } }
@media (prefers-reduced-motion: reduce) { text { animation: none; } }
</style>
<rect width="${WIDTH}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${drawn.join('\n')}
</svg>
`,
);
