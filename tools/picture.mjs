// `npm run pictures`: docs/pictures/status.svg, the output of the tour's `liza status` drawn as a terminal.
// The text is what the program printed, letter for letter; the drawing adds the window and a few tints.
// Fonts differ in width, so each line is told how wide it is: boxes and columns line up everywhere.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildIfMissing, liza, makeProject, STEPS, typed } from './tour.mjs';

const FILE = path.join(import.meta.dirname, '..', 'docs', 'pictures', 'status.svg');
const CELL = 8.4;
const LINE = 21;
const MARGIN = 24;
const BAR = 36;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const TITLE = { colour: '#1f2328', weight: 600 };
const TINTS = [
  { pattern: /^\$ /, colour: '#57606a', weight: 400 },
  { pattern: /^(Nothing moves:|Alarms|Agents|Notices)/, colour: '#9a6700', weight: 600 },
  { pattern: /^[A-Z_]+$/, colour: '#0969da', weight: 600 },
];

process.env.LC_ALL = 'C.UTF-8';
buildIfMissing();
const lines = [`$ ${typed(['status'])}`, ...statusOfTour()];
mkdirSync(path.dirname(FILE), { recursive: true });
writeFileSync(FILE, draw(lines));
process.stdout.write(`${path.relative(process.cwd(), FILE)} written\n`);

/** Plays the tour as far as its status and keeps that. */
function statusOfTour() {
  const folder = makeProject();
  try {
    for (const { argv } of STEPS) {
      const { status, output } = liza(folder, argv);
      if (status !== 0) throw new Error(`liza ${argv[0]} ended with exit code ${status}:\n${output}`);
      if (argv[0] === 'status') return output.trimEnd().split('\n');
    }
    throw new Error('the tour shows no status');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function draw(lines) {
  const width = Math.round(Math.max(...lines.map((line) => line.length)) * CELL + 2 * MARGIN);
  const height = BAR + lines.length * LINE + MARGIN;
  const dots = ['#ff6b60', '#f5bf4f', '#61c554'].map(
    (colour, at) => `  <circle cx="${MARGIN + at * 18}" cy="${BAR / 2}" r="5" fill="${colour}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
  <title>liza status</title>
  <desc>${escaped(lines.join('\n'))}</desc>
  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#ffffff" stroke="#d0d7de"/>
  <path d="M1 ${BAR}H${width - 1}" stroke="#eaeef2"/>
${dots.join('\n')}
  <g font-family="${FONT}" font-size="14" fill="#1f2328">
${lines.flatMap(drawLine).join('\n')}
  </g>
</svg>
`;
}

/** Each run of words stands at its own column, so that no viewer can swallow the spaces between them. */
function drawLine(line, at, lines) {
  const first = lines[lines.lastIndexOf('', at) + 1] ?? '';
  const sentence = /^[A-Z][a-z ]+:/.test(first) ? first : line;
  const tint = TINTS.find(({ pattern }) => pattern.test(sentence)) ?? (at === 1 ? TITLE : undefined);
  const paint = tint === undefined ? '' : ` fill="${tint.colour}" font-weight="${tint.weight}"`;
  const y = BAR + (at + 1) * LINE;
  return [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => {
    const x = (MARGIN + index * CELL).toFixed(1);
    const length = (text.length * CELL).toFixed(1);
    return `    <text x="${x}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${paint}>${escaped(text)}</text>`;
  });
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
